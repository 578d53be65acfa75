"""Tuple buckets: the rows of every open window.

Idea: a row is copied into every window that holds it; a window is a pass over its own copies.
Cost: one copy per row and size, and as much memory; a window costs its rows.

A bucket is a chain of chunks from one pool.  It keeps values and no times: neither sums nor medians
ask for them, and half the memory is saved.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numba import njit

from benchmarks.papers.slicing_baselines.baseline import MEDIAN, Aggregate, Results
from benchmarks.papers.slicing_baselines.buckets import Buckets

CHUNK = 64


class TupleBuckets(Buckets):
    """Sums or medians of windows of time."""

    columns = ("_heads", "_tails", "_counts")

    def __init__(self, sizes: Sequence[int], delay: int = 0, aggregate: Aggregate = "sum") -> None:
        super().__init__(sizes, delay, aggregate)
        self._heads = np.zeros((len(self.sizes), 0), np.int64)
        self._tails = self._heads.copy()
        self._counts = self._heads.copy()
        self._pool = np.empty((0, CHUNK))
        self._after = np.empty(0, np.int64)
        self._free = np.empty(0, np.int64)
        self._left = 0
        """Free chunks: the numbers in `_free[:_left]`."""

    @property
    def bytes(self) -> int:
        """All copies; count, start and end of each bucket."""
        buckets = int(np.count_nonzero(self._counts))
        return int(self._counts.sum()) * self._pool.itemsize + buckets * 3 * 8

    def _take(self, ticks: np.ndarray, values: np.ndarray, newest: int) -> int:
        self._reserve(ticks, newest)
        self._reserve_chunks(len(ticks), values.dtype)
        buckets = (self._heads, self._tails, self._counts)
        current = (self._current, self._current_end)
        chunks = (self._pool, self._after, self._free, self._left)
        self._left, late = _copy(
            *buckets, *current, *chunks, self.sizes, ticks, values, self.watermark
        )
        return late

    def _reserve_chunks(self, rows: int, dtype: np.dtype) -> None:
        if self._pool.dtype != dtype:
            self._pool = self._pool.astype(dtype)
        needed = len(self.sizes) * (rows // CHUNK + self._depth + 1)
        if needed <= self._left:
            return
        had = len(self._pool)
        more = max(needed, had)
        grown = np.empty((had + more, CHUNK), dtype)
        grown[:had] = self._pool
        self._pool = grown
        self._after = np.append(self._after, np.zeros(more, np.int64))
        self._free = np.append(self._free[: self._left], np.arange(had, had + more))
        self._left = len(self._free)
        self._free = np.append(self._free, np.zeros(len(grown) - self._left, np.int64))

    def _report(self, watermark: int) -> Results:
        ended = self._ended(watermark)
        buckets = (self._heads, self._counts)
        chunks = (self._pool, self._after, self._free, self._left)
        value = np.empty(int((ended - self._first).sum()), self._dtype(self._pool.dtype))
        query, number, value, self._left = _release(
            *buckets, *chunks, self._first, ended, self.aggregate, value
        )
        self._first = ended
        size = self.sizes[query]
        return Results(query, number, number * size, (number + 1) * size, value)


@njit(cache=True, error_model="numpy")
def _copy(
    heads: np.ndarray,
    tails: np.ndarray,
    counts: np.ndarray,
    current: np.ndarray,
    current_end: np.ndarray,
    pool: np.ndarray,
    after: np.ndarray,
    free: np.ndarray,
    left: int,
    sizes: np.ndarray,
    ticks: np.ndarray,
    values: np.ndarray,
    watermark: int,
) -> tuple[int, int]:
    mask, late = heads.shape[1] - 1, 0
    for i in range(len(ticks)):
        tick = ticks[i]
        if tick < watermark:
            late += 1
            continue
        for q in range(len(sizes)):
            if tick >= current_end[q] or tick < current_end[q] - sizes[q]:
                number = tick // sizes[q]
                current[q], current_end[q] = number & mask, (number + 1) * sizes[q]
            place = current[q]
            filled = counts[q, place] % CHUNK
            if filled == 0:
                left -= 1
                chunk = free[left]
                if counts[q, place]:
                    after[tails[q, place]] = chunk
                else:
                    heads[q, place] = chunk
                tails[q, place] = chunk
            pool[tails[q, place], filled] = values[i]
            counts[q, place] += 1
    return left, late


@njit(cache=True)
def _release(
    heads: np.ndarray,
    counts: np.ndarray,
    pool: np.ndarray,
    after: np.ndarray,
    free: np.ndarray,
    left: int,
    first: np.ndarray,
    ended: np.ndarray,
    aggregate: int,
    value: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    mask, nothing = heads.shape[1] - 1, np.zeros(1, pool.dtype)[0]
    query, number = np.empty(len(value), np.int64), np.empty(len(value), np.int64)
    found = 0
    for q in range(len(first)):
        for each in range(first[q], ended[q]):
            place = each & mask
            rows = counts[q, place]
            if not rows:
                continue
            kept = np.empty(rows if aggregate == MEDIAN else 0, pool.dtype)
            total, chunk = nothing, heads[q, place]
            for begin in range(0, rows, CHUNK):
                filled = min(CHUNK, rows - begin)
                if aggregate == MEDIAN:
                    kept[begin : begin + filled] = pool[chunk, :filled]
                else:
                    for j in range(filled):
                        total += pool[chunk, j]
                free[left] = chunk
                left += 1
                chunk = after[chunk]
            query[found], number[found] = q, each
            value[found] = np.median(kept) if aggregate == MEDIAN else total
            found += 1
            counts[q, place] = 0
    return query[:found], number[:found], value[:found], left
