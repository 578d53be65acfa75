"""Streams for the operator: rows in arrival order, cut into batches, and what a reader makes of the
results."""

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

import panewise as pw
from panewise.model.sql_types import arrow_type
from panewise.operator import Operator
from tests.conformance.engines import Row, Schema, as_oracle

Rows = list[dict[str, Any]]


def table(rows: Sequence[Row], schema: Schema) -> pa.Table:
    """Python rows as an Arrow table of these SQL types."""
    fields = pa.schema([(name, arrow_type(kind)) for name, kind in schema.items()])
    return pa.Table.from_pylist([{name: row[name] for name in schema} for row in rows], fields)


def plan_of(query: pw.Query) -> pw.Plan:
    return pw.plan(
        time=query.time,
        by=query.by,
        windows=query.windows,
        aggregates=query.aggregates,
        order_by=query.order_by,
    )


def cuts(count: int) -> st.SearchStrategy[list[int]]:
    """Places to cut `count` rows at; a batch may be empty."""
    return st.lists(st.integers(0, count), max_size=5).map(sorted)


def batches(rows: Sequence[Row], at: Sequence[int]) -> Iterator[list[Row]]:
    bounds = [0, *at, len(rows)]
    for low, high in itertools.pairwise(bounds):
        yield list(rows[low:high])


def run(op: Operator, rows: Sequence[Row], at: Sequence[int], schema: Schema) -> list[pa.Table]:
    """Every result of the stream, the flush included."""
    told = [op.push(table(batch, schema)) for batch in batches(rows, at)]
    return [*told, op.flush()]


def plain(tables: Sequence[pa.Table]) -> Rows:
    return [as_oracle(row) for each in tables for row in each.to_pylist()]


class Reader:
    """Applies results in order, as a table that is upserted would."""

    def __init__(self, by: Sequence[str]) -> None:
        self._by = tuple(by)
        self.rows: dict[tuple[Any, ...], list[dict[str, Any]]] = {}

    def apply(self, told: Rows) -> None:
        """Windows are replaced by later revisions, and vanish when they are retracted."""
        retracted = [row for row in told if row.get("retracted")]
        for row in [*retracted, *(row for row in told if not row.get("retracted"))]:
            name = self._name(row)
            row = dict(row)
            revision, gone = row.pop("revision", 0), row.pop("retracted", False)
            known = self.rows.get(name, [])
            if revision == 0 and not gone:
                self.rows[name] = [*known, row]  # marks at one time make windows alike
                continue
            assert known, f"revised before it was told: {row}"
            self.rows[name] = known[1:] if gone else [*known[1:], row]
            if not self.rows[name]:
                del self.rows[name]

    def all(self) -> Rows:
        return [row for rows in self.rows.values() for row in rows]

    def _name(self, row: Row) -> tuple[Any, ...]:
        number = row.get("window_no")
        window = row["window"] if number is None else number
        keys = (repr(row[key]) for key in self._by)
        return (row["window_id"], row.get("level"), window, *keys)
