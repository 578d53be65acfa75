"""Tables as bytes for the way from one step of a query to the next.

Idea: nothing of this is kept, so it needs no version, and Spark checks and compresses what it
shuffles.  Bytes are an Arrow IPC stream of each table, behind their names and sizes as JSON.  What
is kept is packed as `operator/container.py` says.  Every byte is copied and compressed several
times on its way, so long integers travel as their distance from the least one, in as few bytes as
that takes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

import numpy as np
import pyarrow as pa

from panewise.kernels.columns import array_of

_LENGTH = 8
_LEAST = b"least"
_NARROW = (pa.uint8(), pa.uint16(), pa.uint32())


def sent(tables: Mapping[str, pa.Table]) -> bytes:
    """Tables as bytes.

    >>> {n: t.to_pydict() for n, t in received(sent({"a": pa.table({"x": [1, 2]})})).items()}
    {'a': {'x': [1, 2]}}
    """
    streams = {name: _stream(table) for name, table in tables.items()}
    head = json.dumps({name: stream.size for name, stream in streams.items()}).encode()
    # Arrow wants its buffers at multiples of 8
    head += b" " * (-len(head) % _LENGTH)
    return b"".join([len(head).to_bytes(_LENGTH, "little"), head, *streams.values()])


def received(blob: bytes | pa.Buffer) -> dict[str, pa.Table]:
    """The inverse of `sent`; the tables lie in the bytes themselves."""
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
    """Long integers as distances, with the least one in the metadata of their column."""
    for at, field in enumerate(table.schema):
        column = table[at]
        if field.type != pa.int64() or column.null_count or not len(column):
            continue
        values = np.asarray(column)
        least = int(values.min())
        width = int(values.max()) - least
        kind = next((kind for kind in _NARROW if width < 1 << kind.bit_width), None)
        if kind is not None:
            near = array_of((values - least).astype(kind.to_pandas_dtype()), kind)
            table = table.set_column(
                at, pa.field(field.name, kind, metadata={_LEAST: str(least)}), near
            )
    return table


def _widened(table: pa.Table) -> pa.Table:
    """The inverse of `narrowed`."""
    for at, field in enumerate(table.schema):
        if field.metadata and _LEAST in field.metadata:
            values = np.asarray(table[at]).astype(np.int64) + int(field.metadata[_LEAST])
            table = table.set_column(at, field.name, array_of(values, pa.int64()))
    return table
