"""Threshold frames whose predicate says that a number lies in an interval.

Idea: the loops compare the number itself, so that no truths are made.  They take an interval as
`(low, high, nan)`: both bounds are in it, and `nan` says whether NaN is.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numba import types

from panewise.expressions.interval import interval_of
from panewise.kernels.compiled import compiled
from panewise.windows.threshold_frame import ThresholdFrame

Bounds = tuple[int, int, bool] | tuple[float, float, bool]


def bounds_of(frame: ThresholdFrame, kind: pa.DataType) -> Bounds | None:
    """Of a frame that looks at values of this type; None where it looks at truths."""
    found = interval_of(frame.predicate.text, kind)
    return None if found is None else (found.low, found.high, found.nan)


def is_interval(cut: types.Type) -> bool:
    """Whether loops are given an interval, and not bands: these are told by two numbers."""
    return isinstance(cut, types.BaseTuple) and len(cut) == 3


@compiled
def lies_in(value, interval):  # type: ignore[no-untyped-def]
    low, high, nan = interval
    return ((low <= value) & (value <= high)) | (nan & (value != value))


@compiled
def truths_of(values, interval):  # type: ignore[no-untyped-def]
    """Whether each value lies in the interval, as bytes.

    >>> truths_of(np.array([1.0, 5.0, np.nan]), (2.0, np.inf, True)).tolist()
    [0, 1, 1]
    """
    found = np.empty(len(values), np.uint8)
    for i in range(np.uint64(len(values))):
        found[i] = lies_in(values[i], interval)
    return found
