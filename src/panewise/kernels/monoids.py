"""The monoids that loops are compiled for."""

from __future__ import annotations

from panewise.kernels.compiled import compiled

SUM, MIN, MAX, PRODUCT = 0, 1, 2, 3
OPERATIONS = {"sum": SUM, "min": MIN, "max": MAX, "product": PRODUCT}


@compiled
def combine(a, b, operation):  # type: ignore[no-untyped-def]
    """Two values that are both present."""
    if operation == SUM:
        return a + b
    if operation == PRODUCT:
        return a * b
    if operation == MIN:  # NaN is above every number
        return b if b < a or a != a else a
    return b if b > a or b != b else a


@compiled
def overflows(a, b, total):  # type: ignore[no-untyped-def]
    """Whether a sum of integers went around."""
    return (a >= 0) == (b >= 0) and (total >= 0) != (a >= 0)
