"""A stream as Spark runs it, without Spark: tasks pack rows, buckets keep state between batches.

Everything but Spark's own part is the real thing; a batch may find the worker's memory empty, so
that its state is read from pages.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

import panewise as pw
from panewise.model.sql_types import arrow_type
from panewise.operator.container import unpacked
from panewise.operator.decisions import Stream
from panewise.operator.registry import Registry
from panewise.operator.span_settings import techniques
from panewise.operator.words import Marked, Words
from panewise.plan import RingPlan
from panewise.spark.streaming import processor
from panewise.spark.streaming.job import Job
from panewise.spark.streaming.parcels import packing
from panewise.spark.streaming.processor import BucketProcessor
from panewise.spark.streaming.telling import NUMBERS, SAID, Telling
from panewise.spark.zones import in_zone, zone_of
from tests.conformance.engines import Row, Schema
from tests.conformance.streams import plan_of, table


class Map:
    """Spark's state of a map; counts the pages that are written, but for the head."""

    def __init__(self) -> None:
        self.values: dict[Any, Any] = {}
        self.written = 0

    def updateValue(self, key: Any, value: Any) -> None:
        self.values[key] = value
        self.written += key != processor.HEAD

    def getValue(self, key: Any) -> Any:
        return self.values.get(key)

    def removeKey(self, key: Any) -> None:
        del self.values[key]

    def iterator(self) -> Iterator[Any]:
        return iter(list(self.values.items()))


class Handle:
    """All state of one bucket."""

    def __init__(self) -> None:
        self.pages = Map()

    def getMapState(self, *_: Any) -> Map:
        return self.pages


def job_of(
    query: pw.Query, schema: Schema, *, delay: int, lateness: int = 0, buckets: int = 2
) -> Job:
    return _job(plan_of(query), schema, Stream(delay, lateness), buckets)


def ring_job(plan: RingPlan, schema: Schema, *, delay: int, lateness: int = 0) -> Job:
    asked, item = plan.query, None
    if asked.items is not None:
        schema = {
            **schema,
            asked.items.word: schema[asked.items.column],
            asked.items.bits: "bigint",
        }
        item = arrow_type(schema[asked.items.column])
    job = _job(plan, schema, Stream(delay, lateness), 2)
    return replace(job, rings=asked, item=item)


def span_job(plan: pw.Plan, schema: Schema, stream: Stream) -> Job:
    return replace(_job(plan, schema, stream, 2), techniques=techniques(plan))


def read(rows: Sequence[Row], schema: Schema, job: Job) -> pa.Table:
    """The rows of a task in the session's zone, with the bits of items as Spark makes them."""
    found = in_zone(table(rows, schema), zone_of(job.types))
    if job.rings is None or job.rings.items is None:
        return found
    marked = Marked.of(job.rings, found, Words)
    return marked.applied(found, job.rings.inner.columns())


def _job(plan: pw.Plan | RingPlan, schema: Schema, stream: Stream, buckets: int) -> Job:
    query = plan.query.inner if isinstance(plan, RingPlan) else plan.query
    types = pa.schema([(name, arrow_type(schema[name])) for name in query.columns()])
    return Job(Registry.of_plan(plan), types, stream, buckets, True, "test")


def said(frame: pd.DataFrame) -> dict[str, str]:
    """What a bucket says in a frame, by name."""
    text = frame[SAID][0]
    return {} if pd.isna(text) else dict(zip(NUMBERS, text.split(","), strict=True))


def results(frame: pd.DataFrame, way: Telling) -> list[pa.Table]:
    """What Spark makes of a frame: a table of every row."""
    lists = [pa.array(frame[name]) for name in frame.columns if name != SAID]
    return [
        _restored([each[row].values for each in lists], way)
        for row in range(len(frame))
        if lists[0][row].is_valid
    ]


def _restored(columns: list[pa.Array], way: Telling) -> pa.Table:
    names, lengths = list(way.windows), list(way.windows.values())
    number = [0] * len(columns[0])
    found = []
    for field in way.results:
        if field.name == "window":
            bounds = [columns.pop(0)]
            kind = field.type[0].type
            if pa.types.is_timestamp(kind) and kind.tz and None not in lengths:
                ticks = pa.array([lengths[n] for n in number])
                bounds.append(pc.add(bounds[0].cast(pa.int64()), ticks))
            else:
                bounds.append(columns.pop(0))
            both = [each.cast(kind.type) for each, kind in zip(bounds, field.type, strict=True)]
            found.append(pa.StructArray.from_arrays(both, fields=list(field.type)))
        elif field.name == "window_id":
            if len(names) > 1:
                number = columns.pop(0).to_pylist()
            found.append(pa.array([names[each] for each in number]).cast(field.type))
        else:
            found.append(columns.pop(0).cast(field.type))
    assert not columns
    return pa.table([pa.chunked_array([each]) for each in found], schema=way.results)


class Played:
    """A streaming query, batch by batch."""

    def __init__(self, job: Job, schema: Schema, *, at_once: int | None = None) -> None:
        """Tasks may be handed their rows in Arrow batches of `at_once` at most."""
        self.job, self.schema, self._at_once = job, schema, at_once
        self.handles: dict[int, Handle] = {}
        self.late = 0

    def push(
        self, tasks: Sequence[Sequence[Row]], *, forget: bool = False, job: Job | None = None
    ) -> list[pa.Table]:
        """One batch, read by some tasks; with `forget` by workers that were just started."""
        if forget:
            processor._memory.clear()
        job = job or self.job
        parcels = [
            parcel
            for number, rows in enumerate(tasks)
            for packed in packing(job)(read(rows, self.schema, job).to_batches(self._at_once))
            for parcel in packed.to_pandas().assign(task=number).to_dict("records")
        ]
        told = []
        for bucket in sorted({parcel["bucket"] for parcel in parcels}):
            mine = pd.DataFrame([parcel for parcel in parcels if parcel["bucket"] == bucket])
            way = Telling(job.schema, job.windows)
            step = BucketProcessor(job, way)
            step.init(self.handles.setdefault(bucket, Handle()))  # type: ignore[arg-type]
            for frame in step.handleInputRows((bucket,), iter([mine]), None):
                self.late += int(said(frame).get("late", 0))
                told += results(frame, way)
        return told

    def watermarks(self) -> dict[int, int]:
        """What each bucket has stored."""
        return {
            bucket: unpacked(handle.pages.values[processor.HEAD][0])[0]["watermark"]
            for bucket, handle in self.handles.items()
        }
