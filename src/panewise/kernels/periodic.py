"""Context-free windows over cells: tumbling, sliding, cumulating, bands.

Idea: windows of similar length share a tier, which holds cells merged to its own edges: a day-long
window beside one-second panes holds one cell per key instead of 86,400.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from panewise.kernels.asked import length_class
from panewise.kernels.cells import Cells
from panewise.kernels.families import Families
from panewise.kernels.grid import Grid
from panewise.kernels.horizon import Horizon
from panewise.kernels.program import Piece, Program, Step, one
from panewise.kernels.ranges import NEVER, Ranges, periodic_ranges, touched_ranges
from panewise.kernels.revisions import holds
from panewise.kernels.stairwise import MOST, Stairs
from panewise.kernels.state import State
from panewise.kernels.tallies import Ranked
from panewise.kernels.tier import Tier
from panewise.plan import Edges

WORN = 0.75
"""The share of cells still read, below which the others are dropped."""
MOST_RESULTS = 1 << 20
"""Windows reported in one piece, so that a tiny slide does not fill the memory."""


class PeriodicTier(Tier):
    """Families of similar length."""

    def __init__(
        self,
        program: Program,
        horizon: Horizon,
        own: Edges | None = None,
        stairs: Stairs | None = None,
    ) -> None:
        super().__init__(program)
        self.horizon = horizon
        self.stairs = stairs
        self._grid = None if own is None else Grid(own)

    @classmethod
    def of(cls, program: Program, families: Families) -> PeriodicTier:
        """A tier for these windows, with edges of its own where panes are finer."""
        stairs = stairs_of(program, families)
        return cls(program, Horizon(families), own_edges(program, families), stairs)

    def arranged(self, cells: Cells) -> Cells:
        """Cells merged to this tier's own edges, without times: only sessions read those."""
        cells = _untimed(cells)
        if self._grid is None:
            return cells
        panes, place = self._grid.place(cells.pane)
        pane = panes[place]
        fresh = np.ones(len(cells), np.bool_)
        fresh[1:] = (pane[1:] != pane[:-1]) | (cells.code[1:] != cells.code[:-1])
        heads = np.flatnonzero(fresh)
        return cells.merged(self.program.partials, heads, pane[heads], self.program.checked)

    def is_due(self, step: Step) -> bool:
        return step.watermark >= self.horizon.next_end

    def report(
        self, before: Cells | None, fresh: np.ndarray, old: np.ndarray, runs: np.ndarray, step: Step
    ) -> Iterator[Piece]:
        assert self.held is not None
        ranked: dict[int, Ranked] = {}
        binned = self.binned if step.keys == 1 else None
        for found in self._due(self.held.pane, runs, step.previous, step.watermark):
            yield self.told(found, runs, ranked=ranked, binned=binned)
        if self.program.revising and step.previous != NEVER:
            families = self.horizon.families
            found = touched_ranges(self.held.pane, runs, fresh, families, one(step.previous))
            if len(found):
                revision = self._revisions(found, old)
                more = {"ranked": ranked, "binned": binned, "revision": revision}
                yield self.told(found, runs, **more)
            self.revisions.forget(step.keep)
        self.horizon.advance(step.watermark, step.keep)

    def kept(self, cells: Cells, runs: np.ndarray, step: Step) -> Cells:
        if step.final:
            return cells.take(np.empty(0, np.int64))
        if self.stairs is not None and self.stairs.pays(len(cells)):
            heads, pane = self.stairs.promoted(cells.code, cells.pane, self.horizon.starts)
            if len(heads) < len(cells):
                cells = cells.merged(self.program.partials, heads, pane, self.program.checked)
        # cells that nobody reads any more do no harm, and moving the others costs
        if step.keys == 1 and not self.horizon.gaps:  # they are the first ones
            gone = int(cells.pane.searchsorted(self.horizon.earliest))
            worn = len(cells) - gone <= WORN * len(cells)
            return cells.cut(gone, len(cells)) if worn else cells
        mask = self.horizon.needed(cells.pane, step.keep)
        if np.count_nonzero(mask) > WORN * len(cells):
            return cells
        return cells.take(np.flatnonzero(mask))

    def load(self, state: State) -> None:
        cells = state.cells
        super().load(replace(state, cells=None if cells is None else _untimed(cells)))

    @property
    def identity(self) -> tuple[object, ...]:
        return ("periodic", length_class(int(self.horizon.families[0, 1])))

    def _due(
        self, pane: np.ndarray, runs: np.ndarray, previous: int, watermark: int
    ) -> Iterator[Ranges]:
        """Cut `(previous, watermark]` until each part reports a bounded number of windows."""
        families, ends = self.horizon.families, self.horizon.ends
        bounds = one(previous), one(watermark)
        found = periodic_ranges(pane, runs, families, *bounds, MOST_RESULTS, ends)
        if found is not None:
            if len(found):
                yield found
            return
        low = max(previous, int(pane.min()))
        high = min(watermark, int(pane.max()) + int(families[:, 1].max()))
        middle = (low + high) // 2
        if not low < middle < high:
            whole = periodic_ranges(pane, runs, families, *bounds)
            assert whole is not None
            yield whole
            return
        yield from self._due(pane, runs, previous, middle)
        yield from self._due(pane, runs, middle, watermark)

    def _revisions(self, found: Ranges, old: np.ndarray) -> np.ndarray:
        """0 for windows that had no row before, and so were not reported."""
        before = holds(old, found)
        revision = np.zeros(len(found), np.int64)
        again = found.take(before)
        revision[before] = self.revisions.next(
            again.window, again.code, again.start, again.end, again.end
        )
        return revision


def _untimed(cells: Cells) -> Cells:
    untimed = cells.copy()
    untimed.first = untimed.last = None
    return untimed


def stairs_of(program: Program, families: Families) -> Stairs | None:
    """How cells of these windows become coarser, if they may be merged."""
    if program.counts_values or not program.mergeable or len(families) > MOST:
        return None
    return Stairs.of([family for _, family in families.numbered])


def own_edges(program: Program, families: Families) -> Edges | None:
    """The edges that these windows need, if the panes are finer and cells can be merged."""
    if program.counts_values or not program.mergeable:
        return None
    if families.need_all_of(program.panes):
        return None  # panes have all edges of the windows, and no others
    return Edges.union(families.periodic_edges, families.fixed_edges)
