"""Snapshots: the state of an operator as bytes, and back.

Layout, version 1, little endian:

| bytes | what |
|---|---|
| 8 | `PANEWISE` |
| 2 | version |
| 32 | SHA-256 of everything after it |
| 8 | length of the head, then the head: JSON |
| ... | Arrow IPC streams, one for each name in the head's `tables`, in that order |

The head holds numbers, the queries by their spelling, types, and the contexts of scans; tables hold
keys, cells and counts.  Nothing is executed: JSON and Arrow are data, lengths are checked before
they are believed, and every number that a loop will use as a place is checked against its bounds.
"""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from panewise.errors import SnapshotError
from panewise.kernels.state import State, table_of
from panewise.operator.bound import Bound
from panewise.operator.registry import Registry
from panewise.operator.snapshot_checks import (
    Limits,
    check_columns,
    check_head,
    damaged,
    in_key_order,
)
from panewise.plan import Plan, SharedPlan
from panewise.query import Query

if TYPE_CHECKING:
    from panewise.operator.operator import Operator

MAGIC = b"PANEWISE"
VERSION = 1
_HEAD = struct.Struct("<8sH32sQ")
_NUMBERS = ("_newest", "_watermark", "_rows", "_late", "_null_times")


def snapshot(op: Operator) -> bytes:
    """All state of an operator."""
    tables: dict[str, pa.Table] = {}
    head: dict[str, Any] = {
        "queries": {n: [spelled(q), since] for n, (q, since) in op._registry.queries.items()},
        "named": op._registry.named,
        "delay": op.stream.delay,
        "lateness": op.stream.lateness,
        "store": op._store,
        "flushed": op._flushed,
        "numbers": {name: getattr(op, name) for name in _NUMBERS},
        "bound": op._engine is not None,
        "contexts": {},
        "composer": 0,
    }
    if op._engine is not None:
        engine = op._engine
        engine.settle()
        types = pa.schema(list(engine.bound.types.items()))
        tables["types"] = types.empty_table()
        tables["keys"] = engine.composer.keys.keys
        tables["values"] = engine.composer.values.table.keys
        head["composer"] = engine.composer.watermark
        for number, part in enumerate(engine.composer.waiting.parts()):
            tables[f"waiting.{number}"] = table_of(part)
        for number, tier in enumerate(_tiers(engine)):
            _put(f"tier.{number}", tier.state(), head, tables)
    head["columns"] = {name: table.column_names for name, table in tables.items()}
    head["tables"] = {}
    body = b""
    for name, table in tables.items():
        stream = _stream(table)
        head["tables"][name] = len(stream)
        body += stream
    text = json.dumps(head).encode()
    payload = struct.pack("<Q", len(text)) + text + body
    digest = hashlib.sha256(payload).digest()
    return MAGIC + struct.pack("<H", VERSION) + digest + payload


def restore(
    kind: type[Operator],
    plan: Plan | SharedPlan,
    blob: bytes,
    added: Mapping[str, Plan | Query],
) -> Operator:
    """An operator that goes on where the snapshot was taken."""
    Registry.of_plan(plan)  # refuses what is no plan
    try:
        head, tables = _opened(blob)
        return _made(kind, plan, head, tables, added)
    except SnapshotError:
        raise
    except Exception as problem:  # whatever a damaged blob leads to, it is no snapshot
        raise SnapshotError(
            f"these bytes are no snapshot that can be read: {type(problem).__name__}: {problem}.",
            hint="take a new one with op.snapshot().",
        ) from problem


def spelled(query: Query) -> str:
    """What makes two queries the same."""
    return json.dumps(
        [
            query.time,
            query.by,
            query.order_by,
            [(w.window_id, w.canonical) for w in query.windows],
            [(a.name, a.canonical) for a in query.aggregates],
        ]
    )


def _opened(blob: bytes) -> tuple[dict[str, Any], dict[str, pa.Table]]:
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


def _made(
    kind: type[Operator],
    plan: Plan | SharedPlan,
    head: dict[str, Any],
    tables: dict[str, pa.Table],
    added: Mapping[str, Plan | Query],
) -> Operator:
    check_head(head, tables, _NUMBERS)
    op = kind(plan, store=head["store"])
    op.stream = type(op.stream)(head["delay"], head["lateness"])
    op._registry = _registry(op, head, added)
    op._names = tuple(
        dict.fromkeys(c for q, _ in op._registry.queries.values() for c in q.columns())
    )
    for name in _NUMBERS:
        setattr(op, name, head["numbers"][name])
    op._flushed = head["flushed"]
    if not head["bound"]:
        return op
    schema = tables["types"].schema
    types = {name: schema.field(name).type for name in op._names}
    whole, since = op._registry.whole()
    op._engine, op._results = op._made(Bound(whole, types).checked(), since)
    composer = op._engine.composer
    composer.watermark = head["composer"]
    check_columns(tables["keys"], op._engine.bound.key_schema)
    composer.keys.encode(tables["keys"])
    if len(composer.values.schema):
        check_columns(tables["values"], composer.values.schema)
        composer.values.encode(tables["values"])
    limits = Limits(len(composer.keys), len(composer.values), op._engine.bound.layout())
    for name in tables:
        if name.startswith("waiting."):
            rows = limits.cells(tables[name])
            if rows.sequence is None or np.any(np.diff(rows.pane) < 0):
                raise SnapshotError("the snapshot is damaged: waiting rows are not in order.")
            composer.waiting.put_back(rows)
    for number, tier in enumerate(_tiers(op._engine)):
        tier.load(_taken(f"tier.{number}", head, tables, limits))
    return op


def _registry(op: Operator, head: dict[str, Any], added: Mapping[str, Plan | Query]) -> Any:
    given = {name: query for name, (query, _) in op._registry.queries.items()}
    given |= {name: q.query if isinstance(q, Plan) else q for name, q in added.items()}
    stored = head["queries"]
    missing = [name for name in stored if name not in given]
    if missing:
        raise SnapshotError(
            f'the snapshot has a query "{missing[0]}" that was not given.',
            hint='pass added={"...": query} for queries that were added to the operator.',
        )
    for name, (text, _) in stored.items():
        if spelled(given[name]) != text:
            raise SnapshotError(
                f'the snapshot is of another query "{name}": {text}, and not '
                f"{spelled(given[name])}.",
                hint="restore it with the plan it was taken with.",
            )
    kept = {name: (given[name], since) for name, (_, since) in stored.items()}
    return type(op._registry)(kept, head["named"])


def _tiers(engine: Any) -> list[Any]:
    return [*engine.composer.tiers, *engine.composer.row_tiers]


def _put(name: str, state: State, head: dict[str, Any], tables: dict[str, pa.Table]) -> None:
    if state.cells is not None:
        tables[f"{name}.cells"] = table_of(state.cells)
    for group, columns in state.arrays.items():
        tables[f"{name}.{group}"] = pa.table({c: pa.array(a) for c, a in columns.items()})
    if state.contexts is not None:
        head["contexts"][name] = state.contexts


def _taken(name: str, head: dict[str, Any], tables: dict[str, pa.Table], limits: Limits) -> State:
    cells = None
    if f"{name}.cells" in tables:
        cells = limits.cells(tables[f"{name}.cells"])
        if not in_key_order(cells):
            raise SnapshotError("the snapshot is damaged: cells are not in order.")
    prefix = f"{name}."
    arrays = {
        full.removeprefix(prefix): limits.integers(table)
        for full, table in tables.items()
        if full.startswith(prefix) and full != f"{name}.cells"
    }
    return State(cells, arrays, head["contexts"].get(name), limits.keys)


def _stream(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes()
