"""Windows counted in rows: families over each row's index within its key.

Idea: a row's index is its position among the rows of its key, so a late row shifts every edge
behind it and no row is moved.  Rows that nothing can come before any more are combined up to the
next edge; what is known of them is their number.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from panewise.kernels.asked import Asked
from panewise.kernels.cells import Cells
from panewise.kernels.compiled import compiled
from panewise.kernels.families import family_table
from panewise.kernels.grid import Grid
from panewise.kernels.program import Piece, Program, Step
from panewise.kernels.ranges import (
    ALWAYS,
    Ranges,
    earliest_starts,
    periodic_ranges,
)
from panewise.kernels.row_tier import BufferTier
from panewise.kernels.state import State
from panewise.plan import Edges
from panewise.windows import RowFamily


class RowCountTier(BufferTier):
    """All families of row counts that are answered from one moment on."""

    def __init__(self, program: Program, windows: Sequence[Asked]) -> None:
        super().__init__(program, windows[0].since)
        families = [(w.number, w.demand.family) for w in windows if isinstance(w.demand, RowFamily)]
        self.families = family_table(families)
        self._by_window = np.zeros((int(self.families[:, 0].max()) + 1, 6), np.int64)
        self._by_window[self.families[:, 0]] = self.families
        self._grid = Grid(Edges.union([edge for _, f in families for edge in f.edges()]))
        self.base = np.zeros(0, np.int64)
        """For each key, the index of its first held row."""
        self.reported = np.zeros(0, np.int64)
        """For each key, how many rows were there at the last report."""

    @property
    def identity(self) -> tuple[object, ...]:
        return ("rows", self.since)

    def state(self) -> State:
        state = super().state()
        state.arrays["counts"] = {"base": self.base, "reported": self.reported}
        return state

    def load(self, state: State) -> None:
        super().load(state)
        counts = state.arrays["counts"]
        self.base, self.reported = counts["base"], counts["reported"]

    def step(self, cells: Cells, fresh: np.ndarray, step: Step) -> Iterator[Piece]:
        self._grow(step.keys)
        runs = cells.runs(step.keys)
        weights = cells.weights
        assert weights is not None
        index = _indices(weights, runs, self.base)
        count = self.base + _summed(weights, runs)
        until = np.full(1, ALWAYS, np.int64) if step.final else count
        new = self._ranges(index, runs, self.reported, until)
        yield from self._pieces(cells, runs, new, None)
        if self.program.revising and fresh.any():
            first = _first_fresh(index, fresh, runs, self.reported)
            changed = self._ranges(index, runs, first, self.reported)
            if len(changed):
                revision = self.revisions.next(
                    changed.window, changed.code, changed.start, changed.end,
                    _last(cells, changed) + 1,
                )  # fmt: skip
                yield from self._pieces(cells, runs, changed, revision)
            self.revisions.forget(step.keep)
        self.reported = count
        self._hold(cells, runs, index, step)

    def rename(self, renamed: np.ndarray) -> None:
        super().rename(renamed)
        self._grow(len(renamed))
        kept = np.flatnonzero(renamed >= 0)
        self.base, self.reported = self.base[kept], self.reported[kept]

    def codes(self) -> list[np.ndarray]:
        return [*super().codes(), np.flatnonzero(self.reported)]  # an index is never forgotten

    def _ranges(
        self, index: np.ndarray, runs: np.ndarray, prev: np.ndarray, until: np.ndarray
    ) -> Ranges:
        if len(until) < len(prev):
            until = np.full(len(prev), until[0], np.int64)
        found = periodic_ranges(index, runs, self.families, prev, until)
        assert found is not None
        return found

    def _pieces(
        self, cells: Cells, runs: np.ndarray, found: Ranges, revision: np.ndarray | None
    ) -> Iterator[Piece]:
        if not len(found):
            return
        assert cells.first is not None
        families = self._by_window[found.window]
        _, size, slide, step, origin, _ = families.T
        number = (found.start - origin) // slide * (size // step)
        number += (found.end - found.start) // step - 1
        end = _last(cells, found) + self.program.resolution
        shown = Ranges(found.window, found.code, cells.first[found.lo], end, found.lo, found.hi)
        yield self.piece(cells, shown, runs, number=number, revision=revision)

    def _hold(self, cells: Cells, runs: np.ndarray, index: np.ndarray, step: Step) -> None:
        if step.final:
            self.held = None
            return
        weights = cells.weights
        assert weights is not None
        settled = cells.pane < step.keep
        final = self.base + _summed(np.where(settled, weights, 0), runs)
        # only a beginning is dropped: the index of a row is its place among those before it
        earliest = earliest_starts(self.families, final)
        mask = (index >= earliest[cells.code]) | ~settled
        self.base = self.base + _summed(np.where(mask, 0, weights), runs)
        kept, index, settled = cells.take(np.flatnonzero(mask)), index[mask], settled[mask]
        if not self.program.counts_values and len(kept):
            pane = self._grid.panes_of(index)
            apart = ~settled
            apart[1:] |= (pane[1:] != pane[:-1]) | (kept.code[1:] != kept.code[:-1])
            apart[0] = True
            heads = np.flatnonzero(apart)
            if len(heads) < len(kept):
                kept = kept.merged(
                    self.program.partials, heads, kept.pane[heads], self.program.checked
                )
        self.held = kept

    def _grow(self, keys: int) -> None:
        more = keys - len(self.base)
        if more > 0:
            self.base = np.append(self.base, np.zeros(more, np.int64))
            self.reported = np.append(self.reported, np.zeros(more, np.int64))


def _last(cells: Cells, found: Ranges) -> np.ndarray:
    assert cells.last is not None
    return cells.last[found.hi - 1]


def _summed(values: np.ndarray, runs: np.ndarray) -> np.ndarray:
    """The sum of each key's values."""
    totals = np.concatenate([[0], np.cumsum(values)])
    return totals[runs[1:]] - totals[runs[:-1]]


@compiled
def _indices(weights, runs, base):  # type: ignore[no-untyped-def]
    """The index of the first row of each cell."""
    out = np.empty(len(weights), np.int64)
    for r in range(len(runs) - 1):
        at = base[r]
        for i in range(runs[r], runs[r + 1]):
            out[i] = at
            at += weights[i]
    return out


@compiled
def _first_fresh(index, fresh, runs, reported):  # type: ignore[no-untyped-def]
    """For each key, the index of the first new row among those reported; else their number."""
    out = reported.copy()
    for r in range(len(runs) - 1):
        for i in range(runs[r], runs[r + 1]):
            if fresh[i] and index[i] < reported[r]:
                out[r] = index[i]
                break
    return out
