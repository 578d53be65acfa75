"""The monoids that loops are compiled for."""

from __future__ import annotations

import numpy as np

from panewise.kernels.compiled import compiled

SUM, MIN, MAX, PRODUCT, OR = 0, 1, 2, 3, 4
OPERATIONS = {"sum": SUM, "min": MIN, "max": MAX, "product": PRODUCT, "or": OR}


@compiled
def combine(a, b, operation):  # type: ignore[no-untyped-def]
    """Two values that are both present."""
    if operation == SUM:
        return a + b
    if operation == PRODUCT:
        return a * b
    if operation == MIN:  # NaN is above every number
        return b if b < a or a != a else a
    if operation == MAX:
        return b if b > a or b != b else a
    return np.int64(a) | np.int64(b)  # of integers only, but loops are compiled for floats too


@compiled
def overflows(a, b, total):  # type: ignore[no-untyped-def]
    """Whether a sum of integers went around."""
    return (a >= 0) == (b >= 0) and (total >= 0) != (a >= 0)
