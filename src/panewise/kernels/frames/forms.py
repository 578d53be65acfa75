"""Running forms: a number that is kept of a frame while rows join it.

Idea: two registers and the count of rows are all that any form keeps.  `join` gives the registers
with one more row, so that a row may be tried before it joins; `within` says whether the form is
still within its bound.  Exact forms keep the type of the values, because sums of integers must be
exact; floating ones are computed in floating point, and loops over integers are compiled without.

Cost: O(1) per row.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import types
from numba.extending import overload

from panewise.kernels.compiled import compiled
from panewise.kernels.monoids import overflows

ALL, ANCHOR, RANGE, COUNT, SUM, MIN, MAX, FIRST, LAST, MIN_COUNT, MAX_COUNT, EXTENT = range(12)
MEAN, PRODUCT, GEOMETRIC_MEAN, VAR_SAMP, VAR_POP, STD_SAMP, STD_POP = range(12, 19)

FORMS = {
    "all": ALL,  # of a predicate: whether it is true for every row
    "anchor": ANCHOR,  # how far the last value is from the first
    "range": RANGE,  # how far the highest is from the lowest: what is equal is not apart
    "extent": EXTENT,  # the highest less the lowest: NaN, if both are one infinity
    "count": COUNT,
    "sum": SUM,
    "min": MIN,
    "max": MAX,
    "first": FIRST,
    "last": LAST,
    "min_count": MIN_COUNT,
    "max_count": MAX_COUNT,
    "mean": MEAN,
    "product": PRODUCT,
    "geometric_mean": GEOMETRIC_MEAN,
    "variance samp": VAR_SAMP,
    "variance pop": VAR_POP,
    "stddev samp": STD_SAMP,
    "stddev pop": STD_POP,
}
FLOATING = range(MEAN, STD_POP + 1)
"""Forms that are computed in floating point, whatever the values are."""
COUNTING = (COUNT, MIN_COUNT, MAX_COUNT)
"""Forms that are a number of rows, whatever the values are."""
REGISTERS = 2


@compiled
def same(a, b):  # type: ignore[no-untyped-def]
    """NaN is one value."""
    return a == b or (a != a and b != b)


@compiled
def above(a, b):  # type: ignore[no-untyped-def]
    """NaN is above every number."""
    return a > b or (a != a and b == b)


def added(a: Any, b: Any) -> Any:
    """The sum, and whether it fits; of integers unsigned, because compilers assume that no signed
    one goes around."""
    raise NotImplementedError("only loops add this way")


@overload(added)
def _added(a, b):  # type: ignore[no-untyped-def]
    def whole(a, b):  # type: ignore[no-untyped-def]
        total = np.int64(np.uint64(a) + np.uint64(b))
        return total, not overflows(a, b, total)

    def floating(a, b):  # type: ignore[no-untyped-def]
        return a + b, True

    return whole if isinstance(a, types.Integer) else floating


def one_like(value: Any) -> Any:
    """One, in the type of a value."""
    raise NotImplementedError("only loops count this way")


@overload(one_like)
def _one_like(value):  # type: ignore[no-untyped-def]
    return (lambda value: 1) if isinstance(value, types.Integer) else (lambda value: 1.0)


def near(low: Any, high: Any, bound: Any) -> bool:
    """Whether the difference is at most the bound, which is not negative."""
    raise NotImplementedError("only loops compare this way")


@overload(near)
def _near(low, high, bound):  # type: ignore[no-untyped-def]
    def whole(low, high, bound):  # type: ignore[no-untyped-def]
        return np.uint64(high) - np.uint64(low) <= np.uint64(bound)  # it may need 64 bits

    def floating(low, high, bound):  # type: ignore[no-untyped-def]
        return high - low <= bound

    return whole if isinstance(low, types.Integer) else floating


@compiled
def join_exact(form, a, b, count, value):  # type: ignore[no-untyped-def]
    """`join` of a form that keeps the type of the values."""
    one = one_like(value)
    if count == 0:
        return value, (one if form in (MIN_COUNT, MAX_COUNT) else value), True
    if form == SUM:
        total, fits = added(a, value)
        return total, b, fits
    if form == ANCHOR:
        return a, value, True
    if form in (RANGE, EXTENT):
        return (value if above(a, value) else a), (value if above(value, b) else b), True
    if form == MIN:
        return (value if above(a, value) else a), b, True
    if form == MAX:
        return (value if above(value, a) else a), b, True
    if form == LAST:
        return value, b, True
    if form in (MIN_COUNT, MAX_COUNT):
        better = above(a, value) if form == MIN_COUNT else above(value, a)
        if better:
            return value, one, True
        return a, (b + one if same(a, value) else b), True
    return a, b, True


@compiled
def within_exact(form, a, b, count, bound):  # type: ignore[no-untyped-def]
    """`within` of such a form."""
    if form in (ANCHOR, RANGE):
        if bound < 0 or same(a, b):
            return bound >= 0
        return near(a, b, bound) if above(b, a) else near(b, a, bound)
    if form == EXTENT:
        return bound >= 0 and near(a, b, bound)
    if form == COUNT:
        return count <= bound
    if form in (MIN_COUNT, MAX_COUNT):
        return b <= bound
    return a <= bound


@compiled
def join_floating(form, a, b, count, value):  # type: ignore[no-untyped-def]
    """`join` of a form that is computed in floating point."""
    if form == GEOMETRIC_MEAN:
        value = math.log(value) if value > 0 else (-math.inf if value == 0 else math.nan)
    if count == 0:
        return value, value - value, True  # zero, or NaN
    if form == PRODUCT:
        return a * value, b, True
    if form >= VAR_SAMP:
        away = value - a
        mean = a + away / (count + 1)
        return mean, b + away * (value - mean), True
    return a + value, b, True


@compiled
def within_floating(form, a, b, count, bound):  # type: ignore[no-untyped-def]
    """`within` of such a form."""
    if form == PRODUCT:
        return a <= bound
    if form == MEAN:
        return a / count <= bound
    if form == GEOMETRIC_MEAN:
        return math.exp(a / count) <= bound
    freedom = count - 1 if form in (VAR_SAMP, STD_SAMP) else count
    if freedom == 0:
        return True
    spread = b / freedom
    return (spread if form <= VAR_POP else math.sqrt(spread)) <= bound


def join(form: Any, a: Any, b: Any, count: Any, value: Any) -> Any:
    """The registers of `count` rows with one more, and whether a sum of integers still fits."""
    raise NotImplementedError("only loops join rows")


@overload(join)
def _join(form, a, b, count, value):  # type: ignore[no-untyped-def]
    def whole(form, a, b, count, value):  # type: ignore[no-untyped-def]
        return join_exact(form, a, b, count, value)

    def floating(form, a, b, count, value):  # type: ignore[no-untyped-def]
        if form < MEAN:
            return join_exact(form, a, b, count, value)
        return join_floating(form, a, b, count, value)

    return whole if isinstance(value, types.Integer) else floating


def within(form: Any, a: Any, b: Any, count: Any, bound: Any) -> bool:
    """Whether the form of `count` rows is at most the bound; what has no value yet is."""
    raise NotImplementedError("only loops compare forms")


@overload(within)
def _within(form, a, b, count, bound):  # type: ignore[no-untyped-def]
    def whole(form, a, b, count, bound):  # type: ignore[no-untyped-def]
        return within_exact(form, a, b, count, bound)

    def floating(form, a, b, count, bound):  # type: ignore[no-untyped-def]
        if form < MEAN:
            return within_exact(form, a, b, count, bound)
        return within_floating(form, a, b, count, bound)

    return whole if isinstance(a, types.Integer) else floating
