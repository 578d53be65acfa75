"""Tables as bytes for the way from one step of a micro-batch to the next.

Idea: nothing of this is kept, so it needs no version, and Spark checks and compresses what it
shuffles.  Bytes are an Arrow IPC stream of each table, behind their names and sizes as JSON.  What
is kept is packed as `operator/container.py` says.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

import pyarrow as pa

_LENGTH = 8


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
        tables[name] = pa.ipc.open_stream(data.slice(at, size)).read_all()
        at += size
    return tables


def _stream(table: pa.Table) -> pa.Buffer:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()
