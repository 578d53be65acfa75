"""Windows of one key, read where rows are added.

Idea: without keys, the panes under construction (`open_panes.py`) are cells in order already.  As
long as no late row may change what was reported, nothing needs to be handed over, merged or kept
apart: a report reads ranges of them, and panes that no window needs are forgotten.  Windows of all
lengths are read in one call, so that a push costs the same however many levels they are.  Sessions
take copies of panes that get no rows any more, once one of them may have ended.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from panewise.kernels.cells import Cells
from panewise.kernels.columns import Numbers, nulls
from panewise.kernels.families import Families
from panewise.kernels.grid import Grid
from panewise.kernels.holder import Holder
from panewise.kernels.horizon import Horizon
from panewise.kernels.keyed_chain import as_chain
from panewise.kernels.keyed_in_place import KeyedInPlaceTier, becomes_coarser
from panewise.kernels.open_panes import OpenPanes
from panewise.kernels.periodic import PeriodicTier, own_edges, stairs_of
from panewise.kernels.program import Piece, Program, Step
from panewise.kernels.ranges import ALWAYS, NEVER
from panewise.kernels.sessions import SessionTier
from panewise.kernels.stairwise import Stairs
from panewise.kernels.state import Layout, State

MOST = 1 << 10
"""Panes that may stay unread while a session goes on."""
_NONE = np.empty(0, np.bool_)
_UNREAD = np.empty(0, np.int64)
"""Runs of keys, which only those look at who count values."""


class InPlaceTier(PeriodicTier):
    """Periodic windows whose cells are the panes of a slicer, where another tier reads them."""

    def __init__(self, program: Program, horizon: Horizon, panes: OpenPanes) -> None:
        super().__init__(program, horizon)
        self._panes = panes

    def advance(self, new: Cells | None, step: Step) -> Iterator[Piece]:
        yield from ()

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


class ReadingTier(InPlaceTier):
    """The tier that reads the panes of a slicer for all periodic windows of a program.

    Panes become coarser with age where they lie.
    """

    def __init__(
        self,
        program: Program,
        families: Families,
        panes: OpenPanes,
        sessions: Sequence[InPlaceSessionTier],
    ) -> None:
        super().__init__(program, Horizon(families), panes)
        self.stairs = stairs_of(program, families)
        self._sessions = sessions

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
        taken = ALWAYS
        for session in self._sessions:
            taken = min(taken, session.taken)
        self._panes.release(min(self.horizon.earliest, taken))
        if self.stairs is not None and not step.final:
            self._promote(self.stairs, taken)

    def _promote(self, stairs: Stairs, before: int) -> None:
        """Merge what only longer windows read, but for what sessions did not take yet."""
        pane = self._panes.panes
        if stairs.pays(len(pane)):
            code = np.zeros(len(pane), np.int64)
            heads, merged = stairs.promoted(code, pane, self.horizon.starts, before)
            if len(heads) < len(pane):
                self._panes.merge(heads, merged)


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
        yield from super().advance(cells, step._replace(unseen=self._open.earliest(whole)))

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


def on_open_panes(
    tiers: Sequence[Holder], panes: OpenPanes, grid: Grid, *, keyed: bool
) -> list[Holder]:
    """The same tiers over the panes of a slicer."""
    if keyed:
        lengths = [tier for tier in tiers if isinstance(tier, PeriodicTier)]
        if len(lengths) == 1 and not becomes_coarser(lengths[0]):
            return [KeyedInPlaceTier(lengths[0], panes)]
        return list(as_chain(lengths, panes))
    sessions = [InPlaceSessionTier(t, panes, grid) for t in tiers if isinstance(t, SessionTier)]
    periodic = [t for t in tiers if isinstance(t, PeriodicTier)]
    program = periodic[0].program
    reading = ReadingTier(program, program.windows.periodic, panes, sessions)
    others = (InPlaceTier(program, tier.horizon, panes) for tier in periodic[1:])
    return [reading, *others, *sessions]


def reads_in_place(
    program: Program,
    tiers: Sequence[Holder],
    layout: Callable[[], Layout],
    *,
    keyed: bool,
    fresh: bool,
    pushed: bool,
) -> bool:
    """Whether the panes under construction can answer all windows of panes.

    With sessions, and with windows of very different lengths, only if it is `fresh`: it will not go
    on with the state of another, whose cells may be coarser for some windows than for others.  With
    such windows only if rows are `pushed` batch by batch: of rows that come all at once, cells that
    are merged for longer windows first are fewer to read.
    """
    periodic = [each for each in tiers if isinstance(each, PeriodicTier)]
    sessions = [each for each in tiers if isinstance(each, SessionTier)]
    if not periodic or (not fresh and (sessions or len(periodic) > 1)):
        return False
    if keyed and sessions:
        return False
    if keyed and becomes_coarser(periodic[0]) and not (fresh and pushed):
        return False
    if not program.commutative or program.revising or program.counts_values:
        return False
    families = program.windows.periodic
    if families.gaps or own_edges(program, families) is not None or program.store == "eager":
        return False
    if len(periodic) > 1 and (not pushed or stairs_of(program, families) is None):
        return False  # the longest would keep the panes of the shortest
    columns = zip(program.partials, layout().kinds, strict=True)
    return all(isinstance(nulls(0, kind, p.monoid), Numbers) for p, kind in columns)
