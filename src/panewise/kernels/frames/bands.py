"""The bands of boundary frames: a number for each row, equal where rows are in one band.

Integers and decimals are banded exactly, whatever the boundaries are; floats by the boundaries as
exact numbers, after the origin was subtracted from them.
"""

from __future__ import annotations

import sys
from fractions import Fraction
from math import ceil, lcm

import numpy as np
import pyarrow as pa

from panewise.kernels.frames.decimals import unscaled
from panewise.kernels.frames.places import between, float_places, whole_places
from panewise.windows.boundary_frame import BoundaryFrame

_LEAST, _MOST = -(2**63), 2**63 - 1
_FARTHEST = Fraction(sys.float_info.max)


def bands(frame: BoundaryFrame, values: pa.Array) -> pa.Array:
    """The band of each row; null where the row has no value."""
    missing = np.asarray(values.is_null())
    if pa.types.is_floating(values.type):
        filled = np.asarray(values.fill_null(0) if values.null_count else values)
        kind, found = _float_bands(frame, filled.astype(np.float64))
    elif pa.types.is_decimal(values.type):
        kind, found = _whole_bands(frame, unscaled(values), 10**values.type.scale)
    else:
        filled = np.asarray(values.fill_null(0) if values.null_count else values)
        kind, found = _whole_bands(frame, filled.astype(np.int64), 1)
    return pa.array(found, kind, mask=missing)


def _whole_bands(
    frame: BoundaryFrame, values: np.ndarray, scale: int
) -> tuple[pa.DataType, np.ndarray]:
    """Of numbers that are `scale` times too large."""
    if frame.width is None:
        edges = [Fraction(edge) * scale for edge in frame.edges]
        return pa.int64(), between(values, _whole_edges(edges))
    width, origin = Fraction(frame.width) * scale, Fraction(frame.origin) * scale
    return pa.int64(), _whole_places(width, origin, values)


def _whole_edges(edges: list[Fraction]) -> np.ndarray:
    """Between integers boundaries are integers: the least that is not below each; those that all
    integers are on one side of cut nothing."""
    least = [ceil(edge) for edge in edges]
    return np.array([edge for edge in least if _LEAST < edge <= _MOST], np.int64)


def _whole_places(width: Fraction, origin: Fraction, values: np.ndarray) -> np.ndarray:
    """`floor((value - origin) / width)` of integers, but for a constant."""
    if width <= 1:
        return values  # no two integers are in one band
    shift = origin % width
    scale = lcm(width.denominator, shift.denominator)
    step, offset = int(width * scale), int(shift * scale)
    if scale == 1 and step <= _MOST:
        return whole_places(values, step, offset)
    most = max(map(abs, (int(values.min()), int(values.max())))) if len(values) else 0
    if max(most * scale, step) > _MOST:
        values = values.astype(object)  # integers of any length
    values = values * scale
    place = values // step
    if offset:  # compared with what is left over, so that nothing goes around
        place = place - (values - place * step < offset)
    return place.astype(np.int64)


def _float_bands(frame: BoundaryFrame, values: np.ndarray) -> tuple[pa.DataType, np.ndarray]:
    """Infinities and NaN have bands of their own where these are counted by a width."""
    if frame.width is None:
        edges = [_not_below(Fraction(edge)) for edge in frame.edges]
        return pa.int64(), between(values, np.array(edges))
    return pa.float64(), float_places(values, float(frame.origin), float(frame.width))


def _not_below(edge: Fraction) -> float:
    """The least float that is not below a boundary."""
    if edge > _FARTHEST:
        return np.inf
    near = float(max(edge, -_FARTHEST))
    return float(np.nextafter(near, np.inf)) if Fraction(near) < edge else near
