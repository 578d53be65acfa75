"""Rings of granules put together by level, over Arrow tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from panewise.aggregates import Aggregate
from panewise.aggregates.count import Count
from panewise.aggregates.recurring import Recurring
from panewise.aggregates.sum import Mean
from panewise.operator.columns import ticks_of, times_of
from panewise.operator.local import run_plan
from panewise.operator.numbering import NumberedWords
from panewise.operator.recurring import items_alone, with_counts
from panewise.operator.words import Marked, Words
from panewise.plan import Plan
from panewise.query import RingQuery
from panewise.query.rings import BITS, ITEMS, NUMBER, TOTAL, part_name
from panewise.windows import sizes


@dataclass(frozen=True)
class Placed:
    """Of each row which ring it is, of which level, and where the window of the level ends."""

    ring: np.ndarray
    level: np.ndarray
    end: np.ndarray
    group: np.ndarray
    """The number of each row's window, level and keys together."""
    heads: np.ndarray
    """A row of each of these."""

    @classmethod
    def of(cls, asked: RingQuery, rows: pa.Table) -> Placed:
        ring = np.asarray(rows["window_id"].cast(pa.int64()))
        level = np.array([each.of.level for each in asked.rings], np.int64)[ring]
        reach = np.array([each.reach for each in asked.rings], np.int64)[ring]
        end = np.asarray(ticks_of(_starts(rows))) + reach
        keys = rows.select(asked.outer.by)  # whose names may be any
        placed = keys.rename_columns([f"k{n}" for n in range(keys.num_columns)])
        placed = placed.append_column("level", pa.array(level))
        group, heads = groups(placed.append_column("end", pa.array(end)))
        return cls(ring, level, end, group, heads)


def run_rings(asked: RingQuery, plan: Plan, data: Any) -> pa.Table:
    """A plan over rings, over data at hand, by level."""
    if asked.items is None:
        rows, words = run_plan(plan, data), None
    else:
        marked = Marked.of(asked, data, NumberedWords)
        rows, words = run_plan(plan, marked), marked.words
    rows = rows.combine_chunks()
    return by_level(asked, rows, Placed.of(asked, rows), words)


def by_level(
    asked: RingQuery, rows: pa.Table, placed: Placed, words: Words | None = None
) -> pa.Table:
    """One row for each window of each level that has an event; items alone are of these words."""
    rows = rows.combine_chunks()
    ring, group, heads = placed.ring, placed.group, placed.heads
    level, end, kind = placed.level[heads], placed.end[heads], _starts(rows).type
    wide = np.array([sizes.units(wide) for wide, _ in asked.scheme.levels], np.int64)[level]
    bounds = [times_of(ticks, kind) for ticks in (end - wide, end)]
    columns = [
        pa.repeat(pa.scalar(asked.scheme.window_id), len(heads)),
        pa.StructArray.from_arrays(bounds, names=["start", "end"]),
        pa.array(level.astype(np.int32)),
        *(rows[name].take(pa.array(heads)).combine_chunks() for name in asked.outer.by),
    ]
    weights = np.array(asked.weights)[ring]
    for number, aggregate in enumerate(asked.aggregates):
        parts = {
            part: rows[name].combine_chunks()
            for part in (TOTAL, NUMBER, ITEMS, BITS)
            if (name := part_name(number, part)) in rows.column_names
        }
        if isinstance(aggregate, Recurring) and asked.items is not None:
            assert words is not None
            word = rows[asked.items.word].combine_chunks()
            found = items_alone(aggregate, words, word, parts[BITS], ring, group, level + 1)
        elif isinstance(aggregate, Recurring):
            found = with_counts(aggregate, parts[ITEMS], group, level + 1)
        else:
            found = _aged(aggregate, parts, weights, group, len(heads))
        columns.append(found)
    return pa.table(columns, names=list(asked.columns))


def _starts(rows: pa.Table) -> pa.Array:
    return pc.struct_field(rows["window"].combine_chunks(), 0)


def groups(placed: pa.Table) -> tuple[np.ndarray, np.ndarray]:
    """For each row the number of its group, and a row of each group."""
    numbered = placed.append_column("row", pa.array(np.arange(len(placed))))
    names = placed.column_names
    grouped = numbered.group_by(names, use_threads=False).aggregate([("row", "list")])
    members = grouped["row_list"].combine_chunks()
    group = np.empty(len(placed), np.int64)
    lengths = np.asarray(members.value_lengths())
    flat = np.asarray(members.flatten())
    group[flat] = np.repeat(np.arange(len(members)), lengths)
    return group, flat[np.cumsum(lengths) - lengths]


def _aged(
    aggregate: Aggregate,
    parts: dict[str, pa.Array],
    weights: np.ndarray,
    group: np.ndarray,
    count: int,
) -> pa.Array:
    """Sums over rings, each ring weighed; null where no value is."""
    there = np.asarray(parts[NUMBER]).astype(np.float64)
    counted = _summed(weights * there, group, count)
    if isinstance(aggregate, Count):
        return pa.array(counted)
    # a ring without a value adds nothing, whatever its weight
    total = np.asarray(parts[TOTAL].cast(pa.float64(), safe=False).fill_null(0.0))
    summed = _summed(weights * total, group, count)
    known = _summed(there, group, count) > 0
    if not isinstance(aggregate, Mean):
        return pa.array(summed, mask=~known)
    with np.errstate(all="ignore"):
        return pa.array(summed / counted, mask=~known | (counted == 0))


def _summed(values: np.ndarray, group: np.ndarray, count: int) -> np.ndarray:
    return np.bincount(group, values, count).astype(np.float64)  # of none it counts integers
