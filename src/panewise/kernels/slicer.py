"""Rows into cells: one for each key and pane, or one for each row where order matters.

Idea: rows go straight to their cell where a loop can add them there (`accumulate.py`).  Where an
aggregate needs Arrow arrays, counts values or depends on order, rows are sorted by cell first.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from panewise.aggregates import Rows
from panewise.aggregates.value_counts import rank_values
from panewise.kernels.accumulate import accumulate, bounds
from panewise.kernels.cells import Cells
from panewise.kernels.columns import Column, Numbers, column_of, taken
from panewise.kernels.compiled import compiled
from panewise.kernels.fold import fold
from panewise.kernels.grid import Grid
from panewise.kernels.keys import counting_sort
from panewise.kernels.program import Program
from panewise.kernels.ranges import ALWAYS, NEVER

DENSE = 16
"""Slots per row up to which rows find their cell in an array of all keys and panes."""


class Slicer:
    """Makes cells of batches of rows, which may be in any order."""

    def __init__(self, program: Program, counted: Sequence[str], *, times: bool) -> None:
        self.program = program
        self.counted = tuple(counted)
        self.times = times
        self.grid = Grid(program.panes)

    def cells(self, code: np.ndarray, keys: int, ticks: np.ndarray, rows: Rows) -> Cells:
        """Cells of panes."""
        lifted = self.lifted(rows)
        panes, place = self.grid.place(ticks)
        small = keys * len(panes) <= max(DENSE * len(ticks), 1 << 16)
        simple = not self.counted and all(isinstance(each, Numbers) for each in lifted)
        if simple and small and self.program.mergeable:
            return self._direct(code, keys, ticks, panes, place, lifted)
        return self._sorted(code, keys, ticks, rows, panes, place, lifted)

    def rows(
        self, code: np.ndarray, ticks: np.ndarray, rows: Rows, inputs: Sequence[pa.Array]
    ) -> Cells:
        """Every row as a cell of its own, sorted by time and sequence, whatever the key."""
        sequence = np.asarray(rows.sequence)
        order = time_order(ticks, sequence)
        at = ticks[order]
        return Cells(
            code=code[order],
            pane=at,
            partials=[each.take(order) for each in self.lifted(rows)],
            first=at,
            last=at,
            values=[taken(rows[name], order) for name in self.counted],
            weights=np.ones(len(order), np.int64),
            sequence=sequence[order],
            inputs=[taken(each, order) for each in inputs],
        )

    def lifted(self, rows: Rows) -> list[Column]:
        """The partials of single rows."""
        return [column_of(p.lift(rows), p.monoid) for p in self.program.partials]

    def _direct(
        self, code: np.ndarray, keys: int, ticks: np.ndarray,
        panes: np.ndarray, place: np.ndarray, lifted: Sequence[Column],
    ) -> Cells:  # fmt: skip
        cell, slots = _numbered(code, place, keys, len(panes))
        count = len(slots)
        partials: list[Column] = [
            accumulate(str(p.monoid), each, cell, count, self.program.checked)  # type: ignore[arg-type]
            for p, each in zip(self.program.partials, lifted, strict=True)
        ]
        cells = Cells(slots // len(panes), panes[slots % len(panes)], partials)
        if self.times:
            cells.first = np.full(count, ALWAYS, np.int64)
            cells.last = np.full(count, NEVER, np.int64)
            bounds(ticks, cell, cells.first, cells.last)
        return cells

    def _sorted(
        self, code: np.ndarray, keys: int, ticks: np.ndarray, rows: Rows,
        panes: np.ndarray, place: np.ndarray, lifted: Sequence[Column],
    ) -> Cells:  # fmt: skip
        counted = [rows[name] for name in self.counted]
        ranks = [_ranks(each) for each in counted]
        order = np.arange(len(ticks))
        if not ranks:  # array code may depend on the order of rows
            order = time_order(ticks, np.asarray(rows.sequence))
        for rank in reversed(ranks):
            order = order[counting_sort(rank[order], int(rank.max(initial=-1)) + 1)[0]]
        order = order[counting_sort(place[order], len(panes))[0]]
        order = order[counting_sort(code[order], keys)[0]]
        heads = _heads([code[order], place[order], *(rank[order] for rank in ranks)])
        lo, hi = heads, np.append(heads[1:], len(order))
        ordered = ticks[order]
        return Cells(
            code=code[order[lo]],
            pane=panes[place[order[lo]]],
            partials=[
                fold(p, each.take(order), lo, hi, checked=self.program.checked)
                for p, each in zip(self.program.partials, lifted, strict=True)
            ],
            first=np.minimum.reduceat(ordered, lo) if self.times else None,
            last=np.maximum.reduceat(ordered, lo) if self.times else None,
            values=[taken(each, order[lo]) for each in counted],
            weights=hi - lo if self.counted else None,
        )


def time_order(ticks: np.ndarray, sequence: np.ndarray) -> np.ndarray:
    """The order by `(time, sequence)`."""
    if in_order(ticks, sequence):
        return np.arange(len(ticks))
    order = np.argsort(ticks, kind="stable")  # fast where long stretches are in order
    if in_order(ticks[order], sequence[order]):
        return order
    return np.lexsort((sequence, ticks))


@compiled
def in_order(ticks, sequence):  # type: ignore[no-untyped-def]
    """Whether rows ascend by `(time, sequence)`."""
    for i in range(1, len(ticks)):
        if ticks[i] < ticks[i - 1]:
            return False
        if ticks[i] == ticks[i - 1] and sequence[i] < sequence[i - 1]:
            return False
    return True


def _ranks(values: pa.Array) -> np.ndarray:
    """Numbers of values, in their order; nulls are one more value."""
    if not values.null_count:
        return rank_values(values)
    valid = np.asarray(values.is_valid())
    ranks = np.zeros(len(values), np.int64)
    ranks[valid] = rank_values(values.drop_null()) + 1
    return ranks


def _heads(columns: Sequence[np.ndarray]) -> np.ndarray:
    """Where a row differs from the one before."""
    fresh = np.zeros(len(columns[0]), np.bool_)
    fresh[:1] = True
    for column in columns:
        fresh[1:] |= column[1:] != column[:-1]
    return np.flatnonzero(fresh)


@compiled
def _numbered(code, place, keys, panes):  # type: ignore[no-untyped-def]
    """The cell of each row, numbered by (key, pane), and the slots of the cells."""
    rank = np.zeros(keys * panes, np.int64)
    cell = np.empty(len(place), np.int64)
    if keys == 1:
        for i in range(len(place)):
            rank[place[i]] = 1
    else:
        for i in range(len(place)):
            cell[i] = code[i] * panes + place[i]
            rank[cell[i]] = 1
    n = 0
    for i in range(len(rank)):
        n += rank[i]
    slots = np.empty(n, np.int64)
    n = 0
    for i in range(len(rank)):
        if rank[i]:
            slots[n] = i
            rank[i] = n
            n += 1
    if keys > 1:
        for i in range(len(cell)):
            cell[i] = rank[cell[i]]
        return cell, slots
    if n == panes:
        return place, slots
    for i in range(len(place)):
        cell[i] = rank[place[i]]
    return cell, slots
