"""Frames over small streams: which rows each one has."""

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

import panewise as pw
from panewise.operator import Operator
from panewise.windows import Window
from tests.operator.feed import planned

IN_ORDER: list[dict[str, Any]] = [{}, {"buffer": "in_order"}, {"buffer": "lazy"}]
UPDATING: list[dict[str, Any]] = [
    {"report": "update", "buffer": buffer} for buffer in ("multi", "lazy", "eager")
]
BUFFERS: list[dict[str, Any]] = [
    {},
    {"buffer": "in_order"},
    *({"buffer": buffer, "lateness": 100} for buffer in ("lazy", "eager", "multi")),
    *({**each, "lateness": 100} for each in UPDATING),
]
"""Every way to keep rows in order, on close and on update."""
Told = tuple[Any, ...]


def rows(times: Sequence[int], values: Sequence[Any], kind: pa.DataType | None = None) -> pa.Table:
    """Rows of one key."""
    return pa.table(
        {
            "t": pa.array(times, pa.int64()),
            "k": ["a"] * len(times),
            "x": pa.array(values, kind or pa.int64()),
        }
    )


def operator(*frames: Window, **options: Any) -> Operator:
    return Operator(planned(*frames, aggregates=[pw.collect("x"), pw.count()]), **options)


def shown(results: pa.Table) -> list[Told]:
    """Frames as `(start, end, values)`, with revision and retracted where these are not the first
    answer's."""
    found: list[Told] = []
    for row in results.to_pylist():
        more = (row.get("revision", 0), row.get("retracted", False))
        name = (row["window"]["start"], row["window"]["end"], row["collect(x)"])
        found.append(name if more == (0, False) else (*name, *more))
    return sorted(found, key=repr)


def framed(frame: Window, table: pa.Table, **options: Any) -> list[Told]:
    """All frames of rows that come one by one, the last one open."""
    op = operator(frame, **options)
    last: dict[Any, list[Told]] = {}
    for at in range(table.num_rows):
        _apply(last, op.push(table.slice(at, 1)))
    _apply(last, op.flush())
    return sorted((each for all_ in last.values() for each in all_), key=lambda f: f[:2])


def _apply(last: dict[Any, list[Told]], told: pa.Table) -> None:
    """As a table that is upserted; frames of no length share a name and are told in order."""
    each = told.to_pylist()
    for row in sorted(each, key=lambda row: not row.get("retracted", False)):
        name = row["window"]["start"], row["window"]["end"]
        known = last.get(name, [])
        first = row.get("revision", 0) == 0 and not row.get("retracted", False)
        now = [] if row.get("retracted", False) else [(*name, row["collect(x)"])]
        last[name] = (known if first else known[1:]) + now
