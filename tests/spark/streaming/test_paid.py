"""What every result and every task pays for: kept small, whatever the rows are."""

from typing import Any

import pyarrow as pa
from pyspark.sql import SparkSession
from pyspark.sql.types import StructType

import panewise as pw
from panewise.spark.streaming.processor import BucketProcessor
from panewise.spark.streaming.telling import Telling

PLAN = pw.plan(time="timestamp", windows=[pw.tumbling("10 s")], aggregates=[pw.sum("value")])


def test_one_aggregate_is_observed(spark: SparkSession) -> None:
    """Spark updates each of them for every row that the stateful step gives."""
    rows = spark.readStream.format("rate").load()
    told: Any = PLAN.run(rows, delay="1 s")
    metrics = told._jdf.queryExecution().analyzed().toString().split("CollectMetrics")[1]
    observed = metrics.splitlines()[0]
    assert observed.count("collect_set(") == 1
    assert "sum(" not in observed
    assert "max(" not in observed


def test_types_of_the_state_are_not_asked_for() -> None:
    """Types as texts are sent to the JVM by every task, to be understood there."""
    given: list[Any] = []

    class Handle:
        def getMapState(self, _: str, *types: Any) -> None:
            given.extend(types)

    job: Any = None
    BucketProcessor(job, Telling(pa.schema([]), {})).init(Handle())  # type: ignore[arg-type]
    assert [type(each) for each in given] == [StructType] * 2
