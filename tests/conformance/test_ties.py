"""Rows of one time are in the order in which they came, where no column orders them.

In a stream that is the order of batches, within a batch that of tasks, and within a task that in
which it read them; in process it is the order of pushes, or of the rows of a table.
"""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import panewise as pw
from panewise.model import Measure
from panewise.operator import Operator, local, sources
from panewise.query import Query
from panewise.spark.streaming import parcels, processor
from panewise.testing import assert_same_rows, oracle
from panewise.testing.applicable import examples_for
from panewise.testing.generators import window_examples
from panewise.windows import Family, PaneWidth, Window
from tests.conformance.buckets import Played, job_of
from tests.conformance.streams import Rows, cuts, plain, plan_of, run, table
from tests.conformance.test_streaming import check_answers, check_steps, schema, streams_of
from tests.operator.test_snapshot import InOrder

ORDERED = tuple(each for each in examples_for("bigint") if each.properties.ordered)
KINDS: dict[str, tuple[pw.Aggregate, ...]] = {
    "carry the sequence": ORDERED,
    "with counted values": (*ORDERED, pw.median("x")),
    "do not commute": (InOrder("x"), pw.count()),
}
CHOSEN = tuple({type(w): w for w in reversed(window_examples())}.values())
"""One window of each type."""
BY_PANE = tuple(w for w in CHOSEN if isinstance(w.demand(), Family | PaneWidth))
SETS = {
    "of panes": BY_PANE,
    "of rows": tuple(w for w in CHOSEN if w not in BY_PANE),
    "of both": CHOSEN,
}
EVERY_SET = pytest.mark.parametrize("windows", SETS)
EVERY_KIND = pytest.mark.parametrize("kind", KINDS)
quick = settings(suppress_health_check=list(HealthCheck), deadline=None)
few = settings(quick, max_examples=settings.default.max_examples // 3)


def tied() -> st.SearchStrategy[Rows]:
    """Rows at a few times, of few keys, with values that tell them apart."""
    row = st.fixed_dictionaries(
        {
            "t": st.sampled_from([0, 0, 0, 1, 6, 7, 14, None]),
            "k": st.sampled_from(["a", "a", "b", None]),
            "x": st.one_of(st.none(), st.integers(-9, 99)),
            "y": st.integers(0, 1),
        }
    )
    return st.lists(row, min_size=6, max_size=24).map(
        lambda rows: [{**each, "seq": 0} for each in rows]  # a column that tells nothing
    )


def query_of(windows: str, kind: str) -> Query:
    return Query("t", ("k",), SETS[windows], KINDS[kind])


@EVERY_KIND
@EVERY_SET
def test_streams(windows: str, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """However rows are cut into batches, tasks and Arrow batches."""
    monkeypatch.setattr(parcels, "NEAR", 1)  # Arrow batches stay as they are

    @quick
    @given(stream=streams_of(tied()), at_once=st.integers(1, 9))
    def check(stream: Any, at_once: int) -> None:
        check_answers(query_of(windows, kind), schema(), stream, Measure.INTEGER, at_once)

    check()


@pytest.mark.parametrize("lateness", [0, 4])
@pytest.mark.parametrize("window", CHOSEN, ids=lambda w: w.window_id)
def test_streams_step_by_step(window: Window, lateness: int) -> None:
    """Ties across a watermark that moves, and windows that are told again."""
    query = Query("t", ("k",), (window,), ORDERED)

    @few
    @given(stream=streams_of(tied()))
    def check(stream: Any) -> None:
        check_steps(query, stream, lateness=lateness)

    check()


@EVERY_KIND
@EVERY_SET
def test_pushes(windows: str, kind: str) -> None:
    query = query_of(windows, kind)

    @quick
    @given(rows=tied(), data=st.data(), delay=st.sampled_from([0, 20]))
    def check(rows: Rows, data: Any, delay: int) -> None:
        if not delay:
            rows = sorted(rows, key=lambda row: -1 if row["t"] is None else row["t"])
        op = Operator(plan_of(query), delay=delay)
        told = run(op, rows, data.draw(cuts(len(rows))), schema())
        assert_same_rows(plain(told), oracle(query, rows), by=("k",), magnitude=1e3)

    check()


@EVERY_KIND
@EVERY_SET
def test_runs_over_a_table(windows: str, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """By all cores, in chunks and pieces of any size."""
    query = query_of(windows, kind)

    @quick
    @given(rows=tied(), chunk=st.integers(1, 30), piece=st.integers(1, 30))
    def check(rows: Rows, chunk: int, piece: int) -> None:
        monkeypatch.setattr(sources, "ROWS", chunk)
        monkeypatch.setattr(local, "CACHED", piece)
        told = plan_of(query).run(table(rows, schema()))
        assert_same_rows(plain([told]), oracle(query, rows), by=("k",), magnitude=1e3)

    check()


@pytest.mark.parametrize(
    "window", [pw.tumbling(10), pw.session(3), pw.tumbling(pw.rows(3))], ids=lambda w: w.window_id
)
def test_a_batch_comes_behind_those_before(window: Window) -> None:
    processor._memory.clear()
    query = Query("t", (), (window,), (pw.first("x"), pw.last("x"), pw.collect("x")))
    types = {"t": "bigint", "x": "bigint"}
    played = Played(job_of(query, types, delay=5), types)
    for values in ([1, 2], [3]):
        assert not played.push([[{"t": 1, "x": x} for x in values]], forget=True)
    (row,) = plain(played.push([[{"t": 100, "x": 0}]]))
    assert (row["first(x)"], row["last(x)"], row["collect(x)"]) == (1, 3, [1, 2, 3])


def test_arrow_batches_of_a_task_follow_each_other() -> None:
    processor._memory.clear()
    many = parcels.NEAR
    query = Query("t", (), (pw.tumbling(10),), (pw.first("x"), pw.last("x")))
    types = {"t": "bigint", "x": "bigint"}
    played = Played(job_of(query, types, delay=0), types, at_once=many)
    played.push([[{"t": 1, "x": x} for x in range(many + 10)]])
    (row,) = plain(played.push([[{"t": 100, "x": 0}]]))
    assert (row["first(x)"], row["last(x)"]) == (0, many + 9)
