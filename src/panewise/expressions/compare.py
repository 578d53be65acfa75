"""Comparisons: NaN equals itself and is above every number.

A literal beside an array is a scalar; it is neither null nor NaN.  Beside numbers without nulls
NumPy compares with it in one pass, where Arrow makes three of them for floats.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from panewise.expressions.types import aligned, convert, number

_INTEGER = pa.int64().id
_NUMBERS = (_INTEGER, pa.float64().id)


def equal(left: pa.Array, right: pa.Array) -> pa.Array:
    """`left = right`; null where either is."""
    left, right = aligned(left, right)
    if pa.types.is_null(left.type):
        return left.cast(pa.bool_())
    if isinstance(right, pa.Scalar) and _is_plain(left):
        return _packed(np.asarray(left) == right.as_py())
    found = pc.equal(left, right)
    if pa.types.is_floating(left.type) and not isinstance(left, pa.Scalar):
        found = pc.or_(found, pc.and_(pc.is_nan(left), pc.is_nan(right)))
    return found


def less(left: pa.Array, right: pa.Array) -> pa.Array:
    """`left < right`; null where either is."""
    left, right = aligned(left, right)
    if pa.types.is_null(left.type):
        return left.cast(pa.bool_())
    if pa.types.is_boolean(left.type):
        return pc.and_(pc.invert(left), right)
    if isinstance(right, pa.Scalar) and _is_plain(left):
        return _packed(np.asarray(left) < right.as_py())
    if isinstance(left, pa.Scalar) and _is_plain(right):
        if right.type.id == _INTEGER:
            return _packed(np.asarray(right) > left.as_py())
        at_most = np.asarray(right) <= left.as_py()  # a NaN is not
        return _packed(np.logical_not(at_most, out=at_most))
    found = pc.less(left, right)
    if pa.types.is_floating(left.type) and not isinstance(right, pa.Scalar):
        above = pc.is_nan(right)
        if not isinstance(left, pa.Scalar):
            above = pc.and_(pc.invert(pc.is_nan(left)), above)
        found = pc.or_(found, above)
    return found


def same(left: pa.Array, right: pa.Array) -> pa.Array:
    """`left <=> right`: never null, and two nulls are the same."""
    neither = pc.and_(left.is_null(), right.is_null())
    return pc.or_(pc.fill_null(equal(left, right), False), neither)


def is_nan(values: pa.Array) -> pa.Array:
    """False for null, as in Spark."""
    numbers = convert(number("isnan", values), pa.float64())
    return pc.fill_null(pc.is_nan(numbers), False)


def _is_plain(values: pa.Array | pa.Scalar) -> bool:
    """Whether these are numbers as NumPy has them."""
    return isinstance(values, pa.Array) and values.type.id in _NUMBERS and not values.null_count


def _packed(found: np.ndarray) -> pa.Array:
    """Truths as Arrow has them."""
    bits = np.packbits(found, bitorder="little")
    return pa.Array.from_buffers(pa.bool_(), len(found), [None, pa.py_buffer(bits)])
