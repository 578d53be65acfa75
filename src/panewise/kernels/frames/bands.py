"""The bands of boundary frames: a number for each row, equal where rows are in one band.

Integers and decimals are banded exactly, whatever the boundaries are; floats by the boundaries as
exact numbers, after the origin was subtracted from them.
"""

from __future__ import annotations

import sys
from fractions import Fraction
from functools import lru_cache
from math import ceil, lcm
from typing import Any

import numpy as np
import pyarrow as pa

from panewise.kernels.columns import array_of
from panewise.kernels.frames.decimals import fitted, is_wide, unscaled
from panewise.kernels.frames.places import places
from panewise.windows.boundary_frame import BoundaryFrame

_LEAST, _MOST = -(2**63), 2**63 - 1
_FARTHEST = Fraction(sys.float_info.max)


def bands(frame: BoundaryFrame, values: pa.Array) -> pa.Array:
    """The band of each row; null where the row has no value.  An ArrowInvalid or an OverflowError
    where decimals have more digits than fit."""
    if pa.types.is_floating(values.type):
        kind, found = _float_bands(frame, _numbers(values, np.float64))
    elif is_wide(values.type):
        kind, found = pa.int64(), _wide_bands(frame, *fitted(values))
    elif pa.types.is_decimal(values.type):
        kind, found = _whole_bands(frame, unscaled(values), 10**values.type.scale)
    else:
        kind, found = _whole_bands(frame, _numbers(values, np.int64), 1)
    if not values.null_count:
        return array_of(found, kind)
    return pa.array(found, kind, mask=np.asarray(values.is_null()))


def cut_by(frame: BoundaryFrame, kind: pa.DataType) -> Any:
    """The bands as loops take them that look at values of this type; None where they must be given
    the numbers of bands, because these have another type or are not found in 64 bits."""
    if pa.types.is_floating(kind):
        return None if frame.width is None else _float_steps(frame)
    if not pa.types.is_integer(kind):
        return None
    if frame.width is None:
        return _whole_edges(frame, 1)
    more, step, offset = _steps(frame, 1)
    return (step, offset) if more == 1 < step <= _MOST else None


def _numbers(values: pa.Array, kind: type) -> np.ndarray:
    """Nulls are any number."""
    filled = np.asarray(values.fill_null(0) if values.null_count else values)
    return filled.astype(kind, copy=False)


def _whole_bands(
    frame: BoundaryFrame, values: np.ndarray, scale: int
) -> tuple[pa.DataType, np.ndarray]:
    """Of numbers that are `scale` times too large."""
    if frame.width is None:
        return pa.int64(), _between(values, _whole_edges(frame, scale))
    return pa.int64(), _whole_places(frame, scale, values)


def _wide_bands(frame: BoundaryFrame, values: np.ndarray, scale: int) -> np.ndarray:
    """The same whatever the scale is, because other rows may have another one."""
    if frame.width is not None:
        return _exact_places(values, *_steps(frame, 10**scale))
    below = sum(ceil(Fraction(edge) * 10**scale) <= _LEAST for edge in frame.edges)
    return _between(values, _whole_edges(frame, 10**scale)) + below


@lru_cache
def _whole_edges(frame: BoundaryFrame, scale: int) -> np.ndarray:
    """Between integers boundaries are integers: the least that is not below each; those that all
    integers are on one side of cut nothing."""
    least = [ceil(Fraction(edge) * scale) for edge in frame.edges]
    return np.array([edge for edge in least if _LEAST < edge <= _MOST], np.int64)


@lru_cache
def _steps(frame: BoundaryFrame, scale: int) -> tuple[int, int, int]:
    """How much larger the values must be for bands of integers to begin at integers, and then the
    width and the origin of bands."""
    assert frame.width is not None
    width, origin = Fraction(frame.width) * scale, Fraction(frame.origin) * scale
    shift = origin % width
    more = lcm(width.denominator, shift.denominator)
    return more, int(width * more), int(shift * more)


def _whole_places(frame: BoundaryFrame, scale: int, values: np.ndarray) -> np.ndarray:
    """`floor((value - origin) / width)` of integers, but for a constant."""
    more, step, offset = _steps(frame, scale)
    if step <= more:
        return values  # no two integers are in one band
    return _exact_places(values, more, step, offset)


def _exact_places(values: np.ndarray, more: int, step: int, offset: int) -> np.ndarray:
    """The same of integers that have some in common with others."""
    if more == 1 < step <= _MOST:
        return places(values, (step, offset), np.empty(len(values), np.int64))
    most = max(map(abs, (int(values.min()), int(values.max())))) if len(values) else 0
    if max(most * more, step) > _MOST:
        values = values.astype(object)  # integers of any length
    values = values * more
    place = values // step
    if offset:  # compared with what is left over, so that nothing goes around
        place = place - (values - place * step < offset)
    return place.astype(np.int64)


def _float_bands(frame: BoundaryFrame, values: np.ndarray) -> tuple[pa.DataType, np.ndarray]:
    """Infinities and NaN have bands of their own where these are counted by a width."""
    if frame.width is None:
        return pa.int64(), _between(values, _float_edges(frame))
    return pa.float64(), places(values, _float_steps(frame), np.empty(len(values)))


def _between(values: np.ndarray, edges: np.ndarray) -> np.ndarray:
    return places(values, edges, np.empty(len(values), np.int64))


def _float_steps(frame: BoundaryFrame) -> tuple[float, float]:
    return float(frame.origin), float(frame.width or 0)


@lru_cache
def _float_edges(frame: BoundaryFrame) -> np.ndarray:
    return np.array([_not_below(Fraction(edge)) for edge in frame.edges])


def _not_below(edge: Fraction) -> float:
    """The least float that is not below a boundary."""
    if edge > _FARTHEST:
        return np.inf
    near = float(max(edge, -_FARTHEST))
    return float(np.nextafter(near, np.inf)) if Fraction(near) < edge else near
