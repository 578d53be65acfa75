"""Windows that a scan over rows in order finds: punctuation, slide by tuple, last rows, users' own.

Idea: a scan is a pure function of a context, rows and a watermark, so what was reported can be
found again.  The context stands where no row can come before any more; late rows are put in their
place, the rows behind it are scanned again, and what differs from the scan without them is told.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from panewise.kernels.cells import Cells
from panewise.kernels.program import Asked, Piece, Program, Step
from panewise.kernels.ranges import NEVER, Ranges
from panewise.kernels.revisions import holds, matched
from panewise.kernels.row_tier import RowTier
from panewise.kernels.scanner import Found, Scanner
from panewise.kernels.scans import scanner_of
from panewise.kernels.state import State
from panewise.windows import Scan


class ScanTier(RowTier):
    """Windows of one scanned type."""

    def __init__(self, program: Program, window: Asked, inputs: tuple[int, ...]) -> None:
        super().__init__(program, window.since)
        assert isinstance(window.demand, Scan)
        self.number = window.number
        self._window = replace(window.demand.window, name=None)
        self.scanner: Scanner = scanner_of(window.demand.window, inputs, program.resolution)

    @property
    def identity(self) -> tuple[object, ...]:
        return ("scan", self._window, self.since)

    def state(self) -> State:
        return replace(super().state(), contexts=self.scanner.state())

    def load(self, state: State) -> None:
        super().load(state)
        self.scanner.restore(state.contexts, state.held)

    def advance(self, new: Cells | None, step: Step) -> Iterator[Piece]:
        yield from super().advance(None if new is None else self.scanner.admitted(new), step)

    def step(self, cells: Cells, fresh: np.ndarray, step: Step) -> Iterator[Piece]:
        self.scanner.grow(step.keys)
        runs = cells.runs(step.keys)
        now = self.scanner.scan(cells, runs, runs[1:], step.watermark)
        if self.program.revising:
            yield from self._changes(cells, fresh, now, runs, step)
            self.revisions.forget(step.keep)
            if step.final:
                self.held = None
                return
            stops = _before(cells.pane, runs, step.keep)
            now = self.scanner.scan(cells, runs, stops, step.keep)
        else:
            yield from self._report(cells, now, runs)
        self._hold(cells, runs, now, step)

    def rename(self, renamed: np.ndarray) -> None:
        super().rename(renamed)
        self.scanner.rename(renamed)

    def codes(self) -> list[np.ndarray]:
        return [*super().codes(), self.scanner.codes()]

    def _report(
        self, cells: Cells, found: Found, runs: np.ndarray, **more: object
    ) -> Iterator[Piece]:
        if len(found.lo):
            number = found.number if self.scanner.numbered else None
            yield self.piece(cells, self._ranges(found), runs, None, number=number, **more)

    def _ranges(self, found: Found) -> Ranges:
        window = np.full(len(found.lo), self.number, np.int64)
        return Ranges(window, found.code, found.start, found.end, found.lo, found.hi)

    def _hold(self, cells: Cells, runs: np.ndarray, found: Found, step: Step) -> None:
        """Advance the context, and keep the rows that it still needs."""
        self.scanner.contexts = found.contexts
        if step.final:
            self.held = None
            return
        mask = np.arange(len(cells)) >= np.repeat(found.needed, np.diff(runs))
        kept = cells.take(np.flatnonzero(mask))
        if self.scanner.partitions and not self.program.counts_values and len(kept):
            kept = self._open_as_one(kept, step)
        self.held = kept

    def _open_as_one(self, kept: Cells, step: Step) -> Cells:
        """One window is open at a time, and its rows have been looked at: one cell is enough."""
        apart = kept.pane >= step.keep
        apart[1:] |= kept.code[1:] != kept.code[:-1]
        apart[0] = True
        heads = np.flatnonzero(apart)
        self.scanner.seen_once(np.unique(kept.code))
        if len(heads) == len(kept):
            return kept
        return kept.merged(self.program.partials, heads, kept.pane[heads], self.program.checked)

    def _changes(
        self, cells: Cells, fresh: np.ndarray, now: Found, runs: np.ndarray, step: Step
    ) -> Iterator[Piece]:
        """What is new, what changed, and what is gone, against what was reported."""
        before = self.held
        if before is None or step.previous == NEVER:
            yield from self._report(cells, now, runs)
            return
        runs_before = before.runs(step.keys)
        were = self.scanner.scan(before, runs_before, runs_before[1:], step.previous)
        again, gone = matched(self._identity(were), self._identity(now))
        yield from self._report(cells, now.take(again < 0), runs)
        at = np.maximum(again, 0)
        changed = holds(fresh, self._ranges(now))
        if len(were.lo):
            changed |= (were.hi - were.lo)[at] != now.hi - now.lo
            changed |= (were.start[at] != now.start) | (were.end[at] != now.end)
        revised = now.take((again >= 0) & changed)
        yield from self._report(cells, revised, runs, revision=self._revision(revised))
        vanished = were.take(gone)
        yield from self._report(
            before, vanished, runs_before, revision=self._revision(vanished), retracted=True
        )

    def _identity(self, found: Found) -> tuple[np.ndarray, ...]:
        """What makes two windows the same: their number, or else their interval."""
        if self.scanner.numbered:
            return found.code, found.number
        return found.code, found.start, found.end

    def _revision(self, found: Found) -> np.ndarray:
        window = np.full(len(found.lo), self.number, np.int64)
        a, b = (found.number, window) if self.scanner.numbered else (found.start, found.end)
        return self.revisions.next(window, found.code, a, b, self.scanner.until(found))


def _before(pane: np.ndarray, runs: np.ndarray, bound: int) -> np.ndarray:
    """For each key, where its rows reach the bound."""
    counts = np.concatenate([[0], np.cumsum(pane < bound)])
    return runs[:-1] + counts[runs[1:]] - counts[runs[:-1]]
