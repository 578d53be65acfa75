"""What an operator is asked to do with frames: what it refuses, and what it says of it."""

from datetime import datetime, timedelta
from typing import Any

import pytest

import panewise as pw
from panewise.errors import QueryError
from panewise.operator import Operator
from tests.operator.feed import planned
from tests.operator.framing import operator, rows, shown

FRAME = pw.delta_frame("x", 2)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"report": "always"}, "report is one of close, update: got 'always'. Hint: leave it at"),
        ({"buffer": "double"}, "buffer is one of auto, in_order, lazy, eager, multi: got 'double'"),
        ({"period": 0}, "period must be positive: got 0. Hint: leave it out."),
        ({"period": -5}, "period"),
        ({"period": "soon"}, "soon"),
        ({"buffer": "in_order", "delay": 2}, 'buffer="in_order" is for rows that come in order an'),
        ({"buffer": "in_order", "lateness": 2}, 'buffer="in_order" is for rows that come in order'),
        ({"buffer": "in_order", "report": "update"}, 'buffer="in_order" is for rows that come in'),
        ({"buffer": "lazy", "evict": (3, 1)}, "evict forgets frames, which only the multi buffer "),
        ({"buffer": "eager", "evict": (3, 1)}, "evict forgets frames, which only the multi buffer"),
    ],
    ids=str,
)  # fmt: skip
def test_refusals(options: dict[str, Any], message: str) -> None:
    with pytest.raises(QueryError) as error:
        operator(FRAME, **options)
    assert message in str(error.value) and error.value.hint


def test_a_period_of_another_unit() -> None:
    """Frames without sizes do not tell which; the first batch does."""
    message = "period counts what the windows count, {}: got {!r}. Hint: write period="
    for given, moment, wanted in (
        ("10 s", 1, "an integer of the measure"),
        (timedelta(seconds=1), 1, "an integer of the measure"),
        (10, datetime(2024, 1, 1), "a duration"),
    ):
        op = operator(FRAME, period=given)
        with pytest.raises(QueryError) as error:
            op.push({"t": [moment], "k": ["a"], "x": [1]})
        assert message.format(wanted, given) in str(error.value)
    sized = pw.delta_frame("x", 2, max_duration="1 hour")
    with pytest.raises(QueryError, match="period counts what the windows count, a duration"):
        operator(sized, period=10)
    op = operator(sized, period="10 s")
    op.push({"t": [datetime(2024, 1, 1)], "k": ["a"], "x": [1]})


@pytest.mark.parametrize(
    "options",
    [{"report": "update"}, {"period": 5}, {"buffer": "multi"}, {"evict": (2, 1)}],
    ids=str,
)
def test_options_of_frames_are_refused_without_any(options: dict[str, Any]) -> None:
    with pytest.raises(QueryError, match="are for frames, and the query has none"):
        operator(pw.tumbling(5), **options)
    beside = pw.tumbling(pw.rows(3))
    with pytest.raises(QueryError, match=r"are for frames: got tumbling\(3 rows\) beside them"):
        operator(FRAME, beside, **options)


@pytest.mark.parametrize(
    ("options", "lines"),
    [
        (
            {},
            [
                "frames: told once no row can change them",
                "buffer: in_order, rows come in order, and each is looked at once",
            ],
        ),
        (
            {"delay": 3},
            [
                "frames: told once no row can change them",
                "buffer: in_order, rows wait until none can come before them, and each is looked "
                "at once",
            ],
        ),
        (
            {"buffer": "lazy"},
            [
                "frames: told once no row can change them",
                "buffer: lazy, rows come in order, and each is looked at once",
            ],
        ),
        (
            {"lateness": 3, "buffer": "lazy"},
            [
                "frames: told once no row can change them",
                "buffer: lazy, all rows are sorted and cut anew when a report is due",
            ],
        ),
        (
            {"lateness": 3, "period": 10},
            [
                "frames: told once no row can change them, every 10 ticks",
                "buffer: in_order now, each row is looked at once, until rows come late and only "
                "frames around them are cut anew",
            ],
        ),
        (
            {"report": "update", "evict": (9, 3)},
            [
                "frames: told as they are now, open ones too",
                "buffer: multi, only the frames around late rows are cut anew",
                "evict: after 9 frames of a key its first 3",
            ],
        ),
        (
            {"report": "update", "buffer": "eager"},
            [
                "frames: told as they are now, open ones too",
                "buffer: eager, every row is put in its place, and all are cut anew",
            ],
        ),
    ],
    ids=str,
)
def test_explain(options: dict[str, Any], lines: list[str]) -> None:
    said = operator(FRAME, **options).explain().splitlines()
    assert [line.strip() for line in said if line.strip()][-len(lines) :] == lines


def test_explain_says_nothing_of_frames_without_any() -> None:
    assert "frames" not in operator(pw.session(5)).explain()


@pytest.mark.parametrize("report", ["close", "update"])
def test_a_period(report: str) -> None:
    """Nothing is told until time passes a multiple of it, and then what there is by then."""
    op = operator(FRAME, report=report, period=10)
    told = [shown(op.push(rows([t], [t // 4 * 9]))) for t in (1, 2, 4, 6, 8, 9)]
    assert all(each == [] for each in told[1:]) and (report == "close") == (told[0] == [])
    now = shown(op.push(rows([10], [18])))
    closed = [(1, 4, [0, 0]), (4, 8, [9, 9])]
    if report == "close":
        assert now == closed
    else:
        assert now == [(1, 2, [0], 1, True), *closed, (8, 11, [18, 18, 18])]


def test_frames_of_several_schemes_beside_ordinary_windows() -> None:
    """All told as they are now, but for the windows that are told when they are final."""
    windows = [
        pw.threshold_frame("x > 2"),
        pw.delta_frame("x", 2),
        pw.aggregate_frame(pw.sum("x"), 6),
        pw.tumbling(5),
        pw.session(2),
    ]
    op = Operator(planned(*windows, aggregates=[pw.sum("x")]), report="update", lateness=20)
    told = [op.push(rows([1, 2, 3, 6], [1, 3, 3, 9])), op.push(rows([2], [8])), op.flush()]
    by_window: dict[str, list[Any]] = {}
    for table in told:
        for row in table.to_pylist():
            place = (row["window"]["start"], row["window"]["end"], row["sum(x)"])
            more = (row["revision"], row["retracted"])
            by_window.setdefault(row["window_id"], []).append((*place, *more))
    assert sorted(by_window["threshold_frame(x > 2)"]) == [
        (2, 7, 15, 0, False),
        (2, 7, 23, 1, False),
    ]
    # 1 | 3 3 | 9, and with the late one 1 | 3 | 8 | 3 | 9
    assert sorted(by_window["delta_frame(x, 2)"]) == [
        *((1, 2, 1, 0, False), (2, 2, 3, 0, False), (2, 3, 8, 0, False), (2, 6, 6, 0, False)),
        *((2, 6, 6, 1, True), (3, 6, 3, 0, False), (6, 7, 9, 0, False)),
    ]
    assert sorted(by_window["tumbling(5)"]) == [
        *((0, 5, 7, 0, False), (0, 5, 15, 1, False), (5, 10, 9, 0, False)),
    ]
    assert sorted(by_window["session(2)"])[-1] == (6, 8, 9, 0, False)
    assert set(by_window) == {window.window_id for window in windows}
