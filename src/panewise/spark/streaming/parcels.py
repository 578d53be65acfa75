"""What the map side sends: for every task and bucket one row with folded rows as bytes.

Idea: rows are folded where they are read, so few bytes travel, and a bucket gets few large values
instead of many small ones.  Every task tells every bucket its newest time: all buckets have the
same watermark, and quiet keys are closed too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from panewise.kernels.ranges import NEVER
from panewise.kernels.state import cells_of, table_of
from panewise.operator.columns import columns_of
from panewise.operator.container import packed, unpacked
from panewise.operator.folding import Folded, Folding
from panewise.operator.rows import accepted
from panewise.spark.streaming.homes import homes_of, labels
from panewise.spark.streaming.job import Job

AHEAD = "__ahead"
"""The column that says whether a row is too far in the future."""
PARCELS = pa.schema(
    [
        ("bucket", pa.int32()),
        ("task", pa.int32()),
        ("newest", pa.int64()),
        ("rows", pa.int64()),
        ("null_times", pa.int64()),
        ("ahead", pa.int64()),
        ("blob", pa.binary()),
    ]
)
SQL = (
    "bucket int, task int, newest bigint, rows bigint, null_times bigint, ahead bigint, blob binary"
)


@dataclass(frozen=True)
class Parcel:
    """One task's rows for one bucket."""

    task: int
    newest: int
    rows: int
    """Rows that the task read; those of all buckets."""
    null_times: int
    ahead: int
    folded: Folded

    @classmethod
    def of(cls, job: Job, row: Mapping[str, Any]) -> Parcel:
        _, tables = unpacked(row["blob"])
        cells, single = (
            cells_of(tables[name], job.counting.partials) if name in tables else None
            for name in ("cells", "rows")
        )
        folded = Folded(cells, single, tables["keys"], tables["values"])
        return cls(
            task=int(row["task"]),
            newest=int(row["newest"]),
            rows=int(row["rows"]),
            null_times=int(row["null_times"]),
            ahead=int(row["ahead"]),
            folded=folded,
        )


def packing(job: Job) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """What a task does with its rows."""
    names = job.bound.query.columns()

    def pack(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from pyspark import TaskContext

        folding = Folding(job.bound, job.counting)
        count = null_times = ahead = 0
        newest = NEVER
        for batch in batches:
            count += batch.num_rows
            if AHEAD in batch.schema.names:
                near = pc.invert(batch.column(AHEAD).fill_null(False))
                ahead += batch.num_rows - near.true_count
                batch = batch.filter(near)
            rows = accepted(columns_of(batch, names), job.bound.query, count)
            null_times += rows.null_times
            if len(rows.ticks):
                newest = max(newest, rows.high)
                folding.add(rows)
        if not count:
            return
        context = TaskContext.get()
        task = 0 if context is None else context.partitionId()
        folded = folding.folded()
        parts = folded.split(homes_of(folded.keys, job.buckets), job.buckets)
        yield pa.RecordBatch.from_pylist(
            [
                {
                    "bucket": label,
                    "task": task,
                    "newest": newest,
                    "rows": count,
                    "null_times": null_times,
                    "ahead": ahead,
                    "blob": packed({}, _tables(part)),
                }
                for label, part in zip(labels(job.buckets), parts, strict=True)
            ],
            schema=PARCELS,
        )

    return pack


def _tables(part: Folded) -> dict[str, pa.Table]:
    tables = {"keys": part.keys, "values": part.values}
    for name, cells in (("cells", part.cells), ("rows", part.rows)):
        if cells is not None:
            tables[name] = table_of(cells)
    return tables
