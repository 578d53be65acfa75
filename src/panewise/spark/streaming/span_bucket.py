"""A bucket of events with a duration: a span engine, from one micro-batch to the next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from panewise.errors import StateError
from panewise.kernels.ranges import NEVER
from panewise.operator import span_state
from panewise.operator.columns import columns_of
from panewise.operator.span_engine import SpanEngine
from panewise.spark.streaming.changes import Since, described, is_same
from panewise.spark.streaming.job import Job
from panewise.spark.streaming.pages import Name, Page, pages_of
from panewise.spark.streaming.parcels import Parcel


class SpanBucket:
    """What is held for the keys of one bucket, and what was counted."""

    def __init__(self, job: Job) -> None:
        self.job, self.since = job, Since()
        self.engine = SpanEngine(job.bound, job.techniques, job.stream, job.checked)
        self._results = job.results()
        self.newest = self.watermark = NEVER
        self.rows = self.late = 0

    @classmethod
    def restored(
        cls, job: Job, head: Mapping[str, Any], tables: Mapping[str, pa.Table]
    ) -> tuple[SpanBucket, bool]:
        """The bucket of a checkpoint, which is of the same query."""
        bucket = cls(job)
        if not is_same(head, bucket.described()):
            raise StateError(
                "a stream of events with a duration goes on with the windows, aggregates and "
                "strategy that it began with: their slices cannot be cut anew.",
                hint="go on with the plan it was made with, or give a new checkpointLocation.",
            )
        span_state.load(bucket.engine, head["contexts"], tables)
        return bucket, True

    def push(self, parcels: Sequence[Parcel]) -> pa.Table:
        """Take in what all tasks of a batch sent; the windows that are final now, or changed."""
        tables = [p.tables["events"] for p in parcels if "events" in p.tables]
        events = None
        if tables:
            names = self.job.bound.query.columns()
            columns = columns_of(pa.concat_tables(tables), names)
            found = self.engine.accept(columns, self.rows, self.watermark)
            self.late += found.late
            events = self.engine.ingest(found)
        self.rows += sum(parcel.counts.rows for parcel in parcels)
        self.newest = max(self.newest, *(parcel.counts.newest for parcel in parcels))
        if self.newest != NEVER:
            self.watermark = max(self.watermark, self.newest - self.job.stream.delay)
        pieces = self.engine.advance(events, self.watermark)
        return self._results.table(pieces, self.engine.composer)

    def described(self) -> dict[str, Any]:
        """What a checkpoint says about its query."""
        return described(self.job, tiers=span_state.shares_of(self.engine))

    def state(self) -> tuple[dict[str, Any], dict[Name, Page]]:
        """How far it has come, and all that is held."""
        reached, tables = span_state.taken(self.engine)
        longest = max(family.size for _, family in self.engine.families)
        return reached, pages_of(tables, {n: longest for n in tables if n.endswith(".cells")})

    @property
    def cells(self) -> int:
        held = self.engine.holding()
        return held.slices + held.tuples

    @property
    def keys(self) -> int:
        return self.engine.holding().keys
