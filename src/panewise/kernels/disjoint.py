"""Combining ranges of cells that do not overlap: neighbours, or each behind what was known of it.

Idea: every cell is read once, so a range is summed several cells at a time.  A sum of integers is
an error as soon as it leaves 64 bits, cell after cell.  That it did not is seen from the largest of
its numbers; only where it may have, they are added one by one and each sum is looked at.  So it
does not matter how much of a range was known before.

Cost: one combine per cell.  Places are unsigned in loops: those that may be negative would have to
be looked at one by one, because negative ones count from the end.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload

from panewise.kernels.compiled import compiled, summing
from panewise.kernels.monoids import SUM, combine, overflows

NONE = -1
NEAR = 1 << 10
"""Cells that are brought together before they are added up."""
_SMALL, _FEW, _FAR = 2**40, 2**20, 2**62
"""Few small numbers are together below 2**60, so behind one that is not far away their sum fits."""


@compiled
def fold_disjoint(  # type: ignore[no-untyped-def]
    values, valid, lo, hi, before, before_valid, at, operation, out, present
):
    """Each range behind `before[at]`, where that is not NONE; whether a sum went around, and
    whether none is missing."""
    every, known = len(valid) == 0, len(before_valid) == 0
    overflow, whole = False, True
    for w in range(len(lo)):
        low, high = lo[w], hi[w]
        total, some = values.dtype.type(0), False
        if at[w] != NONE and (known or before_valid[at[w]]):
            total, some = before[at[w]], True
        if operation == SUM and every and high > low:
            more, plain = summed(values, low, high, total)
            if plain:
                out[w], present[w] = more, True
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
        whole &= some
    return overflow, whole


@compiled
def fold_neighbours(  # type: ignore[no-untyped-def]
    values, valid, order, heads, operation, out, present
):
    """Cells from one head to the next, in an order unless that is empty: whether a sum went around,
    and whether none is missing."""
    every, listed = len(valid) == 0, len(order) > 0
    if operation == SUM and every:
        present[:] = True
        return _sum_neighbours(values, order, heads, out), True
    count = len(order) if listed else len(values)
    overflow, whole = False, True
    for w in range(len(heads)):
        stop = heads[w + 1] if w + 1 < len(heads) else count
        total, some = values.dtype.type(0), False
        for i in range(heads[w], stop):
            row = order[i] if listed else i
            if every or valid[row]:
                if some:
                    both = combine(total, values[row], operation)
                    if operation == SUM and overflows(total, values[row], both):
                        overflow = True
                    total = both
                else:
                    total, some = values[row], True
        out[w], present[w] = total, some
        whole &= some
    return overflow, whole


@compiled
def _sum_neighbours(values, order, heads, out):  # type: ignore[no-untyped-def]
    """The same for sums of cells that are all there, without a branch: where most ranges have one
    or two cells, their ends would be guessed wrong."""
    listed = len(order) > 0
    count = len(order) if listed else len(values)
    near, begins = np.empty(NEAR, values.dtype), np.empty(NEAR, np.bool_)
    overflow, total, w, h = False, values.dtype.type(0), -1, 0
    for base in range(0, count, NEAR):
        stop = min(base + NEAR, count)
        for i in range(base, stop):  # they are far from each other: many are fetched at a time
            near[i - base] = values[order[i] if listed else i]
        begins[:] = False
        while h < len(heads) and heads[h] < stop:
            begins[heads[h] - base] = True
            h += 1
        for i in range(stop - base):
            value, first = near[i], begins[i]
            both = total + value
            overflow |= overflows(total, value, both) and not first
            total = value if first else both
            w += first
            out[w] = total
    return overflow


@summing
def _floats_summed(values, low, high, total):  # type: ignore[no-untyped-def]
    for i in range(np.uint64(low), np.uint64(high)):
        total += values[i]
    return total, True


@compiled
def _integers_summed(values, low, high, before):  # type: ignore[no-untyped-def]
    total, seen = np.uint64(before), np.uint64(0)
    small = np.uint64(_SMALL)
    for i in range(np.uint64(low), np.uint64(high)):
        value = np.uint64(values[i])
        total += value
        seen |= value + small  # below twice as much for numbers that are small
    fits = -_FAR <= before <= _FAR and high - low <= _FEW
    return np.int64(total), fits and seen < small + small


def summed(values: Any, low: int, high: int, before: Any) -> Any:
    """The sum of a range behind another number, and whether none on the way went around."""
    raise NotImplementedError("only loops sum up")


@overload(summed)
def _summed(values, low, high, before):  # type: ignore[no-untyped-def]
    def whole(values, low, high, before):  # type: ignore[no-untyped-def]
        return _integers_summed(values, low, high, before)

    def floating(values, low, high, before):  # type: ignore[no-untyped-def]
        return _floats_summed(values, low, high, before)

    return whole if isinstance(values.dtype, types.Integer) else floating
