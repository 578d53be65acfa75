"""What a frame looks at in each row: a truth, a band, or a number."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pyarrow as pa

from panewise.errors import SchemaError
from panewise.kernels.frames.forms import FLOATING, FORMS
from panewise.windows.boundary_frame import BoundaryFrame
from panewise.windows.frames import Frame
from panewise.windows.threshold_frame import ThresholdFrame

_DIGITS = 18
"""Decimals of as many digits are 64-bit integers."""


def frame_input(frame: Frame, columns: Mapping[str, pa.Array]) -> pa.Array:
    """One value for each row; null where the row is in no frame."""
    if frame.value is None:
        return pa.array(np.ones(len(next(iter(columns.values()))), np.int64))
    values = frame.value.evaluate(columns)
    if isinstance(frame, ThresholdFrame):
        return _truths(frame, values)
    numbers = _numbers(frame, values)
    return _bands(frame, numbers) if isinstance(frame, BoundaryFrame) else numbers


def _truths(frame: Frame, values: pa.Array) -> pa.Array:
    if pa.types.is_null(values.type):
        return values.cast(pa.bool_())
    if not pa.types.is_boolean(values.type):
        raise SchemaError(
            f'{frame.kind}: a predicate is true or false: "{frame.value}" is {values.type}.',
            hint=f'compare it with something, for example "{frame.value} > 0".',
        )
    return values


def _numbers(frame: Frame, values: pa.Array) -> pa.Array:
    kind = values.type
    if pa.types.is_null(kind):
        return values.cast(pa.int64())
    if not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)):
        raise SchemaError(
            f'{frame.kind}: the value of a row is a number: "{frame.value}" is {kind}.',
            hint="cast the column first.",
        )
    if pa.types.is_decimal(kind) and FORMS[frame.scheme.form] not in FLOATING:
        return _short(frame, values)
    return values


def _short(frame: Frame, values: pa.Array) -> pa.Array:
    """Decimals that loops can follow exactly: as 64-bit integers."""
    try:
        return values.cast(pa.decimal128(_DIGITS, values.type.scale))
    except pa.ArrowInvalid:
        raise SchemaError(
            f"{frame.kind}: decimals of up to {_DIGITS} digits are followed exactly: "
            f'"{frame.value}" is {values.type} and has more.',
            hint="cast it to fewer digits, or to DOUBLE.",
        ) from None


def _bands(frame: BoundaryFrame, values: pa.Array) -> pa.Array:
    """The number of each row's band."""
    missing = np.asarray(values.is_null())
    if pa.types.is_decimal(values.type):  # few enough digits to be exact one by one
        given = [None if v is None else _band(frame, v) for v in values.to_pylist()]
        return pa.array(given, pa.int64())
    filled = np.asarray(values.fill_null(0) if values.null_count else values)
    return pa.array(_banded(frame, filled), pa.int64(), mask=missing)


def _banded(frame: BoundaryFrame, values: np.ndarray) -> np.ndarray:
    if frame.width is None:
        if values.dtype.kind in "iu":  # boundaries between integers are integers
            edges = np.array([_above(edge) for edge in frame.edges])
        else:
            edges = np.array([float(edge) for edge in frame.edges])
        return np.searchsorted(edges, values, side="right")
    width, origin = frame.width, frame.origin
    if values.dtype.kind in "iu" and isinstance(width, int) and isinstance(origin, int):
        return (values.astype(np.int64) - origin) // width
    place = np.floor((values.astype(np.float64) - float(origin)) / float(width))
    most = float(2**62)
    return np.where(np.isnan(place), most, np.clip(place, -most, most / 2)).astype(np.int64)


def _above(edge: int | float | Decimal) -> int:
    """The least integer that is not below an edge."""
    exact = Fraction(edge)
    return min(-(-exact.numerator // exact.denominator), 2**63 - 1)


def _band(frame: BoundaryFrame, value: Decimal) -> int:
    if frame.width is None:
        return bisect_right([Fraction(edge) for edge in frame.edges], Fraction(value))
    return int((Fraction(value) - Fraction(frame.origin)) // Fraction(frame.width))
