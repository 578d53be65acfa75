"""Runs in process return the rows and the types that Spark returns."""

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from pyspark.sql import SparkSession

from panewise import aggregates as agg
from panewise.model import rows as row_count
from panewise.query import Query
from panewise.testing import assert_same_rows, events
from panewise.testing.applicable import examples_for
from panewise.windows import (
    aggregate_frame,
    boundary_frame,
    delta_frame,
    punctuation,
    session,
    sliding,
    threshold_frame,
    tumbling,
)
from tests.conformance.engines import as_oracle, data_frame
from tests.conformance.streams import plan_of, table

WINDOWS = (
    *(tumbling(7), sliding(10, 3), session(3), tumbling(row_count(3)), punctuation("y > 0")),
    *(threshold_frame("y > 0"), boundary_frame("y", edges=[0]), delta_frame("y", 2)),
    *(aggregate_frame(agg.sum("y"), 3), aggregate_frame(agg.count("x"), 2)),
)
TYPES = ("int", "double", "decimal(10,2)", "decimal(38,10)", "string", "date", "timestamp_ntz")

few_jobs = settings(
    max_examples=2,
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
    suppress_health_check=list(HealthCheck),
)


@pytest.mark.parametrize("sql_type", TYPES)
def test_rows_and_types_are_those_of_spark(spark: SparkSession, sql_type: str) -> None:
    skipped = (agg.approx_quantile("x", 0.9).kind_name, agg.approx_count_distinct("x").kind_name)
    aggregates = tuple(a for a in examples_for(sql_type) if a.kind_name not in skipped)
    query = Query("t", ("k",), WINDOWS, aggregates, "seq")
    schema = {"t": "bigint", "k": "string", "x": sql_type, "y": "bigint", "seq": "bigint"}

    @few_jobs
    @given(given_rows=events(sql_type, min_rows=8, max_rows=30))
    def check(given_rows: list[dict[str, Any]]) -> None:
        theirs = plan_of(query).run(data_frame(given_rows, schema)).toArrow()
        ours = plan_of(query).run(table(given_rows, schema))
        assert ours.column_names == theirs.column_names
        for name in ours.column_names:
            mine, other = (bare(each.schema.field(name).type) for each in (ours, theirs))
            assert mine == other, f"{name}: {mine} here, {other} on Spark"
        assert_same_rows(plain(ours), plain(theirs), by=("k",), magnitude=1e3)

    check()


def plain(found: pa.Table) -> list[dict[str, Any]]:
    return [as_oracle(row) for row in found.to_pylist()]


def bare(kind: pa.DataType) -> str:
    """A type without what Spark says of nullability, zones and field names of lists."""
    if pa.types.is_struct(kind):
        return str([(f.name, bare(f.type)) for f in kind])
    if pa.types.is_list(kind):
        return f"list of {bare(kind.value_type)}"
    return "timestamp" if pa.types.is_timestamp(kind) and kind.tz else str(kind)
