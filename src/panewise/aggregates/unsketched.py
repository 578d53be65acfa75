"""Values on their way into a sketch: a single row is not worth a sketch of its own.

Idea: a partial of one row is the row's value behind a mark that no sketch begins with.  Ranges of
such values go into one sketch each; only what was folded is a sketch, which Spark can read too.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

_MARK, _WHOLE, _REAL, _TEXT = b"\xff", b"i", b"d", b"="
_WIDE = len(_MARK) + len(_WHOLE) + 8


def marked_numbers(values: pa.Array) -> pa.Array:
    """Integers or doubles, 8 bytes each behind their mark; null stays null."""
    kind = _REAL if pa.types.is_floating(values.type) else _WHOLE
    wide = np.asarray(values.cast(pa.float64() if kind == _REAL else pa.int64()).fill_null(0))
    data = np.empty((len(wide), _WIDE), np.uint8)
    data[:, :2] = np.frombuffer(_MARK + kind, np.uint8)
    data[:, 2:] = np.ascontiguousarray(wide).view(np.uint8).reshape(-1, 8)
    offsets = np.arange(len(wide) + 1, dtype=np.int32) * _WIDE
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(data)]
    found = pa.Array.from_buffers(pa.binary(), len(wide), buffers)
    return pc.if_else(values.is_valid(), found, None) if values.null_count else found


def marked_texts(values: pa.Array) -> pa.Array:
    """Texts behind their mark, none of them empty; null stays null."""
    mark = pa.scalar(_MARK + _TEXT, pa.binary())
    return pc.binary_join_element_wise(mark, values.cast(pa.binary()), pa.scalar(b"", pa.binary()))


def are_marked(column: pa.Array) -> bool:
    """Whether all that is there are values of single rows."""
    return bool(pc.all(pc.starts_with(column, _MARK)).as_py())


def reals_of(column: pa.Array) -> np.ndarray:
    """Marked doubles, without nulls."""
    there = column.drop_null()
    _, offsets, data = there.buffers()
    begin = int(np.frombuffer(offsets, np.int32)[there.offset]) if len(there) else 0
    taken = np.frombuffer(data or b"", np.uint8)[begin : begin + _WIDE * len(there)]
    return np.ascontiguousarray(taken.reshape(-1, _WIDE)[:, 2:]).view(np.float64).ravel()


def value_of(blob: bytes) -> Any:
    """What a sketch is given: an integer, a double, or text; None if it is a sketch already.

    >>> [value_of(blob) for blob in marked_numbers(pa.array([-7])).to_pylist()]
    [-7]
    >>> [value_of(blob) for blob in marked_texts(pa.array(["", "ä"])).to_pylist()]
    ['=', '=ä']
    """
    if not blob.startswith(_MARK):
        return None
    kind, rest = blob[1:2], blob[2:]
    if kind == _TEXT:
        return (kind + rest).decode()
    return int.from_bytes(rest, "little", signed=True) if kind == _WHOLE else _real(rest)


def _real(blob: bytes) -> float:
    return float(np.frombuffer(blob, np.float64)[0])
