"""Small streams for the operator's tests, and results in a form that is easy to read."""

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

import panewise as pw
from panewise.operator import Operator
from panewise.query import Query
from panewise.testing import assert_same_rows, oracle
from panewise.windows import PaneWidth, RowFamily, Scan, Window
from tests.conformance.engines import Row
from tests.conformance.streams import Reader, plain, table

SCHEMA = {"t": "bigint", "k": "string", "x": "bigint", "y": "bigint", "seq": "bigint"}


def planned(*windows: Window, aggregates: Sequence[Any] = (), **more: Any) -> pw.Plan:
    """A plan over `t` by `k`; the sum of `x` unless aggregates are given."""
    given = {"time": "t", "by": ["k"], **more}
    return pw.plan(windows=windows, aggregates=aggregates or [pw.sum("x")], **given)


def feed(times: Sequence[int | None], x: Sequence[int | None] = (), k: str = "a") -> pa.Table:
    """Rows of one key; every x is 1 unless given."""
    count = len(times)
    return pa.table(
        {
            "t": pa.array(times, pa.int64()),
            "k": pa.array([k] * count, pa.string()),
            "x": pa.array(x or [1] * count, pa.int64()),
        }
    )


def shown(results: pa.Table, column: str = "sum(x)") -> list[tuple[Any, ...]]:
    """Results as `(start, end, value)`, with revision and retracted where there are such."""
    more = [name for name in ("revision", "retracted") if name in results.column_names]
    return [
        (row["window"]["start"], row["window"]["end"], row[column], *(row[name] for name in more))
        for row in results.to_pylist()
    ]


class Followed:
    """An operator beside the rows that it must have accepted, and what readers made of results.

    After every push each query is compared with the oracle over the rows so far.
    """

    def __init__(self, op: Operator, query: Query, delay: int, lateness: int) -> None:
        self.op, self._delay, self._lateness = op, delay, lateness
        self.queries: dict[str, tuple[Query, int | None]] = {"main": (query, None)}
        self.readers = {"main": Reader(query.by)}
        self.accepted: list[Row] = []
        self.late = 0
        self.watermark: int | None = None

    def push(self, batch: Sequence[Row]) -> pa.Table:
        for row in batch:
            if row["t"] is None:
                continue
            if self.watermark is not None and row["t"] < self.watermark - self._lateness:
                self.late += 1
            else:
                self.accepted.append(row)
        told = self.op.push(table(batch, SCHEMA))
        newest = max((row["t"] for row in self.accepted), default=None)
        if newest is not None:
            self.watermark = max(newest - self._delay, self.watermark or newest - self._delay)
        self._read(told)
        if self.watermark is not None:
            self.check(until=self.watermark)
        return told

    def flush(self) -> pa.Table:
        told = self.op.flush()
        self._read(told)
        self.check(until=None)
        assert self.op.stats().late_rows == self.late
        return told

    def add(self, query: Query, name: str) -> None:
        since = self.op.add(query, name=name)
        self.queries[name] = (query, since)
        self.readers[name] = Reader(query.by)

    def remove(self, name: str) -> None:
        self.op.remove(name)
        del self.queries[name], self.readers[name]

    def check(self, until: int | None) -> None:
        for name, (query, since) in self.queries.items():
            expected = answers_since(query, self.accepted, since, until)
            assert_same_rows(self.readers[name].all(), expected, by=query.by, magnitude=1e3)

    def _read(self, told: pa.Table) -> None:
        rows = plain([told])
        for name, (query, _) in self.queries.items():
            mine = [row for row in rows if row.get("query", "main") == name]
            self.readers[name].apply([_projected(row, query) for row in mine])


def answers_since(
    query: Query, rows: Sequence[Row], since: int | None, until: int | None = None
) -> list[dict[str, Any]]:
    """What a query must answer that was added when rows up to `since` had been seen.

    Windows of edges from that moment on, sessions that nothing before it could have joined, and
    windows of rows over the rows from then on.
    """
    if since is None:
        return oracle(query, rows, until=until)
    found = oracle(query, rows, until=until)
    later = oracle(query, [row for row in rows if _reaches(row, since)], until=until)
    told = []
    for window in query.windows:
        demand = window.demand()
        by_rows = isinstance(demand, RowFamily | Scan)
        first = since + demand.ticks if isinstance(demand, PaneWidth) else since
        mine = [
            row
            for row in (later if by_rows else found)
            if (row["window_id"], row.get("level")) == (window.window_id, window.level)
        ]
        told += mine if by_rows else [row for row in mine if row["window"][0] >= first]
    return told


def _reaches(row: Row, since: int) -> bool:
    return row["t"] is not None and row["t"] >= since


def _projected(row: Row, query: Query) -> dict[str, Any]:
    """A shared result row with the columns of one query."""
    names = [*query.result_columns, *query.by, *(a.name for a in query.aggregates)]
    names += [name for name in ("revision", "retracted") if name in row]
    return {name: row[name] for name in names}
