"""Buckets of a stream return what the oracle returns, for any batches, tasks and restarts."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import panewise as pw
from panewise import aggregates as agg
from panewise.kernels.ranges import NEVER
from panewise.model import Measure
from panewise.query import Query
from panewise.spark.streaming import processor
from panewise.testing import assert_same_rows, events, oracle
from panewise.testing.applicable import examples_for
from panewise.testing.generators import VALUE_TYPES, shifted, unit_of, window_examples
from panewise.windows import PaneWidth, Window
from tests.conformance.buckets import Played, job_of
from tests.conformance.streams import Reader, batches, cuts, plain

FEW = (agg.count(), agg.sum("x"), agg.mean("x"), agg.max("x"), agg.last("x"), agg.argmin("x", "y"))
TIME_TYPES = {m: m.value for m in Measure if m is not Measure.INTEGER}
quick = settings(
    suppress_health_check=list(HealthCheck),
    deadline=None,
    max_examples=settings.default.max_examples // 4,  # each writes and reads its state many times
)
LONG = 1000
"""More units of time than any stream of the tests has."""


def schema(sql_type: str = "bigint", time_type: str = "bigint") -> dict[str, str]:
    return {"t": time_type, "k": "string", "x": sql_type, "y": "bigint", "seq": "bigint"}


def streams(sql_type: str = "bigint", measure: Measure = Measure.INTEGER) -> Any:
    return streams_of(events(sql_type, measure, max_rows=24))


@st.composite
def streams_of(draw: Any, arriving: Any) -> Any:
    """Rows in arrival order cut into batches, each into tasks; and whether workers are new."""
    rows = draw(arriving)
    cut = list(batches(rows, draw(cuts(len(rows)))))
    tasks = [list(batches(batch, draw(cuts(len(batch)))[:2])) for batch in cut]
    return rows, [(each, draw(st.booleans())) for each in tasks]


def check_answers(
    query: Query,
    types: dict[str, str],
    stream: Any,
    measure: Measure,
    at_once: int | None = None,
) -> None:
    """All rows within the delay, then one that is far ahead: all windows up to it are final."""
    rows, tasks = stream
    known = [row["t"] for row in rows if row["t"] is not None]
    if not known:
        return
    processor._memory.clear()
    job = job_of(query, types, delay=LONG * unit_of(measure))
    played = Played(job, types, at_once=at_once)
    told = [t for each, forget in tasks for t in played.push(each, forget=forget)]
    assert not told, "nothing is final before the watermark has passed"
    far = {**rows[0], "t": shifted(max(known), 2 * LONG, measure), "k": "far", "seq": 10**6}
    told = played.push([[far]], forget=True)
    (_, until), *others = played.watermarks().items()
    assert all(each == until for _, each in others), "all buckets have the same watermark"
    expected = oracle(query, [*rows, far], {"x": types["x"], "y": "bigint"}, until=until)
    assert_same_rows(plain(told), expected, by=("k",), magnitude=1e3)
    assert played.late == 0


@pytest.mark.parametrize("window", window_examples(), ids=lambda w: w.window_id)
def test_each_window(window: Window) -> None:
    query = Query("t", ("k",), (window,), FEW, "seq")

    @quick
    @given(stream=streams())
    def check(stream: Any) -> None:
        check_answers(query, schema(), stream, Measure.INTEGER)

    check()


@pytest.mark.parametrize("sql_type", VALUE_TYPES)
def test_value_types(sql_type: str) -> None:
    """Every aggregate at once, over a set of windows that holds each type."""
    chosen = {type(w): w for w in reversed(window_examples())}
    query = Query("t", ("k",), tuple(chosen.values()), tuple(examples_for(sql_type)), "seq")

    @quick
    @given(stream=streams(sql_type))
    def check(stream: Any) -> None:
        check_answers(query, schema(sql_type), stream, Measure.INTEGER)

    check()


@pytest.mark.parametrize("measure", TIME_TYPES, ids=lambda m: m.value)
def test_measures(measure: Measure) -> None:
    query = Query("t", ("k",), tuple(window_examples(measure)), FEW, "seq")

    @quick
    @given(stream=streams("int", measure))
    def check(stream: Any) -> None:
        check_answers(query, schema("int", TIME_TYPES[measure]), stream, measure)

    check()


def check_steps(query: Query, stream: Any, *, lateness: int) -> None:
    """After each batch a reader has the oracle's rows over what was in time.

    Rows were folded where no watermark is known, so cells are late as a whole: rows in the pane
    of the bound still count, and sessions, which such a row might join, close at edges of panes.
    """
    by_pane = any(isinstance(window.demand(), PaneWidth) for window in query.windows)
    delay = 5
    job = job_of(query, schema(), delay=delay, lateness=lateness)
    by_row = job.engine({}).composer.takes_rows

    def is_late(tick: int, keep: int) -> bool:
        if by_row:
            return tick < keep
        own, bound = job.program.panes.pane_of(tick), job.program.panes.pane_of(keep)
        return bound is not None and (own is None or own < bound)

    processor._memory.clear()
    _, tasks = stream
    played, reader = Played(job, schema()), Reader(("k",))
    accepted: list[dict[str, Any]] = []
    late, watermark = 0, NEVER
    for batch, forget in tasks:
        for row in (row for task in batch for row in task if row["t"] is not None):
            if watermark != NEVER and is_late(row["t"], watermark - lateness):
                late += 1
            else:
                accepted.append(row)
        reader.apply(plain(played.push(batch, forget=forget)))
        if accepted:
            watermark = max(row["t"] for row in accepted) - delay
            until = job.program.panes.pane_of(watermark) if by_pane else watermark
            expected = oracle(query, accepted, until=until)
            assert_same_rows(reader.all(), expected, by=("k",), magnitude=1e3)
    assert played.late == late


@pytest.mark.parametrize("lateness", [0, 4, 25])
@pytest.mark.parametrize("window", window_examples(), ids=lambda w: w.window_id)
def test_late_rows_revise_or_are_counted(window: Window, lateness: int) -> None:
    query = Query("t", ("k",), (window,), (*FEW, agg.median("x")), "seq")

    @quick
    @given(stream=streams())
    def check(stream: Any) -> None:
        check_steps(query, stream, lateness=lateness)

    check()


def test_pages_that_did_not_change_are_not_written() -> None:
    query = Query("t", ("k",), (pw.tumbling(100), pw.tumbling(7)), (agg.sum("x"),), None)
    types = schema()
    played = Played(job_of(query, types, delay=20, buckets=1), types)
    processor._memory.clear()
    written = []
    for first in range(0, 1000, 10):
        rows = [{"t": first + i, "k": "a", "x": 1, "y": 0, "seq": 0} for i in range(10)]
        before = sum(handle.pages.written for handle in played.handles.values())
        played.push([rows])
        (handle,) = played.handles.values()
        written.append(handle.pages.written - before)
    pages = len(handle.pages.values.keys() - {processor.HEAD})
    assert max(written[20:]) < pages, "new rows change the newest pages"
    assert pages < 2 * 16 + 8, "old pages are removed"
