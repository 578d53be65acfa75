"""Sliding windows one by one: a running sum and count for every open window of every key.

Idea: a row is added to every window that holds it, as engines do that know one window at a time.
Windows of a key that are open lie side by side, so that the loop over them is vectorised.
Cost: range / slide adds per row; a window is ready when it ends.

References: Li et al., SIGMOD 2005 (Window-ID).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

FOREVER = 2**61


class Told(NamedTuple):
    """Finished windows, one place in every array for each."""

    key: np.ndarray
    start: np.ndarray
    end: np.ndarray
    total: np.ndarray
    count: np.ndarray


class SlidingBuckets:
    """Sums and counts of one sliding window, whose range is a multiple of its slide."""

    def __init__(self, size: int, slide: int, keys: int) -> None:
        assert size % slide == 0
        self._size, self._slide, self._keys = size, slide, keys
        self._first = -FOREVER  # the first number that was not reported
        self._totals = np.zeros((keys, 0), np.int64)
        self._counts = np.zeros((keys, 0), np.int64)

    def push(self, ticks: np.ndarray, key: np.ndarray, values: np.ndarray) -> Told:
        """Take rows in order of time; the windows that have ended."""
        earliest, newest = int(ticks[0]) // self._slide, int(ticks[-1]) // self._slide
        if self._first == -FOREVER:
            self._first = earliest - self._size // self._slide + 1
        self._reserve(newest - self._first + 1)
        _add(self._totals, self._counts, self._size, self._slide, ticks, key, values)
        return self._ended(int(ticks[-1]))

    def flush(self) -> Told:
        """All windows that are open."""
        return self._ended((self._first + self._totals.shape[1]) * self._slide + self._size)

    def _ended(self, watermark: int) -> Told:
        stop = max((watermark - self._size) // self._slide + 1, self._first)
        key, number, total, count = _release(self._totals, self._counts, self._first, stop)
        self._first = stop
        start = number * self._slide
        return Told(key, start, start + self._size, total, count)

    def _reserve(self, windows: int) -> None:
        """Places for so many windows: a power of two, so that the low bits of a number are one."""
        held = self._totals.shape[1]
        if windows <= held:
            return
        depth = 1 << (windows - 1).bit_length()
        number = np.arange(self._first, self._first + held)
        for name in ("_totals", "_counts"):
            moved = np.zeros((self._keys, depth), np.int64)
            moved[:, number & (depth - 1)] = getattr(self, name)[:, number & (held - 1)]
            setattr(self, name, moved)


@njit(cache=True, error_model="numpy")
def _add(
    totals: np.ndarray,
    counts: np.ndarray,
    size: int,
    slide: int,
    ticks: np.ndarray,
    key: np.ndarray,
    values: np.ndarray,
) -> None:
    depth, each = totals.shape[1], size // slide
    newest, lo, hi, wrapped = -FOREVER, 0, 0, 0
    for i in range(len(ticks)):
        if ticks[i] >= newest + slide:  # the next row is most often in the same windows
            newest = ticks[i] - ticks[i] % slide
            lo = (newest // slide - each + 1) & (depth - 1)
            hi = min(lo + each, depth)
            wrapped = lo + each - hi
        _add_to(totals[key[i]], counts[key[i]], lo, hi, wrapped, values[i])


@njit(cache=True)
def _add_to(
    totals: np.ndarray, counts: np.ndarray, lo: int, hi: int, wrapped: int, value: int
) -> None:
    for at in range(lo, hi):
        totals[at] += value
        counts[at] += 1
    for at in range(wrapped):
        totals[at] += value
        counts[at] += 1


@njit(cache=True)
def _release(
    totals: np.ndarray, counts: np.ndarray, first: int, stop: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    mask, keys = totals.shape[1] - 1, totals.shape[0]
    most = (stop - first) * keys
    key, number = np.empty(most, np.int64), np.empty(most, np.int64)
    total, count = np.empty(most, np.int64), np.empty(most, np.int64)
    found = 0
    for each in range(first, stop):
        place = each & mask
        for k in range(keys):
            if counts[k, place]:
                key[found], number[found] = k, each
                total[found], count[found] = totals[k, place], counts[k, place]
                found += 1
                totals[k, place] = counts[k, place] = 0
    return key[:found], number[:found], total[:found], count[:found]
