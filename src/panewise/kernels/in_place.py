"""Windows of one key, read where rows are added.

Idea: without keys, the panes under construction (`open_panes.py`) are cells in order already.  As
long as no late row may change what was reported, nothing needs to be handed over, merged or kept
apart: a report reads ranges of them, and panes that no window needs are forgotten.  Sessions take
copies of panes that get no rows any more, once one of them may have ended.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from panewise.kernels.cells import Cells
from panewise.kernels.columns import Numbers, nulls
from panewise.kernels.grid import Grid
from panewise.kernels.holder import Holder
from panewise.kernels.open_panes import OpenPanes
from panewise.kernels.periodic import PeriodicTier
from panewise.kernels.program import Piece, Program, Step
from panewise.kernels.ranges import ALWAYS, NEVER
from panewise.kernels.sessions import SessionTier
from panewise.kernels.state import Layout, State

MOST = 1 << 10
"""Panes that may stay unread while a session goes on."""
MANY = 1 << 12
"""Panes above which it is better to hold fewer, where they may become coarser with age."""
_NONE = np.empty(0, np.bool_)
_UNREAD = np.empty(0, np.int64)
"""Runs of keys, which only those look at who count values."""


class InPlaceTier(PeriodicTier):
    """All periodic windows of a program, over the panes of its slicer."""

    def __init__(
        self, tier: PeriodicTier, panes: OpenPanes, sessions: Sequence[InPlaceSessionTier]
    ) -> None:
        super().__init__(tier.program, tier.horizon)
        self._panes, self._sessions = panes, sessions

    def advance(self, new: Cells | None, step: Step) -> Iterator[Piece]:
        if new is not None and len(new):  # they were handed on for a snapshot
            self._panes.put_back(new)
        if step.watermark == NEVER or not self.is_due(step):
            return
        cells = self._panes.cells(step.watermark)
        if cells is None:
            return
        bounds = step.previous, step.watermark, step.keep
        found = self.horizon.passed(cells.pane, *bounds, self._panes.gone)
        if found is None:  # in several pieces
            self.held = cells
            yield from self.report(None, _NONE, _NONE, cells.runs(1), step)
            self.held = None
        elif len(found):
            yield self.piece(cells, found, _UNREAD)
        needed = self.horizon.earliest
        for session in self._sessions:
            needed = min(needed, session.taken)
        self._panes.release(needed)

    def asks(self, step: Step, earliest_open: int) -> bool:
        return False

    def state(self) -> State:
        cells = self._panes.cells()
        whole = None if cells is None else cells.take(np.arange(len(cells)))
        return replace(super().state(), cells=whole)

    def load(self, state: State) -> None:
        super().load(replace(state, cells=None))
        if state.cells is not None:
            self._panes.put_back(state.cells)


class InPlaceSessionTier(SessionTier):
    """Sessions over the panes of a slicer.

    It never goes on with the state of another: a session that was held cannot be told apart from
    the panes that it was made of, and these will be read again.
    """

    def __init__(self, tier: SessionTier, panes: OpenPanes, grid: Grid) -> None:
        super().__init__(tier.program, tier.asked)
        self._open, self._edges = panes, grid
        self.taken = NEVER
        """Panes that begin before this were read, and need not stay."""
        self._looked = NEVER  # those before this are known to go on with the open session

    def advance(self, new: Cells | None, step: Step) -> Iterator[Piece]:
        # new ones are among the open panes again
        if not (step.final or step.watermark > self._first_end()):
            return
        whole = ALWAYS if step.final else self._edges.pane_of(step.watermark)
        if not step.final and self._goes_on(whole, step.watermark):
            return
        cells, self.taken = self._open.between(self.taken, whole), whole
        self._looked = whole
        yield from super().advance(cells, replace(step, unseen=self._open.earliest(whole)))

    def _first_end(self) -> int:
        """No session ends before this; where none is open, one may be in panes not read yet."""
        if self._earliest != ALWAYS:
            return self._earliest
        return self._open.first_pane(self.taken) + self.gap

    def _goes_on(self, whole: int, watermark: int) -> bool:
        """Whether the open session reaches so far that none can have ended; panes stay unread."""
        if self._earliest == ALWAYS or self._open.count_between(self.taken, whole) > MOST:
            return False
        reached = self._open.reached(self._looked, whole, self._earliest - self.gap, self.gap)
        if reached + self.gap < watermark:
            return False
        self._earliest, self._looked = reached + self.gap, whole
        return True

    def state(self) -> State:
        tier = SessionTier(self.program, self.asked)
        tier.held = self.held
        open_ones = self._open.between(self.taken, ALWAYS)
        tier._waiting = [*self._waiting, *([] if open_ones is None else [open_ones])]
        return tier.state()


def on_open_panes(tiers: Sequence[Holder], panes: OpenPanes, grid: Grid) -> list[Holder]:
    """The same tiers over the panes of a slicer."""
    sessions = [InPlaceSessionTier(t, panes, grid) for t in tiers if isinstance(t, SessionTier)]
    periodic = [InPlaceTier(t, panes, sessions) for t in tiers if isinstance(t, PeriodicTier)]
    return [*periodic, *sessions]


def reads_in_place(
    program: Program,
    tiers: Sequence[Holder],
    layout: Callable[[], Layout],
    *,
    keyed: bool,
    fresh: bool,
) -> bool:
    """Whether the panes under construction can answer all windows of panes.

    With sessions only if it is `fresh`: it will not go on with the state of another.
    """
    periodic = [each for each in tiers if isinstance(each, PeriodicTier)]
    sessions = [each for each in tiers if isinstance(each, SessionTier)]
    if keyed or len(periodic) != 1 or (sessions and not fresh):
        return False
    if not program.commutative or program.revising or program.counts_values:
        return False
    if program.store == "eager" or not periodic[0].needs_all_panes:
        return False
    stairs = periodic[0].stairs
    if stairs is not None and stairs.saved > MANY:
        return False
    columns = zip(program.partials, layout().kinds, strict=True)
    return all(isinstance(nulls(0, kind, p.monoid), Numbers) for p, kind in columns)
