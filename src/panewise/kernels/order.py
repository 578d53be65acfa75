"""Orders by time: rows arrive nearly in order, and equal times keep their places.

Idea: a radix sort over the bits in which the times of a batch differ, eleven at a time: two or
three passes for seconds of microseconds, whatever the disorder.
"""

from __future__ import annotations

import numpy as np

from panewise.kernels.compiled import compiled

_BITS = 11


def time_order(ticks: np.ndarray, sequence: np.ndarray) -> np.ndarray:
    """The order by `(time, sequence)`, and by place among equals.

    >>> time_order(np.array([5, 3, 5]), np.array([2, 0, 1])).tolist()
    [1, 2, 0]
    """
    if in_order(ticks, sequence):
        return np.arange(len(ticks))
    order = radix_order(ticks)
    _order_ties(ticks, sequence, order)
    return order


def radix_order(values: np.ndarray) -> np.ndarray:
    """A stable ascending order."""
    if not len(values):
        return np.empty(0, np.int64)
    low, high = span(values)
    bits = (high - low).bit_length()
    if bits > 44:  # more passes than sorting by comparison is worth
        return np.argsort(values, kind="stable")
    return _radix(values, low, bits)


@compiled
def span(values):  # type: ignore[no-untyped-def]
    """The least and the greatest of some numbers, at least one."""
    low = high = values[0]
    for value in values:
        low, high = min(low, value), max(high, value)
    return low, high


@compiled
def _radix(values, low, bits):  # type: ignore[no-untyped-def]
    n = len(values)
    order, other = np.arange(n), np.empty(n, np.int64)
    counts = np.empty(1 << _BITS, np.int64)
    mask = (1 << _BITS) - 1
    for shift in range(0, bits, _BITS):
        counts[:] = 0
        for i in range(n):
            counts[((values[i] - low) >> shift) & mask] += 1
        total = 0
        for digit in range(len(counts)):
            here = counts[digit]
            counts[digit] = total
            total += here
        for i in range(n):
            row = order[i]
            digit = ((values[row] - low) >> shift) & mask
            other[counts[digit]] = row
            counts[digit] += 1
        order, other = other, order
    return order


@compiled
def _order_ties(ticks, sequence, order):  # type: ignore[no-untyped-def]
    """Put rows of one time, which follow each other, into the order of their sequence."""
    low, n = 0, len(order)
    while low < n:
        high = low + 1
        sorted_ = True
        while high < n and ticks[order[high]] == ticks[order[low]]:
            sorted_ &= sequence[order[high - 1]] <= sequence[order[high]]
            high += 1
        if not sorted_:
            tied = order[low:high].copy()
            order[low:high] = tied[np.argsort(sequence[tied], kind="mergesort")]
        low = high


@compiled
def in_order(ticks, sequence):  # type: ignore[no-untyped-def]
    """Whether rows ascend by `(time, sequence)`."""
    for i in range(1, len(ticks)):
        if ticks[i] < ticks[i - 1]:
            return False
        if ticks[i] == ticks[i - 1] and sequence[i] < sequence[i - 1]:
            return False
    return True
