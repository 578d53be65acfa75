"""Snapshots: the state of an operator as bytes (`container.py`), and back.

The head holds numbers, the queries by their spelling, types, and the contexts of scans; tables hold
keys, cells and counts.  Nothing is executed: JSON and Arrow are data, and every number that a loop
will use as a place is checked against its bounds.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import astuple, fields
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from panewise.errors import SnapshotError
from panewise.kernels.frames.policy import Policy
from panewise.operator import engine_state, span_state
from panewise.operator.bound import Bound
from panewise.operator.container import packed, unpacked
from panewise.operator.decisions import Stream
from panewise.operator.engine import Engine
from panewise.operator.item_stream import ItemStream
from panewise.operator.registry import AnyPlan, Registry
from panewise.operator.snapshot_checks import check_head
from panewise.operator.span_engine import SpanEngine
from panewise.plan import Plan
from panewise.query import Query

if TYPE_CHECKING:
    from panewise.operator.operator import Operator

_NUMBERS = ("_newest", "_watermark", "_rows", "_late", "_null_times", "_bad_rows")


def snapshot(op: Operator) -> bytes:
    """All state of an operator."""
    tables: dict[str, pa.Table] = {}
    head: dict[str, Any] = {
        "queries": {n: [spelled(q), since] for n, (q, since) in op._registry.queries.items()},
        "named": op._registry.named,
        "delay": op.stream.delay,
        "lateness": op.stream.lateness,
        "postpone": op.stream.postpone,
        "completeness": op.stream.completeness,
        "frames": list(astuple(op.stream.frames)),
        "store": op._store,
        "flushed": op._flushed,
        "numbers": {name: getattr(op, name) for name in _NUMBERS},
        "rings": None if op._ringed is None else op._ringed.spelled,
        "bound": op._engine is not None,
        "contexts": {},
        "composer": 0,
    }
    if op._engine is not None:
        head["contexts"], tables = _state_of(op._engine).taken(op._engine)
        tables["types"] = pa.schema(list(op._engine.bound.types.items())).empty_table()
        head["composer"] = op._engine.composer.watermark
    if op._rings is not None:
        tables["rings"] = op._rings.table()
    if op._items is not None:
        tables["items"] = op._items.words.table()
    head["columns"] = {name: table.column_names for name, table in tables.items()}
    return packed(head, tables)


def restore(
    kind: type[Operator],
    plan: AnyPlan,
    blob: bytes,
    added: Mapping[str, Plan | Query],
) -> Operator:
    """An operator that goes on where the snapshot was taken."""
    Registry.of_plan(plan)  # refuses what is no plan
    try:
        head, tables = unpacked(blob)
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
            query.until,
            query.revise,
            query.by,
            query.order_by,
            [w.identity for w in query.windows],
            [(a.name, a.canonical) for a in query.aggregates],
        ]
    )


def _made(
    kind: type[Operator],
    plan: AnyPlan,
    head: dict[str, Any],
    tables: dict[str, pa.Table],
    added: Mapping[str, Plan | Query],
) -> Operator:
    check_head(head, tables, _NUMBERS)
    spanning = Registry.of_plan(plan).whole.spanning
    op = kind(plan, store=head["store"], postpone="auto" if spanning else None)
    _check_rings(op, head["rings"])
    op.stream = _stream(head)
    op._registry = _registry(op, head, added)
    names = tuple(dict.fromkeys(c for q, _ in op._registry.queries.values() for c in q.columns()))
    if op._ringed is None:
        op._names = names
    for name in _NUMBERS:
        setattr(op, name, head["numbers"][name])
    op._flushed = head["flushed"]
    if not head["bound"]:
        return op
    schema = tables["types"].schema
    types = {name: schema.field(name).type for name in names}
    if op._ringed is not None and op._ringed.items is not None:
        op._items = ItemStream.restored(op._ringed, types, tables["items"])
    op._engine, op._results = op._made(Bound(op._registry.whole, types).checked(), fresh=False)
    if isinstance(op._engine, SpanEngine):
        span_state.load(op._engine, head["contexts"], tables)
    else:
        engine_state.load(op._engine, head["composer"], head["contexts"], tables)
    if op._rings is not None:
        op._rings.load(tables["rings"])
    return op


def _check_rings(op: Operator, stored: object) -> None:
    asked = None if op._ringed is None else op._ringed.spelled
    if stored != asked:
        raise SnapshotError(
            f"the snapshot is of other rings: {stored}, and not {asked}.",
            hint="restore it with the plan it was taken with.",
        )


def _stream(head: dict[str, Any]) -> Stream:
    updates, period, buffer, evict = head["frames"]
    frames = Policy(updates, period, buffer, tuple(evict) if evict else None)
    given = {f.name: head[f.name] for f in fields(Stream)}
    return Stream(**{**given, "frames": frames})


def _state_of(engine: Engine | SpanEngine) -> Any:
    return span_state if isinstance(engine, SpanEngine) else engine_state


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
