"""Sessions over cells: neighbours within the gap.

An open session is held as one cell, unless values are counted or rows must stay apart: late rows
never split a session, they only extend or join some.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from panewise.aggregates.arrays import spans
from panewise.kernels.asked import Asked
from panewise.kernels.cells import Cells
from panewise.kernels.grid import Grid
from panewise.kernels.program import Piece, Program, Step
from panewise.kernels.ranges import ALWAYS, NEVER, Ranges, session_ranges
from panewise.kernels.revisions import holds, matched
from panewise.kernels.state import State
from panewise.kernels.tier import Tier
from panewise.windows import PaneWidth


class SessionTier(Tier):
    """Sessions of one gap."""

    def __init__(self, program: Program, window: Asked) -> None:
        super().__init__(program)
        assert isinstance(window.demand, PaneWidth)
        self.asked = window
        self.window, self.gap = window.number, window.demand.ticks
        self._earliest = ALWAYS  # no session ends before this
        self._grid = Grid(program.panes) if program.whole_panes else None

    def advance(self, new: Cells | None, step: Step) -> Iterator[Piece]:
        # a row that is here, but not handed on yet, joins as one does that is still to come
        if step.unseen < step.watermark:
            step = Step(step.keys, step.previous, step.unseen, min(step.keep, step.unseen))
        if self._grid is not None:  # a row of the pane of the watermark may come, and join
            bounds = map(self._edge, (step.previous, step.watermark, step.keep))
            step = Step(step.keys, *bounds)
        yield from super().advance(new, step)

    def _edge(self, tick: int) -> int:
        assert self._grid is not None
        return tick if tick in (NEVER, ALWAYS) else self._grid.pane_of(tick)

    def arranged(self, cells: Cells) -> Cells:
        assert cells.last is not None
        self._earliest = min(self._earliest, int(cells.last.min()) + self.gap)
        return cells

    def placed(self, cells: Cells) -> Cells:
        """Cells by their first time: those of neighbouring panes come in any order."""
        first = cells.first
        assert first is not None
        cells = cells.copy()
        cells.pane = first
        same = cells.code[1:] == cells.code[:-1]
        if np.any(same & (first[1:] < first[:-1])):
            cells = cells.take(np.lexsort((*filter(len, [cells.tie]), first, cells.code)))
        return cells

    def asks(self, step: Step, earliest_open: int) -> bool:
        first_end = min(self._earliest, earliest_open + self.gap)
        return self.program.store == "eager" or step.final or step.watermark > first_end

    def is_late(self, new: Cells, step: Step) -> bool:
        assert new.first is not None
        return bool((new.first < step.previous).any())

    def is_due(self, step: Step) -> bool:
        return step.final or step.watermark > self._earliest

    def report(
        self, before: Cells | None, fresh: np.ndarray, old: np.ndarray, runs: np.ndarray, step: Step
    ) -> Iterator[Piece]:
        assert self.held is not None
        found, closed, ends = self._sessions(self.held, runs, step.watermark)
        if self.program.revising and before is not None:
            yield from self._changes(before, fresh, found.take(closed), runs, step)
        elif closed.any():
            yield self.told(found.take(closed), runs)
        self.revisions.forget(step.keep)
        self._still = ends + self.gap >= step.keep
        self._all = found
        open_ends = ends[~closed & (ends + self.gap >= step.watermark)]
        self._earliest = int(open_ends.min()) + self.gap if len(open_ends) else ALWAYS

    def kept(self, cells: Cells, runs: np.ndarray, step: Step) -> Cells:
        if step.final:
            return cells.take(np.empty(0, np.int64))
        lo, hi = self._all.lo[self._still], self._all.hi[self._still]
        if cells.value is not None or not self.program.mergeable or not len(lo):
            return cells.take(spans(lo, hi - lo))
        heads, last = np.cumsum(hi - lo), len(cells) - int(lo[0])
        # mostly they are the last ones, and can be combined where they lie
        if heads[-1] == last:
            kept = cells.cut(int(lo[0]), len(cells))
        else:
            kept = cells.take(spans(lo, hi - lo))
        heads[1:], heads[0] = heads[:-1], 0
        pane = self._all.start[self._still]
        return kept.merged(self.program.partials, heads, pane, self.program.checked)

    def load(self, state: State) -> None:
        super().load(state)
        self._earliest = NEVER  # until the next report tells

    @property
    def identity(self) -> tuple[object, ...]:
        return ("session", self.gap)

    def _sessions(
        self, cells: Cells, runs: np.ndarray, watermark: int
    ) -> tuple[Ranges, np.ndarray, np.ndarray]:
        """All sessions, which of them are closed, and their last times."""
        code, lo, hi, begin, end, closed = session_ranges(
            cells.first, cells.last, runs, self.gap, watermark
        )
        window = np.full(len(code), self.window, np.int64)
        return Ranges(window, code, begin, end + self.gap, lo, hi), closed, end

    def _changes(
        self, before: Cells, fresh: np.ndarray, closed: Ranges, runs: np.ndarray, step: Step
    ) -> Iterator[Piece]:
        """What is new, what changed, and what is gone, against the sessions reported so far."""
        runs_before = before.runs(step.keys)
        were, were_closed, _ = self._sessions(before, runs_before, step.previous)
        were = were.take(were_closed)
        again, gone = matched(
            (were.code, were.start, were.end), (closed.code, closed.start, closed.end)
        )
        first = closed.take(again < 0)
        if len(first):
            yield self.told(first, runs)
        changed = closed.take((again >= 0) & holds(fresh, closed))
        if len(changed):
            yield self.told(changed, runs, revision=self._revision(changed))
        vanished = were.take(gone)
        if len(vanished):
            revision = self._revision(vanished)
            yield self.piece(before, vanished, runs_before, revision=revision, retracted=True)

    def _revision(self, found: Ranges) -> np.ndarray:
        return self.revisions.next(found.window, found.code, found.start, found.end, found.end)
