"""Combining ranges of cells that do not overlap, each behind what was known of it before.

Idea: every cell is read once, so a range is summed several cells at a time.  That no sum of
integers went around is seen from the largest of its numbers; only where one may have, numbers are
added one by one and each sum is looked at.

Cost: one combine per cell.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload

from panewise.kernels.compiled import compiled, summing
from panewise.kernels.monoids import SUM, combine, overflows

NONE = -1
_SMALL, _FEW = 2**40, 2**20
"""Sums of so many numbers, all nearer to zero than this, are below 2**60."""


@compiled
def are_disjoint(lo, hi):  # type: ignore[no-untyped-def]
    """Whether each range begins where the one before ends, or behind."""
    apart = True
    for w in range(1, len(lo)):
        apart &= lo[w] >= hi[w - 1]
    return apart


@compiled
def fold_disjoint(  # type: ignore[no-untyped-def]
    values, valid, lo, hi, before, before_valid, at, operation, out, present
):
    """Each range behind `before[at]`, where that is not NONE; whether a sum went around."""
    every, known = len(valid) == 0, len(before_valid) == 0
    overflow = False
    for w in range(len(lo)):
        low, high = lo[w], hi[w]
        total, some = values.dtype.type(0), False
        if len(at) > 0 and at[w] != NONE and (known or before_valid[at[w]]):
            total, some = before[at[w]], True
        if operation == SUM and every and high > low:
            more, plain = summed(values, low, high)
            if plain:
                both = total + more
                if some and overflows(total, more, both):
                    overflow = True
                out[w], present[w] = both, True
                continue
        for i in range(low, high):
            if every or valid[i]:
                if some:
                    both = combine(total, values[i], operation)
                    if operation == SUM and overflows(total, values[i], both):
                        overflow = True
                    total = both
                else:
                    total, some = values[i], True
        out[w], present[w] = total, some
    return overflow


@summing
def _floats_summed(values, low, high):  # type: ignore[no-untyped-def]
    total = 0.0
    for i in range(low, high):
        total += values[i]
    return total, True


@compiled
def _integers_summed(values, low, high):  # type: ignore[no-untyped-def]
    total, seen = np.uint64(0), np.uint64(0)
    small = np.uint64(_SMALL)
    for i in range(low, high):
        value = np.uint64(values[i])
        total += value
        seen |= value + small  # below twice as much for numbers that are small
    return np.int64(total), seen < small + small and high - low <= _FEW


def summed(values: Any, low: int, high: int) -> Any:
    """The sum of a range, and whether no sum on the way can have gone around."""
    raise NotImplementedError("only loops sum up")


@overload(summed)
def _summed(values, low, high):  # type: ignore[no-untyped-def]
    def whole(values, low, high):  # type: ignore[no-untyped-def]
        return _integers_summed(values, low, high)

    def floating(values, low, high):  # type: ignore[no-untyped-def]
        return _floats_summed(values, low, high)

    return whole if isinstance(values.dtype, types.Integer) else floating
