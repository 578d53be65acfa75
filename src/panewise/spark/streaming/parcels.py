"""What the map side sends: for every task and bucket one row with tables as bytes.

Idea: rows are folded where they are read, so few bytes travel, and a bucket gets few large values
instead of many small ones.  Every task tells every bucket its newest time: all buckets have the
same watermark, and quiet keys are closed too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from panewise.kernels.keys import KeyTable
from panewise.kernels.ranges import NEVER
from panewise.kernels.state import table_of
from panewise.operator.columns import columns_of
from panewise.operator.folding import Folded, Folding
from panewise.operator.rows import Accepted, accepted
from panewise.operator.spans import Spanned, spanned
from panewise.spark.batches import NEAR, larger
from panewise.spark.garbage import set_aside
from panewise.spark.homes import homes_of, labels
from panewise.spark.streaming.job import Job
from panewise.spark.wire import received, sent
from panewise.spark.zones import in_zone, zone_of

AHEAD = "__ahead"
"""The column that says whether a row is too far in the future."""
PARCELS = pa.schema(
    [
        ("bucket", pa.int32()),
        ("task", pa.int32()),
        ("newest", pa.int64()),
        ("rows", pa.int64()),
        ("null_times", pa.int64()),
        ("bad_rows", pa.int64()),
        ("ahead", pa.int64()),
        ("blob", pa.binary()),
    ]
)
SQL = (
    "bucket int, task int, newest bigint, rows bigint, null_times bigint, bad_rows bigint, "
    "ahead bigint, blob binary"
)


@dataclass(frozen=True)
class Parcel:
    """One task's rows for one bucket."""

    task: int
    newest: int
    rows: int
    """Rows that the task read; those of all buckets."""
    null_times: int
    bad_rows: int
    ahead: int
    tables: Mapping[str, pa.Table]

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Parcel:
        return cls(
            task=int(row["task"]),
            newest=int(row["newest"]),
            rows=int(row["rows"]),
            null_times=int(row["null_times"]),
            bad_rows=int(row["bad_rows"]),
            ahead=int(row["ahead"]),
            tables=received(row["blob"]),
        )


class Cells:
    """Rows folded into cells; those that must stay rows stay rows."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._folding = Folding(job.bound, job.counting)

    def accept(self, columns: Mapping[str, pa.Array], first: int) -> Accepted:
        """The rows that take part."""
        return accepted(columns, self._job.bound.query, first)

    def add(self, rows: Accepted) -> None:
        self._folding.add(rows)

    def parts(self) -> list[dict[str, pa.Table]]:
        """What each bucket gets."""
        folded, buckets = self._folding.folded(), self._job.buckets
        home = homes_of(folded.keys.select(self._job.homely), buckets)
        if not self._job.homely:  # one for all
            home = np.zeros(max(len(folded.keys), 1), np.int64)
        return [_tables(part) for part in folded.split(home, buckets)]


class Events:
    """Events with a duration, as they are: a bucket has one form of cells for each technique."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._kept: list[pa.Table] = []

    def accept(self, columns: Mapping[str, pa.Array], first: int) -> Spanned:
        """The events that take part."""
        del first  # no event is before another
        return spanned(columns, self._job.bound.query)

    def add(self, events: Spanned) -> None:
        self._kept.append(pa.table(dict(events.columns)))

    def parts(self) -> list[dict[str, pa.Table]]:
        """What each bucket gets."""
        bound, buckets = self._job.bound, self._job.buckets
        if not self._kept:
            return [{} for _ in range(buckets)]
        events = pa.concat_tables(self._kept).combine_chunks()
        keys = KeyTable(bound.key_schema)
        code = keys.encode(events.select(bound.query.by))
        home = homes_of(keys.keys, buckets)[code]
        own = (np.flatnonzero(home == number) for number in range(buckets))
        return [{"events": events.take(pa.array(rows))} if len(rows) else {} for rows in own]


def packing(job: Job) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """What a task does with its rows."""
    names, zone = job.bound.query.columns(), zone_of(job.types)

    def pack(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from pyspark import TaskContext

        taken: Any = Events(job) if job.bound.query.spanning else Cells(job)
        count = null_times = bad_rows = ahead = 0
        newest = NEVER
        for batch in larger(batches, NEAR):
            first, count = count, count + batch.num_rows
            if AHEAD in batch.schema.names:
                near = pc.invert(batch.column(AHEAD).fill_null(False))
                ahead += batch.num_rows - near.true_count
                batch = batch.filter(near)
            # an answer may be started again in a session with another zone
            rows = taken.accept(columns_of(in_zone(batch, zone), names), first)
            null_times += rows.null_times
            bad_rows += rows.bad_rows
            if len(rows):
                newest = max(newest, rows.high)
                taken.add(rows)
        if not count:
            return
        context = TaskContext.get()
        task = 0 if context is None else context.partitionId()
        yield pa.RecordBatch.from_pylist(
            [
                {
                    "bucket": label,
                    "task": task,
                    "newest": newest,
                    "rows": count,
                    "null_times": null_times,
                    "bad_rows": bad_rows,
                    "ahead": ahead,
                    "blob": sent(tables),
                }
                for label, tables in zip(labels(job.buckets), taken.parts(), strict=True)
            ],
            schema=PARCELS,
        )
        set_aside()

    return pack


def _tables(part: Folded) -> dict[str, pa.Table]:
    tables = {"keys": part.keys, "values": part.values}
    for name, cells in (("cells", part.cells), ("rows", part.rows)):
        if cells is not None:
            tables[name] = table_of(cells)
    return tables
