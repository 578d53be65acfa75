"""Periodic windows of many keys and all lengths, read where rows are added.

Idea: as `keyed_in_place.py`, over panes that become coarser with age.  Where keys are sparse, what
one tier holds for the longest windows would be merged anew for the shortest: then every length
goes on with a tier of its own, each with all cells so far, which have the edges of all windows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from panewise.kernels.cells import Cells
from panewise.kernels.keyed_in_place import KeyedInPlaceTier
from panewise.kernels.merging import united
from panewise.kernels.open_panes import OpenPanes
from panewise.kernels.periodic import PeriodicTier
from panewise.kernels.program import Piece, Step
from panewise.kernels.state import State


class KeyedChainTier(KeyedInPlaceTier):
    """Reads open panes for windows of all lengths, or drives the tiers of each length."""

    def __init__(self, tiers: Sequence[PeriodicTier], panes: OpenPanes) -> None:
        program = tiers[0].program
        super().__init__(PeriodicTier.of(program, program.windows.periodic), panes)
        self._tiers = tiers
        self.sparse = False
        """Whether every length has a tier of its own; for good, as its cells are its own then."""

    def advance(self, new: Cells | None, step: Step) -> Iterator[Piece]:
        if not self.sparse:
            if new is not None and len(new):
                self._waiting.append(self.arranged(new))
                new = None
            if super().parts() and not self._fill_panes(step):
                self._leave()
        if self.sparse:
            yield from self._by_length(new, step)
            return
        yield from super().advance(None, step)
        if self.stairs is not None and not step.final:
            pane = self._panes.panes
            if self.stairs.pays(len(pane)):
                code = np.zeros(len(pane), np.int64)
                heads, merged = self.stairs.promoted(code, pane, self.horizon.starts)
                if len(heads) < len(pane):
                    self._panes.merge(heads, merged)

    def _leave(self) -> None:
        """Hand all cells to the tiers of each length."""
        self._take_back()
        cells = united(self.program, super().parts())
        self.held, self._waiting, self.sparse = None, [], True
        for tier in self._tiers:
            tier.take_over(cells.copy())

    def _by_length(self, new: Cells | None, step: Step) -> Iterator[Piece]:
        if any(tier.is_due(step) for tier in self._tiers):
            parts = [part for part in (new, self._panes.drain(step.watermark)) if part is not None]
            new = united(self.program, parts) if parts else None
        for tier in self._tiers:
            yield from tier.advance(None if new is None else new.copy(), step)

    def parts(self) -> list[Cells]:
        return [*super().parts(), *(self._tiers[0].parts() if self.sparse else ())]

    def state(self) -> State:
        return self._tiers[0].state() if self.sparse else super().state()


class FollowingTier(PeriodicTier):
    """Windows of one length that another tier answers."""

    def __init__(self, tier: PeriodicTier, leader: KeyedChainTier) -> None:
        super().__init__(tier.program, tier.horizon)
        self._tier, self._leader = tier, leader

    def advance(self, new: Cells | None, step: Step) -> Iterator[Piece]:
        yield from ()

    def asks(self, step: Step, earliest_open: int) -> bool:
        return False

    def parts(self) -> list[Cells]:
        return self._tier.parts() if self._leader.sparse else []

    def state(self) -> State:
        own = self._tier.state()
        return own if self._leader.sparse else replace(own, cells=self._leader.state().cells)


def as_chain(tiers: Sequence[PeriodicTier], panes: OpenPanes) -> list[PeriodicTier]:
    """These tiers, read together."""
    leader = KeyedChainTier(tiers, panes)
    return [leader, *(FollowingTier(tier, leader) for tier in tiers[1:])]
