"""Casts among numbers and truths as Spark's ANSI mode has them: what does not fit is an error."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from panewise.errors import SchemaError
from panewise.expressions.arithmetic import decimals_of, guarded, zero_of
from panewise.expressions.functions import cut_off, written
from panewise.expressions.types import convert, digits, is_number

_SURE = 15
"""Digits that every double has: which ones follow differs between releases of Java, and of decimals
with more Spark makes an INT by way of a double."""


def cast(values: pa.Array, kind: pa.DataType) -> pa.Array:
    """Values in another type, cut off towards zero where it has no fractions."""
    given = values.type
    if given == kind:
        return values
    if pa.types.is_null(given):
        return pa.nulls(len(values), kind)
    if pa.types.is_boolean(given):
        return cast(values.cast(pa.int8()), kind)
    if not is_number(given):
        raise SchemaError(
            f"cast takes numbers and truths: got {given}.", hint="cast the column before."
        )
    if pa.types.is_boolean(kind):
        return pc.not_equal(values, zero_of(given))
    if pa.types.is_decimal(kind):
        return _to_decimal(values, kind)
    return _to_floating(values, kind) if pa.types.is_floating(kind) else _to_integer(values, kind)


def _to_decimal(values: pa.Array, kind: pa.Decimal128Type) -> pa.Array:
    """Rounded half up; NaN and infinities are null."""
    if pa.types.is_floating(values.type):
        if kind.precision > _SURE:
            raise SchemaError(
                f"cast makes decimals of up to {_SURE} digits of floats: got {kind}.",
                hint=f"write DECIMAL({_SURE}, {min(kind.scale, _SURE)}).",
            )
        listed = [written(x) for x in convert(values, pa.float64()).to_pylist()]
        return decimals_of("cast", listed, *digits(kind))
    if pa.types.is_integer(values.type) or kind.scale >= values.type.scale:
        return guarded("cast", lambda v: convert(v, kind), values, kind=kind)
    return decimals_of("cast", values.to_pylist(), *digits(kind))


def _to_floating(values: pa.Array, kind: pa.DataType) -> pa.Array:
    if pa.types.is_decimal(values.type) and pa.types.is_float32(kind):
        raise SchemaError(
            f"cast makes no FLOAT of decimals: got {values.type}.", hint="cast it to DOUBLE."
        )
    return convert(values, kind)


def _to_integer(values: pa.Array, kind: pa.DataType) -> pa.Array:
    if pa.types.is_floating(values.type):
        return cut_off(values, kind)
    if pa.types.is_decimal(values.type):
        if kind.bit_width < 64 and values.type.precision > _SURE:
            raise SchemaError(
                f"cast makes {kind} of decimals of up to {_SURE} digits: got {values.type}.",
                hint="cast it to BIGINT first.",
            )
        whole = guarded("cast", lambda v: pc.trunc(v).cast(pa.int64()), values, kind=kind)
        return cast(whole, kind)
    return guarded("cast", lambda v: v.cast(kind), values, kind=kind)
