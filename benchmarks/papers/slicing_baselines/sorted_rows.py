"""Rows in order of time: where to insert, and which of them a finished window holds."""

from __future__ import annotations

import numpy as np
from numba import njit

from benchmarks.papers.slicing_baselines.baseline import MEDIAN


@njit(cache=True)
def first_from(ticks: np.ndarray, begin: int, end: int, tick: int) -> int:
    """The first of the rows `[begin, end)` that is not before a tick."""
    while begin < end:
        middle = (begin + end) // 2
        if ticks[middle] < tick:
            begin = middle + 1
        else:
            end = middle
    return begin


@njit(cache=True)
def move_up(column: np.ndarray, begin: int, end: int) -> None:
    """Make room for one row at `begin`."""
    for i in range(end, begin, -1):
        column[i] = column[i - 1]


@njit(cache=True, error_model="numpy")
def finished_by_time(
    ticks: np.ndarray,
    begin: int,
    end: int,
    sizes: np.ndarray,
    following: np.ndarray,
    watermark: int,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Query, number and rows `[lo, hi)` of every window that ended; empty ones are jumped over.

    `following` is the start of the first window of each size that was not reported, and moves on.
    """
    most = 0
    for q in range(len(sizes)):
        most += max(0, min((watermark - following[q]) // sizes[q], end - begin))
    query, number = np.empty(most, np.int64), np.empty(most, np.int64)
    lo, hi = np.empty(most, np.int64), np.empty(most, np.int64)
    found = 0
    for q in range(len(sizes)):
        size = sizes[q]
        at = first_from(ticks, begin, end, following[q])
        while at < end and (ticks[at] // size + 1) * size <= watermark:
            query[found], number[found], lo[found] = q, ticks[at] // size, at
            at = first_from(ticks, at, end, (number[found] + 1) * size)
            hi[found] = at
            found += 1
        following[q] = max(following[q], watermark // size * size)
    return query[:found], number[:found], lo[:found], hi[:found]


@njit(cache=True)
def finished_by_rows(
    before: int,
    begin: int,
    final: int,
    sizes: np.ndarray,
    following: np.ndarray,
    last: bool,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The same for windows of so many rows; `before` rows were forgotten already.

    Rows `[begin, final)` keep their index whatever comes.  At the `last` call windows need not be
    full.
    """
    rows = before + final - begin
    most = 0
    for q in range(len(sizes)):
        most += max(0, rows // sizes[q] - following[q]) + 1
    query, number = np.empty(most, np.int64), np.empty(most, np.int64)
    lo, hi = np.empty(most, np.int64), np.empty(most, np.int64)
    found = 0
    for q in range(len(sizes)):
        size = sizes[q]
        while (following[q] + 1) * size <= rows or (last and following[q] * size < rows):
            query[found], number[found] = q, following[q]
            lo[found] = following[q] * size - before + begin
            hi[found] = min(lo[found] + size, final)
            following[q] += 1
            found += 1
    return query[:found], number[:found], lo[:found], hi[:found]


@njit(cache=True)
def fold_rows(
    values: np.ndarray, lo: np.ndarray, hi: np.ndarray, aggregate: int, out: np.ndarray
) -> None:
    """Each range by a pass over its rows."""
    for i in range(len(lo)):
        if aggregate == MEDIAN:
            out[i] = np.median(values[lo[i] : hi[i]])
        else:
            total = values[lo[i]]
            for j in range(lo[i] + 1, hi[i]):
                total += values[j]
            out[i] = total
