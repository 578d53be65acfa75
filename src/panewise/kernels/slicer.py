"""Rows into cells: one for each key and pane, or one for each row where order matters.

Idea: rows go straight to their cell where a loop can add them there (`open_panes.py`).  Where an
aggregate needs Arrow arrays, counts values or depends on order, rows are sorted by cell first.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from panewise.aggregates import Rows
from panewise.aggregates.value_counts import rank_values
from panewise.kernels.cells import Cells
from panewise.kernels.columns import Column, Numbers, column_of, taken
from panewise.kernels.compiled import compiled
from panewise.kernels.fold import fold
from panewise.kernels.grid import Grid
from panewise.kernels.keys import counting_sort
from panewise.kernels.merging import united
from panewise.kernels.open_panes import Batch, OpenPanes
from panewise.kernels.program import Program
from panewise.kernels.ranges import ALWAYS


class Slicer:
    """Makes cells of batches of rows, which may be in any order."""

    def __init__(self, program: Program, counted: Sequence[str], *, times: bool) -> None:
        self.program = program
        self.counted = tuple(counted)
        self.times = times
        self.grid = Grid(program.panes)
        self.open = OpenPanes(program, times=times)
        self._made: list[Cells] = []
        self.earliest = ALWAYS
        """No time under construction is before this."""

    def add(
        self,
        code: np.ndarray | None,
        keys: int,
        ticks: np.ndarray,
        rows: Rows,
        surveyed: tuple[int, int, bool],
    ) -> None:
        """Put rows into cells; `code` is None where there are no keys."""
        lifted = self.lifted(rows)
        numbers = [column for column in lifted if isinstance(column, Numbers)]
        simple = not self.counted and len(numbers) == len(lifted) and self.program.mergeable
        low, high, ascending = surveyed
        self.earliest = min(self.earliest, low)
        panes = self.grid.between(low, high, len(ticks)) if simple else None
        if panes is not None and self.open.crowded(keys, len(panes), len(ticks)):
            self._set_aside()
            if self.open.crowded(keys, len(panes), len(ticks)):
                panes = None
        if panes is None:
            self._set_aside()
            codes = np.zeros(len(ticks), np.int64) if code is None else code
            self._made.append(self._sorted(codes, keys, ticks, rows, lifted))
            return
        place, used = None, None
        if code is not None or not ascending:
            place, used = self.grid.places(ticks, panes, low)
        self.open.add(Batch(code, ticks, numbers), keys, panes, place, used)

    def drain(self, watermark: int = ALWAYS) -> Cells | None:
        """All cells that a window ending by the watermark may read, sorted by key and pane."""
        # the pane that the watermark is in lies beyond the last edge, and so of every such window
        self._set_aside(watermark if self.times or watermark == ALWAYS else self._edge(watermark))
        self.earliest = self.open.earliest()
        made, self._made = self._made, []
        if len(made) == 1:
            return made[0]
        return united(self.program, made) if made else None

    def _edge(self, tick: int) -> int:
        return int(self.grid.panes_of(np.array([tick]))[0])

    def _set_aside(self, before: int = ALWAYS) -> None:
        cells = self.open.drain(before)
        if cells is not None:
            self._made.append(cells)

    def cells(self) -> int:
        """How many cells there are."""
        return self.open.count() + sum(map(len, self._made))

    def parts(self) -> list[Cells]:
        """Cells that are finished and wait to be drained."""
        return self._made

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

    def _sorted(
        self,
        code: np.ndarray,
        keys: int,
        ticks: np.ndarray,
        rows: Rows,
        lifted: Sequence[Column],
    ) -> Cells:
        """Rows sorted by cell, for partials that loops cannot add up where they lie."""
        panes, place = self.grid.place(ticks)
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
