"""Windows of one key, read where rows are added.

Idea: without keys, the panes under construction (`open_panes.py`) are cells in order already.  As
long as no late row may change what was reported, nothing needs to be handed over, merged or kept
apart: a report reads ranges of them, and panes that no window needs are forgotten.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from panewise.kernels.cells import Cells
from panewise.kernels.columns import Numbers, nulls
from panewise.kernels.holder import Holder
from panewise.kernels.open_panes import OpenPanes
from panewise.kernels.periodic import PeriodicTier
from panewise.kernels.program import Piece, Program, Step
from panewise.kernels.ranges import NEVER
from panewise.kernels.state import Layout, State

_NONE = np.empty(0, np.bool_)
_UNREAD = np.empty(0, np.int64)
"""Runs of keys, which only those look at who count values."""


class InPlaceTier(PeriodicTier):
    """All windows of a program, over the panes of its slicer."""

    def __init__(self, tier: Holder, panes: OpenPanes) -> None:
        assert isinstance(tier, PeriodicTier)
        super().__init__(tier.program, tier.horizon)
        self._panes = panes

    def advance(self, new: Cells | None, step: Step) -> Iterator[Piece]:
        if new is not None and len(new):  # they were handed on for a snapshot
            self._panes.put_back(new)
        if step.watermark == NEVER or not self.is_due(step):
            return
        cells = self._panes.cells(step.watermark)
        if cells is None:
            return
        found = self.horizon.passed(cells.pane, step.previous, step.watermark, step.keep)
        if found is None:  # in several pieces
            self.held = cells
            yield from self.report(None, _NONE, _NONE, cells.runs(1), step)
            self.held = None
        elif len(found):
            yield self.piece(cells, found, _UNREAD)
        self._panes.release(self.horizon.earliest)

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


def reads_in_place(
    program: Program, tiers: Sequence[Holder], layout: Callable[[], Layout], keyed: bool
) -> bool:
    """Whether the panes under construction can answer all windows of panes."""
    if keyed or len(tiers) != 1 or not isinstance(tiers[0], PeriodicTier):
        return False
    if not program.commutative or program.revising or program.counts_values:
        return False
    if program.store == "eager" or not tiers[0].needs_all_panes:
        return False
    columns = zip(program.partials, layout().kinds, strict=True)
    return all(isinstance(nulls(0, kind, p.monoid), Numbers) for p, kind in columns)
