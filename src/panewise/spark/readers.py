"""Readers: which instances of which nodes read a row, as a constant table.

Idea: written out one by one, instances are code, and beyond a dozen it is more than the JVM
compiles.  So they are data: an array of constants that every row is joined with, and one formula
tells from a row `[start, end)` and an entry where the instance begins and ends.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields

from pyspark.sql import DataFrame

from panewise.plan import Edges
from panewise.spark.expressions import floor_of, pane_of
from panewise.windows import Family

UNROLLED = 16
"""Instances of a node that get an entry each; more are made by a loop, at a higher price."""
PERIODIC, ONCE, SAME, PANES = range(4)


@dataclass(frozen=True)
class Reader:
    """A node that reads rows."""

    number: int
    shape: Edges | Family | None
    """None is a finished window, which passes as it is."""
    overlapping: bool = False
    """Rows overlap, and may be in no instance as a whole."""
    stride: int = 0
    """Of a minimal cover: only rows a multiple of it from the beginning of the instance are read,
    and the one that ends with it.  0 reads all."""


@dataclass(frozen=True)
class Entry:
    """One instance that may read a row: for each of `steps` that begin `back` earlier, or are
    `grow` longer, than the one before."""

    w: int
    kind: int
    slide: int = 1
    phase: int = 0
    lag: int = 0
    size: int = 1
    stride: int = 1
    steps: int = 1
    back: int = 0
    grow: int = 0

    def sql(self) -> str:
        return f"({', '.join(f'{getattr(self, name)}L' for name in _FIELDS)})"


_FIELDS = [field.name for field in fields(Entry)]
_TYPE = "array<struct<w: int, " + ", ".join(f"{name}: bigint" for name in _FIELDS[1:]) + ">>"


def read(
    rows: DataFrame,
    carried: Sequence[str],
    start: str,
    end: str,
    readers: Mapping[int | None, Sequence[Reader]],
    *,
    ends: bool,
) -> DataFrame:
    """One copy of a row for every instance that reads it: `carried`, `w`, `b`, and `e` if asked.

    `readers` are told apart by the row's own `w`; under None are those of all rows.
    """
    every = [reader for group in readers.values() for reader in group]
    if len(every) == 1 and _is_plain(every[0]):
        only = every[0]
        return rows.selectExpr(
            *carried, f"{only.number} AS w", f"{_begin(only.shape, start)} AS b", *_end(only, ends)
        )
    panes = list(dict.fromkeys(r.shape for r in every if isinstance(r.shape, Edges)))
    tables = {w: [e for r in group for e in _entries(r, panes)] for w, group in readers.items()}
    entries = [entry for table in tables.values() for entry in table]
    joined = rows.selectExpr(
        *carried, f"{start} AS __start", f"{end} AS __end", f"inline({_chosen(tables)})"
    )
    looped = any(entry.steps > 1 for entry in entries)
    if looped:
        joined = joined.selectExpr("*", "explode(sequence(0L, steps - 1L)) AS j")
    begin = _cases(entries, panes)
    if any(entry.lag for entry in entries):
        begin += " - lag"
    if looped:
        begin += " - j * back"
    placed = joined.selectExpr("*", f"{begin} AS b")
    finish = "b + size" + (" + j * grow" if looped else "")
    if any(entry.kind == SAME for entry in entries):
        finish = f"CASE WHEN kind = {SAME} THEN __end ELSE {finish} END"
    inside = _inside(every, entries, finish)
    found = placed.where(inside) if inside else placed
    return found.selectExpr(*carried, "w", "b", *([f"{finish} AS e"] if ends else []))


def _is_plain(reader: Reader) -> bool:
    """Whether every row is in exactly one instance, and whole in it."""
    shape = reader.shape
    if isinstance(shape, Edges):
        return True
    if shape is None or shape.once or reader.overlapping:
        return False
    return shape.size == shape.slide == shape.step


def _begin(shape: Edges | Family | None, start: str) -> str:
    assert shape is not None
    if isinstance(shape, Edges):
        return pane_of(shape, start)
    return floor_of(start, shape.slide, shape.origin)


def _end(reader: Reader, ends: bool) -> list[str]:
    size = reader.shape.size if isinstance(reader.shape, Family) else 1
    return [f"b + {size}L AS e"] if ends else []


def _entries(reader: Reader, panes: Sequence[Edges]) -> list[Entry]:
    shape, number = reader.shape, reader.number
    if shape is None:
        return [Entry(number, SAME)]
    if isinstance(shape, Edges):
        return [Entry(number, PANES + panes.index(shape))]
    nested = shape.size // shape.step
    grows = nested > 1 or shape.once
    steps = nested if grows else -(-shape.size // shape.slide)
    first = Entry(
        number,
        ONCE if shape.once else PERIODIC,
        slide=1 if shape.once else shape.slide,
        phase=shape.origin if shape.once else shape.origin % shape.slide,
        size=shape.step if grows else shape.size,
        stride=reader.stride or 1,  # 0 is a parent with gaps: it lends whole instances
        steps=steps,
        back=0 if grows else shape.slide,
        grow=shape.step if grows else 0,
    )
    if steps > UNROLLED:
        return [first]
    return [_step(first, j) for j in range(steps)]


def _step(first: Entry, j: int) -> Entry:
    return Entry(
        first.w,
        first.kind,
        first.slide,
        first.phase,
        lag=j * first.back,
        size=first.size + j * first.grow,
        stride=first.stride,
    )


def _chosen(tables: Mapping[int | None, Sequence[Entry]]) -> str:
    if None in tables:
        return _array(tables[None])
    cases = " ".join(f"WHEN {w} THEN {_array(table)}" for w, table in tables.items() if table)
    return f"CASE w {cases} END"


def _array(table: Iterable[Entry]) -> str:
    # names come with the cast: one for the array instead of one in every entry
    return f"CAST(array({', '.join(entry.sql() for entry in table)}) AS {_TYPE})"


def _cases(entries: Sequence[Entry], panes: Sequence[Edges]) -> str:
    """Where an instance begins, by the kind of its entry."""
    begins = {
        PERIODIC: "__start - pmod(__start - phase, slide)",
        ONCE: "phase",
        SAME: "__start",
        **{PANES + i: pane_of(edges, "__start") for i, edges in enumerate(panes)},
    }
    kinds = sorted({entry.kind for entry in entries})
    if len(kinds) == 1:
        return begins[kinds[0]]
    cases = " ".join(f"WHEN {kind} THEN {begins[kind]}" for kind in kinds)
    return f"CASE kind {cases} END"


def _inside(readers: Sequence[Reader], entries: Sequence[Entry], finish: str) -> str:
    """Whether an instance really has the whole row, and reads it; nothing if all do."""
    if all(reader.shape is None or _is_plain(reader) for reader in readers):
        return ""
    asked = [f"__end <= {finish}"]
    if any(entry.kind == ONCE for entry in entries):
        asked.append("__start >= b")
    if any(entry.stride > 1 for entry in entries):
        asked.append(f"(pmod(__start - b, stride) = 0 OR __end = {finish})")
    inside = " AND ".join(asked)
    whole = any(entry.kind >= SAME for entry in entries)
    return f"kind >= {SAME} OR ({inside})" if whole else inside
