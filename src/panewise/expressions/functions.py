"""Functions of numbers, with the meaning and the types that Spark gives them."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_UP, Context, Decimal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from panewise.errors import SchemaError
from panewise.expressions.arithmetic import decimals_of, overflow
from panewise.expressions.types import convert, digits, number

_LONG = Context(prec=400, rounding=ROUND_HALF_UP)
_MOST_DIGITS = 38
_SURE, _NEAR = 2.0**40, 1e-3
"""Floats below the one, and farther from a half than the other, are rounded without a doubt."""


def sqrt(values: pa.Array) -> pa.Array:
    """NaN of negative numbers."""
    values = convert(number("sqrt", values), pa.float64())
    with np.errstate(invalid="ignore"):
        found = np.sqrt(np.asarray(pc.fill_null(values, 1.0)))
    return pa.array(found, mask=np.asarray(values.is_null()))


def floor(values: pa.Array) -> pa.Array:
    return _whole("floor", values, np.floor, ROUND_FLOOR)


def ceil(values: pa.Array) -> pa.Array:
    return _whole("ceil", values, np.ceil, ROUND_CEILING)


def rounded(values: pa.Array, places: int) -> pa.Array:
    """To places behind the point, or before it where they are negative; halves away from zero."""
    values = number("round", values)
    kind = values.type
    if pa.types.is_null(kind):
        return values
    if pa.types.is_decimal(kind):
        return _rounded_decimals(values, places)
    if pa.types.is_integer(kind):
        return values if places >= 0 else _rounded_integers(values, -places)
    if pa.types.is_float64(kind):
        return _rounded_floats(values, places)
    raise SchemaError(f"round takes no {kind}.", hint="cast it to DOUBLE.")


def written(x: float | None) -> Decimal | None:
    """The decimal that a double is written as, which Spark takes it for; none is infinite."""
    return None if x is None or not math.isfinite(x) else Decimal(repr(x))


def _whole(
    name: str, values: pa.Array, function: Callable[[np.ndarray], np.ndarray], mode: str
) -> pa.Array:
    """As BIGINT, where NaN is 0; of decimals, as decimals."""
    values = number(name, values)
    kind = values.type
    if pa.types.is_null(kind) or pa.types.is_integer(kind):
        return values.cast(pa.int64())
    if pa.types.is_decimal(kind):
        if kind.scale == 0:
            return values
        listed = [None if v is None else v.to_integral_value(mode) for v in values.to_pylist()]
        return decimals_of(name, listed, kind.precision - kind.scale + 1, 0)
    missing, floats = _floats(values)
    whole = function(np.where(np.isnan(floats), 0.0, floats))
    if not ((whole >= -(2.0**63)) & (whole < 2.0**63)).all():
        raise overflow(name, "bigint")
    return pa.array(whole.astype(np.int64), mask=missing)


def cut_off(values: pa.Array, kind: pa.DataType) -> pa.Array:
    """Floats as integers; as BIGINT, 2**63 is taken for the greatest, as in Spark."""
    missing, floats = _floats(values)
    bounds = np.iinfo(kind.to_pandas_dtype())
    whole = np.trunc(floats)
    if not ((whole >= float(bounds.min)) & (whole <= float(bounds.max))).all():
        raise overflow("cast", str(kind))
    beyond = whole >= 2.0**63
    listed = np.where(beyond, 0.0, whole).astype(np.int64)
    return pa.array(np.where(beyond, bounds.max, listed), kind, mask=missing)


def _floats(values: pa.Array) -> tuple[np.ndarray, np.ndarray]:
    """Which are null, and numbers, zero for those."""
    floats = np.asarray(pc.fill_null(values, 0.0)).astype(np.float64)
    return np.asarray(values.is_null()), floats


def _rounded_decimals(values: pa.Array, places: int) -> pa.Array:
    """With one more digit before the point; what has too many is null, and no error, in Spark."""
    precision, scale = digits(values.type)
    kept = max(min(scale, places), 0)
    wanted = precision - scale + 1 + kept if places >= 0 else max(precision - scale, -places) + 1
    fitted = min(wanted, _MOST_DIGITS)
    unit, bound = Decimal(1).scaleb(-places), Decimal(10) ** (fitted - kept)
    listed = [None if v is None else _LONG.quantize(v, unit) for v in values.to_pylist()]
    return decimals_of(
        "round", [None if v is None or v.copy_abs() >= bound else v for v in listed], fitted, kept
    )


def _rounded_integers(values: pa.Array, zeros: int) -> pa.Array:
    missing = np.asarray(values.is_null())
    bounds = np.iinfo(values.type.to_pandas_dtype())
    whole = np.asarray(pc.fill_null(values, 0)).astype(np.int64)
    if zeros > 18:  # a BIGINT may be half of 10**19, and of no more
        half = 5 * 10**18
        if zeros == 19 and ((whole >= half) | (whole <= -half)).any():
            raise overflow("round", str(values.type))
        return pa.array(np.zeros_like(whole), values.type, mask=missing)
    unit = 10**zeros
    rest = np.fmod(whole, unit)
    away = np.where(np.abs(rest) >= unit // 2, np.sign(rest) * unit, 0)
    near = whole - rest
    if ((near > bounds.max - away) & (away > 0) | (near < bounds.min - away) & (away < 0)).any():
        raise overflow("round", str(values.type))
    return pa.array(near + away, values.type, mask=missing)


def _rounded_floats(values: pa.Array, places: int) -> pa.Array:
    """As they are written; where that is no half, a product with a power of ten tells as well.

    Java before 19 writes some floats with more digits than they need, so that Spark itself rounds
    such a half, behind the fifteenth digit, up on one release and down on another.
    """
    missing, floats = _floats(values)
    ten = 10.0 ** abs(places)
    with np.errstate(over="ignore", invalid="ignore"):
        scaled = np.abs(floats * ten if places >= 0 else floats / ten)
        low = np.floor(scaled)
        sure = (scaled < _SURE) & (np.abs(scaled - low - 0.5) > _NEAR) & (abs(places) <= 22)
        near = np.copysign(np.where(scaled - low > 0.5, low + 1, low), floats)
        found = (near / ten if places >= 0 else near * ten) + 0.0
    unit = Decimal(1).scaleb(-places)
    for at in np.flatnonzero(~sure & np.isfinite(floats)):
        found[at] = float(_LONG.quantize(Decimal(repr(float(floats[at]))), unit)) + 0.0
    found = np.where(np.isfinite(floats), found, floats)
    return pa.array(found, mask=missing)
