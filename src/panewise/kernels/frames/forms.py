"""Running forms: a number that is kept of a frame while rows join it.

Idea: two registers and the count of rows are all that any form keeps.  `join` writes those that a
row would make to another place, so that a row may be tried before it joins.  Registers have the
type of the values, because sums of integers must be exact.

Cost: O(1) per row.
"""

from __future__ import annotations

import math

import numpy as np

from panewise.kernels.compiled import compiled
from panewise.kernels.monoids import overflows

ALL, ANCHOR, RANGE, COUNT, SUM, MIN, MAX, FIRST, LAST, MIN_COUNT, MAX_COUNT = range(11)
MEAN, PRODUCT, GEOMETRIC_MEAN, VAR_SAMP, VAR_POP, STD_SAMP, STD_POP = range(11, 18)

FORMS = {
    "all": ALL,  # of a predicate: whether it is true for every row
    "anchor": ANCHOR,  # how far the last value is from the first
    "range": RANGE,
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
REGISTERS = 2


@compiled
def same(a, b):  # type: ignore[no-untyped-def]
    """NaN is one value."""
    return a == b or (a != a and b != b)


@compiled
def above(a, b):  # type: ignore[no-untyped-def]
    """NaN is above every number."""
    return a > b or (a != a and b == b)


@compiled
def join(form, registers, at, count, value, to):  # type: ignore[no-untyped-def]
    """Registers `[to, to + 2)` are those at `at`, of `count` rows, with one more; false if a sum
    of integers went around."""
    a, b = registers[at], registers[at + 1]
    if count == 0:
        registers[to] = value
        registers[to + 1] = value
        if form in (MIN_COUNT, MAX_COUNT):
            registers[to + 1] = 1
        elif form == GEOMETRIC_MEAN:
            registers[to] = _log(value)
        elif form >= VAR_SAMP:
            registers[to + 1] = value - value  # zero, or NaN
        return True
    if form == SUM:
        if (
            registers.dtype.kind == "i"
        ):  # unsigned, because compilers assume that no sum goes around
            registers[to] = np.int64(np.uint64(a) + np.uint64(value))
            return not overflows(a, value, registers[to])
        registers[to] = a + value
    if form == ANCHOR:
        registers[to], registers[to + 1] = a, value
    elif form == RANGE:
        registers[to] = value if above(a, value) else a
        registers[to + 1] = value if above(value, b) else b
    elif form == MIN:
        registers[to] = value if above(a, value) else a
    elif form == MAX:
        registers[to] = value if above(value, a) else a
    elif form == FIRST:
        registers[to] = a
    elif form == LAST:
        registers[to] = value
    elif form in (MIN_COUNT, MAX_COUNT):
        better = above(a, value) if form == MIN_COUNT else above(value, a)
        registers[to] = value if better else a
        registers[to + 1] = 1 if better else b + (1 if same(a, value) else 0)
    elif form == MEAN:
        registers[to] = a + value
    elif form == PRODUCT:
        registers[to] = a * value
    elif form == GEOMETRIC_MEAN:
        registers[to] = a + _log(value)
    elif form >= VAR_SAMP:
        away = value - a
        registers[to] = a + away / (count + 1)
        registers[to + 1] = b + away * (value - registers[to])
    return True


@compiled
def within(form, registers, at, count, bound):  # type: ignore[no-untyped-def]
    """Whether the form of `count` rows is at most the bound; what has no value yet is."""
    a, b = registers[at], registers[at + 1]
    if form == COUNT:
        return count <= bound
    if form in (ANCHOR, RANGE):
        if same(a, b):
            return bound >= 0
        high, low = (b, a) if above(b, a) else (a, b)
        if registers.dtype.kind == "i":  # unsigned, because the difference may need 64 bits
            return bound >= 0 and np.uint64(high) - np.uint64(low) <= np.uint64(bound)
        return high - low <= bound
    if form in (MIN_COUNT, MAX_COUNT):
        return b <= bound
    if form == MEAN:
        return a / count <= bound
    if form == GEOMETRIC_MEAN:
        return math.exp(a / count) <= bound
    if form >= VAR_SAMP:
        freedom = count - 1 if form in (VAR_SAMP, STD_SAMP) else count
        if freedom == 0:
            return True
        spread = b / freedom
        return (spread if form <= VAR_POP else math.sqrt(spread)) <= bound
    return a <= bound


@compiled
def _log(value):  # type: ignore[no-untyped-def]
    if value == 0:
        return -math.inf
    return math.log(value) if value > 0 else math.nan
