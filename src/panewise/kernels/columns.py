"""Columns of cells: numbers that compiled loops take, or Arrow arrays for everything else.

Idea: converting between Arrow and NumPy costs more than folding a small batch, so a column becomes
numbers once, when it enters, and an Arrow array once, when it leaves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from panewise.kernels.arrivals import Arrivals

ALL_VALID = np.empty(0, np.bool_)
"""The validity of a column without nulls."""
_AS_THEY_ARE = (pa.int64().id, pa.float64().id)
"""Types whose values are the numbers themselves."""
_TRUTH = pa.bool_().id


@dataclass(frozen=True, slots=True)
class Numbers:
    """Int64 or float64 values, which of them are present, and the type they stand for."""

    values: np.ndarray
    valid: np.ndarray
    kind: pa.DataType

    def __len__(self) -> int:
        return len(self.values)

    @property
    def nbytes(self) -> int:
        return int(self.values.nbytes + self.valid.nbytes)

    def take(self, rows: np.ndarray) -> Numbers:
        valid = self.valid[rows] if len(self.valid) else self.valid
        return Numbers(self.values[rows], valid, self.kind)

    def present(self) -> np.ndarray:
        """Which values there are, one by one."""
        return self.valid if len(self.valid) else _ones(len(self))

    def arrow(self) -> pa.Array:
        """The same as an Arrow array of its type."""
        if not len(self.valid) and self.kind.id in _AS_THEY_ARE:
            return array_of(self.values, self.kind)
        mask = ~self.valid if len(self.valid) and not self.valid.all() else None
        plain = pa.array(self.values, mask=mask)
        if plain.type.equals(self.kind):
            return plain
        if pa.types.is_date32(self.kind):
            plain = plain.cast(pa.int32())
        return plain.cast(self.kind)


@dataclass(frozen=True, slots=True)
class Objects:
    """An Arrow array of a type that loops cannot hold."""

    array: pa.Array

    def __len__(self) -> int:
        return len(self.array)

    @property
    def nbytes(self) -> int:
        return int(self.array.nbytes)

    def take(self, rows: np.ndarray) -> Objects:
        return Objects(taken(self.array, rows))

    def arrow(self) -> pa.Array:
        """The array itself."""
        return self.array


Column = Numbers | Objects


def array_of(values: np.ndarray, kind: pa.DataType) -> pa.Array:
    """Numbers of this type where they lie: small batches spend their time on conversions."""
    if not values.flags.c_contiguous:
        values = np.ascontiguousarray(values)
    return pa.Array.from_buffers(kind, len(values), [None, pa.py_buffer(values)])


def whole(column: pa.Array | pa.ChunkedArray) -> pa.Array:
    """A column in one piece, which it mostly is."""
    if isinstance(column, pa.ChunkedArray):
        return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    return column


def truths(values: pa.Array) -> np.ndarray:
    """Booleans as bytes; nulls are any number."""
    bits = values.buffers()[1]
    if bits is None:
        return np.zeros(len(values), np.uint8)
    low, high = values.offset, values.offset + len(values)
    return np.unpackbits(np.frombuffer(bits, np.uint8), count=high, bitorder="little")[low:]


def column_of(array: pa.Array, monoid: str | None) -> Column:
    """A partial column: numbers if it has a monoid and its type allows it."""
    if monoid is not None:
        kind = array.type
        if kind.id in _AS_THEY_ARE:
            return _numbers(array, kind)
        if pa.types.is_floating(kind):
            return _numbers(array.cast(pa.float64()), kind)
        if pa.types.is_integer(kind) or pa.types.is_boolean(kind):
            return _numbers(array.cast(pa.int64()), kind)
        if pa.types.is_date32(kind):
            return _numbers(array.cast(pa.int32()).cast(pa.int64()), kind)
        if pa.types.is_timestamp(kind) or pa.types.is_duration(kind):
            return _numbers(array.cast(pa.int64()), kind)
    return Objects(array)


def as_held(array: pa.Array) -> Column:
    """A column that nothing is combined in: numbers if they are that already."""
    return _numbers(array, array.type) if array.type.id in _AS_THEY_ARE else Objects(array)


def _numbers(wide: pa.Array, kind: pa.DataType) -> Numbers:
    valid = ALL_VALID
    if wide.null_count:
        valid = np.asarray(wide.is_valid())
        wide = wide.fill_null(0)
    return Numbers(wide.to_numpy(), valid, kind)


def joined(parts: Sequence[Any]) -> Any:
    """Columns, NumPy or Arrow arrays one after another; None stays None."""
    first = parts[0]
    if first is None or len(parts) == 1:
        return first
    if isinstance(first, np.ndarray):
        return np.concatenate(parts)
    if isinstance(first, Numbers):
        valid = ALL_VALID
        if any(len(p.valid) for p in parts):
            valid = np.concatenate([p.present() for p in parts])
        return Numbers(np.concatenate([p.values for p in parts]), valid, first.kind)
    if isinstance(first, Objects):
        return Objects(pa.concat_arrays([p.array for p in parts]))
    return pa.concat_arrays(list(parts))


def taken(column: Any, rows: np.ndarray) -> Any:
    """Rows of a column, a NumPy or an Arrow array; None stays None."""
    if column is None:
        return None
    if isinstance(column, np.ndarray | Arrivals):
        return column[rows]
    if isinstance(column, Numbers | Objects):
        return column.take(rows)
    if column.type.id in _AS_THEY_ARE and not column.null_count:  # Arrow takes long to begin
        return array_of(np.asarray(column)[rows], column.type)
    if column.type.id == _TRUTH and not column.null_count:
        bits = np.packbits(truths(column)[rows], bitorder="little")
        return pa.Array.from_buffers(column.type, len(rows), [None, pa.py_buffer(bits)])
    if pa.types.is_struct(column.type):  # field by field is several times faster
        fields = [taken(column.field(at), rows) for at in range(column.type.num_fields)]
        mask = pa.array(~np.asarray(column.is_valid())[rows]) if column.null_count else None
        return pa.StructArray.from_arrays(fields, fields=list(column.type), mask=mask)
    return column.take(pa.array(rows))


def cut(column: Any, lo: int, hi: int) -> Any:
    """The rows `[lo, hi)` of a column, where they lie; None stays None."""
    if isinstance(column, Numbers):
        valid = column.valid[lo:hi] if len(column.valid) else column.valid
        return Numbers(column.values[lo:hi], valid, column.kind)
    if isinstance(column, Objects):
        return Objects(column.array[lo:hi])
    return None if column is None else column[lo:hi]


def apart(column: Any, lo: int, hi: int) -> Any:
    """The same as a copy."""
    part = cut(column, lo, hi)
    if isinstance(part, np.ndarray):
        return part.copy()
    if isinstance(part, Numbers):
        return Numbers(part.values.copy(), part.valid.copy(), part.kind)
    if isinstance(part, Objects):
        return Objects(pa.concat_arrays([part.array]))
    return pa.concat_arrays([part]) if isinstance(part, pa.Array) else part


def nulls(count: int, kind: pa.DataType, monoid: str | None) -> Column:
    """A column of identities."""
    return column_of(pa.nulls(count, kind), monoid)


def _ones(count: int) -> np.ndarray:
    return np.ones(count, np.bool_)
