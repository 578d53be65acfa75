"""Engines under test: each takes a query and rows, and returns rows as the oracle does.

A new engine joins every conformance test by being entered here.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

import panewise as pw
from panewise.errors import QueryError
from panewise.model.sql_types import arrow_type

Row = Mapping[str, Any]
Schema = Mapping[str, str]


@dataclass(frozen=True)
class Engine:
    """`run` computes; `fits` says whether the engine answers such a query at all."""

    run: Callable[[pw.Query, Sequence[Row], Schema], list[dict[str, Any]]]
    fits: Callable[[pw.Query], bool]


def spark_batch(strategy: str) -> Engine:
    """Spark batch with plans of one strategy."""

    def plan(query: pw.Query) -> pw.Plan:
        return pw.plan(
            time=query.time,
            by=query.by,
            windows=query.windows,
            aggregates=query.aggregates,
            order_by=query.order_by,
            strategy=strategy,
        )

    def run(query: pw.Query, rows: Sequence[Row], schema: Schema) -> list[dict[str, Any]]:
        answered = plan(query).run(data_frame(rows, schema))
        return [as_oracle(row) for row in answered.toArrow().to_pylist()]

    def fits(query: pw.Query) -> bool:
        try:
            plan(query)
        except QueryError:
            return False
        return True

    return Engine(run, fits)


ENGINES: dict[str, Engine] = {
    "spark batch": spark_batch("auto"),
    "spark slices": spark_batch("slices"),
    "spark edges": spark_batch("edges"),
    "spark factor": spark_batch("factor"),
}


def data_frame(rows: Sequence[Row], schema: Schema) -> DataFrame:
    """Python rows as a DataFrame of these SQL types."""
    fields = pa.schema([(name, arrow_type(kind)) for name, kind in schema.items()])
    table = pa.Table.from_pylist([{name: row[name] for name in schema} for row in rows], fields)
    # Arrow times without a zone would become TIMESTAMP if the types were left to Spark.
    declared = ", ".join(f"`{name}` {kind}" for name, kind in schema.items())
    return SparkSession.active().createDataFrame(table, declared)


def as_oracle(row: Row) -> dict[str, Any]:
    """A result row with the window as a pair, and times in UTC whatever the session's zone."""
    window = row["window"]
    pair = (plain(window["start"]), plain(window["end"]))
    return {name: pair if name == "window" else plain(value) for name, value in row.items()}


def plain(value: Any) -> Any:
    if isinstance(value, datetime) and value.tzinfo is not None:
        return value.astimezone(UTC)
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    return value
