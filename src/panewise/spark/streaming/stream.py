"""A plan and a streaming DataFrame into a streaming DataFrame.

rows --fold and pack, where they are read--> parcels --one bucket per group--> results

Nothing is set globally: what the session must have is checked, and said.
"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructField, StructType

from panewise.errors import QueryError, SchemaError
from panewise.model import Duration, parse_size
from panewise.operator.decisions import Stream
from panewise.operator.frames import FramesAsked
from panewise.operator.moments import ticks_between
from panewise.operator.registry import AnyPlan, Registry
from panewise.operator.span_settings import techniques, waiting
from panewise.plan import Plan, RingPlan
from panewise.plan.running import Streaming
from panewise.spark.binding import Binding
from panewise.spark.expressions import quoted
from panewise.spark.session import ROCKSDB
from panewise.spark.streaming.job import Job
from panewise.spark.streaming.parcels import AHEAD, SQL, packing
from panewise.spark.streaming.processor import BucketProcessor
from panewise.spark.streaming.progress import METRICS, SUMMED
from panewise.spark.streaming.telling import Telling, heard
from panewise.spark.words import marked

_PROVIDER = "spark.sql.streaming.stateStore.providerClass"
_DELAY = "spark.watermarkDelayMs"


def run(plan: AnyPlan, events: DataFrame, asked: Streaming) -> DataFrame:
    """The windows of a stream, as they become final."""
    ringed = plan.query if isinstance(plan, RingPlan) else None
    item = None
    if ringed is not None and ringed.items is not None:
        outer = Binding.of(ringed.outer, events)
        item = _types(outer).field(ringed.items.column).type
        events = marked(ringed, events)
    plan = plan.plan if isinstance(plan, RingPlan) else plan
    query = plan.query if isinstance(plan, Plan) else plan.plan.query
    registry = Registry.of_plan(plan)
    binding = Binding.of(query, events)
    _check_session(events)
    count = _checked_buckets(asked.buckets, events)
    metrics = _metrics(asked.name)
    timed = binding.measure.counts_time
    late = ticks_between("lateness", asked.lateness or 0, timed)
    wait = waiting(query, asked.postpone, asked.completeness, timed)
    stream = Stream(_delay(binding, asked.delay), late, *wait)
    frames = FramesAsked(asked.report or "close", asked.period, "auto", asked.evict)
    stream = replace(stream, frames=frames.policy(query, stream, timed))
    job = Job(
        registry=registry,
        types=_types(binding),
        stream=stream,
        buckets=count,
        checked=binding.ansi,
        identity=os.urandom(8).hex(),
        techniques=techniques(plan),
        rings=ringed,
        item=item,
    )
    rows = _rows(binding, asked.max_ahead)
    parcels = rows.mapInArrow(packing(job), SQL)
    way = Telling(job.schema, job.windows)
    mode = "Update" if stream.revises else "Append"
    told = parcels.groupBy("bucket").transformWithStateInPandas(
        BucketProcessor(job, way), way.schema, mode, "None"
    )
    unit = "_us" if binding.measure.counts_time else ""
    return way.rows(told.observe(metrics, heard(unit).alias(SUMMED)))


def _types(binding: Binding) -> pa.Schema:
    """The columns of the query as workers get them."""
    fields = [StructField(name, binding.fields[name].dataType) for name in binding.query.columns()]
    return to_arrow_schema(StructType(fields), timezone=binding.time_zone)


def _rows(binding: Binding, max_ahead: object) -> DataFrame:
    """The query's columns, and whether a row is too far in the future."""
    columns = [
        f"{quoted(binding.fields[name].name)} AS {quoted(name)}" for name in binding.query.columns()
    ]
    if max_ahead is not None:
        size = parse_size(max_ahead)
        forward = isinstance(size, Duration) and size.ticks >= 0
        if not binding.measure.counts_time or not forward:
            raise QueryError(
                "max_ahead is how far, in time, a row may be ahead of the clock: got "
                f'{max_ahead!r} for "{binding.query.time}", which is '
                f"{binding.types[binding.query.time].upper()}.",
                hint='write max_ahead="1 hour" for a time column.',
            )
        # the time of the batch, which is in the checkpoint: the same when it is computed again
        assert isinstance(size, Duration)
        limit = f"current_timestamp() + INTERVAL '{size.ticks / 1e6:.6f}' SECOND"
        time = _newest(binding)
        columns.append(f"CAST({time} AS TIMESTAMP) > {limit} AS {AHEAD}")
    return binding.events.selectExpr(*columns)


def _newest(binding: Binding) -> str:
    """The time that moves the watermark: of events with a duration, when they end."""
    query = binding.query
    time = quoted(binding.fields[query.time].name)
    if query.until is None:
        return time
    until = quoted(binding.fields[query.until].name)
    return f"{time} + {until}" if binding.types[query.until].startswith("interval") else until


def _delay(binding: Binding, given: object) -> int:
    """How late rows may be: as given, or as `withWatermark` says."""
    if given is not None:
        return ticks_between("delay", given, binding.measure.counts_time)
    # events with a duration are known when they end
    name = binding.query.until or binding.query.time
    stored: Any = binding.fields[name].metadata.get(_DELAY)
    if stored is None:
        raise QueryError(
            f'a stream needs to know how late rows may be: "{name}" has no watermark, and no '
            "delay is given.",
            hint=f'events.withWatermark("{name}", "10 seconds"), or '
            'plan.run(events, delay="10 s").',
        )
    return int(stored) * 1000


def _checked_buckets(given: int | None, events: DataFrame) -> int:
    if given is None:
        return int(str(events.sparkSession.conf.get("spark.sql.shuffle.partitions")))
    if isinstance(given, bool) or not isinstance(given, int) or given < 1:
        raise QueryError(
            f"buckets is a number of at least 1: got {given!r}.",
            hint="leave it out: as many as spark.sql.shuffle.partitions.",
        )
    return given


def _metrics(name: object) -> str:
    """What the counts are observed as: a query of Spark's has each name once."""
    if name is None:
        return METRICS
    if not isinstance(name, str) or not name:
        raise QueryError(
            f"name is what the counts of a stream are called: got {name!r}.",
            hint=f'name="alerts" has them observed as "{METRICS}.alerts"; or leave it out.',
        )
    return f"{METRICS}.{name}"


def _check_session(events: DataFrame) -> None:
    provider = events.sparkSession.conf.get(_PROVIDER)
    if provider != ROCKSDB:
        raise SchemaError(
            f"streams keep their state in RocksDB: {_PROVIDER} is {provider}.",
            hint=f'panewise.spark.session() has it, or spark.conf.set("{_PROVIDER}", "{ROCKSDB}").',
        )
