"""Snapshots taken apart and put together again, with a checksum that fits."""

import hashlib
import json
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pyarrow as pa

HEADER = struct.Struct("<8sH32sQ")


@dataclass(frozen=True)
class Blob:
    """The head and the tables of a snapshot, as its layout says."""

    head: Mapping[str, Any]
    tables: Mapping[str, bytes]
    version: int = 1
    magic: bytes = field(default=b"PANEWISE")

    @classmethod
    def of(cls, data: bytes) -> "Blob":
        magic, version, _, length = HEADER.unpack_from(data)
        at = HEADER.size + length
        head = json.loads(data[HEADER.size : at])
        tables = {}
        for name, size in head["tables"].items():
            tables[name] = data[at : at + size]
            at += size
        assert at == len(data)
        return cls({k: v for k, v in head.items() if k != "tables"}, tables, version, magic)

    def sealed(self) -> bytes:
        sizes = {name: len(data) for name, data in self.tables.items()}
        text = json.dumps({**self.head, "tables": sizes}).encode()
        return self.around(text + b"".join(self.tables.values()), len(text))

    def around(self, payload: bytes, length: int) -> bytes:
        """Any bytes, with a head of this length and a checksum that fits."""
        payload = struct.pack("<Q", length) + payload
        digest = hashlib.sha256(payload).digest()
        return self.magic + struct.pack("<H", self.version) + digest + payload

    def table(self, name: str) -> pa.Table:
        return pa.ipc.open_stream(self.tables[name]).read_all()

    def with_head(self, **changes: Any) -> "Blob":
        return replace(self, head={**self.head, **changes})

    def without_head(self, name: str) -> "Blob":
        return replace(self, head={k: v for k, v in self.head.items() if k != name})

    def with_table(self, name: str, table: pa.Table | bytes) -> "Blob":
        data = table if isinstance(table, bytes) else stream(table)
        return replace(self, tables={**self.tables, name: data})

    def without_table(self, name: str) -> "Blob":
        return replace(self, tables={k: v for k, v in self.tables.items() if k != name})

    def columns(self) -> Iterator[tuple[str, int, pa.Field]]:
        """Every column of every table that holds rows, by table, place and type."""
        for name in self.tables:
            table = self.table(name)
            if table.num_rows:
                yield from ((name, at, column) for at, column in enumerate(table.schema))

    def with_column(self, name: str, at: int, values: pa.Array) -> "Blob":
        table = self.table(name)
        return self.with_table(name, table.set_column(at, table.column_names[at], values))


def stream(table: pa.Table) -> bytes:
    """A table as an Arrow stream."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes()
