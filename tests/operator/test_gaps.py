"""A long silence costs nothing: no loop runs over panes that hold no row."""

import pytest

import panewise as pw
from panewise.operator import Operator
from panewise.testing import assert_same_rows, oracle
from panewise.windows import Window
from tests.conformance.streams import plain
from tests.operator.feed import Followed, feed, planned, shown

FAR = 10**15
WINDOWS = [
    pw.tumbling(1),
    pw.sliding(3, 1),
    pw.sliding(1, 2, allow_gaps=True),
    pw.cumulating(1, 3),
    pw.session(1),
    pw.every(1, last=pw.rows(2)),
    pw.by_tuple(pw.rows(1), 1),
    pw.by_tuple(pw.rows(1), 1, anchor="end"),
    pw.tumbling(pw.rows(1)),
    pw.punctuation("x = 1"),
]


ROWS = [{"t": t, "k": "a", "x": 1, "y": 0, "seq": 0} for t in (0, FAR, 2 * FAR)]


@pytest.mark.parametrize("lateness", [0, FAR])
@pytest.mark.parametrize("store", ["lazy", "eager"])
@pytest.mark.parametrize("window", WINDOWS, ids=lambda w: w.window_id)
def test_a_gap_between_two_pushes(window: Window, store: str, lateness: int) -> None:
    plan = planned(window)
    op = Operator(plan, store=store, lateness=lateness)
    run = Followed(op, plan.query, 0, lateness)
    for row in ROWS:
        run.push([row])
    run.flush()


@pytest.mark.parametrize("store", ["lazy", "eager"])
@pytest.mark.parametrize("window", WINDOWS, ids=lambda w: w.window_id)
def test_a_gap_within_a_batch(window: Window, store: str) -> None:
    plan = planned(window)
    run = Followed(Operator(plan, delay=10, store=store), plan.query, 10, 0)
    run.push([ROWS[2], ROWS[0], ROWS[1]])
    run.flush()


@pytest.mark.parametrize("window", WINDOWS, ids=lambda w: w.window_id)
def test_a_watermark_far_ahead(window: Window) -> None:
    op = Operator(planned(window))
    op.push(feed([0]))
    op.advance(FAR)
    op.advance(2 * FAR)
    op.push(feed([2 * FAR]))
    assert op.stats().late_rows == 0
    assert op.stats().slices + op.stats().tuples <= 4


def test_a_late_row_far_behind() -> None:
    op = Operator(planned(pw.tumbling(1), pw.session(1)), lateness=2 * FAR)
    op.push(feed([FAR]))
    assert sorted(shown(op.push(feed([0])))) == [(0, 1, 1, 0, False)] * 2


@pytest.mark.parametrize("window", WINDOWS, ids=lambda w: w.window_id)
def test_a_gap_in_process(window: Window) -> None:
    plan = planned(window)
    got = plain([plan.run(feed([2 * FAR, 0, FAR]))])
    assert_same_rows(got, oracle(plan.query, [ROWS[2], ROWS[0], ROWS[1]]), by=("k",))
