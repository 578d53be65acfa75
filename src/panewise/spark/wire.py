"""Tables as bytes for the way from one step of a query to the next.

Idea: nothing of this is kept, so it needs no version, and Spark checks and compresses what it
shuffles.  Bytes are an Arrow IPC stream of each table, behind their names and sizes as JSON.  What
is kept is packed as `operator/container.py` says.  Every byte is copied and compressed several
times on its way, so long integers travel as their distance from the least one, in steps that all
of them have in common, as panes have, and in as few bytes as that takes: in none, if they are all
the same.  Floats that are decimals of few digits, as most of what is measured or paid, travel as
integers.

References: Afroozeh et al., SIGMOD 2024 (ALP: floats as decimals).
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from panewise.kernels.columns import array_of

_LENGTH = 8
_LEAST, _STEP, _DIGITS = b"least", b"step", b"digits"
_NARROW, _LONG = (pa.uint8(), pa.uint16(), pa.uint32()), pa.uint64()
_SOME = 64
"""Numbers that show which step, or how many digits, all may have in common."""
_DIGITS_TRIED = 6, 3, 0
"""Behind the point.  Fewer are found as a step; large numbers have no place for many."""


def sent(tables: Mapping[str, pa.Table]) -> list[bytes | pa.Buffer]:
    """Tables as bytes, in parts to be joined: large ones are copied once only.

    >>> parts = sent({"a": pa.table({"x": [1, 2]})})
    >>> {name: table.to_pydict() for name, table in received(b"".join(parts)).items()}
    {'a': {'x': [1, 2]}}
    """
    streams = {name: _stream(table) for name, table in tables.items()}
    head = json.dumps({name: stream.size for name, stream in streams.items()}).encode()
    # Arrow wants its buffers at multiples of 8
    head += b" " * (-len(head) % _LENGTH)
    return [len(head).to_bytes(_LENGTH, "little"), head, *streams.values()]


def received(blob: bytes | pa.Buffer) -> dict[str, pa.Table]:
    """The inverse of `sent`, from its parts joined; the tables lie in the bytes themselves."""
    data = pa.py_buffer(blob)
    at = _LENGTH + int.from_bytes(data.slice(0, _LENGTH), "little")
    tables = {}
    for name, size in json.loads(data.slice(_LENGTH, at - _LENGTH).to_pybytes()).items():
        tables[name] = _widened(pa.ipc.open_stream(data.slice(at, size)).read_all())
        at += size
    return tables


def _stream(table: pa.Table) -> pa.Buffer:
    table = narrowed(table)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


def narrowed(table: pa.Table) -> pa.Table:
    """Long integers, and decimals, as numbers of steps from the least one, which are told with
    their column.

    >>> narrowed(pa.table({"pane": [1_000_000, 3_000_000], "weight": [1, 1]})).schema.types
    [DataType(uint8), DataType(null)]
    >>> narrowed(pa.table({"price": [19.99, 5.25, 7.5]})).schema.types
    [DataType(uint16)]
    """
    for at, field in enumerate(table.schema):
        column = table[at]
        if field.type not in (pa.int64(), pa.float64()) or column.null_count or not len(column):
            continue
        values, told = np.asarray(column), {}
        if field.type == pa.float64():
            shifted = _shifted(values)
            if shifted is None:
                continue
            values, told = shifted.numbers, {_DIGITS: str(shifted.digits)}
        least = int(values.min())
        near, step = _stepwise(values - least, int(values.max()) - least)
        if near is not None:
            told |= {_LEAST: str(least), _STEP: str(step)}
            table = table.set_column(at, pa.field(field.name, near.type, metadata=told), near)
    return table


class _Shifted(NamedTuple):
    """Integers that decimals are without their point, and the digits that were behind it."""

    numbers: np.ndarray
    digits: int


def _shifted(values: np.ndarray) -> _Shifted | None:
    """Floats as integers from which they come back to the last bit, if there are such."""
    some = _some(values)
    for digits in _DIGITS_TRIED:
        if _without_point(some, digits) is not None:
            numbers = _without_point(values, digits)
            if numbers is not None:
                return _Shifted(numbers, digits)
    return None


def _without_point(values: np.ndarray, digits: int) -> np.ndarray | None:
    """None unless all come back: zeros that are negative, and what is no number, do not."""
    with np.errstate(invalid="ignore", over="ignore"):
        numbers = np.rint(values * 10.0**digits).astype(np.int64)
    back = numbers / 10.0**digits
    return numbers if np.array_equal(back.view(np.int64), values.view(np.int64)) else None


def _stepwise(distance: np.ndarray, width: int) -> tuple[pa.Array | None, int]:
    """Distances up to this as numbers of steps, and the step; None if they stay long."""
    if not width:
        return pa.nulls(len(distance)), 0
    if width >= 1 << 63:  # distances have gone around
        return None, 1
    distance = distance.astype(_kind_for(width).to_pandas_dtype())
    step = _step(distance, width)
    if step > 1:
        distance, width = distance // step, width // step
    kind = _kind_for(width)
    if kind == _LONG:
        return None, 1
    return array_of(distance.astype(kind.to_pandas_dtype()), kind), step


def _step(distance: np.ndarray, width: int) -> int:
    """The greatest step that all distances, of which this is one, are multiples of."""
    step = int(np.gcd.reduce(_some(distance), initial=width))
    while step > 1:
        left = distance % step
        if not left.any():
            break
        step = math.gcd(step, int(left[left > 0].min()))
    return step


def _some(values: np.ndarray) -> np.ndarray:
    """A few from everywhere: those at the beginning may all be alike."""
    return values[:: max(len(values) // _SOME, 1)]


def _kind_for(width: int) -> pa.DataType:
    """The narrowest type for distances up to this."""
    return next((kind for kind in _NARROW if width < 1 << kind.bit_width), _LONG)


def _widened(table: pa.Table) -> pa.Table:
    """The inverse of `narrowed`."""
    for at, field in enumerate(table.schema):
        if field.metadata and _LEAST in field.metadata:
            least, step = (int(field.metadata[name]) for name in (_LEAST, _STEP))
            if step:
                values = np.asarray(table[at]).astype(np.int64)
                values = values * step if step > 1 else values
                values += least
            else:
                values = np.full(len(table), least, np.int64)
            column = array_of(values, pa.int64())
            if _DIGITS in field.metadata:
                floats = values / 10.0 ** int(field.metadata[_DIGITS])
                column = array_of(floats, pa.float64())
            table = table.set_column(at, field.name, column)
    return table
