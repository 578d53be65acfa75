"""The bands of values, and how far around a value its band surely goes.

Idea: a larger value is never in a lower band.  So a value between two of one band is in it too, and
of neighbours, most of which are in one band, nothing is searched for or divided.

What bands there are is told in one of three ways: edges that ascend, as an array; the width of
bands of integers and where one of them begins, from 0 to below the width; an origin and a width of
floats.  The place of a value is then the number of edges that are at or below it, NaN being above
all; or `floor((value - origin) / width)`, where infinities and NaN are bands of their own.

Cost: two comparisons per row; a search or a division where another band begins.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import types
from numba.extending import overload

from panewise.kernels.compiled import compiled

_FAR, _ONE = 2**62, np.uint64(1)
_WHOLE = -(2**63), 2**63 - 1
"""The lowest and the highest integer."""
_MOST = 0.9999
"""Of a band of floats: so much that its values need no look of their own."""
_NEAR, _CLEAR = 2.0**30, 1e-5
"""Quotients below the one are rounded by less than the other."""


def band_of(value: Any, cut: Any) -> Any:
    """The place of a value, and two values, around it if it is a number, between which all others
    have the same."""
    raise NotImplementedError("only loops look for bands")


@overload(band_of)
def _band_of(value, cut):  # type: ignore[no-untyped-def]
    # NaN is above the highest number, in no stretch of a band
    lowest, highest = _WHOLE if isinstance(value, types.Integer) else (-np.inf, np.inf)

    def by_edges(value, cut):  # type: ignore[no-untyped-def]
        first, last = 0, len(cut)
        while first < last:
            middle = (first + last) // 2
            if value < cut[middle]:
                last = middle
            else:
                first = middle + 1
        low = cut[first - 1] if first > 0 else lowest
        high = below(cut[first]) if first < len(cut) else highest
        return first, low, high

    def whole(value, cut):  # type: ignore[no-untyped-def]
        step, offset = cut
        place = value // step
        left = value - place * step  # what is left over, so that nothing goes around
        if left < offset:
            place, left = place - 1, left + (step - offset)
        else:
            left -= offset
        if -_FAR <= value <= _FAR and step <= _FAR:
            return place, value - left, value + (step - 1 - left)
        return place, value, value

    def floating(value, cut):  # type: ignore[no-untyped-def]
        origin, width = cut
        place = _float_place(value, origin, width)
        low = high = value
        # about where the band begins and ends, if that is so after rounding
        first = origin + place * width
        last = first + _MOST * width
        if first < low and _float_place(first, origin, width) == place:
            low = first
        if last > high and _float_place(last, origin, width) == place:
            high = last
        return place, low, high

    if isinstance(cut, types.Array):
        return by_edges
    return whole if isinstance(cut.dtype, types.Integer) else floating


@compiled
def _float_place(value, origin, width):  # type: ignore[no-untyped-def]
    away = value - origin
    about = away / width
    place = math.floor(about)
    # away from edges a quotient that is rounded has the right floor, and takes less time
    if -_NEAR < about < _NEAR and _CLEAR < about - place < 1 - _CLEAR:
        return np.float64(place)
    return away if math.isinf(away) or away != away else away // width


def below(edge: Any) -> Any:
    """The highest value that is below an edge, which is not the lowest."""
    raise NotImplementedError("only loops look for bands")


@overload(below)
def _below(edge):  # type: ignore[no-untyped-def]
    if isinstance(edge, types.Integer):
        return lambda edge: edge - 1
    return lambda edge: np.nextafter(edge, -np.inf)


@compiled
def places(values, cut, out):  # type: ignore[no-untyped-def]
    """The place of each value.

    >>> places(np.array([1.0, 5.0, np.nan]), np.array([1.0, 3.0]), np.empty(3, np.int64)).tolist()
    [1, 2, 2]
    >>> places(np.array([4, 5, -6]), (10, 5), np.empty(3, np.int64)).tolist()
    [-1, 0, -2]
    >>> places(np.array([4.0, 5.0, np.inf]), (5.0, 10.0), np.empty(3)).tolist()
    [-1.0, 0.0, inf]
    """
    i, end = np.uint64(0), np.uint64(len(values))
    while i < end:
        place, low, high = band_of(values[i], cut)
        out[i] = place
        i += _ONE
        while i < end and low <= values[i] <= high:
            out[i] = place
            i += _ONE
    return out
