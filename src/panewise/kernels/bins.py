"""Values in order, cut into bins that new values do not move.

Idea: a rank changes whenever a smaller value turns up, so nothing that is kept may be arranged by
ranks.  Bins are cut once; a value that turns up later joins the bin of the next smaller one.
Invariant: a value in a later bin is greater.
"""

from __future__ import annotations

import numpy as np

BINS = 1 << 10
GROWN = 4
"""How many times more values there may be before bins are cut anew."""


class Bins:
    """The bin of every number, for values with these ranks.

    >>> bins = Bins(np.array([2, 0, 1, -1]), 3)
    >>> bins.extend(np.array([3, 0, 1, -1, 2]), 4)
    >>> bool(bins.of[4] == bins.of[2]), int(bins.of[3])
    (True, -1)
    """

    def __init__(self, ranks: np.ndarray, values: int) -> None:
        self._most = GROWN * max(values, BINS)
        used = np.zeros(values, np.int64)
        used[ranks[ranks >= 0]] = 1
        before = used.cumsum() - used
        self._spread(ranks, before * BINS // max(int(used.sum()), 1))

    def fits(self, values: int) -> bool:
        """Whether so many values do not crowd the bins."""
        return values <= self._most

    def extend(self, ranks: np.ndarray, values: int) -> None:
        """More numbers, whose values have ranks among the others."""
        known = ranks[: len(self.of)]
        by_rank = np.zeros(values, np.int64)
        by_rank[known[known >= 0]] = self.of[known >= 0]
        self._spread(ranks, np.maximum.accumulate(by_rank))

    def _binned(self, ranks: np.ndarray) -> np.ndarray:
        bins = np.full(len(ranks), -1, np.int16)
        bins[ranks >= 0] = self._by_rank[ranks[ranks >= 0]]
        return bins

    def _spread(self, ranks: np.ndarray, by_rank: np.ndarray) -> None:
        self._by_rank = by_rank
        self.of = self._binned(ranks)
        """By number; -1 is null."""
        self.first = by_rank.searchsorted(np.arange(BINS + 1))
        """The least rank of each bin."""

    def append(self, ranks: np.ndarray) -> None:
        """More numbers, where no rank became another one."""
        self.of = np.concatenate([self.of, self._binned(ranks)])
