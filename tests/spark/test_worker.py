"""What a worker does with its partition, run in this process."""

from collections.abc import Iterator, Sequence

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import panewise as pw
from panewise.optimizer import pane_edges
from panewise.plan import Node, Tree, Way
from panewise.spark import kernel, slice, worker
from panewise.spark.binding import Binding
from panewise.spark.worker import Job
from panewise.testing import assert_same_rows

PLAN = pw.plan(
    time="t",
    by=["k"],
    windows=[pw.sliding(30, 4), pw.tumbling(7), pw.session(5), pw.cumulating(5, 20)],
    aggregates=[pw.sum("x"), pw.max("x"), pw.median("x"), pw.collect("x"), pw.variance("x")],
)
PANES = pane_edges(PLAN.query.windows)
TREE = Tree(
    (Node(PANES), *(Node(w.demand(), 0, i) for i, w in enumerate(PLAN.query.windows))),
    Way.KERNEL,
    aggregates=(0, 1, 2, 3, 4),
)


@pytest.fixture(scope="module")
def job_and_cells(spark: SparkSession) -> tuple[Job, pa.Table]:
    events = spark.sql("SELECT id - 20 AS t, id * id % 3 AS k, id * 7 % 5 AS x FROM range(60)")
    binding = Binding.of(PLAN.query, events.where("t % 11 > 0"))
    cells = slice.cells(binding, binding.rows, PANES, times=True)
    job = kernel.cell_job(TREE, binding, kernel.kernel_schema(binding))
    return job, cells.toArrow().sort_by("p")


def cut(cells: pa.Table, rows: int) -> Iterator[pa.RecordBatch]:
    for batch in cells.to_batches(max_chunksize=rows):
        yield batch
        yield batch.slice(0, 0)  # Spark sends empty ones too


def run(job: Job, batches: Iterator[pa.RecordBatch]) -> Sequence[dict]:
    rows = [row for batch in job.run(batches) for row in batch.to_pylist()]
    names = {"w": "window_id", "k0": "k"}
    return [
        {**{names.get(n, n): v for n, v in row.items()}, "window": (row["s"], row["e"])}
        for row in rows
    ]


@pytest.mark.parametrize(("rows", "push"), [(1, 1), (3, 10), (1000, 1)])
def test_batches_and_pushes_of_any_size(
    job_and_cells: tuple[Job, pa.Table], rows: int, push: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    job, cells = job_and_cells
    whole = run(job, cut(cells, len(cells)))
    monkeypatch.setattr(worker, "PUSH_ROWS", push)
    got = run(job, cut(cells, rows))
    lists = [n for n in got[0] if isinstance(got[0][n], list)]
    for row in [*got, *whole]:  # lists of cells are joined in any order and sorted when lowered
        row.update({n: sorted(row[n], key=str) for n in lists})
    assert len(whole) > 50
    assert_same_rows(got, whole, by=["k"])


def test_nothing_comes_of_nothing(job_and_cells: tuple[Job, pa.Table]) -> None:
    job, cells = job_and_cells
    assert list(job.run([])) == []
    assert list(job.run([cells.to_batches()[0].slice(0, 0)])) == []


def test_columns_come_in_the_order_and_types_that_spark_expects(
    job_and_cells: tuple[Job, pa.Table],
) -> None:
    job, cells = job_and_cells
    batches = list(job.run(cells.to_batches()))
    assert {batch.schema for batch in batches} == {job.schema}
