"""The definition: every window from all rows, by NumPy, with nothing shared and nothing in turn."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from benchmarks.papers.slicing_baselines.baseline import Results, join

Fold = Callable[[np.ndarray], float]


def by_time(
    ticks: np.ndarray, values: np.ndarray, sizes: Sequence[int], fold: Fold = np.sum
) -> Results:
    """Tumbling windows of time that hold a row."""
    parts = []
    for query, size in enumerate(sizes):
        number = ticks // size
        order = np.argsort(number, kind="stable")
        found, begins = np.unique(number[order], return_index=True)
        value = [fold(part) for part in np.split(values[order], begins[1:])]
        parts.append(_part(query, found, found * size, (found + 1) * size, value))
    return join(parts)


def by_rows(
    ticks: np.ndarray, values: np.ndarray, sizes: Sequence[int], fold: Fold = np.sum
) -> Results:
    """Tumbling windows of so many rows, in order of time and then of arrival; the last not full."""
    order = np.argsort(ticks, kind="stable")
    ticks, values = ticks[order], values[order]
    parts = []
    for query, size in enumerate(sizes):
        begins = np.arange(0, len(ticks), size)
        ends = np.minimum(begins + size, len(ticks))
        value = [fold(part) for part in np.split(values, begins[1:])]
        parts.append(_part(query, begins // size, ticks[begins], ticks[ends - 1] + 1, value))
    return join(parts)


def sessions(ticks: np.ndarray, values: np.ndarray, gap: int, fold: Fold = np.sum) -> Results:
    """Rows no further apart than the gap; `[first, last + gap)`."""
    order = np.argsort(ticks, kind="stable")
    ticks, values = ticks[order], values[order]
    begins = np.flatnonzero(np.append(True, np.diff(ticks) > gap))
    last = np.append(begins[1:], len(ticks)) - 1
    value = [fold(part) for part in np.split(values, begins[1:])]
    return _part(0, np.arange(len(begins)), ticks[begins], ticks[last] + gap, value)


def _part(
    query: int, number: np.ndarray, start: np.ndarray, end: np.ndarray, value: Sequence[float]
) -> Results:
    return Results(np.full(len(number), query), number, start, end, np.array(value))
