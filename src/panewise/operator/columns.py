"""Batches of any kind as Arrow columns of the types that the engine computes in."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from panewise.errors import ResultOverflow, SchemaError, nearest
from panewise.kernels.columns import array_of
from panewise.model.duration import MILLISECOND, SECOND

_NARROWER = {
    pa.uint8(): pa.int16(),
    pa.uint16(): pa.int32(),
    pa.uint32(): pa.int64(),
    pa.uint64(): pa.int64(),
    pa.float16(): pa.float32(),
    pa.large_string(): pa.string(),
    pa.string_view(): pa.string(),
    pa.large_binary(): pa.binary(),
    pa.binary_view(): pa.binary(),
    pa.date64(): pa.date32(),
}

_MOMENTS = [(unit, 1) for unit in ("s", "ms", "us", "ns", "D")]
_AS_THEY_ARE = {
    np.dtype(name): kind
    for name, kind in (
        ("int32", pa.int32()),
        ("int64", pa.int64()),
        ("float32", pa.float32()),
        ("float64", pa.float64()),
        *((f"datetime64[{unit}]", pa.timestamp(unit)) for unit in ("s", "ms", "us", "ns")),
    )
}
"""NumPy types that Arrow can read where they lie."""

COARSE = {"s": SECOND, "ms": MILLISECOND}
"""Units of timestamps that are longer than a tick."""

_MICROSECONDS = pa.timestamp("us")
_TICKS = (pa.int64().id, _MICROSECONDS.id)
"""Types whose values are ticks, the second only in microseconds."""
_PLAIN = (*_TICKS, pa.float64().id)
"""Types of most columns, which Spark has too."""
_TEXT = (str, bytes)
_BY_NAME = (dict, Mapping)  # a dict is known at once, what else is a mapping after a search
_ARROW = (pa.RecordBatch, pa.Table)


def columns_of(batch: Any, names: Sequence[str], time: str | None = None) -> dict[str, pa.Array]:
    """The named columns of an Arrow table or batch, a data frame, or a dict of arrays.

    Missing moments of NumPy become nulls, except in the column `time`, where whoever reads the
    ticks finds them at no cost.
    """
    if isinstance(batch, _BY_NAME):
        check_names(names, batch, "batch")
        found = {name: _column(name, batch[name], name == time) for name in names}
        _check_lengths(found)
        return {name: normal(column) for name, column in found.items()}
    if not isinstance(batch, _ARROW):
        batch = as_table(batch, names)
    check_names(names, batch.schema.names, "batch")
    if isinstance(batch, pa.RecordBatch):
        found = dict(zip(batch.schema.names, batch.columns, strict=True))
    else:
        found = {name: _whole(batch[name]) for name in names}
    return {name: normal(found[name]) for name in names}


def check_names(names: Sequence[str], known: Collection[str], where: str) -> None:
    """Refuse what lacks a column."""
    for name in names:
        if name not in known:
            raise SchemaError(f'no column "{name}" in the {where}.', hint=nearest(name, known))


def as_table(frame: Any, names: Sequence[str]) -> pa.Table:
    """A pandas or Polars frame, or anything else that speaks Arrow, as a table."""
    if hasattr(frame, "__arrow_c_stream__") and type(frame).__module__.split(".")[0] != "pandas":
        return pa.table(frame)
    if type(frame).__module__.split(".")[0] == "pandas" and hasattr(frame, "columns"):
        check_names(names, list(frame.columns), "data frame")
        return pa.Table.from_pandas(frame[list(names)], preserve_index=False)
    raise SchemaError(
        f"rows are an Arrow table or batch, a data frame or a dict of arrays: got "
        f"{type(frame).__name__}.",
        hint='push({"ts": [...], "value": [...]}) works too.',
    )


def as_array(values: Any, *, moments: bool = False) -> pa.Array:
    """One column; with `moments`, missing ones stay the number that NumPy has for them."""
    if isinstance(values, np.ndarray):
        return _of_numpy(values, moments)
    if isinstance(values, pa.ChunkedArray):
        return _whole(values)
    return values if isinstance(values, pa.Array) else pa.array(values)


def _of_numpy(values: np.ndarray, moments: bool) -> pa.Array:
    missing = False
    if values.dtype.kind == "M":
        if np.datetime_data(values.dtype) not in _MOMENTS:
            values = values.astype("datetime64[us]")
        ticks = moments and _AS_THEY_ARE.get(values.dtype) == _MICROSECONDS
        missing = not ticks and _has_nat(values)
    kind = _AS_THEY_ARE.get(values.dtype)
    if kind is None or missing or not values.flags.c_contiguous:
        return pa.array(values)
    return pa.Array.from_buffers(kind, len(values), [None, pa.py_buffer(values)])


def _column(name: str, values: Any, moments: bool) -> pa.Array:
    """One column of a dict, or an error that names it."""
    try:
        if isinstance(values, _TEXT):
            raise TypeError("text is not a list of letters")
        return as_array(values, moments=moments)
    except (pa.ArrowException, TypeError, ValueError) as problem:
        raise SchemaError(
            f'column "{name}" cannot be read: {str(problem).splitlines()[0]}.',
            hint="give a list or an array with values of one type.",
        ) from None


def _check_lengths(columns: Mapping[str, pa.Array]) -> None:
    if len(set(map(len, columns.values()))) == 1:
        return
    (first, column), *others = columns.items()
    for name, other in others:
        if len(other) != len(column):
            raise SchemaError(
                f'columns of a batch are of one length: "{first}" has {len(column)} rows and '
                f'"{name}" has {len(other)}.',
                hint="fill up the shorter one with nulls.",
            )


def _has_nat(values: np.ndarray) -> bool:
    """Whether a moment is missing, which Arrow would take for a number."""
    return bool(len(values) and values.view(np.int64).min() == np.iinfo(np.int64).min)


def normal(column: pa.Array) -> pa.Array:
    """The column in a type that Spark has too."""
    kind = column.type
    if kind.id in _PLAIN:  # types are looked up by name
        return column
    if pa.types.is_dictionary(kind):
        # not dictionary_decode: it has no kernel for views of strings
        return normal(column.dictionary).take(column.indices)
    wanted = _NARROWER.get(kind)
    if wanted is None and pa.types.is_large_list(kind):
        wanted = pa.list_(kind.value_type)
    try:
        return column if wanted is None else column.cast(wanted)
    except pa.ArrowInvalid as problem:
        raise SchemaError(
            f"unsigned numbers must fit 64 bits with a sign: {problem}.", hint="cast the column."
        ) from None


def ticks_of(column: pa.Array) -> pa.Array:
    """A time column as ticks: microseconds of a timestamp or date, the number itself otherwise."""
    kind = column.type
    if kind.id == _TICKS[0]:
        return column
    if pa.types.is_timestamp(kind):
        if kind.unit == "us":
            return column.view(pa.int64())
        if kind.unit == "ns":  # finer fractions belong to the microsecond they are in, as in Spark
            column = pc.floor_temporal(column, unit="microsecond")
        return column.cast(pa.timestamp("us", kind.tz)).cast(pa.int64())
    if pa.types.is_date32(kind):
        return pc.multiply(column.cast(pa.int32()).cast(pa.int64()), 86_400_000_000)
    return column.cast(pa.int64())


def moment_of(tick: int, kind: pa.DataType) -> Any:
    """One tick as a Python value, at or before it where the type is coarser."""
    if pa.types.is_timestamp(kind) and kind.unit in COARSE:
        return pa.array([tick // COARSE[kind.unit]]).cast(kind)[0].as_py()
    return times_of(np.array([tick]), kind)[0].as_py()


def counts_ticks(kind: pa.DataType) -> bool:
    """Whether the values of a time column are ticks as they are."""
    return kind.id in _TICKS and (kind.id != _TICKS[1] or kind.unit == "us")


def times_of(ticks: np.ndarray, kind: pa.DataType) -> pa.Array:
    """The inverse of `ticks_of`, in the type of the time column."""
    if counts_ticks(kind):
        return array_of(ticks, kind)
    try:
        if pa.types.is_timestamp(kind):
            return pa.array(ticks).cast(pa.timestamp("us", kind.tz)).cast(kind)
        if pa.types.is_date32(kind):
            return pa.array(ticks // 86_400_000_000).cast(pa.int32()).cast(kind)
        return pa.array(ticks).cast(kind)
    except pa.ArrowInvalid as problem:
        raise ResultOverflow(
            f"a bound of a window does not fit the type of the time column, {kind}: {problem}.",
            hint="cast the column to a wider type.",
        ) from None


def _whole(column: pa.ChunkedArray) -> pa.Array:
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
