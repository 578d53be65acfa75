"""The three decision trees, branch by branch, and what is kept by them."""

from typing import Any

import pyarrow as pa
import pytest

import panewise as pw
from panewise.operator import Operator
from panewise.operator.decisions import Decision, Stream, keeps_tuples, removes, splits
from panewise.windows import Closed, Scanned, ScannedRows
from tests.operator.feed import feed, planned
from tests.operator.test_snapshot import InOrder

IN_ORDER, DELAYED, LATE = Stream(0, 0), Stream(5, 0), Stream(0, 5)
COUNTED = pw.tumbling(pw.rows(3))
MARKED = pw.punctuation("x > 0")
LAST = pw.every(5, last=pw.rows(3))
STARTS = pw.by_tuple(pw.rows(2), 5)
ENDS = pw.by_tuple(pw.rows(2), 5, anchor="end")


class Overlapping(pw.UserWindow):
    kind = "overlapping"
    overlaps = True

    def scan(self, context: Any, rows: ScannedRows, watermark: int) -> Scanned:
        ticks = rows.ticks
        closed = [Closed(i, i + 1, ticks[i], ticks[i] + 1) for i in range(len(rows))]
        return Scanned(closed, None, needed=len(rows))


def same(found: Decision, answer: str, reason: str, plan: pw.Plan, stream: Stream) -> None:
    assert (found.answer, found.reason) == (answer, reason)
    op = Operator(plan, delay=stream.delay, lateness=stream.lateness)
    assert f"  {found}" in op.explain().splitlines()


@pytest.mark.parametrize(
    ("window", "stream", "answer", "reason"),
    [
        (LAST, IN_ORDER, "yes", "every(5, last=3 rows) is cut by rows that come after its own"),
        (
            ENDS,
            IN_ORDER,
            "yes",
            "by_tuple(2 rows, 5, anchor=end) is cut by rows that come after its own",
        ),
        (STARTS, IN_ORDER, "yes", "windows of by_tuple(2 rows, 5) overlap where the rows say"),
        (Overlapping(), LATE, "yes", "windows of overlapping() overlap where the rows say"),
        (COUNTED, IN_ORDER, "no", "the stream is in order and no window looks ahead"),
        (MARKED, IN_ORDER, "no", "the stream is in order and no window looks ahead"),
        (pw.session(3), IN_ORDER, "no", "the stream is in order and no window looks ahead"),
        (MARKED, DELAYED, "yes", "late rows move the edges of punctuation(x > 0)"),
        (COUNTED, LATE, "yes", "late rows change the count of tumbling(3 rows)"),
        (pw.session(3), LATE, "no", "every edge is known before the rows, or is a session's"),
        (pw.sliding(9, 3), DELAYED, "no", "every edge is known before the rows, or is a session's"),
    ],
    ids=lambda given: getattr(given, "window_id", str(given)),
)
def test_keep_tuples(window: pw.Window, stream: Stream, answer: str, reason: str) -> None:
    plan = planned(pw.tumbling(7), window)
    same(keeps_tuples(plan.query, stream), answer, reason, plan, stream)


def test_keep_tuples_for_an_aggregate_that_depends_on_order() -> None:
    plan = planned(pw.tumbling(7), aggregates=[pw.sum("x"), InOrder("x")])
    reason = "in_order(x) depends on the order of rows"
    same(keeps_tuples(plan.query, DELAYED), "yes", reason, plan, DELAYED)
    reason = "the stream is in order and no window looks ahead"
    same(keeps_tuples(plan.query, IN_ORDER), "no", reason, plan, IN_ORDER)


@pytest.mark.parametrize(
    ("window", "stream", "answer", "reason"),
    [
        (LAST, IN_ORDER, "yes", "every(5, last=3 rows) learns its edges from later rows"),
        (MARKED, IN_ORDER, "no", "no edge falls behind the newest row"),
        (pw.session(3), IN_ORDER, "no", "no edge falls behind the newest row"),
        (MARKED, LATE, "yes", "late rows bring new edges of punctuation(x > 0); tuples are cut"),
        (pw.session(3), LATE, "no", "late rows extend or join sessions, and never cut a slice"),
        (pw.sliding(9, 3), LATE, "no", "edges do not depend on rows"),
    ],
    ids=lambda given: getattr(given, "window_id", str(given)),
)
def test_split_slices(window: pw.Window, stream: Stream, answer: str, reason: str) -> None:
    plan = planned(pw.tumbling(7), window)
    same(splits(plan.query, stream), answer, reason, plan, stream)


@pytest.mark.parametrize(
    ("window", "stream", "aggregate", "answer", "reason"),
    [
        (pw.session(3), LATE, pw.sum("x"), "no", "no edge is a count of rows"),
        (COUNTED, IN_ORDER, pw.sum("x"), "no", "the stream is in order: no count changes"),
        (
            COUNTED,
            DELAYED,
            pw.sum("x"),
            "no",
            "rows are counted once the watermark has passed them",
        ),
        (
            COUNTED,
            LATE,
            pw.sum("x"),
            "shift edges",
            "and take differences of running sums: all aggregates are invertible",
        ),
        (COUNTED, LATE, pw.max("x"), "shift edges", "and combine anew: max(x) has no inverse"),
    ],
    ids=lambda given: getattr(given, "window_id", str(given)),
)
def test_remove_tuples(
    window: pw.Window, stream: Stream, aggregate: pw.Aggregate, answer: str, reason: str
) -> None:
    plan = planned(pw.tumbling(7), window, aggregates=[pw.count(), aggregate])
    same(removes(plan.query, stream), answer, reason, plan, stream)


@pytest.mark.parametrize("lateness", [0, 20])
@pytest.mark.parametrize("delay", [0, 20])
@pytest.mark.parametrize("store", ["lazy", "eager"])
def test_no_tuples_where_the_tree_says_no(delay: int, lateness: int, store: str) -> None:
    windows = (pw.tumbling(7), pw.sliding(30, 5), pw.session(3), pw.cumulating(2, 10))
    plan = planned(*windows, aggregates=[pw.sum("x"), pw.last("x"), pw.collect("x")])
    op = Operator(plan, delay=delay, lateness=lateness, store=store)
    for t in range(0, 200, 3):
        op.push(feed([t, t + 9, t + 5]))
        assert op.stats().tuples == 0
        assert op.stats().slices > 0


@pytest.mark.parametrize("window", [COUNTED, pw.tumbling(pw.rows(1_000)), MARKED], ids=str)
def test_windows_of_rows_in_order_keep_open_slices_only(window: pw.Window) -> None:
    """One cell for the open window, and the newest row, which one of the same time may follow."""
    op = Operator(planned(window))
    for first in range(0, 5_000, 500):
        op.push(feed(list(range(first, first + 500)), x=[0] * 500))
        assert op.stats().tuples <= 2


def test_sliding_counts_in_order_keep_a_slice_for_each_edge() -> None:
    op = Operator(planned(pw.sliding(pw.rows(1_000), pw.rows(100))))
    for first in range(0, 5_000, 500):
        op.push(feed(list(range(first, first + 500))))
        assert op.stats().tuples <= 10 + 2


def test_rows_that_wait_are_tuples() -> None:
    """Where late rows may still move a count, each row is kept until the watermark passes."""
    op = Operator(planned(COUNTED), delay=10)
    op.push(feed(list(range(100))))
    assert 10 <= op.stats().tuples <= 13
    op.advance(100)
    assert op.stats().tuples <= 2


def test_late_rows_are_kept_as_long_as_they_can_matter() -> None:
    op = Operator(planned(COUNTED), lateness=10)
    for t in range(300):
        op.push(feed([t]))
    assert 10 <= op.stats().tuples <= 16


def test_statistics_add_up() -> None:
    op = Operator(planned(pw.tumbling(10), COUNTED), lateness=100)
    op.push(feed([1, 2, 30, None]))
    stats = op.stats()
    assert (stats.rows, stats.null_times, stats.late_rows) == (4, 1, 0)
    assert (stats.keys, stats.watermark) == (1, 30)
    assert stats.tuples == 3
    assert stats.slices == 2
    assert stats.bytes > 0


def test_an_operator_that_is_flushed_holds_nothing() -> None:
    windows = (pw.tumbling(10), pw.session(3), COUNTED, MARKED, LAST, STARTS)
    op = Operator(planned(*windows), delay=5, lateness=5)
    op.push(pa.concat_tables([feed([1, 2, 3]), feed([4, 5], k="b")]))
    op.flush()
    assert (op.stats().slices, op.stats().tuples) == (0, 0)


def test_explain_names_the_queries_and_the_store() -> None:
    op = Operator(planned(pw.tumbling(10)), store="eager")
    op.add(planned(pw.session(3)), name="report")
    first, *_, last = op.explain().splitlines()
    assert first == 'Operator over "main" and "report"'
    assert last == "  store: eager, a tree of partials is kept, for low latency"
