"""Ranks of values that become more and more.

Idea: new values are sorted by themselves and put between those that were ranked before, so a few
new ones among many cost a pass over the ranks and not a sort of everything.  Many integers that lie
near each other need no sort: each is ranked by its distance from the least, and new ones move none.
Invariant: a greater value has a greater rank; a rank of near integers may have no number yet.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from panewise.aggregates.value_counts import rank_values
from panewise.kernels.bins import Bins

MANY = 1 << 12
"""Numbers from which on ranks that nobody has are a small price."""
NEAR = 4
"""Ranks for each number that near integers may have."""


class Ranking:
    """Values by number, each with its rank among all.

    >>> ranking = Ranking(pa.int64())
    >>> ranking.add(pa.array([7, 3]))
    >>> ranking.add(pa.array([5, None, 7]))
    >>> ranking.ranks.tolist(), ranking.values.to_pylist()
    ([2, 0, 1, -1, 2], [3, 5, 7])
    """

    def __init__(self, kind: pa.DataType) -> None:
        self.kind = kind
        self.ranks = np.empty(0, np.int64)
        """Of each number; -1 is null."""
        self.values = pa.nulls(0, kind)
        """By rank."""
        self._bins: Bins | None = None
        self._low: int | None = None  # the value of rank 0, where integers are near
        self._moved = False  # whether ranks became others since bins were told

    def bins(self) -> Bins:
        """Bins of the values, the same ones as long as they are not crowded."""
        count = len(self.values)
        if self._bins is None or not self._bins.fits(count):
            self._bins = Bins(self.ranks, count)
        elif self._moved:
            self._bins.extend(self.ranks, count)
        elif len(self._bins.of) < len(self.ranks):
            self._bins.append(self.ranks[len(self._bins.of) :])
        self._moved = False
        return self._bins

    def __len__(self) -> int:
        return len(self.ranks)

    def add(self, values: pa.Array) -> None:
        """The values of the next numbers."""
        given = np.asarray(values.is_valid())
        present = values.drop_null() if values.null_count else values
        fresh = np.full(len(values), -1, np.int64)
        low = self._least(np.asarray(present)) if pa.types.is_integer(self.kind) else None
        if low is not None:
            fresh[given] = np.asarray(present).astype(np.int64) - low
        elif pa.types.is_integer(self.kind) or pa.types.is_floating(self.kind):
            fresh[given] = self._between(np.asarray(present))
        else:  # all anew: NumPy cannot compare these
            both = pa.concat_arrays([self.values, present])
            every = rank_values(both)
            moved, fresh[given] = every[: len(self.values)], every[len(self.values) :]
            self._move(moved)
            first = np.empty(int(every.max(initial=-1)) + 1, np.int64)
            first[every] = np.arange(len(every))
            self.values = both.take(pa.array(first))
        self.ranks = np.concatenate([self.ranks, fresh])

    def _least(self, present: np.ndarray) -> int | None:
        """What has rank 0 if all integers, these too, are near each other: each has a rank then."""
        count = len(self.ranks) + len(present)
        if count < MANY or not len(present):
            return self._low
        low, high = int(present.min()), int(present.max())
        if len(self.values):
            first, last = self.values[0].as_py(), self.values[-1].as_py()
            if self._low is not None and first <= low and high <= last:
                return self._low
            low, high = min(low, first), max(high, last)
        if high - low < NEAR * count:
            self._spread(low, high)
        elif self._low is not None:
            self._close_up()
        return self._low

    def _spread(self, low: int, high: int) -> None:
        """A rank for each integer between these, and for some around them that may still come."""
        more = (high - low) // 8 + 1
        limits = np.iinfo(self.kind.to_pandas_dtype())
        low, high = max(low - more, int(limits.min)), min(high + more, int(limits.max))
        self._move(np.asarray(self.values).astype(np.int64) - low)
        self.values = pa.array(low + np.arange(high - low + 1)).cast(self.kind)
        self._low = low

    def _close_up(self) -> None:
        """No rank that no number has."""
        used = np.unique(self.ranks[self.ranks >= 0])
        moved = np.zeros(len(self.values), np.int64)
        moved[used] = np.arange(len(used))
        self._move(moved)
        self.values = self.values.take(pa.array(used))
        self._low = None

    def _between(self, present: np.ndarray) -> np.ndarray:
        """Put numbers between those that are there; the rank of each."""
        known = np.asarray(self.values)
        order = np.argsort(present)  # not `unique`: it hashes first, and most are different
        every = present[order]
        # what is not a number is after all numbers, and all such are one
        apart = np.ones(len(every), np.bool_)
        apart[1:] = (every[1:] != every[:-1]) & (every[:-1] == every[:-1])
        new = every[apart]
        at = known.searchsorted(new)
        if len(known):
            near = known[np.minimum(at, len(known) - 1)]
            there = (near == new) | ((near != near) & (new != new))
        else:
            there = np.zeros(len(new), np.bool_)
        before = np.cumsum(~there) - ~there  # other new ones that are smaller
        ranks = np.empty(len(present), np.int64)
        ranks[order] = (at + before)[np.cumsum(apart) - 1]
        new, at = new[~there], at[~there]
        self._move(np.arange(len(known)) + np.bincount(at, minlength=len(known) + 1).cumsum()[:-1])
        self.values = pa.array(np.insert(known, at, new), self.kind)
        return ranks

    def _move(self, moved: np.ndarray) -> None:
        """Every rank became another one."""
        self._moved = True
        if len(moved):
            self.ranks = np.where(self.ranks < 0, -1, moved[self.ranks])
