"""Aggregate tree: FlatFAT, a binary tree of sums over all rows that a window may need.

Idea: windows share the sums of stretches of rows.
Invariant: node `n` is the sum of nodes `2n` and `2n + 1`; leaves are in order of time.
Cost: log n adds for a row in order and for a window; a late row shifts all leaves after it, and all
their ancestors are computed anew, level by level.

References: Tangwongsan et al., VLDB 2015.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numba import njit

from benchmarks.papers.slicing_baselines.baseline import FOREVER, Baseline, Results
from benchmarks.papers.slicing_baselines.sorted_rows import finished_by_time, first_from, move_up


class AggregateTree(Baseline):
    """Sums of windows of time."""

    def __init__(self, sizes: Sequence[int], delay: int = 0) -> None:
        super().__init__(sizes, delay)
        self._ticks = np.empty(1, np.int64)
        self._tree = np.zeros(2)
        self._begin = self._end = 0
        self._following = np.full(len(self.sizes), -FOREVER)

    @property
    def bytes(self) -> int:
        rows = self._end - self._begin
        return rows * self._ticks.itemsize + max(0, 2 * rows - 1) * self._tree.itemsize

    def _take(self, ticks: np.ndarray, values: np.ndarray, newest: int) -> int:
        self._reserve(len(ticks), values.dtype)
        self._end, late = _insert(
            self._ticks, self._tree, self._begin, self._end, ticks, values, self.watermark
        )
        return late

    def _reserve(self, rows: int, dtype: np.dtype) -> None:
        """Evicted leaves are given up here, all at once."""
        leaves = len(self._ticks)
        if self._end + rows <= leaves and self._tree.dtype == dtype:
            return
        kept = self._end - self._begin
        room = 1 << int(2 * (kept + rows) - 1).bit_length()
        ticks, tree = np.empty(room, np.int64), np.zeros(2 * room, dtype)
        ticks[:kept] = self._ticks[self._begin : self._end]
        tree[room : room + kept] = self._tree[leaves + self._begin : leaves + self._end]
        _combine(tree, 1, room - 1)
        self._ticks, self._tree = ticks, tree
        self._begin, self._end = 0, kept

    def _report(self, watermark: int) -> Results:
        query, number, lo, hi = finished_by_time(
            self._ticks, self._begin, self._end, self.sizes, self._following, watermark
        )
        value = np.empty(len(lo), self._tree.dtype)
        _sums(self._tree, lo, hi, value)
        needed = self._following.min()
        self._begin = first_from(self._ticks, self._begin, self._end, needed)
        size = self.sizes[query]
        return Results(query, number, number * size, (number + 1) * size, value)


@njit(cache=True)
def _combine(tree: np.ndarray, first: int, last: int) -> None:
    for node in range(last, first - 1, -1):
        tree[node] = tree[2 * node] + tree[2 * node + 1]


@njit(cache=True)
def _insert(
    kept: np.ndarray,
    tree: np.ndarray,
    begin: int,
    end: int,
    ticks: np.ndarray,
    values: np.ndarray,
    watermark: int,
) -> tuple[int, int]:
    leaves, late = len(kept), 0
    for i in range(len(ticks)):
        tick = ticks[i]
        if tick < watermark:
            late += 1
            continue
        at = end
        if end > begin and tick < kept[end - 1]:
            at = first_from(kept, begin, end, tick + 1)
            move_up(kept, at, end)
            move_up(tree, leaves + at, leaves + end)
        kept[at] = tick
        tree[leaves + at] = values[i]
        first, last = (leaves + at) >> 1, (leaves + end) >> 1
        while first:
            _combine(tree, first, last)
            first >>= 1
            last >>= 1
        end += 1
    return end, late


@njit(cache=True)
def _sums(tree: np.ndarray, lo: np.ndarray, hi: np.ndarray, out: np.ndarray) -> None:
    leaves = len(tree) // 2
    for i in range(len(lo)):
        left, right = lo[i] + leaves, hi[i] + leaves
        total = tree[0]  # no node: always zero
        while left < right:
            if left & 1:
                total += tree[left]
                left += 1
            if right & 1:
                right -= 1
                total += tree[right]
            left >>= 1
            right >>= 1
        out[i] = total
