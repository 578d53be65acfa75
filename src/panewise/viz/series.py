"""Results over time as series: for each window and key, its values where its windows are.

Result tables say nothing of what their columns are, but they have an order: what names the window,
then keys, then aggregates.  Keys that are not given are as many columns as make rows differ.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from panewise.errors import QueryError, SchemaError, nearest
from panewise.plan.running import is_spark

IDENTITY = ("query", "window_id", "window_no", "level")
BOUNDS = ("window", "window_start", "window_end")
TOLD = ("revision", "retracted", "late_share")

Key = tuple[Any, ...]


@dataclass(frozen=True)
class Series:
    """The results of one window for one key, in order of their ends."""

    name: str
    key: Key
    start: np.ndarray
    end: np.ndarray
    value: np.ndarray

    @property
    def length(self) -> float:
        """Ticks of a window, on average."""
        return float(np.mean(self.end - self.start))

    @property
    def overlapping(self) -> bool:
        """Whether a window begins before the one before it has ended."""
        return bool(np.any(self.start[1:] < self.end[:-1]))

    def line(self) -> tuple[np.ndarray, np.ndarray]:
        """The corners of a line, broken (nan) where there is no window.

        A window that shares no time with others is a level stretch from its start to its end; of
        those that overlap, each is a point where it ends.

        >>> told = np.array([0, 10, 30]), np.array([10, 20, 40]), np.array([1.0, 2.0, 3.0])
        >>> [part.tolist() for part in Series("w", (), *told).line()]
        [[0.0, 10.0, 10.0, 20.0, nan, 30.0, 40.0], [1.0, 1.0, 2.0, 2.0, nan, 3.0, 3.0]]
        """
        if self.overlapping:
            at, value = self.end.astype(float), self.value
            apart = np.flatnonzero(self.start[1:] >= self.end[:-1]) + 1
        else:
            at = np.stack([self.start, self.end], axis=1).ravel().astype(float)
            value = np.repeat(self.value, 2)
            apart = 2 * (np.flatnonzero(self.start[1:] > self.end[:-1]) + 1)
        return np.insert(at, apart, np.nan), np.insert(value, apart, np.nan)


@dataclass(frozen=True)
class Shown:
    """What is drawn of a table."""

    column: str
    by: tuple[str, ...]
    time: pa.DataType
    series: list[Series]
    """Shorter windows first."""
    keys: list[Key]
    """Each once, in the order of the table."""


def table_of(results: Any) -> pa.Table:
    """Results as an Arrow table; those of Spark are collected, which starts a job."""
    if is_spark(results):
        return results.toArrow()
    if isinstance(results, pa.Table):
        return results
    if isinstance(results, pa.RecordBatch):
        return pa.Table.from_batches([results])
    from panewise.operator.columns import as_table

    return as_table(results, list(getattr(results, "columns", ())))


def shown(results: Any, column: str | None = None, by: Sequence[str] | None = None) -> Shown:
    """The series of one column; what is not given is found in the table."""
    from panewise.operator.columns import ticks_of

    table = table_of(results).combine_chunks()
    _bounds(table)
    known = [name for name in table.column_names if name not in (*IDENTITY, *BOUNDS, *TOLD)]
    keys = _found(table, known) if by is None else _given(by, known)
    column = _column(table, column, [name for name in known if name not in keys])
    table = _last_told(table, keys)
    start, end = _bounds(table)
    value = pc.fill_null(table[column].cast(pa.float64()), float("nan"))
    whole = pa.table({"end": ticks_of(end), "start": ticks_of(start), "value": value})
    series = [
        Series(name, key, *(ours[each].to_numpy() for each in ("start", "end", "value")))
        for name, key, rows in _groups(table, keys)
        if len(ours := whole.take(rows).sort_by([("end", "ascending"), ("start", "ascending")]))
    ]
    by_length = sorted(series, key=lambda each: each.length)
    return Shown(
        column, keys, start.type, by_length, list(dict.fromkeys(each.key for each in series))
    )


def _bounds(table: pa.Table) -> tuple[pa.Array, pa.Array]:
    """Where windows begin and end, as one column or as two."""
    if "window_id" in table.column_names:
        if "window" in table.column_names and pa.types.is_struct(table["window"].type):
            window = table["window"].combine_chunks()
            return pc.struct_field(window, "start"), pc.struct_field(window, "end")
        if {"window_start", "window_end"} <= set(table.column_names):
            start, end = (table[f"window_{side}"].combine_chunks() for side in ("start", "end"))
            return start, end
    raise SchemaError(
        "results have the columns window_id and window, or window_id, window_start and "
        f"window_end: got {', '.join(table.column_names)}.",
        hint="give what plan.run returned, or the same read back.",
    )


def _found(table: pa.Table, known: list[str]) -> tuple[str, ...]:
    """The first columns, as many as make rows differ."""
    there = _there(table, (*IDENTITY, *BOUNDS, *TOLD))
    for count in range(len(known)):
        if len(_grouped(table, [*there, *known[:count]])) == len(table):
            return tuple(known[:count])
    raise QueryError(
        "there are several rows for one window and key, and a line has one value at a time.",
        hint="leave only one row of each, or name the keys with by=[...].",
    )


def _given(by: Sequence[str], known: list[str]) -> tuple[str, ...]:
    listed = (by,) if isinstance(by, str) else tuple(by)
    for name in listed:
        if name not in known:
            raise SchemaError(f'no key "{name}" in the results.', hint=nearest(name, known))
    return listed


def _column(table: pa.Table, given: str | None, known: list[str]) -> str:
    """The column that was asked for, or the first that holds numbers."""
    numbers = [name for name in known if _is_number(table.schema.field(name).type)]
    if given is None and numbers:
        return numbers[0]
    if given in numbers:
        return str(given)
    if given is not None and given not in known:
        raise SchemaError(f'no column "{given}" in the results.', hint=nearest(given, known))
    raise QueryError(
        f"a chart shows numbers: got {given or 'a table without any'}.",
        hint=f"there are {', '.join(numbers)}." if numbers else "ask for a sum, a count or a mean.",
    )


def _is_number(kind: pa.DataType) -> bool:
    return any(
        test(kind) for test in (pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal)
    )


def _last_told(table: pa.Table, keys: Sequence[str]) -> pa.Table:
    """Of windows that were told again the last answer, and none that was taken back."""
    if "revision" not in table.column_names:
        return table
    table = table.sort_by("revision")
    groups = _grouped(table, [*_there(table, (*IDENTITY, *BOUNDS)), *keys])
    last = pa.array(sorted(rows[-1].as_py() for rows in groups["row_list"]), pa.int64())
    table = table.take(last)
    if "retracted" not in table.column_names:
        return table
    return table.filter(pc.invert(pc.fill_null(table["retracted"], False)))


def _groups(table: pa.Table, keys: Sequence[str]) -> Iterator[tuple[str, Key, pa.Array]]:
    """The name of each series, its key, and the places of its rows."""
    there = _there(table, ("query", "window_id", "level"))
    for row in _grouped(table, [*there, *keys]).to_pylist():
        name = str(row["window_id"])
        name = f"{row['query']}: {name}" if row.get("query") else name
        name += f", level {row['level']}" if row.get("level") is not None else ""
        yield name, tuple(row[key] for key in keys), pa.array(row["row_list"], pa.int64())


def _there(table: pa.Table, names: Sequence[str]) -> list[str]:
    return [name for name in names if name in table.column_names]


def _grouped(table: pa.Table, names: Sequence[str]) -> pa.Table:
    """Groups of equal rows in the order of the table, with the places of their rows."""
    rows = table.select(names)
    if "window" in names:  # Arrow groups by no struct
        start, end = _bounds(table)
        rows = rows.drop_columns("window").append_column("start", start).append_column("end", end)
    grouping = list(rows.column_names)
    rows = rows.append_column("row", pa.array(range(len(rows)), pa.int64()))
    return rows.group_by(grouping, use_threads=False).aggregate([("row", "list")])
