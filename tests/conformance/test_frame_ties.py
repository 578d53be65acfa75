"""Rows of few different times: a window may keep its name and its size and have other rows."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import panewise as pw
from panewise.operator import Operator
from panewise.query import Query
from panewise.testing import assert_same_rows, oracle
from panewise.windows import Window
from tests.conformance.streams import Reader, batches, cuts, plain, plan_of, table
from tests.conformance.test_operator import quick

SCHEMA = {"t": "bigint", "k": "string", "x": "string", "y": "bigint", "seq": "bigint"}
FRAMES = [
    pw.aggregate_frame(pw.count(), 2),
    pw.aggregate_frame(pw.sum("y"), 3, crossing="exclude"),
    pw.delta_frame("y", 2),
    pw.delta_frame("y", 1, mode="range"),
    pw.boundary_frame("y", edges=[1, 2]),
    pw.threshold_frame("y > 0", max_rows=2),
]
OTHERS = [
    pw.tumbling(pw.rows(2)),
    pw.sliding(pw.rows(3), pw.rows(2)),
    pw.every(2, last=pw.rows(2)),
    pw.by_tuple(pw.rows(2), 2),
    pw.punctuation("y > 1"),
]
BUFFERS = ("auto", "multi", "lazy", "eager")


@st.composite
def streams(draw: Any) -> Any:
    """Rows that are all at four times, and told apart by `x`; places to cut them at."""
    given = draw(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=3, max_size=12))
    order = draw(st.permutations(range(len(given))))
    rows = [
        {"t": t, "k": "a", "x": chr(ord("a") + n), "y": y, "seq": s}
        for n, ((t, y), s) in enumerate(zip(given, order, strict=True))
    ]
    return rows, draw(cuts(len(rows)))


def followed(window: Window, stream: Any, order_by: str | None, **options: Any) -> None:
    """After every push, what a reader has is what all rows so far give."""
    query = Query("t", ("k",), (window,), (pw.collect("x"), pw.count()), order_by)
    op, reader = Operator(plan_of(query), lateness=100, **options), Reader(("k",))
    accepted: list[dict[str, Any]] = []
    now = options.get("report") == "update"
    for batch in batches(*stream):
        reader.apply(plain([op.push(table(batch, SCHEMA))]))
        accepted += batch
        until = None if now else max((row["t"] for row in accepted), default=0)
        assert_same_rows(reader.all(), oracle(query, accepted, until=until), by=("k",))
    reader.apply(plain([op.flush()]))
    assert_same_rows(reader.all(), oracle(query, accepted), by=("k",))


@pytest.mark.parametrize("buffer", BUFFERS)
@pytest.mark.parametrize("report", ["close", "update"])
@pytest.mark.parametrize("frame", FRAMES, ids=lambda w: w.window_id)
def test_frames(frame: Window, report: str, buffer: str) -> None:
    @settings(quick, max_examples=60)
    @given(stream=streams(), order_by=st.sampled_from(["seq", None]))
    def check(stream: Any, order_by: str | None) -> None:
        followed(frame, stream, order_by, report=report, buffer=buffer)

    check()


@pytest.mark.parametrize("window", OTHERS, ids=lambda w: w.window_id)
def test_other_windows_of_rows(window: Window) -> None:
    @settings(quick, max_examples=60)
    @given(stream=streams(), order_by=st.sampled_from(["seq", None]))
    def check(stream: Any, order_by: str | None) -> None:
        followed(window, stream, order_by)

    check()


@pytest.mark.parametrize("buffer", BUFFERS)
def test_a_frame_that_keeps_its_name_and_its_size(buffer: str) -> None:
    # count 2:   a b | c d     late z before all:   z a | b c | d
    plan = pw.plan(time="t", windows=[FRAMES[0]], aggregates=[pw.collect("x")])
    op = Operator(plan, report="update", lateness=100, buffer=buffer)
    op.push({"t": [1, 1, 3, 3], "x": list("abcd")})
    told = op.push({"t": [0], "x": ["z"]}).to_pylist()
    found = [(*row["window"].values(), row["collect(x)"], row["revision"]) for row in told]
    assert sorted(found) == [(0, 1, ["z", "a"], 0), (1, 3, ["b", "c"], 1), (3, 4, ["d"], 1)]
