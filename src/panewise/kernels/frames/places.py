"""The bands of many values, most of which are in the band of the one before.

Idea: a larger value is never in a lower band.  So a value between two that were in one band is in
it too, and nothing is searched for or divided.

Cost: two comparisons per row; a search or a division for values that are new to the band.
"""

from __future__ import annotations

import math

import numpy as np

from panewise.kernels.compiled import compiled


@compiled
def between(values, edges):  # type: ignore[no-untyped-def]
    """How many of the edges, which ascend, are at or below each value; NaN is above all.

    >>> between(np.array([1.0, 5.0, np.nan]), np.array([1.0, 3.0])).tolist()
    [1, 2, 2]
    """
    out = np.empty(len(values), np.int64)
    place = np.int64(-1)
    low = high = values.dtype.type(0)
    for i in range(len(values)):
        value = values[i]
        if place < 0 or not (low <= value <= high):
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
        out[i] = place
    return out


@compiled
def whole_places(values, step, offset):  # type: ignore[no-untyped-def]
    """`floor((value - offset) / step)` of integers, where `0 <= offset < step`.

    >>> whole_places(np.array([4, 5, -6]), 10, 5).tolist()
    [-1, 0, -2]
    """
    out = np.empty(len(values), np.int64)
    place = np.int64(0)
    low, high = np.int64(1), np.int64(0)
    for i in range(len(values)):
        value = values[i]
        if not (low <= value <= high):
            here = value // step
            if value - here * step < offset:  # what is left over, so that nothing goes around
                here -= 1
            if here == place and low <= high:
                low, high = min(low, value), max(high, value)
            else:
                low, high, place = value, value, here
        out[i] = place
    return out


@compiled
def float_places(values, origin, width):  # type: ignore[no-untyped-def]
    """The same of floats from an origin on; infinities and NaN are bands of their own.

    >>> float_places(np.array([4.0, 5.0, np.inf]), 5.0, 10.0).tolist()
    [-1.0, 0.0, inf]
    """
    out = np.empty(len(values), np.float64)
    place = math.nan
    low, high = 1.0, 0.0
    for i in range(len(values)):
        value = values[i]
        if not (low <= value <= high):
            away = value - origin
            here = away if math.isinf(away) or away != away else away // width
            if here == place:
                low, high = min(low, value), max(high, value)
            else:
                low, high, place = value, value, here
        out[i] = place
    return out
