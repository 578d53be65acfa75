"""The stairwise chain: cells become coarser as they grow old.

Idea: of windows of different lengths only the longer ones read what is far behind, and these need
only their own edges there.  So cells that the shorter ones have left behind are promoted: merged to
the edges of the longer ones, from step to step of the stairs.  A day by five minutes beside a
minute by the second then holds 60 cells of a second and 288 of five minutes.
Invariant: a granule holds whole cells, and all families that still read it have its edges, so every
window is exact; where slides do not divide each other a granule lies between the edges of them all.
Cost: cells are looked at whenever they have become half as many again: a few times each.  They are
merged where they lie, in the open panes of one key or in the cells of a tier.

References: the stairwise chain of multi-granular windows, whose granules are exact only where each
slide divides the next, and the difference of their ranges.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from panewise.kernels.compiled import compiled
from panewise.kernels.ranges import ALWAYS, NEVER
from panewise.plan import Edges
from panewise.windows import Family

COARSER = 2
"""How many times fewer edges make a step of its own."""
GROWN = 1.5
"""How many times more cells than were left are looked at again."""
FEW = 256
"""Cells that are left as they are."""
MOST = 64
"""Families up to which steps are looked for: it takes the square of their number."""


@dataclass(frozen=True)
class Step:
    """What families beyond a number of shorter ones need of cells that those have left behind."""

    shorter: int
    """How many families are shorter."""
    reach: int
    """The range of the longest of these."""
    edges: Edges


class Stairs:
    """The steps of some families, and how far cells have been promoted."""

    def __init__(self, order: Sequence[int], steps: tuple[Step, ...], saved: float) -> None:
        """`order` has the places of the families, the shortest first."""
        self.steps = steps
        self.saved = saved
        """About how many cells of a key are not held because of them."""
        self._order = np.array(order, np.int64)
        progressions = [
            (number, *each) for number, step in enumerate(steps) for each in step.edges.progressions
        ]
        self._edges = np.array(progressions, np.int64)
        self._shorter = np.array([step.shorter for step in steps], np.int64)
        self._left = 0  # cells after the last promotion

    @classmethod
    def of(cls, families: Sequence[Family]) -> Stairs | None:
        """The stairs of these families; None where none of them is coarser than the others.

        >>> stairs = Stairs.of([Family(4, 1), Family(8, 2), Family(16, 4)])
        >>> [(step.reach, step.edges.progressions) for step in stairs.steps]
        [(4, ((2, 0),)), (8, ((4, 0),))]
        """
        found = _steps(tuple(families))
        return None if found is None else cls(*found)

    def pays(self, cells: int) -> bool:
        """Whether so many cells are worth a look."""
        return cells > max(FEW, GROWN * self._left)

    def promoted(
        self, code: np.ndarray, pane: np.ndarray, starts: np.ndarray, before: int = ALWAYS
    ) -> tuple[np.ndarray, np.ndarray]:
        """Where the granules begin among cells in order, and the pane of each.

        `starts` are the earliest windows of the families that are needed; cells from `before` on
        are left as they are.
        """
        heads, panes = _granules(
            code, pane, starts, before, self._order, self._shorter, self._edges
        )
        self._left = len(heads)
        return heads, panes


@lru_cache(maxsize=64)  # engines of one plan ask one after the other
def _steps(families: tuple[Family, ...]) -> tuple[list[int], tuple[Step, ...], float] | None:
    """The order of the families, their steps, and what these save."""
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
            steps.append(Step(count, left, coarser))
            edges = coarser
    return (order, tuple(steps), saved) if steps else None


def _edges(families: Sequence[Family]) -> Edges:
    return Edges.union(edge for family in families for edge in family.edges())


@compiled
def _granules(code, pane, starts, before, order, shorter, edges):  # type: ignore[no-untyped-def]
    coarse = pane.copy()
    limit, seen = before, 0
    for step in range(len(shorter)):
        for family in order[seen : shorter[step]]:
            limit = min(limit, starts[family])
        seen = shorter[step]
        if limit in (NEVER, ALWAYS):
            continue
        whole = _pane_of(limit, edges, step)  # the granule of the limit is not whole yet
        for i in range(len(coarse)):
            if coarse[i] < whole:
                coarse[i] = _pane_of(coarse[i], edges, step)
    heads, count = np.empty(len(pane), np.int64), 0
    for i in range(len(pane)):
        heads[count] = i
        count += i == 0 or coarse[i] != coarse[i - 1] or code[i] != code[i - 1]
    return heads[:count], coarse[heads[:count]]


@compiled
def _pane_of(tick, edges, step):  # type: ignore[no-untyped-def]
    """The greatest edge of a step at or before this time."""
    best = NEVER
    for j in range(len(edges)):
        if edges[j, 0] == step:
            best = max(best, tick - (tick - edges[j, 2]) % edges[j, 1])
    return best
