"""How many edges a union of progressions has per tick.

Idea: all edges lie on one grid, and the pattern repeats.  One period of the grid (or a part of it,
where the period is long) is an integer with a bit per place, so a union is `|` and its size a bit
count: a microsecond, where inclusion-exclusion doubles with every progression.

What is counted is the share of edges that are left where several coincide.  It is exact over a
whole period; over a part, the rates of the progressions, which are known, make up for the edges
that its two ends cut off.

One odd window makes the grid of all so fine that no part of it is long enough for the others.
These are counted in clusters that have a coarser grid, between which few edges coincide.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from panewise.plan import Edges

_PLACES = 1 << 15
_FEW = 8
"""A progression with fewer edges than this in the part that is looked at is counted apart."""
_CLUSTERS = 8
"""Clusters that a progression may join; more are opened, but not looked at again."""
_FAR = 0x9E3779B97F4A7C15
"""Where the part begins: at 0 more windows begin together than anywhere else."""


class Density:
    """Edges per tick, for unions of the given progressions.

    >>> exact = Density([(15, 0), (17, 0), (19, 0)])
    >>> round(exact.of(Edges(((15, 0), (17, 0), (19, 0)))) * 4845)
    813
    """

    def __init__(self, progressions: Iterable[tuple[int, int]]) -> None:
        distinct = sorted(set(progressions))
        self._base = distinct[0][1] if distinct else 0
        self._grid = math.gcd(*(n for p, f in distinct for n in (p, f - self._base))) or 1
        period = math.lcm(*(p for p, _ in distinct)) // self._grid
        self._whole = period <= _PLACES
        self._places = period if self._whole else _PLACES
        self._masks = {each: self._mask(*each) for each in distinct}
        self._known: dict[tuple[tuple[int, int], ...], float] = {}

    def of(self, edges: Edges) -> float:
        """Edges per tick; fixed edges are none."""
        known = self._known.get(edges.progressions)
        if known is None:
            known = self._known[edges.progressions] = self._count(edges)
        return known

    def _count(self, edges: Edges) -> float:
        mask, counted, together = 0, 0, 0.0
        apart: list[tuple[int, int]] = []
        for each in edges.progressions:
            found = self._masks.get(each)
            if found is None:  # a progression of a candidate's own
                found = self._masks[each] = self._mask(*each)
            if found < 0:
                apart.append(each)
            else:
                mask |= found
                counted += found.bit_count()
                together += 1 / each[0]
        left = together * mask.bit_count() / counted if counted else 0.0
        return left + sum(map(_of_cluster, _clusters(apart)))

    def _mask(self, period: int, phase: int) -> int:
        """A bit for each edge; -1 where the part that is looked at is too short to tell."""
        off_grid = period % self._grid or (phase - self._base) % self._grid
        steps = period // self._grid
        if off_grid or (not self._whole and steps * _FEW > self._places):
            return -1
        if self._whole and self._places % steps:
            return -1
        bits = np.zeros(self._places, np.bool_)
        start = 0 if self._whole else _FAR
        bits[((phase - self._base) // self._grid - start) % steps :: steps] = True
        return int.from_bytes(np.packbits(bits).tobytes(), "big")


def _clusters(progressions: Iterable[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    """Progressions that share a grid on which a whole period can be looked at."""
    found: list[list[tuple[int, int]]] = []
    for each in progressions:
        for cluster in found[:_CLUSTERS]:
            if _fits([*cluster, each]):
                cluster.append(each)
                break
        else:
            found.append([each])
    return found


def _fits(progressions: Sequence[tuple[int, int]]) -> bool:
    base = progressions[0][1]
    grid = math.gcd(*(n for p, f in progressions for n in (p, f - base)))
    return math.lcm(*(p for p, _ in progressions)) <= _PLACES * grid


def _of_cluster(progressions: Sequence[tuple[int, int]]) -> float:
    if len(progressions) == 1:
        return 1 / progressions[0][0]
    return Density(progressions).of(Edges(tuple(progressions)))
