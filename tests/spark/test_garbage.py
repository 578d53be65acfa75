"""Spark collects garbage after every task of a Python worker; modules are not looked through."""

import gc
from collections.abc import Iterable, Iterator

import pyarrow as pa
from pyspark.sql import SparkSession

from panewise.spark.garbage import MANY, set_aside


def test_a_worker_keeps_its_modules_out_of_later_collections(spark: SparkSession) -> None:
    def tracked(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import panewise.spark.streaming.processor  # noqa: F401

        for _ in batches:
            before = len(gc.get_objects())
            set_aside()
            yield pa.record_batch({"before": [before], "after": [len(gc.get_objects())]})

    rows = spark.range(1).coalesce(1).mapInArrow(tracked, "before bigint, after bigint").collect()
    assert all(row["after"] < MANY for row in rows)


def test_other_processes_are_left_as_they_are() -> None:
    frozen = gc.get_freeze_count()
    set_aside()
    assert gc.get_freeze_count() == frozen
