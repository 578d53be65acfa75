"""Frames over rows in order: of an open frame one cell is held, and no row.

Idea: a row is looked at once and folded with its frame.  The first frame that new rows of a key
close may have begun before them: its partials are those of the new rows behind what is held.
Cost: rows are not moved, and what is held is one cell for each key with an open frame.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from panewise.kernels.asked import Asked
from panewise.kernels.cells import Cells
from panewise.kernels.columns import Column, joined
from panewise.kernels.fold import fold
from panewise.kernels.frames.scanner import FrameScanner
from panewise.kernels.frames.segment import COUNT, SEEN
from panewise.kernels.program import Piece, Program, Step
from panewise.kernels.ranges import ALWAYS, NEVER
from panewise.kernels.scanned_tier import ScannedTier
from panewise.kernels.scanner import Found
from panewise.kernels.state import State


class OpenFrameTier(ScannedTier):
    """Frames of one scheme, none of which is told twice."""

    def __init__(self, program: Program, window: Asked, inputs: tuple[int, ...]) -> None:
        super().__init__(program, window, inputs)
        assert isinstance(self.scanner, FrameScanner)
        self._frames = self.scanner

    @staticmethod
    def suits(program: Program) -> bool:
        """Whether rows come in order, and cells of one frame may be combined."""
        in_order = not program.revising and not program.frames.updates
        return in_order and program.mergeable and not program.counts_values

    def advance(self, new: Sequence[Cells], step: Step) -> Iterator[Piece]:
        self._frames.grow(step.keys)
        for part in new:
            yield from self._taken(self.admitted(part), step)
        if step.final and self.held is not None:
            yield from self._taken(self.held.cut(0, 0), step, final=True)
            self.held = None

    def _taken(self, cells: Cells, step: Step, final: bool = False) -> Iterator[Piece]:
        """The frames that new rows close, or the end of all."""
        if not len(cells) and not final:
            return
        runs = cells.runs(step.keys)
        # the end of all comes behind the last part
        found = self._frames.scan(cells, runs, runs[1:], ALWAYS if final else NEVER)
        for piece in self.report(cells, found, runs):
            piece.partials = self._continued(piece.partials, found)
            yield piece
        self._frames.contexts = found.contexts
        self._frames.contexts[:, SEEN] = 0
        if not final:
            self._hold(cells, runs, found)

    def _continued(self, partials: list[Column], found: Found) -> list[Column]:
        """Partials of frames, with what was held of those that began before."""
        began = np.flatnonzero(found.number)
        if not len(began):
            return partials
        assert self.held is not None
        held = self.held.take(np.searchsorted(self.held.code, found.code[began]))
        places = np.arange(len(found.code))
        places[began] = len(places) + np.arange(len(began))
        return [
            joined([column, self._combined(at, held.partials[at], column.take(began))]).take(places)
            for at, column in enumerate(partials)
        ]

    def _combined(self, at: int, before: Column, after: Column) -> Column:
        """Both, one by one."""
        count = len(before)
        pairs = np.arange(2 * count).reshape(2, count).T.ravel()
        lo = np.arange(0, 2 * count, 2)
        partial = self.program.partials[at]
        both = joined([before, after]).take(pairs)
        return fold(partial, both, lo, lo + 2, checked=self.program.checked)

    def _hold(self, cells: Cells, runs: np.ndarray, found: Found) -> None:
        """One cell for every open frame: of new rows, behind what was held of it."""
        count = found.contexts[:, COUNT]
        fresh = runs[1:] - found.needed
        parts = []
        if self.held is not None:
            same = count[self.held.code] > fresh[self.held.code]
            parts.append(self.held.take(np.flatnonzero(same)))
        grown = np.flatnonzero(fresh > 0)
        if len(grown):
            parts.append(self._as_one(cells, found.needed[grown], runs[1:][grown]))
        parts = [part for part in parts if len(part)]
        self.held = self._joined(parts) if parts else None

    def _as_one(self, cells: Cells, lo: np.ndarray, hi: np.ndarray) -> Cells:
        """The rows of each range as one cell."""
        partials = zip(self.program.partials, cells.partials, strict=True)
        assert cells.weights is not None
        ends = np.concatenate([[0], np.cumsum(cells.weights)])
        return replace(
            cells.take(lo),
            partials=[fold(p, c, lo, hi, checked=self.program.checked) for p, c in partials],
            last=cells.pane[hi - 1],
            weights=ends[hi] - ends[lo],
        )

    def _joined(self, parts: Sequence[Cells]) -> Cells:
        """Cells of one key as one; those that come first were first."""
        both = Cells.concat(parts)
        both = both.take(np.argsort(both.code, kind="stable"))
        heads = np.flatnonzero(np.diff(both.code, prepend=-1))
        if len(heads) == len(both):
            return both
        return both.merged(self.program.partials, heads, both.pane[heads], self.program.checked)

    def state(self) -> State:
        """As tiers have it that look at held rows again: the one cell of an open frame was seen."""
        contexts = self._frames.contexts.copy()
        contexts[:, SEEN] = contexts[:, COUNT] > 0
        return replace(super().state(), contexts=contexts.tolist())

    def load(self, state: State) -> None:
        super().load(state)
        self._frames.restore(state.contexts, state.held)
        self._frames.contexts[:, SEEN] = 0  # what is held is not scanned
        is_open = np.zeros(state.keys, np.bool_)
        is_open[: len(self._frames.contexts)] = self._frames.contexts[:, COUNT] > 0
        if np.any((state.held > 0) != is_open):
            raise ValueError("an open frame holds what its rows were")
        if self.held is not None:
            self.held = self._joined([self.held])  # while values were counted, rows were held

    def rename(self, renamed: np.ndarray) -> None:
        super().rename(renamed)
        self._frames.rename(renamed)
