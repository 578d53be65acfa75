"""Bytes that hold a head and tables: nothing in them is executed.

Layout, version 1, little endian:

| bytes | what |
|---|---|
| 8 | `PANEWISE` |
| 2 | version |
| 32 | SHA-256 of everything after it |
| 8 | length of the head, then the head: JSON |
| ... | Arrow IPC streams with LZ4, one for each name in the head's `tables`, in that order |

Lengths are checked before they are believed, and tables are validated in full.
"""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from panewise.errors import SnapshotError

MAGIC = b"PANEWISE"
VERSION = 1
_HEAD = struct.Struct("<8sH32sQ")
_COMPRESSED = pa.ipc.IpcWriteOptions(compression="lz4")


def packed(head: Mapping[str, Any], tables: Mapping[str, pa.Table]) -> bytes:
    """A head and tables as bytes."""
    streams = {name: _stream(table) for name, table in tables.items()}
    sizes = {name: len(stream) for name, stream in streams.items()}
    text = json.dumps({**head, "tables": sizes}).encode()
    payload = b"".join([struct.pack("<Q", len(text)), text, *streams.values()])
    return MAGIC + struct.pack("<H", VERSION) + hashlib.sha256(payload).digest() + payload


def unpacked(blob: bytes) -> tuple[dict[str, Any], dict[str, pa.Table]]:
    """The inverse of `packed`, or an error that says what is wrong."""
    if not isinstance(blob, bytes | bytearray | memoryview):
        raise SnapshotError(f"a snapshot is bytes: got {type(blob).__name__}.")
    data = bytes(blob)
    if len(data) < _HEAD.size or data[:8] != MAGIC:
        raise SnapshotError(
            f"a snapshot begins with PANEWISE: got {len(data)} bytes that do not.",
            hint="pass what op.snapshot() returned.",
        )
    _, version, digest, length = _HEAD.unpack_from(data)
    if version != VERSION:
        raise SnapshotError(
            f"this is a snapshot of version {version}, and {VERSION} is what can be read.",
            hint="restore it with the release that took it.",
        )
    if hashlib.sha256(data[_HEAD.size - 8 :]).digest() != digest:
        raise damaged("its checksum differs")
    at = _HEAD.size + length
    if at > len(data):
        raise damaged("its head is longer than it is")
    head = json.loads(data[_HEAD.size : at])
    tables = {}
    for name, size in head["tables"].items():
        if type(size) is not int or size < 0 or at + size > len(data):
            raise damaged(f'table "{name}" ends beyond it')
        table = pa.ipc.open_stream(pa.py_buffer(data[at : at + size])).read_all()
        table.validate(full=True)
        tables[name] = table
        at += size
    if at != len(data):
        raise damaged("there is more than its tables")
    return head, tables


def damaged(what: str) -> SnapshotError:
    """An error that says what is wrong with a snapshot."""
    return SnapshotError(
        f"the snapshot is damaged: {what}.", hint="take a new one with op.snapshot()."
    )


def _stream(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema, options=_COMPRESSED) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue().to_pybytes())
