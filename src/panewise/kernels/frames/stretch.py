"""How far an open frame surely goes on.

Idea: most rows join the open frame and change little of what is kept of it.  For the forms that
frames are mostly of, a tight loop passes over such rows; the row that it stops at is looked at
exactly, whether it joins or not.  So the loop may stop early, at a NaN for example, but not late.

Cost: one or two comparisons per row.  Places are unsigned in loops: a negative one would count from
the end, and to rule that out is another comparison.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload

from panewise.kernels.compiled import compiled
from panewise.kernels.frames.forms import ALL, ANCHOR, COUNT, RANGE, SUM

_FAR, _ONE = 2**62, np.uint64(1)


@compiled
def stretch(form, ahead, bound, values, at, stop, a, b, count):  # type: ignore[no-untyped-def]
    """From the row `at`, behind `count` rows of an open frame: the first row that may not join it,
    and the registers there."""
    began = at
    if form == ALL:
        at = _inside(values, at, stop)
    elif form == RANGE and ahead:
        at = _between(values, at, stop, a, b)
    elif form == ANCHOR and ahead:
        at = around(values, at, stop, a, bound)
        if at > began:
            b = values[at - 1]
    elif form == SUM:
        at, a = summed(values, at, stop, a, bound, ahead)
    elif form == COUNT:
        room = np.int64(min(bound, _FAR)) - count + (0 if ahead else 1)
        at += max(min(room, stop - at), 0)
    return at, a, b


@compiled
def outside(values, at, stop):  # type: ignore[no-untyped-def]
    """The first row from `at` on for which a predicate is true."""
    i, end = np.uint64(at), np.uint64(stop)
    while i < end and values[i] == 0:
        i += _ONE
    return np.int64(i)


@compiled
def _inside(values, at, stop):  # type: ignore[no-untyped-def]
    """The first row for which it is not."""
    i, end = np.uint64(at), np.uint64(stop)
    while i < end and values[i] != 0:
        i += _ONE
    return np.int64(i)


@compiled
def _between(values, at, stop, low, high):  # type: ignore[no-untyped-def]
    """The first row that is not at or between two values."""
    i, end = np.uint64(at), np.uint64(stop)
    while i < end and low <= values[i] <= high:
        i += _ONE
    return np.int64(i)


def around(values: Any, at: int, stop: int, a: Any, bound: Any) -> int:
    """The first row that is not surely as near to `a` as the bound, which is not negative."""
    raise NotImplementedError("only loops look around")


@overload(around)
def _around(values, at, stop, a, bound):  # type: ignore[no-untyped-def]
    def whole(values, at, stop, a, bound):  # type: ignore[no-untyped-def]
        if not (0 <= bound <= _FAR and -_FAR <= a <= _FAR):
            return at
        return _between(values, at, stop, a - bound, a + bound)

    def floating(values, at, stop, a, bound):  # type: ignore[no-untyped-def]
        i, end = np.uint64(at), np.uint64(stop)
        while i < end and -bound <= values[i] - a <= bound:
            i += _ONE
        return np.int64(i)

    return whole if isinstance(values.dtype, types.Integer) else floating


def summed(values: Any, at: int, stop: int, a: Any, bound: Any, ahead: bool) -> Any:
    """The first row before which (with `ahead`: with which) the sum is not surely within the
    bound, or may not fit; and the sum before it."""
    raise NotImplementedError("only loops sum up")


@overload(summed)
def _summed(values, at, stop, a, bound, ahead):  # type: ignore[no-untyped-def]
    def whole(values, at, stop, a, bound, ahead):  # type: ignore[no-untyped-def]
        # a number is between -2**62 and a limit if it is, with 2**62 added, an unsigned one below
        far = np.uint64(_FAR)
        top = far + far
        limit = np.uint64(min(bound, _FAR)) + far
        if bound < -_FAR or np.uint64(a) + far > (top if ahead else limit):
            return at, a
        i, end = np.uint64(at), np.uint64(stop)
        while i < end:
            value = values[i]
            if np.uint64(value) + far >= top:  # the sum of both may not fit
                break
            total = np.int64(np.uint64(a) + np.uint64(value))
            if ahead and np.uint64(total) + far > limit:
                break
            a = total
            i += _ONE
            if not ahead and np.uint64(a) + far > limit:
                break
        return np.int64(i), a

    def floating(values, at, stop, a, bound, ahead):  # type: ignore[no-untyped-def]
        i, end = np.uint64(at), np.uint64(stop)
        while i < end:
            total = a + values[i]
            if not ((total if ahead else a) <= bound):
                break
            a = total
            i += _ONE
        return np.int64(i), a

    return whole if isinstance(values.dtype, types.Integer) else floating
