"""What both kinds of buckets share: one bucket per open window, found by its number.

Idea: windows of one size that are open at the same time have consecutive numbers, so the low bits
of a number are a hash without collisions once there are `depth` places, a power of two.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numba import njit

from benchmarks.papers.slicing_baselines.baseline import FOREVER, Aggregate, Baseline


class Buckets(Baseline):
    """Places for buckets: arrays of a row per size and a column per place, named in `columns`."""

    columns: tuple[str, ...]

    def __init__(self, sizes: Sequence[int], delay: int = 0, aggregate: Aggregate = "sum") -> None:
        super().__init__(sizes, delay, aggregate)
        self._first = np.full(len(self.sizes), -FOREVER)
        """The first number of each size that was not reported."""
        self._depth = 0
        # the bucket of the last row, per size: the next row is most often in the same
        self._current_end = np.full(len(self.sizes), -FOREVER)
        self._current = np.zeros(len(self.sizes), np.int64)

    def _reserve(self, ticks: np.ndarray, newest: int) -> None:
        """Places for all windows from the watermark up to the newest row."""
        if not len(ticks):
            return
        if self._first[0] == -FOREVER:
            earliest = min(int(ticks.min()), newest - self.delay)
            self._first = earliest // self.sizes
        needed = int((newest // self.sizes - self._first).max()) + 1
        if needed <= self._depth:
            return
        depth = 1 << (needed - 1).bit_length()
        for name in self.columns:
            held = getattr(self, name)
            moved = np.zeros((len(self.sizes), depth), held.dtype)
            _move(held, moved, self._first, self._depth)
            setattr(self, name, moved)
        self._depth = depth
        self._current_end[:] = -FOREVER

    def _ended(self, watermark: int) -> np.ndarray:
        """The first number of each size that has not ended."""
        return np.maximum(self._first, np.minimum(watermark, self._after_all()) // self.sizes)

    def _after_all(self) -> np.ndarray:
        return (self.newest // self.sizes + 1) * self.sizes


@njit(cache=True)
def _move(held: np.ndarray, moved: np.ndarray, first: np.ndarray, depth: int) -> None:
    mask = moved.shape[1] - 1
    for q in range(len(first)):
        for number in range(first[q], first[q] + depth):
            moved[q, number & mask] = held[q, number & (depth - 1)]
