"""What becomes of a row, by what is looked at in it: a truth, an interval, a band, or a number.

Idea: strictly in this order, a row closes the open frame, or joins it, or opens one.  So the row
that closes a frame is never in it, and where it may, opens the next one in the same step.  Truths,
intervals and bands need no form that is kept: a row joins if it is true, or lies in the interval,
or in the band of the frame.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types

from panewise.kernels.compiled import inlined, inlined_overload
from panewise.kernels.frames.forms import ALL, join, same, within
from panewise.kernels.frames.intervals import is_interval, lies_in
from panewise.kernels.frames.places import band_of

GROWS, OPENS, OUTSIDE = range(3)
"""It joins the open frame, opens one, or is in none."""


@inlined
def lasting(start, end):  # type: ignore[no-untyped-def]
    """The ticks from one time to another, which may need all of 64 bits."""
    return np.uint64(end) - np.uint64(start)


@inlined
def step(form, ahead, bound, most, longest, a, b, count, lasts, value):  # type: ignore[no-untyped-def]
    """What becomes of a row after `count` rows of an open frame (0: none is), which with it would
    last so long, -1 if a sum of integers goes around; and the registers then."""
    if count > 0:
        if form == ALL:
            if value != 0 and count < most and lasts <= longest:
                return GROWS, a, b
        else:
            a2, b2, fits = join(form, a, b, count, value)
            if ahead:
                grows = not fits or within(form, a2, b2, count + 1, bound)
            else:
                grows = within(form, a, b, count, bound)
            if grows and count < most and lasts <= longest:
                return (GROWS if fits else -1), a2, b2
    if form == ALL and value == 0:
        return OUTSIDE, a, b
    a, b, _ = join(form, a, b, 0, value)
    return OPENS, a, b


def verdict(
    values: Any, cut: Any, at: int, form: int, ahead: bool, bound: Any, most: int, longest: int,
    a: Any, b: Any, count: int, lasts: int,
) -> Any:  # fmt: skip
    """`step` for a value as it lies there: a truth, a number that `cut` puts in a band or looks
    for in an interval, or, where that is None, a number itself."""
    raise NotImplementedError("only loops look at rows")


@inlined_overload(verdict)
def _verdict(values, cut, at, form, ahead, bound, most, longest, a, b, count, lasts):  # type: ignore[no-untyped-def]
    def truth(values, cut, at, form, ahead, bound, most, longest, a, b, count, lasts):  # type: ignore[no-untyped-def]
        if values[at] == 0:
            return OUTSIDE, a, b
        if 0 < count < most and lasts <= longest:
            return GROWS, a, b
        return OPENS, np.int64(1), np.int64(1)

    def inside(values, cut, at, form, ahead, bound, most, longest, a, b, count, lasts):  # type: ignore[no-untyped-def]
        if not lies_in(values[at], cut):
            return OUTSIDE, a, b
        if 0 < count < most and lasts <= longest:
            return GROWS, a, b
        return OPENS, a, b

    def band(values, cut, at, form, ahead, bound, most, longest, a, b, count, lasts):  # type: ignore[no-untyped-def]
        place, _, _ = band_of(values[at], cut)
        if same(place, a) and 0 < count < most and lasts <= longest:
            return GROWS, a, b
        return OPENS, place, place

    def number(values, cut, at, form, ahead, bound, most, longest, a, b, count, lasts):  # type: ignore[no-untyped-def]
        return step(form, ahead, bound, most, longest, a, b, count, lasts, values[at])

    if values.dtype == types.uint8:
        return truth
    if isinstance(cut, types.NoneType):
        return number
    return inside if is_interval(cut) else band
