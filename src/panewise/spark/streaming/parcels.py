"""What the map side sends: for every task and bucket tables as bytes, in pieces.

Idea: rows are folded where they are read, so few bytes travel, and a bucket gets few values, which
are as large as the caches allow.  Every task tells every bucket its newest time: all buckets have
the same watermark, and quiet keys are closed too.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from panewise.kernels.keys import KeyTable, counting_sort
from panewise.kernels.ranges import NEVER
from panewise.kernels.state import table_of
from panewise.operator.columns import columns_of
from panewise.operator.folding import Folded, Folding
from panewise.operator.rows import Accepted, accepted
from panewise.operator.spans import Spanned, spanned
from panewise.spark.batches import NEAR, larger
from panewise.spark.garbage import set_aside
from panewise.spark.homes import homes_of, labels
from panewise.spark.pieces import in_pieces
from panewise.spark.streaming.job import Job
from panewise.spark.wire import received, sent
from panewise.spark.zones import in_zone, zone_of

_COUNT = np.dtype("<i8")
AHEAD = "__ahead"
"""The column that says whether a row is too far in the future."""
SCHEMA = pa.schema(
    [("bucket", pa.int32()), ("task", pa.int32()), ("piece", pa.int32()), ("bytes", pa.binary())]
)
SQL = "bucket int, task int, piece int, bytes binary"
PIECE = 1 << 17
"""Bytes; a multiple of eight, so that numbers lie as Arrow wants them."""


class Counts(NamedTuple):
    """What a task tells every bucket about all of its rows."""

    newest: int
    rows: int
    null_times: int
    bad_rows: int
    ahead: int


@dataclass(frozen=True)
class Parcel:
    """One task's rows for one bucket."""

    task: int
    counts: Counts
    tables: Mapping[str, pa.Table]

    def parts(self) -> list[bytes | pa.Buffer]:
        """Its bytes, to be joined: counts, then tables."""
        return [np.array(self.counts, _COUNT).tobytes(), *sent(self.tables)]

    @classmethod
    def of(cls, task: int, blob: bytes) -> Parcel:
        """The inverse of `parts`."""
        size = len(Counts._fields)
        counts = Counts(*np.frombuffer(blob, _COUNT, size).tolist())
        return cls(task, counts, received(pa.py_buffer(blob).slice(size * _COUNT.itemsize)))


def parcels_of(frames: Iterable[pd.DataFrame]) -> list[Parcel]:
    """The parcels of a bucket, by task, from their pieces in any order."""
    pieces: dict[int, list[tuple[int, bytes]]] = {}
    for frame in frames:
        for task, piece, part in zip(frame["task"], frame["piece"], frame["bytes"], strict=True):
            pieces.setdefault(task, []).append((piece, part))
    return [
        Parcel.of(task, b"".join(part for _, part in sorted(pieces[task])))
        for task in sorted(pieces)
    ]


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
        order, begins = counting_sort(homes_of(keys.keys, buckets)[code], buckets)
        dealt = events.take(pa.array(order))
        bounds = itertools.pairwise(begins)
        return [{"events": dealt[low:high]} if low < high else {} for low, high in bounds]


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
        counts = Counts(newest, count, null_times, bad_rows, ahead)
        for label, tables in zip(labels(job.buckets), taken.parts(), strict=True):
            _, piece, data = in_pieces([Parcel(task, counts, tables).parts()], PIECE)
            to = (np.full(len(piece), number, np.int32) for number in (label, task))
            yield pa.RecordBatch.from_arrays([*to, piece, data], schema=SCHEMA)
        set_aside()

    return pack


def _tables(part: Folded) -> dict[str, pa.Table]:
    tables = {"keys": part.keys, "values": part.values}
    for name, cells in (("cells", part.cells), ("rows", part.rows)):
        if cells is not None:
            tables[name] = table_of(cells)
    return tables
