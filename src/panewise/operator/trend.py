"""Trend across levels over Arrow tables."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from panewise.operator.rings import groups
from panewise.query.trend import COLUMNS, Trend, no_number

_NUMBERS = (pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal)


def trend(asked: Trend, rows: pa.Table) -> pa.Table:
    """A row for each instant at which a level and the next coarser one report."""
    rows = rows.combine_chunks()
    kind = rows.schema.field(asked.of).type
    if not any(test(kind) for test in _NUMBERS):
        raise no_number(asked.of, str(kind))
    names = np.asarray(rows["window_id"].combine_chunks().dictionary_encode().indices)
    level = np.asarray(rows["level"].cast(pa.float64()).fill_null(np.nan))
    found = [_pairs(asked, rows, names, level, at) for at in range(_count(asked))]
    fine, coarse = (np.concatenate(side) for side in zip(*found, strict=True))
    kept = rows.take(pa.array(fine)).select(["window_id", "window", "level", *asked.query.by])
    value, base = (rows[asked.of].take(pa.array(at)).cast(pa.float64()) for at in (fine, coarse))
    base = pc.multiply(base, pa.array(_scales(asked, kept)))
    for name, column in zip(COLUMNS, (value, base, pc.subtract(value, base)), strict=True):
        kept = kept.append_column(name, column)
    return kept


def bursts(asked: Trend, rows: pa.Table, factor: float) -> pa.Table:
    """The rows of a trend whose value is more than `factor` times the base."""
    found = trend(asked, rows)
    over = pc.greater(found["value"], pc.multiply(found["base"], factor))
    return found.filter(pc.fill_null(over, False))


def _count(asked: Trend) -> int:
    return 1 + max(window.level for window in asked.levels())


def _pairs(
    asked: Trend, rows: pa.Table, names: np.ndarray, level: np.ndarray, at: int
) -> tuple[np.ndarray, np.ndarray]:
    """Rows of a level, and beside each the row of the next at the same instant."""
    mine = np.flatnonzero((level == at) | (level == at + 1))
    near = rows.take(pa.array(mine))
    placed = near.select(asked.query.by).append_column("name", pa.array(names[mine]))
    end = pc.struct_field(near["window"], 1)
    group, heads = groups(placed.append_column("end", end))
    is_fine = level[mine] == at
    sides = []
    for side in (is_fine, ~is_fine):
        row = np.full(len(heads), -1, np.int64)
        row[group[side]] = mine[side]
        sides.append(row)
    both = (sides[0] >= 0) & (sides[1] >= 0)
    return sides[0][both], sides[1][both]


def _scales(asked: Trend, kept: pa.Table) -> np.ndarray:
    known = {(w.window_id, w.level): asked.scale(w) for w in asked.levels()}
    told = zip(kept["window_id"].to_pylist(), kept["level"].to_pylist(), strict=True)
    return np.array([known[place] for place in told], np.float64)
