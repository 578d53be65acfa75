"""Aggregate buckets: a running sum for every open window.

Idea: a row is added to every window that holds it.
Cost: one add per row and size; a window is ready when it ends.

References: Li et al., SIGMOD 2005 (Window-ID).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numba import njit

from benchmarks.papers.slicing_baselines.baseline import Results
from benchmarks.papers.slicing_baselines.buckets import Buckets


class AggregateBuckets(Buckets):
    """Sums of windows of time."""

    columns = ("_totals", "_counts")

    def __init__(self, sizes: Sequence[int], delay: int = 0) -> None:
        super().__init__(sizes, delay)
        self._totals = np.zeros((len(self.sizes), 0))
        self._counts = np.zeros((len(self.sizes), 0), np.int64)

    @property
    def bytes(self) -> int:
        """Sum, count, start and end of each bucket."""
        return int(np.count_nonzero(self._counts)) * (self._totals.itemsize + 3 * 8)

    def _take(self, ticks: np.ndarray, values: np.ndarray, newest: int) -> int:
        if self._totals.dtype != values.dtype:
            self._totals = self._totals.astype(values.dtype)
        self._reserve(ticks, newest)
        current = (self._current, self._current_end)
        return _add(self._totals, self._counts, *current, self.sizes, ticks, values, self.watermark)

    def _report(self, watermark: int) -> Results:
        query, number, value = _release(
            self._totals, self._counts, self._first, ended := self._ended(watermark)
        )
        self._first = ended
        size = self.sizes[query]
        return Results(query, number, number * size, (number + 1) * size, value)


@njit(cache=True, error_model="numpy")
def _add(
    totals: np.ndarray,
    counts: np.ndarray,
    current: np.ndarray,
    current_end: np.ndarray,
    sizes: np.ndarray,
    ticks: np.ndarray,
    values: np.ndarray,
    watermark: int,
) -> int:
    mask, late = totals.shape[1] - 1, 0
    for i in range(len(ticks)):
        tick = ticks[i]
        if tick < watermark:
            late += 1
            continue
        for q in range(len(sizes)):
            if tick >= current_end[q] or tick < current_end[q] - sizes[q]:
                number = tick // sizes[q]
                current[q], current_end[q] = number & mask, (number + 1) * sizes[q]
            totals[q, current[q]] += values[i]
            counts[q, current[q]] += 1
    return late


@njit(cache=True)
def _release(
    totals: np.ndarray, counts: np.ndarray, first: np.ndarray, ended: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    most, mask = (ended - first).sum(), totals.shape[1] - 1
    query, number = np.empty(most, np.int64), np.empty(most, np.int64)
    value = np.empty(most, totals.dtype)
    found = 0
    for q in range(len(first)):
        for each in range(first[q], ended[q]):
            place = each & mask
            if counts[q, place]:
                query[found], number[found], value[found] = q, each, totals[q, place]
                found += 1
                totals[q, place] = 0
                counts[q, place] = 0
    return query[:found], number[:found], value[:found]
