"""Rows into cells: each row's number is the cell it goes to.

Idea: rows need not be sorted; a loop per column adds each value where it belongs.  While the cell
stays the same, which it mostly does in an ordered stream, the total stays in a register.
"""

from __future__ import annotations

import numpy as np

from panewise.errors import ResultOverflow
from panewise.kernels.columns import ALL_VALID, Numbers
from panewise.kernels.compiled import compiled
from panewise.kernels.monoids import MAX, MIN, OPERATIONS, PRODUCT, SUM


def accumulate(
    monoid: str, column: Numbers, cell: np.ndarray, cells: int, checked: bool
) -> Numbers:
    """One partial per cell; cells without a value are null."""
    operation = OPERATIONS[monoid]
    out = np.zeros(cells, column.values.dtype)
    present = np.zeros(cells, np.bool_)
    if len(column.valid):
        overflow = _with_nulls(column.values, column.valid, cell, operation, out, present)
    elif operation == SUM:
        overflow = _sums(column.values, cell, out)
        present[:] = True
    else:
        overflow = _others(column.values, cell, operation, out, present)
    if overflow and checked and out.dtype == np.int64:
        raise ResultOverflow(
            "an integer sum left the range of BIGINT.", hint="cast the column to DECIMAL first."
        )
    return Numbers(out, ALL_VALID if present.all() else present, column.kind)


@compiled
def _sums(values, cell, out):  # type: ignore[no-untyped-def]
    if len(values) == 0:
        return False
    wrapped = False
    at, total = cell[0], out[cell[0]]
    for i in range(len(values)):
        if cell[i] != at:
            out[at] = total
            at = cell[i]
            total = out[at]
        before = total
        total += values[i]
        wrapped |= (before >= 0) == (values[i] >= 0) and (total >= 0) != (before >= 0)
    out[at] = total
    return wrapped


@compiled
def _others(values, cell, operation, out, present):  # type: ignore[no-untyped-def]
    for i in range(len(values)):
        at, value = cell[i], values[i]
        if not present[at]:
            out[at], present[at] = value, True
        elif operation == MIN:
            if value < out[at] or out[at] != out[at]:
                out[at] = value
        elif operation == MAX:
            if value > out[at] or value != value:
                out[at] = value
        else:
            out[at] *= value
    return False


@compiled
def _with_nulls(values, valid, cell, operation, out, present):  # type: ignore[no-untyped-def]
    wrapped = False
    for i in range(len(values)):
        if not valid[i]:
            continue
        at, value = cell[i], values[i]
        if not present[at]:
            out[at], present[at] = value, True
        elif operation == SUM:
            total = out[at] + value
            wrapped |= (out[at] >= 0) == (value >= 0) and (total >= 0) != (value >= 0)
            out[at] = total
        elif operation == PRODUCT:
            out[at] *= value
        elif operation == MIN:
            if value < out[at] or out[at] != out[at]:
                out[at] = value
        elif value > out[at] or value != value:
            out[at] = value
    return wrapped


@compiled
def bounds(ticks, cell, first, last):  # type: ignore[no-untyped-def]
    """The first and last time of every cell."""
    for i in range(len(ticks)):
        at, t = cell[i], ticks[i]
        first[at] = min(first[at], t)
        last[at] = max(last[at], t)
