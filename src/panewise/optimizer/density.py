"""How many edges a union of progressions has per tick.

Idea: all edges lie on one grid, and the pattern repeats.  One period of the grid (or its beginning,
where the period is long) is an integer with a bit per place, so a union is `|` and its size a bit
count: a microsecond, where inclusion-exclusion doubles with every progression.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from panewise.plan import Edges

_PLACES = 1 << 15
_FEW = 8
"""A progression with fewer edges than this in the part that is looked at is counted apart."""


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
        mask, apart = 0, 0.0
        for each in edges.progressions:
            found = self._masks.get(each)
            if found is None:  # a progression of a candidate's own
                found = self._masks[each] = self._mask(*each)
            if found < 0:
                apart += 1 / each[0]
            else:
                mask |= found
        return mask.bit_count() / (self._places * self._grid) + apart

    def _mask(self, period: int, phase: int) -> int:
        """A bit for each edge; -1 where the part that is looked at is too short to tell."""
        off_grid = period % self._grid or (phase - self._base) % self._grid
        steps = period // self._grid
        if off_grid or (not self._whole and steps * _FEW > self._places):
            return -1
        if self._whole and self._places % steps:
            return -1
        bits = np.zeros(self._places, np.bool_)
        bits[(phase - self._base) % period // self._grid :: steps] = True
        return int.from_bytes(np.packbits(bits).tobytes(), "big")
