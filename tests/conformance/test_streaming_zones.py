"""A stream goes on in a session with another time zone: the same moments, shown in that zone."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pyarrow as pa
import pytest

import panewise as pw
from panewise.errors import StateError
from panewise.operator.decisions import Stream
from panewise.query import Query
from panewise.spark.streaming import processor
from panewise.spark.streaming.job import Job
from panewise.spark.zones import in_zone, zone_of
from panewise.testing import assert_same_rows, oracle
from tests.conformance.buckets import Played, job_of, ring_job, span_job
from tests.conformance.streams import plain

START = datetime(2024, 3, 31, 0, 30, tzinfo=UTC)
"""Half an hour before clocks in Berlin go forward."""
SCHEMA = {"ts": "timestamp", "day": "timestamp", "seen": "timestamp", "x": "bigint"}
ROWS = [
    {
        "ts": START + timedelta(minutes=4 * n),
        "day": START + timedelta(days=n % 2),
        "seen": START - timedelta(seconds=n % 5),
        "x": n % 7,
    }
    for n in range(30)
]
FAR: dict[str, Any] = {**ROWS[0], "ts": START + timedelta(days=9), "x": 0}
WINDOWS = (
    pw.tumbling("20 min"),
    pw.session("4 min"),
    pw.tumbling(pw.rows(4)),
    pw.punctuation("x = 0"),
    pw.delta_frame("x", 3),
)
MOMENTS = (pw.last("seen"), pw.max("seen"), pw.collect("seen"), pw.median("x"), pw.mode("seen"))


def zoned(job: Job, zone: str) -> Job:
    """The same job in another session."""
    item = None if job.item is None else pa.timestamp("us", zone)
    return replace(job, types=in_zone(job.types.empty_table(), zone).schema, item=item)


def in_all(job: Job, zones: list[str]) -> list[Job]:
    return [zoned(job, zone) for zone in zones]


def zones_in(kind: pa.DataType) -> set[str]:
    inner = (zones_in(kind.field(at).type) for at in range(kind.num_fields))
    own = {kind.tz} if pa.types.is_timestamp(kind) else set()
    return own.union(*inner)


def run(jobs: list[Job], rows: list[dict[str, Any]], schema: dict[str, str]) -> list[pa.Table]:
    """One batch for each session, and what the last one tells once all windows are closed."""
    processor._memory.clear()
    played, share = Played(jobs[0], schema), len(rows) // len(jobs)
    for number, job in enumerate(jobs):
        end = len(rows) if number == len(jobs) - 1 else (number + 1) * share
        assert not played.push([rows[number * share : end]], forget=True, job=job)
    told = played.push([[FAR | {"until": FAR["ts"]}]], job=jobs[-1])
    for table in told:
        found = set().union(*(zones_in(field.type) for field in table.schema))
        assert found == {zone_of(jobs[-1].types)}
    return told


SESSIONS = ["UTC", "Europe/Berlin", "+05:30"]


def test_rows_and_cells() -> None:
    """Keys, counted values, partials, lists and single rows; pages of all sessions are there."""
    query = Query("ts", ("day",), WINDOWS, MOMENTS)
    job = job_of(query, SCHEMA, delay=10**12)
    told = run(in_all(job, SESSIONS), ROWS, SCHEMA)
    until = int((FAR["ts"].timestamp() - 10**6) * 10**6)
    expected = oracle(query, [*ROWS, FAR], until=until)
    assert_same_rows(plain(told), expected, by=("day",))


def test_with_another_query() -> None:
    old = Query("ts", ("day",), WINDOWS[:3], MOMENTS[:3])
    new = Query("ts", ("day",), WINDOWS[1:4], MOMENTS[1:2])
    jobs = [job_of(query, SCHEMA, delay=10**12) for query in (old, old, new)]
    told = run([zoned(*each) for each in zip(jobs, SESSIONS, strict=True)], ROWS, SCHEMA)
    until = int((FAR["ts"].timestamp() - 10**6) * 10**6)
    kept = replace(new, windows=WINDOWS[1:3])
    names = {window.window_id for window in kept.windows}
    found = [row for row in plain(told) if row["window_id"] in names]
    assert_same_rows(found, oracle(kept, [*ROWS, FAR], until=until), by=("day",))


def test_rings_and_items() -> None:
    levels = pw.granules(("20 min", "20 min"), ("40 min", "20 min"))
    plan = pw.plan(time="ts", by=["day"], windows=[levels], aggregates=[pw.recurring("seen")])
    job = ring_job(plan, SCHEMA, delay=10**12)
    told, whole = (run(in_all(job, zones), ROWS, SCHEMA) for zones in (SESSIONS, ["UTC"]))
    assert_same_rows(plain(told), plain(whole), by=("day",))


def test_events_with_a_duration() -> None:
    plan = pw.plan(
        time=("ts", "until"),
        by=["day"],
        windows=[pw.tumbling("20 min")],
        aggregates=[pw.count(), pw.max("seen")],
    )
    schema = SCHEMA | {"until": "timestamp"}
    rows = [row | {"until": row["ts"] + timedelta(minutes=9)} for row in ROWS]
    job = span_job(plan, schema, Stream(10**12, 0, 0))
    told, whole = (run(in_all(job, zones), rows, schema) for zones in (SESSIONS, ["UTC"]))
    assert_same_rows(plain(told), plain(whole), by=("day",))


def test_times_without_a_zone_are_others() -> None:
    """They are no moments: nothing says which of them a clock on the wall means."""
    processor._memory.clear()
    query = Query("ts", (), WINDOWS[:1], (pw.count(),))
    played = Played(job_of(query, SCHEMA, delay=0), SCHEMA)
    played.push([ROWS[:1]])
    local = SCHEMA | {"ts": "timestamp_ntz"}
    job = job_of(query, local, delay=0)
    played.schema = local
    with pytest.raises(
        StateError, match=r'"ts" was timestamp\[us, tz=UTC\] and is timestamp\[us\]'
    ):
        played.push([[ROWS[0] | {"ts": START.replace(tzinfo=None)}]], forget=True, job=job)
