"""The bands of many values, most of which are in the band of the one before.

Idea: a larger value is never in a lower band.  So a value between two that were in one band is in
it too, and nothing is searched for or divided.

Cost: two comparisons per row; a search or a division for values that are new to the band.
"""

from __future__ import annotations

import math

import numpy as np

from panewise.kernels.compiled import compiled

_FAR, _ONE = 2**62, np.uint64(1)
_MOST = 0.9999
"""Of a band: so much that its values need no look of their own."""


@compiled
def _filled(values, at, low, high, place, out):  # type: ignore[no-untyped-def]
    """Put the row `at` and those behind it in a place, as long as they are between two values that
    are; the first row that is not."""
    out[at] = place
    i, end = np.uint64(at) + _ONE, np.uint64(len(values))
    while i < end and low <= values[i] <= high:
        out[i] = place
        i += _ONE
    return np.int64(i)


@compiled
def between(values, edges):  # type: ignore[no-untyped-def]
    """How many of the edges, which ascend, are at or below each value; NaN is above all.

    >>> between(np.array([1.0, 5.0, np.nan]), np.array([1.0, 3.0])).tolist()
    [1, 2, 2]
    """
    out = np.empty(len(values), np.int64)
    place = np.int64(-1)
    low = high = values.dtype.type(0)
    at = 0
    while at < len(values):
        value = values[at]
        first, last = 0, len(edges)
        while first < last:
            middle = (first + last) // 2
            if value < edges[middle]:
                last = middle
            else:
                first = middle + 1
        if first == place:
            low, high = min(low, value), max(high, value)
        else:
            low, high, place = value, value, first
        at = _filled(values, at, low, high, place, out)
    return out


@compiled
def whole_places(values, step, offset):  # type: ignore[no-untyped-def]
    """`floor((value - offset) / step)` of integers, where `0 <= offset < step`.

    >>> whole_places(np.array([4, 5, -6]), 10, 5).tolist()
    [-1, 0, -2]
    """
    out = np.empty(len(values), np.int64)
    at = 0
    while at < len(values):
        value = values[at]
        place = value // step
        left = value - place * step  # what is left over, so that nothing goes around
        if left < offset:
            place, left = place - 1, left + (step - offset)
        else:
            left -= offset
        low, high = value, value
        if -_FAR <= value <= _FAR and step <= _FAR:
            low, high = value - left, value + (step - 1 - left)
        at = _filled(values, at, low, high, place, out)
    return out


@compiled
def _float_place(value, origin, width):  # type: ignore[no-untyped-def]
    away = value - origin
    return away if math.isinf(away) or away != away else away // width


@compiled
def float_places(values, origin, width):  # type: ignore[no-untyped-def]
    """The same of floats from an origin on; infinities and NaN are bands of their own.

    >>> float_places(np.array([4.0, 5.0, np.inf]), 5.0, 10.0).tolist()
    [-1.0, 0.0, inf]
    """
    out = np.empty(len(values), np.float64)
    place = math.nan
    low, high = 1.0, 0.0
    at = 0
    while at < len(values):
        value = values[at]
        here = _float_place(value, origin, width)
        if here == place:
            low, high = min(low, value), max(high, value)
        else:
            low, high, place = value, value, here
            # about where the band begins and ends, if that is so after rounding
            first = origin + here * width
            last = first + _MOST * width
            if first < low and _float_place(first, origin, width) == here:
                low = first
            if last > high and _float_place(last, origin, width) == here:
                high = last
        at = _filled(values, at, low, high, place, out)
    return out
