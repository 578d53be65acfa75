"""Windows that a scan over rows in order finds: punctuation, slide by tuple, last rows, frames,
users' own.

Idea: a scan is a pure function of a context, rows and a watermark, so what was reported can be
found again.  The context stands where no row can come before any more; late rows are put in their
place, the rows behind it are scanned again, and what differs from the scan without them is told.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from panewise.kernels import scanned_tier
from panewise.kernels.cells import Cells
from panewise.kernels.frames.scanner import FrameScanner
from panewise.kernels.frames.single_buffer import ORDERS
from panewise.kernels.program import Piece, Step
from panewise.kernels.ranges import ALWAYS, NEVER
from panewise.kernels.row_tier import BufferTier
from panewise.kernels.scanned_tier import ScannedTier
from panewise.kernels.scanner import Found
from panewise.kernels.state import State


class ScanTier(ScannedTier, BufferTier):
    """Windows of one scanned type, in one buffer of rows."""

    def state(self) -> State:
        state = super().state()
        if isinstance(self.scanner, FrameScanner):
            state.arrays["digits"] = self.scanner.digits()
        return replace(state, contexts=self.scanner.state())

    def load(self, state: State) -> None:
        super().load(state)
        self.scanner.restore(state.contexts, state.held)
        if isinstance(self.scanner, FrameScanner):
            self.scanner.restore_digits(state.arrays["digits"])

    def step(self, cells: Cells, fresh: np.ndarray, step: Step) -> Iterator[Piece]:
        self.scanner.grow(step.keys)
        runs = cells.runs(step.keys)
        # what is told as it is now is told as if no more rows came
        updates = self.program.frames.updates
        now = self.scanner.scan(cells, runs, runs[1:], ALWAYS if updates else step.watermark)
        if self.program.revising or updates:
            yield from self._repaired(cells, fresh, now, runs, step)
            self.revisions.forget(step.keep)
            if step.final:
                self.held = None
                return
            stops = _before(cells.pane, runs, step.keep)
            now = self.scanner.scan(cells, runs, stops, step.keep)
        else:
            yield from self.report(cells, now, runs)
        self._hold(cells, runs, now, step)

    def merged(self, held: Cells, new: Cells) -> tuple[Cells, np.ndarray]:
        order = ORDERS.get(self.program.frames.buffer)
        if order is None:
            return super().merged(held, new)
        both = Cells.concat([held, new])
        assert both.sequence is not None
        places = order(both.code, both.pane, np.asarray(both.sequence), len(held))
        return both.take(places), places >= len(held)

    def rename(self, renamed: np.ndarray) -> None:
        super().rename(renamed)
        self.scanner.rename(renamed)

    def codes(self) -> list[np.ndarray]:
        return [*super().codes(), self.scanner.codes()]

    def _hold(self, cells: Cells, runs: np.ndarray, found: Found, step: Step) -> None:
        """Advance the context, and keep the rows that it still needs."""
        self.scanner.contexts = found.contexts
        if step.final:
            self.held = None
            return
        if step.keys == 1:
            kept = cells.take(np.arange(found.needed[0], len(cells)))
        else:
            mask = np.arange(len(cells)) >= np.repeat(found.needed, np.diff(runs))
            kept = cells.take(np.flatnonzero(mask))
        if self.scanner.partitions and not self.program.counts_values and len(kept):
            kept = self._open_as_one(kept, step)
        many = self.program.grows or len(kept) > scanned_tier.MOST_OPEN_ROWS
        if isinstance(self.scanner, FrameScanner) and many:
            self.refuse_endless(self.scanner.open_rows())
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

    def _repaired(
        self, cells: Cells, fresh: np.ndarray, now: Found, runs: np.ndarray, step: Step
    ) -> Iterator[Piece]:
        """What differs from the scan over the rows that were there before."""
        before = self.held
        if before is None or step.previous == NEVER:
            yield from self.report(cells, now, runs)
            return
        runs_before = before.runs(step.keys)
        updates = self.program.frames.updates
        until = ALWAYS if updates else step.previous
        were = self.scanner.scan(before, runs_before, runs_before[1:], until)
        yield from self.changes((before, were, runs_before), (cells, now, runs), fresh)


def _before(pane: np.ndarray, runs: np.ndarray, bound: int) -> np.ndarray:
    """For each key, where its rows reach the bound."""
    counts = np.concatenate([[0], np.cumsum(pane < bound)])
    return runs[:-1] + counts[runs[1:]] - counts[runs[:-1]]
