"""What a worker does with packets of rows, run in this process."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import panewise as pw
from panewise.plan import Way
from panewise.spark import kernel, packets, worker
from panewise.spark.binding import Binding
from panewise.spark.homes import labels
from panewise.spark.packets import HOME, ORDER, packed
from panewise.spark.worker import Job

WINDOWS = [pw.threshold_frame("x > 1"), pw.aggregate_frame(pw.sum("x"), 7), pw.tumbling(pw.rows(5))]
PLAN = pw.plan(time="t", by=["k"], windows=WINDOWS, aggregates=[pw.collect("x"), pw.count()])
Batches = Sequence[pa.RecordBatch]


@pytest.fixture(scope="module")
def job_and_rows(spark: SparkSession) -> tuple[Job, pa.RecordBatch]:
    """Rows in no order of time, many of them at one time."""
    events = spark.sql(
        "SELECT id * 37 % 50 AS t, id * id % 3 AS k, id * 7 % 5 AS x FROM range(120)"
    )
    binding = Binding.of(PLAN.query, events)
    (tree,) = (tree for tree in PLAN.trees if tree.way is Way.ROWS)
    job = kernel.row_job(tree, binding, kernel.kernel_schema(binding))
    rows = binding.rows.selectExpr("*", f"0 AS {HOME}").toArrow().combine_chunks()
    return job, rows.to_batches()[0]


def sent(rows: pa.RecordBatch, size: int) -> Batches:
    """As several tasks send them, in the order in which Spark hands them on."""
    named = np.array(labels(1), np.int32)
    parts = [packed(rows.slice(at, size), named, at << 32) for at in range(0, len(rows), size)]
    table = pa.Table.from_batches(parts)
    return table.sort_by([(name, "ascending") for name in ORDER]).to_batches(max_chunksize=3)


def told(job: Job, batches: Batches) -> list[Any]:
    return sorted(repr(row) for batch in job.run(batches) for row in batch.to_pylist())


@pytest.mark.parametrize(("size", "rows", "push"), [(7, 2, 1), (40, 3, 10), (120, 4, 1)])
def test_tasks_packets_and_pushes_of_any_size(
    job_and_rows: tuple[Job, pa.RecordBatch],
    size: int,
    rows: int,
    push: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    job, given = job_and_rows
    whole = told(job, sent(given, len(given)))
    assert len(whole) > 70
    monkeypatch.setattr(packets, "ROWS", rows)
    monkeypatch.setattr(packets, "PIECE", 256)
    monkeypatch.setattr(worker, "PUSH_ROWS", push)
    assert told(job, sent(given, size)) == whole


def test_rows_are_let_go_as_time_passes(
    job_and_rows: tuple[Job, pa.RecordBatch], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker need not hold all of its rows."""
    job, given = job_and_rows
    held: list[int] = []
    push = type(job).push

    def watched(self: Job, composer: Any, table: pa.Table, newest: int) -> Any:
        yield from push(self, composer, table, newest)
        held.append(len(composer.waiting))

    monkeypatch.setattr(type(job), "push", watched)
    monkeypatch.setattr(packets, "ROWS", 2)
    monkeypatch.setattr(worker, "PUSH_ROWS", 1)
    assert told(job, sent(given, 40))
    assert len(held) > 10 and max(held) < 30


def test_nothing_comes_of_nothing(job_and_rows: tuple[Job, pa.RecordBatch]) -> None:
    job, rows = job_and_rows
    assert list(job.run([])) == []
    assert list(job.run([sent(rows, 120)[0].slice(0, 0)])) == []
