"""Events with a duration in buckets of a stream: any batches, tasks and restarts, the same rows."""

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import panewise as pw
from panewise.operator.decisions import Stream
from panewise.spark.streaming import processor
from panewise.testing import assert_same_rows, oracle
from panewise.windows import Window
from tests.conformance.buckets import Played, span_job
from tests.conformance.streams import Reader, batches, cuts, plain
from tests.conformance.test_span_operator import (
    DELAY,
    EVER,
    LONGEST,
    SCHEMA,
    TECHNIQUES,
    Rows,
    arriving,
    some_windows,
)

TYPES = {"l": "bigint", "u": "bigint", "k": "string", "x": "bigint", "y": "double"}
TYPES |= {"id": "bigint", "version": "bigint"}
FAR = 10**6


@st.composite
def played(draw: st.DrawFn) -> tuple[Rows, list[tuple[list[Rows], bool]]]:
    """Events by batch and task, and whether workers are new; a last one closes all windows."""
    rows = draw(arriving())
    tasks = [
        (list(batches(batch, draw(cuts(len(batch)))[:2])), draw(st.booleans()))
        for batch in batches(rows, draw(cuts(len(rows))))
    ]
    far = dict.fromkeys(SCHEMA.names, None) | {"l": FAR, "u": FAR + 1, "k": "far"}
    return rows, [*tasks, ([[far]], True)]


@settings(suppress_health_check=list(HealthCheck), max_examples=settings().max_examples // 2)
@given(
    stream=played(),
    windows=some_windows,
    way=st.sampled_from(TECHNIQUES),
    how=st.sampled_from([(LONGEST, 0, None), (0, EVER, None), (0, EVER, "by id")]),
)
def test_buckets(stream: Any, windows: list[Window], way: str, how: Any) -> None:
    wait, lateness, revise = how
    plan = pw.plan(
        time=("l", "u"),
        by=["k"],
        windows=windows,
        aggregates=[pw.count(), pw.sum("x"), pw.max("y"), pw.median("x"), pw.concurrent()],
        strategy=way,
        revise=revise,
    )
    rows, tasks = stream
    processor._memory.clear()
    job = span_job(plan, TYPES, Stream(DELAY, lateness, wait))
    query, reader = Played(job, TYPES), Reader(["k"])
    for each, forget in tasks:
        for told in query.push(each, forget=forget):
            reader.apply(plain([told.drop_columns(["late_share"])]))
    found = [row for row in reader.all() if row["k"] != "far"]
    assert_same_rows(found, oracle(plan.query, rows), by=["k"])
    assert query.late == 0
