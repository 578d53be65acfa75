"""The stairwise chain: cells become coarser as they grow old.

Idea: of windows of different lengths only the longer ones read what is far behind, and these need
only their own edges there.  So cells that the shorter ones have left behind are promoted: merged to
the edges of the longer ones, from step to step of the stairs.  A day by five minutes beside a
minute by the second then holds 60 cells of a second and 288 of five minutes.
Invariant: a granule holds whole cells, and all families that still read it have its edges, so every
window is exact; where slides do not divide each other a granule lies between the edges of them all.
Cost: cells are looked at whenever they have become half as many again: a few times each.

References: the stairwise chain of multi-granular windows, whose granules are exact only where each
slide divides the next, and the difference of their ranges.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from panewise.kernels.cells import Cells
from panewise.kernels.grid import Grid
from panewise.kernels.horizon import Horizon
from panewise.kernels.program import Program
from panewise.kernels.ranges import NEVER
from panewise.plan import Edges
from panewise.windows import Family

COARSER = 2
"""How many times fewer edges make a step of its own."""
GROWN = 1.5
"""How many times more cells than were left are looked at again."""
MOST = 64
"""Families up to which steps are looked for: it takes the square of their number."""


@dataclass(frozen=True)
class Step:
    """What families beyond a number of shorter ones need of cells that those have left behind."""

    shorter: np.ndarray
    """The places of the shorter families."""
    reach: int
    """The range of the longest of these."""
    edges: Edges
    grid: Grid = field(compare=False)


class Stairs:
    """The steps of a tier's families, and how far cells have been promoted."""

    def __init__(self, steps: Sequence[Step], saved: float) -> None:
        self.steps = tuple(steps)
        self.saved = saved
        """About how many cells of a key are not held because of them."""
        self._left = 0  # cells after the last promotion

    @classmethod
    def of(cls, families: Sequence[Family]) -> Stairs | None:
        """The stairs of these families; None where none of them is coarser than the others.

        >>> stairs = Stairs.of([Family(4, 1), Family(8, 2), Family(16, 4)])
        >>> [(step.reach, step.edges.progressions) for step in stairs.steps]
        [(4, ((2, 0),)), (8, ((4, 0),))]
        """
        if len(families) > MOST or any(f.slide > f.size or f.once for f in families):
            return None
        order = sorted(range(len(families)), key=lambda at: families[at].size)
        steps: list[Step] = []
        edges, saved = _edges(families), 0.0
        for count in range(1, len(order)):
            left, right = (families[order[at]].size for at in (count - 1, count))
            coarser = _edges([families[at] for at in order[count:]])
            if left < right and COARSER * coarser.rate <= edges.rate:
                longest = families[order[-1]].size - left
                saved += float((edges.rate - coarser.rate) * longest)
                steps.append(Step(np.array(order[:count]), left, coarser, Grid(coarser)))
                edges = coarser
        return cls(steps, saved) if steps else None

    def promoted(self, cells: Cells, horizon: Horizon, program: Program) -> Cells:
        """Cells, those that shorter families have left behind merged; as given where none is."""
        limits = [int(horizon.starts[step.shorter].min()) for step in self.steps]
        if limits[0] == NEVER or len(cells) <= GROWN * self._left:
            return cells
        pane = cells.pane.copy()
        for step, limit in zip(self.steps, limits, strict=True):
            whole = step.edges.pane_of(limit)  # the granule of the limit is not whole yet
            old = np.flatnonzero(pane < (limit if whole is None else whole))
            if len(old):
                pane[old] = step.grid.panes_of(pane[old])
        apart = np.ones(len(cells), np.bool_)
        apart[1:] = (pane[1:] != pane[:-1]) | (cells.code[1:] != cells.code[:-1])
        heads = np.flatnonzero(apart)
        self._left = len(heads)
        if len(heads) == len(cells):
            return cells
        return cells.merged(program.partials, heads, pane[heads], program.checked)


def _edges(families: Sequence[Family]) -> Edges:
    return Edges.union(edge for family in families for edge in family.edges())
