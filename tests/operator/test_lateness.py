"""Late rows: dropped and counted after the lateness, and revisions within it."""

import pytest

import panewise as pw
from panewise.operator import Operator
from tests.operator.feed import feed, planned, shown

LONG = 1_000


def test_rows_after_the_lateness_are_dropped_and_counted() -> None:
    #          keep      watermark
    # ----------|------------|
    #   14     15           20
    op = Operator(planned(pw.tumbling(10)), lateness=5)
    op.push(feed([20]))
    assert shown(op.push(feed([14]))) == []
    assert op.stats().late_rows == 1
    assert shown(op.push(feed([15]))) == [(10, 20, 1, 0, False)]
    assert op.stats().late_rows == 1
    assert op.stats().rows == 3


def test_rows_are_late_by_the_watermark_before_their_batch() -> None:
    """Within one batch the order of rows says nothing."""
    op = Operator(planned(pw.tumbling(10)))
    assert shown(op.push(feed([95, 1, 50]))) == [(0, 10, 1), (50, 60, 1)]
    assert op.stats().late_rows == 0
    op.push(feed([94]))
    assert op.stats().late_rows == 1


def test_the_delay_holds_results_back() -> None:
    op = Operator(planned(pw.tumbling(10)), delay=7)
    assert shown(op.push(feed([1, 16]))) == []
    assert shown(op.push(feed([9, 17]))) == [(0, 10, 2)]
    assert op.watermark == 10
    assert op.stats().late_rows == 0


def test_a_told_watermark_makes_rows_late() -> None:
    op = Operator(planned(pw.tumbling(10)), delay=LONG)
    op.push(feed([5]))
    assert shown(op.advance(30)) == [(0, 10, 1)]
    op.push(feed([29, 30]))
    assert op.stats().late_rows == 1
    assert shown(op.flush()) == [(30, 40, 1)]


def test_without_lateness_nothing_is_revised() -> None:
    op = Operator(planned(pw.tumbling(10)))
    op.push(feed([12]))
    assert "revision" not in op.push(feed([3])).column_names


def test_revisions_are_numbered() -> None:
    op = Operator(planned(pw.tumbling(10)), lateness=LONG)
    assert shown(op.push(feed([1, 12], x=[1, 9]))) == [(0, 10, 1, 0, False)]
    assert shown(op.push(feed([2], x=[2]))) == [(0, 10, 3, 1, False)]
    assert shown(op.push(feed([3, 4], x=[4, 8]))) == [(0, 10, 15, 2, False)]
    assert shown(op.push(feed([13]))) == []


def test_only_windows_that_changed_are_told_again() -> None:
    op = Operator(planned(pw.tumbling(10), pw.sliding(20, 10)), lateness=LONG)
    op.push(feed([1, 11, 21, 55]))
    told = op.push(feed([12], x=[5])).to_pylist()
    found = {(row["window_id"], row["window"]["start"], row["sum(x)"]) for row in told}
    assert found == {("tumbling(10)", 10, 6), ("sliding(20, 10)", 0, 7), ("sliding(20, 10)", 10, 7)}
    assert {row["revision"] for row in told} == {1}


def test_keys_are_revised_apart() -> None:
    op = Operator(planned(pw.tumbling(10)), lateness=LONG)
    op.push(feed([1], k="a"))
    op.push(feed([1, 30], k="b"))
    assert [row["k"] for row in op.push(feed([2], k="a")).to_pylist()] == ["a"]
    told = op.push(feed([2], k="b")).to_pylist()
    assert [(row["k"], row["revision"]) for row in told] == [("b", 1)]


def test_a_window_that_had_no_row_before_has_revision_0() -> None:
    op = Operator(planned(pw.tumbling(10)), lateness=LONG)
    assert shown(op.push(feed([1, 35]))) == [(0, 10, 1, 0, False)]
    assert shown(op.push(feed([15]))) == [(10, 20, 1, 0, False)]
    assert shown(op.push(feed([16]))) == [(10, 20, 2, 1, False)]
    assert shown(op.push(feed([5], k="b"))) == [(0, 10, 1, 0, False)]


def test_a_late_row_that_joins_two_sessions() -> None:
    # 0--3  5--8      one row each
    # 0-------8       once a row at 3 is there
    op = Operator(planned(pw.session(3)), lateness=LONG)
    assert shown(op.push(feed([0, 5, 30], x=[1, 2, 9]))) == [
        (0, 3, 1, 0, False),
        (5, 8, 2, 0, False),
    ]
    told = sorted(shown(op.push(feed([3], x=[4]))))
    assert told == [(0, 3, 1, 1, True), (0, 8, 7, 0, False), (5, 8, 2, 1, True)]


def test_a_late_row_that_extends_a_session() -> None:
    """The window is another one then: the old one is retracted with its old values."""
    op = Operator(planned(pw.session(3)), lateness=LONG)
    op.push(feed([10, 30], x=[1, 9]))
    told = sorted(shown(op.push(feed([12], x=[2]))))
    assert told == [(10, 13, 1, 1, True), (10, 15, 3, 0, False)]
    told = sorted(shown(op.push(feed([8], x=[4]))))
    assert told == [(8, 15, 7, 0, False), (10, 15, 3, 1, True)]


def test_a_late_row_inside_a_session_revises_it() -> None:
    op = Operator(planned(pw.session(3)), lateness=LONG)
    op.push(feed([10, 12, 30], x=[1, 2, 9]))
    assert shown(op.push(feed([11], x=[4]))) == [(10, 15, 7, 1, False)]
    assert shown(op.push(feed([11], x=[8]))) == [(10, 15, 15, 2, False)]


def test_a_late_session_of_its_own() -> None:
    op = Operator(planned(pw.session(3)), lateness=LONG)
    op.push(feed([10, 30]))
    assert shown(op.push(feed([20]))) == [(20, 23, 1, 0, False)]


def test_a_late_row_joins_an_open_session() -> None:
    """What was not told needs no retraction."""
    op = Operator(planned(pw.session(5)), lateness=LONG)
    assert shown(op.push(feed([28, 30]))) == []
    assert shown(op.push(feed([25]))) == []
    assert shown(op.flush()) == [(25, 35, 3, 0, False)]


def test_a_late_row_joins_a_told_session_to_an_open_one() -> None:
    op = Operator(planned(pw.session(5)), lateness=LONG)
    assert shown(op.push(feed([20, 28], x=[1, 2]))) == [(20, 25, 1, 0, False)]
    assert shown(op.push(feed([24], x=[4]))) == [(20, 25, 1, 1, True)]
    assert shown(op.flush()) == [(20, 33, 7, 0, False)]


def test_count_windows_shift() -> None:
    # 1 2 | 5 6 |        before
    # 1 2 | 3 5 | 6      once a row at 3 is there
    op = Operator(planned(pw.tumbling(pw.rows(2))), lateness=LONG)
    assert shown(op.push(feed([1, 2, 5, 6, 20], x=[1, 2, 5, 6, 9]))) == [
        (1, 3, 3, 0, False),
        (5, 7, 11, 0, False),
    ]
    assert shown(op.push(feed([3], x=[3]))) == [(3, 6, 8, 1, False)]
    told = sorted(shown(op.push(feed([0], x=[100]))))
    assert told == [(0, 2, 101, 1, False), (2, 4, 5, 2, False), (5, 7, 11, 0, False)]


def test_count_windows_keep_their_numbers() -> None:
    op = Operator(planned(pw.sliding(pw.rows(3), pw.rows(1))), lateness=LONG)
    op.push(feed([1, 2, 3, 4, 20]))
    told = op.push(feed([0])).to_pylist()
    found = {(row["window_no"], row["window"]["start"], row["revision"]) for row in told}
    assert found == {(-2, 0, 1), (-1, 0, 1), (0, 0, 1), (1, 1, 1), (2, 2, 0)}


def test_count_windows_with_gaps_between_them() -> None:
    """Rows between two windows count too: a late row may push one into a window."""
    op = Operator(planned(pw.sliding(pw.rows(1), pw.rows(3), allow_gaps=True)), lateness=LONG)
    op.push(feed([13], x=[1]))
    assert shown(op.push(feed([13, 20], x=[2, 3]))) == [(13, 14, 1, 0, False)]
    assert shown(op.push(feed([9], x=[4]))) == [(9, 10, 4, 1, False)]
    assert shown(op.flush()) == [(20, 21, 3, 0, False)]


def test_a_late_mark_splits_a_window() -> None:
    #  1  2  4 | 6         marked by x = 0
    #  1  2 | 3  4 | 6     once a mark at 3 is there
    op = Operator(planned(pw.punctuation("x = 0"), aggregates=[pw.count()]), lateness=LONG)
    told = shown(op.push(feed([1, 2, 4, 6, 20], x=[1, 1, 1, 0, 1])), "count()")
    assert told == [(1, 6, 3, 0, False)]
    told = sorted(shown(op.push(feed([3], x=[0])), "count()"))
    assert told == [(1, 3, 2, 0, False), (1, 6, 3, 1, True), (3, 6, 2, 0, False)]


@pytest.mark.parametrize("lateness", [0, 3, LONG])
def test_what_is_reported_in_the_end_does_not_depend_on_the_lateness(lateness: int) -> None:
    """Where no row is late beyond it."""
    windows = (pw.tumbling(10), pw.session(3), pw.tumbling(pw.rows(2)))
    op = Operator(planned(*windows), delay=50, lateness=lateness)
    for batch in ([40, 10], [12, 15], [60, 11]):
        op.push(feed(batch))
    assert op.stats().late_rows == 0
    told = [row[:3] for row in shown(op.flush())]
    periodic = [(10, 20, 4), (40, 50, 1), (60, 70, 1)]
    sessions = [(10, 18, 4), (40, 43, 1), (60, 63, 1)]
    counted = [(10, 12, 2), (12, 16, 2), (40, 61, 2)]
    assert sorted(told) == sorted([*periodic, *sessions, *counted])
