"""How far an open frame surely goes on.

Idea: most rows join the open frame and change little of what is kept of it.  For the forms that
frames are mostly of, a tight loop passes over such rows; the row that it stops at is looked at
exactly, whether it joins or not.  So the loop may stop early, at a NaN for example, but not late.

Cost: one or two comparisons per row.  Rows are looked at a few at a time, with one branch for all
of them, and one by one from where one of them is different.  Places are unsigned in loops: a
negative one would count from the end, and to rule that out is another comparison.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types

from panewise.kernels.compiled import compiled, inlined, inlined_overload
from panewise.kernels.frames.forms import ALL, ANCHOR, COUNT, EXTENT, RANGE, SUM
from panewise.kernels.frames.intervals import is_interval, lies_in
from panewise.kernels.frames.places import band_of

PASSED = (ALL, ANCHOR, RANGE, COUNT, SUM, EXTENT)
"""Forms that there is a loop for."""
_FAR, _SMALL = 2**62, 2**40
_ONE, _TWO, _FOUR, _EIGHT, _SIXTEEN = (np.uint64(count) for count in (1, 2, 4, 8, 16))


def stretch(
    values: Any, cut: Any, began: int, at: int, stop: int, form: int, ahead: bool, bound: Any,
    a: Any, b: Any, count: int,
) -> Any:  # fmt: skip
    """From the row `at`, behind `count` rows of an open frame: the first row that may not join it,
    and the registers there.

    Values are truths, numbers that `cut` puts in bands or in an interval, or, where that is None,
    numbers.  Those before `began` may not be there any more.
    """
    raise NotImplementedError("only loops pass over rows")


@inlined_overload(stretch)
def _stretch(values, cut, began, at, stop, form, ahead, bound, a, b, count):  # type: ignore[no-untyped-def]
    def truths(values, cut, began, at, stop, form, ahead, bound, a, b, count):  # type: ignore[no-untyped-def]
        return _inside(values, at, stop), a, b

    def inside(values, cut, began, at, stop, form, ahead, bound, a, b, count):  # type: ignore[no-untyped-def]
        low, high, _ = cut
        return between(values, at, stop, low, high), a, b

    def banded(values, cut, began, at, stop, form, ahead, bound, a, b, count):  # type: ignore[no-untyped-def]
        if at > began:
            _, low, high = band_of(values[at - 1], cut)
            at = between(values, at, stop, low, high)
        return at, a, b

    def numbers(values, cut, began, at, stop, form, ahead, bound, a, b, count):  # type: ignore[no-untyped-def]
        first = at
        if form == RANGE and ahead:
            at = between(values, at, stop, a, b)
        elif form == ANCHOR and ahead:
            at = around(values, at, stop, a, bound)
            if at > first:
                b = values[at - 1]
        elif form == SUM:
            at, a = summed(values, at, stop, a, bound, ahead)
        elif form == COUNT:
            room = np.int64(min(bound, _FAR)) - count + (0 if ahead else 1)
            at += max(min(room, stop - at), 0)
        elif form == ALL:
            at = _nonzero(values, at, stop)
        elif form == EXTENT and ahead and bound >= 0 and a - a == 0:  # an infinity has none
            at = between(values, at, stop, a, b)
        return at, a, b

    if values.dtype == types.uint8:
        return truths
    if isinstance(cut, types.NoneType):
        return numbers
    return inside if is_interval(cut) else banded


def outside(values: Any, cut: Any, at: int, stop: int) -> int:
    """The first row from `at` on that may open a frame: one for which a predicate is true."""
    raise NotImplementedError("only loops pass over rows")


@inlined_overload(outside)
def _outside(values, cut, at, stop):  # type: ignore[no-untyped-def]
    def truths(values, cut, at, stop):  # type: ignore[no-untyped-def]
        i, end = np.uint64(at), np.uint64(stop)
        while i < end and values[i] == 0:
            i += _ONE
        return np.int64(i)

    def beyond(values, cut, at, stop):  # type: ignore[no-untyped-def]
        i, end = np.uint64(at), np.uint64(stop)
        while i < end and not lies_in(values[i], cut):
            i += _ONE
        return np.int64(i)

    if values.dtype == types.uint8:
        return truths
    return beyond if is_interval(cut) else lambda values, cut, at, stop: at


@inlined
def _inside(truths, at, stop):  # type: ignore[no-untyped-def]
    """The first row for which it is not; truths are bytes of 0 and 1."""
    i, end = np.uint64(at), np.uint64(stop)
    while i + _EIGHT <= end and _all_of_four(truths, i) & _all_of_four(truths, i + _FOUR):
        i += _EIGHT
    return _nonzero(truths, i, stop)


@inlined
def _nonzero(values, at, stop):  # type: ignore[no-untyped-def]
    i, end = np.uint64(at), np.uint64(stop)
    while i < end and values[i] != 0:
        i += _ONE
    return np.int64(i)


@inlined
def _all_of_four(truths, i):  # type: ignore[no-untyped-def]
    return truths[i] & truths[i + _ONE] & truths[i + _TWO] & truths[i + _TWO + _ONE]


@inlined
def between(values, at, stop, low, high):  # type: ignore[no-untyped-def]
    """The first row that is not at or between two values."""
    i, end = np.uint64(at), np.uint64(stop)
    near = min(end, i + _SIXTEEN)
    while i + _FOUR <= near and _four_between(values, i, low, high):
        i += _FOUR
    if i + _FOUR > near:  # a stretch that is long so far mostly goes on
        while i + _EIGHT <= end and _strays(values, i, i + _EIGHT, low, high) == 0:
            i += _EIGHT
    while i < end and (low <= values[i]) & (values[i] <= high):
        i += _ONE
    return np.int64(i)


@inlined
def _four_between(values, i, low, high):  # type: ignore[no-untyped-def]
    least, most = pair(values, i)
    least2, most2 = pair(values, i + _TWO)
    return (low <= least) & (low <= least2) & (most <= high) & (most2 <= high)


@compiled
def _strays(values, low_row, high_row, low, high):  # type: ignore[no-untyped-def]
    """How many rows are not between: all are looked at, so that it is one step for several."""
    strays = np.uint64(0)
    for i in range(low_row, high_row):
        strays += np.uint64(not ((low <= values[i]) & (values[i] <= high)))
    return strays


@inlined
def pair(values, i):  # type: ignore[no-untyped-def]
    """A value and the next one, the lesser first; a NaN among them stays there."""
    one, other = values[i], values[i + _ONE]
    return (one, other) if one < other else (other, one)


def around(values: Any, at: int, stop: int, a: Any, bound: Any) -> int:
    """The first row that is not surely as near to `a` as the bound, which is not negative."""
    raise NotImplementedError("only loops look around")


@inlined_overload(around)
def _around(values, at, stop, a, bound):  # type: ignore[no-untyped-def]
    def whole(values, at, stop, a, bound):  # type: ignore[no-untyped-def]
        if not (0 <= bound <= _FAR and -_FAR <= a <= _FAR):
            return at
        return between(values, at, stop, a - bound, a + bound)

    def floating(values, at, stop, a, bound):  # type: ignore[no-untyped-def]
        # a difference never falls where the value grows, so that two values that are near enough
        # have only such between them; by rounding, these may be one step too far
        low, high = a - bound, a + bound
        if low - a < -bound:
            low = np.nextafter(low, np.inf)
        if high - a > bound:
            high = np.nextafter(high, -np.inf)
        if not (-bound <= low - a and high - a <= bound):
            return at
        return between(values, at, stop, low, high)

    return whole if isinstance(values.dtype, types.Integer) else floating


def summed(values: Any, at: int, stop: int, a: Any, bound: Any, ahead: bool) -> Any:
    """The first row before which (with `ahead`: with which) the sum is not surely within the
    bound, or may not fit; and the sum before it."""
    raise NotImplementedError("only loops sum up")


@inlined_overload(summed)
def _summed(values, at, stop, a, bound, ahead):  # type: ignore[no-untyped-def]
    def whole(values, at, stop, a, bound, ahead):  # type: ignore[no-untyped-def]
        # a number is between -2**62 and a limit if it is, with 2**62 added, an unsigned one below
        far = np.uint64(_FAR)
        top = far + far
        limit = np.uint64(min(bound, _FAR)) + far
        if bound < -_FAR or np.uint64(a) + far > (top if ahead else limit):
            return at, a
        i, end = np.uint64(at), np.uint64(stop)
        while i + _SIXTEEN <= end:
            more, most, small = _added_up(values, i, i + _SIXTEEN)
            total = np.uint64(a) + more
            # no sum on the way is above the one of what is added
            if not small or np.uint64(a) + most + far > limit or total + far > limit:
                break
            a = np.int64(total)
            i += _SIXTEEN
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


@compiled
def _added_up(values, low, high):  # type: ignore[no-untyped-def]
    """The sum of a few integers, the sum of those above zero, and whether all are small.

    It is compiled for any number of them: a loop over a known few is not vectorised."""
    small = np.uint64(_SMALL)
    more = most = seen = np.uint64(0)
    for i in range(low, high):
        value = values[i]
        more += np.uint64(value)
        most += np.uint64(value if value > 0 else 0)
        seen |= np.uint64(value) + small  # below twice as much for numbers that are small
    return more, most, seen < small + small
