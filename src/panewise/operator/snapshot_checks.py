"""What a snapshot must be before it is believed: types, bounds and order of everything in it.

Loops use numbers of a snapshot as places in arrays, so each is checked before it gets there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from panewise.kernels.cells import Cells
from panewise.kernels.frames.policy import BUFFERS
from panewise.kernels.state import Layout, cells_of
from panewise.operator.container import damaged

_FARTHEST = 2**62 + 2**32
"""No time of a cell is farther from zero."""
_COUNTS = ("_rows", "_late", "_null_times", "_bad_rows")
_PARTS = {
    "queries": dict,
    "named": bool,
    "delay": int,
    "lateness": int,
    "completeness": float,
    "frames": list,
    "store": str,
    "flushed": bool,
    "numbers": dict,
    "bound": bool,
    "contexts": dict,
    "composer": int,
    "columns": dict,
    "tables": dict,
}
_INTEGERS = ("code", "pane", "first", "last", "value", "weights", "sequence")


def check_head(
    head: Mapping[str, Any], tables: Mapping[str, pa.Table], numbers: Sequence[str]
) -> None:
    """Refuse a head whose parts are not what they must be."""
    for part, kind in _PARTS.items():
        if type(head[part]) is not kind:
            raise damaged(f'"{part}" is {head[part]!r}')
    if sorted(head["numbers"]) != sorted(numbers):
        raise damaged("its numbers are others")
    for name, number in head["numbers"].items():
        if not _fits(number) or (name in _COUNTS and number < 0):
            raise damaged(f'"{name}" is {number!r}')
    for name in ("delay", "lateness"):
        if not 0 <= head[name] <= 2**62:
            raise damaged(f'"{name}" is {head[name]!r}')
    if not (head["postpone"] is None or (_fits(head["postpone"]) and head["postpone"] >= 0)):
        raise damaged(f'"postpone" is {head["postpone"]!r}')
    if not 0 < head["completeness"] <= 1:
        raise damaged(f'"completeness" is {head["completeness"]!r}')
    if not _fits(head["composer"]) or head["store"] not in ("auto", "lazy", "eager"):
        raise damaged("its watermark or store is none")
    _check_frames(*head["frames"])
    for query in head["queries"].values():
        if type(query) is not list or len(query) != 2 or not _fits(query[1]):
            raise damaged(f"a query is {query!r}")
    if {name: table.column_names for name, table in tables.items()} != head["columns"]:
        raise damaged("its tables are others")


def _check_frames(updates: Any, period: Any, buffer: Any, evict: Any) -> None:
    """Loops drop as many frames as `evict` says, and there must be as many."""
    pair = type(evict) is list and [_fits(n) for n in evict] == [True, True]
    if (
        type(updates) is not bool
        or not (_fits(period) and period >= 0)
        or buffer not in BUFFERS
        or not (evict is None or (pair and 1 <= evict[1] <= evict[0]))
    ):
        raise damaged(f'"frames" is {[updates, period, buffer, evict]!r}')


def check_columns(table: pa.Table, schema: pa.Schema) -> None:
    """Refuse a table of other columns."""
    if table.column_names != schema.names or table.schema.types != schema.types:
        raise damaged(f"a table has {table.schema.types} instead of {schema.types}")


@dataclass(frozen=True)
class Limits:
    """Bounds of the numbers in cells, and the types of their columns."""

    keys: int
    values: int
    layout: Layout

    def cells(self, table: pa.Table) -> Cells:
        """The cells of a table, all checked."""
        wanted = {name: pa.int64() for name in _INTEGERS if name in table.column_names}
        wanted |= {f"p{i}": kind for i, kind in enumerate(self.layout.kinds)}
        inputs = [name for name in table.column_names if name[0] == "i"]
        wanted |= dict(zip(inputs, (kind for _, kind in self.layout.inputs), strict=False))
        if {f.name: f.type for f in table.schema} != wanted:
            raise damaged(f"cells have {table.schema.types} instead of {list(wanted.values())}")
        if any(table[name].null_count for name in _INTEGERS if name in table.column_names):
            raise damaged("a number of a cell is null")
        cells = cells_of(table, self.layout.partials)
        self._within(cells.code, 0, self.keys - 1)
        for times in (cells.pane, cells.first, cells.last):
            self._within(times, -_FARTHEST, _FARTHEST)
        self._within(cells.value, 0, self.values - 1)
        self._within(cells.weights, 1, 2**62)
        return cells

    def integers(self, table: pa.Table) -> dict[str, np.ndarray]:
        """A group of integer columns; keys are within those there are."""
        if any(kind != pa.int64() for kind in table.schema.types):
            raise damaged("a count is no integer")
        if any(column.null_count for column in table.columns):
            raise damaged("a count is null")
        columns = {name: np.array(table[name].combine_chunks()) for name in table.column_names}
        self._within(columns.get("code"), 0, self.keys - 1)
        for name in ("base", "reported"):
            self._within(columns.get(name), 0, 2**62)
            if len(columns.get(name, ())) > self.keys:
                raise damaged("there are more counts than keys")
        return columns

    def _within(self, numbers: np.ndarray | None, low: int, high: int) -> None:
        if (
            numbers is not None
            and len(numbers)
            and not low <= numbers.min() <= numbers.max() <= high
        ):
            raise damaged(f"a number is not within {low} and {high}")


def in_key_order(cells: Cells) -> bool:
    """Whether cells are sorted by key and pane."""
    code, pane = np.diff(cells.code), cells.pane
    return not np.any((code < 0) | ((code == 0) & (pane[1:] < pane[:-1])))


def _fits(number: object) -> bool:
    return type(number) is int and -(2**63) <= number < 2**63
