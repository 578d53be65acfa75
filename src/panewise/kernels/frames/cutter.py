"""A frame as the cutting loops take it: its scheme as numbers, and the values of rows.

Integers and decimals stay exact: a limit becomes the largest value that is within it.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, floor
from typing import Any

import numpy as np
import pyarrow as pa

from panewise.kernels.columns import truths
from panewise.kernels.frames.decimals import fitted
from panewise.kernels.frames.forms import COUNTING, FLOATING, FORMS
from panewise.model import Size
from panewise.windows.frames import Frame
from panewise.windows.sizes import units

NO_LIMIT = 2**62
"""More rows than there are."""
FOREVER = 2**64 - 1
"""Longer than from the first time there is to the last."""
_PLAIN = (pa.int64().id, pa.float64().id)
_LEAST, _MOST = -(2**63), 2**63 - 1
_FARTHEST = Fraction(sys.float_info.max)


@dataclass(frozen=True)
class Cutter:
    """What the loop must know of a frame."""

    form: int
    ahead: bool
    bound: Any
    min_rows: int
    max_rows: int
    min_duration: np.uint64
    max_duration: np.uint64
    to_closing: bool
    """Whether a frame lasts until the row that closes it."""

    @classmethod
    def of(cls, frame: Frame, scale: int, whole: bool) -> Cutter:
        """For values that are `10**scale` times too large, and integers if `whole`."""
        scheme = frame.scheme
        form = FORMS[scheme.form]
        limit = Fraction(scheme.limit) * (1 if form in COUNTING else 10**scale)
        return cls(
            form,
            scheme.ahead,
            _bound(limit, scheme.inclusive, whole),
            frame.min_rows,
            NO_LIMIT if frame.max_rows is None else frame.max_rows,
            _ticks(frame.min_duration, 0),
            _ticks(frame.max_duration, FOREVER),
            frame.basis == "interval",
        )

    @cached_property
    def parameters(self) -> tuple[Any, ...]:
        """As the loops take them."""
        return (
            self.form, self.ahead, self.bound, self.min_rows, self.max_rows,
            self.min_duration, self.max_duration, self.to_closing,
        )  # fmt: skip


def _ticks(stretch: Size | None, otherwise: int) -> np.uint64:
    return np.uint64(otherwise if stretch is None else units(stretch))


def _bound(limit: Fraction, inclusive: bool, whole: bool) -> Any:
    """The largest value that is within the limit."""
    if whole:
        most = floor(limit) if inclusive else ceil(limit) - 1
        return np.int64(min(max(most, _LEAST), _MOST))
    near = np.float64(float(min(max(limit, -_FARTHEST), _FARTHEST)))
    exact = Fraction(float(near))
    beyond = exact > limit or (exact == limit and not inclusive)
    return np.nextafter(near, -np.inf) if beyond else near


def numbers_of(values: pa.Array, form: int, scale: int = 0) -> tuple[np.ndarray, int]:
    """Values as the loop takes them, truths, 64-bit integers or floats, and the power of ten that
    they are too large by: of wide decimals at least the `scale`."""
    if form not in FLOATING and values.type.id in _PLAIN:
        return values.to_numpy(zero_copy_only=False), 0
    if pa.types.is_boolean(values.type):
        return truths(values), 0
    if form in FLOATING or pa.types.is_floating(values.type):
        return _as(pa.float64(), values), 0
    if pa.types.is_decimal(values.type):
        return fitted(values, scale)
    return _as(pa.int64(), values), 0


def _as(kind: pa.DataType, values: pa.Array) -> np.ndarray:
    wide = values if values.type == kind else values.cast(kind, safe=kind == pa.int64())
    return np.asarray(wide)
