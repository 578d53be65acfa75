"""Families of windows, each with its number."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from panewise.plan import Edges
from panewise.windows import Family


class Families:
    """Families by number, and what loops and panes want to know of them."""

    def __init__(self, numbered: Sequence[tuple[int, Family]]) -> None:
        self.numbered = numbered
        self.table = family_table(numbered)
        self._compared: tuple[Edges, bool] | None = None

    def __len__(self) -> int:
        return len(self.table)

    @cached_property
    def gaps(self) -> bool:
        """Whether some times are in no window of a family."""
        size, slide, once = self.table[:, 1], self.table[:, 2], self.table[:, 5]
        return bool(((slide > size) | (once > 0)).any())

    @cached_property
    def periodic_edges(self) -> frozenset[tuple[int, int]]:
        """Where their windows begin and end, again and again."""
        return frozenset(edge for _, f in self.numbered if not f.once for edge in f.edges())

    @cached_property
    def fixed_edges(self) -> frozenset[int]:
        """Where windows that happen once begin and end."""
        return frozenset(edge for _, f in self.numbered if f.once for edge in f.fixed_edges())

    def need_all_of(self, panes: Edges) -> bool:
        """Whether every edge of panes is one of theirs; these panes are asked about repeatedly."""
        if self._compared is None or self._compared[0] is not panes:
            periodic = self.periodic_edges.issuperset(panes.progressions)
            self._compared = panes, periodic and self.fixed_edges.issuperset(panes.fixed)
        return self._compared[1]


def family_table(families: Sequence[tuple[int, Family]]) -> np.ndarray:
    """A row for each: number, size, slide, step, origin, and whether it happens once."""
    rows = [(number, f.size, f.slide, f.step, f.origin, int(f.once)) for number, f in families]
    return np.array(rows, np.int64).reshape(-1, 6)
