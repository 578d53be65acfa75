"""What a frame looks at in each row: a truth or a number.

Of a predicate that says in which interval a number lies, the number is looked at.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from panewise.errors import SchemaError
from panewise.kernels.frames.decimals import short
from panewise.kernels.frames.forms import COUNT, FLOATING, FORMS
from panewise.kernels.frames.intervals import bounds_of
from panewise.windows.frames import Frame
from panewise.windows.threshold_frame import ThresholdFrame

_PLAIN = (pa.int64().id, pa.float64().id)
"""Types of most numbers; those that are left are asked one by one."""


def frame_input(frame: Frame, columns: Mapping[str, pa.Array]) -> pa.Array:
    """One value for each row; null where the row is in no frame."""
    if frame.value is None:
        return pa.array(np.ones(len(next(iter(columns.values()))), np.int64))
    if isinstance(frame, ThresholdFrame):
        compared = _compared(frame, columns)
        return _truths(frame, frame.value.evaluate(columns)) if compared is None else compared
    return _numbers(frame, frame.value.evaluate(columns))


def _compared(frame: ThresholdFrame, columns: Mapping[str, pa.Array]) -> pa.Array | None:
    """The column that a predicate compares with bounds, if that is all it does."""
    column = columns.get(frame.predicate.columns[0]) if frame.predicate.columns else None
    return None if column is None or bounds_of(frame, column.type) is None else column


def _truths(frame: Frame, values: pa.Array) -> pa.Array:
    if pa.types.is_null(values.type):
        return values.cast(pa.bool_())
    if not pa.types.is_boolean(values.type):
        raise SchemaError(
            f'a predicate is true or false: "{frame.value}" is {values.type}.',
            hint=f'compare it with something, for example "{frame.value} > 0".',
        )
    return values


def _numbers(frame: Frame, values: pa.Array) -> pa.Array:
    kind = values.type
    if kind.id in _PLAIN:
        return values
    if pa.types.is_null(kind):
        return values.cast(pa.int64())
    if FORMS[frame.scheme.form] == COUNT:
        return _ones(values)
    if not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)):
        raise SchemaError(
            f'the value of a row is a number: "{frame.value}" is {kind}.',
            hint="cast the column first.",
        )
    if pa.types.is_decimal(kind) and FORMS[frame.scheme.form] not in FLOATING:
        return short(values)
    return values


def _ones(values: pa.Array) -> pa.Array:
    """Values of any type that are counted and not looked at."""
    return pc.if_else(values.is_valid(), np.int64(1), pa.scalar(None, pa.int64()))
