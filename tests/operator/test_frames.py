"""The worked examples of frames, in every buffer and told on close and on update."""

from typing import Any

import pytest

import panewise as pw
from panewise.windows import Window
from tests.operator.framing import BUFFERS, UPDATING, framed, operator, rows, shown

#        1  2  3  4  5  6  7  8  9  10 11 12
VALUES = [1, 2, 1, 5, 4, 7, 2, 1, 9, 8, 4, 1]
EXAMPLE = rows(range(1, 13), VALUES)

EXAMPLES: list[tuple[Window, list[Any]]] = [
    (pw.threshold_frame("x >= 4"), [(4, 7, [5, 4, 7]), (9, 12, [9, 8, 4])]),
    (pw.threshold_frame("x >= 4", min_rows=4), []),
    (
        pw.boundary_frame("x", edges=[3, 6]),
        [
            *((1, 4, [1, 2, 1]), (4, 6, [5, 4]), (6, 7, [7]), (7, 9, [2, 1])),
            *((9, 11, [9, 8]), (11, 12, [4]), (12, 13, [1])),
        ],
    ),
    (
        pw.delta_frame("x", 4),
        [(1, 4, [1, 2, 1]), (4, 8, [5, 4, 7, 2]), (8, 9, [1]), (9, 11, [9, 8]), (11, 13, [4, 1])],
    ),
    (
        pw.delta_frame("x", 4, mode="range"),
        [(1, 6, [1, 2, 1, 5, 4]), (6, 7, [7]), (7, 9, [2, 1]), (9, 11, [9, 8]), (11, 13, [4, 1])],
    ),
    (
        pw.aggregate_frame(pw.sum("x"), 10),
        [(1, 6, [1, 2, 1, 5, 4]), (6, 9, [7, 2, 1]), (9, 11, [9, 8]), (11, 13, [4, 1])],
    ),
    (
        pw.aggregate_frame(pw.sum("x"), 10, crossing="exclude"),
        [
            *((1, 5, [1, 2, 1, 5]), (5, 6, [4]), (6, 8, [7, 2]), (8, 9, [1])),
            *((9, 10, [9]), (10, 11, [8]), (11, 13, [4, 1])),
        ],
    ),
]


@pytest.mark.parametrize("options", BUFFERS, ids=str)
@pytest.mark.parametrize(("frame", "frames"), EXAMPLES, ids=lambda each: str(each)[:40])
def test_the_worked_examples(frame: Window, frames: list[Any], options: dict[str, Any]) -> None:
    assert framed(frame, EXAMPLE, **options) == frames


@pytest.mark.parametrize("options", BUFFERS[2:], ids=str)
@pytest.mark.parametrize(("frame", "frames"), EXAMPLES, ids=lambda each: str(each)[:40])
def test_in_whatever_order(frame: Window, frames: list[Any], options: dict[str, Any]) -> None:
    for order in (range(11, -1, -1), [5, 0, 11, 6, 1, 10, 7, 2, 9, 8, 3, 4]):
        assert framed(frame, EXAMPLE.take(list(order)), **options) == frames


@pytest.mark.parametrize(("frame", "frames"), EXAMPLES, ids=lambda each: str(each)[:40])
def test_at_once(frame: Window, frames: list[Any]) -> None:
    """Data at hand: the frame that is still open is told too."""
    plan = pw.plan(time="t", windows=[frame], aggregates=[pw.collect("x")])
    assert shown(plan.run(EXAMPLE)) == sorted(frames, key=repr)


def test_on_close_a_frame_is_told_when_the_watermark_reaches_the_row_that_closes_it() -> None:
    """Rows of one time are in the order in which they come: what comes later is behind it."""
    op = operator(pw.threshold_frame("x > 0"), delay=2)
    assert shown(op.push(rows([1, 2, 3], [1, 1, -1]))) == []  # the watermark is at 1
    assert shown(op.push(rows([5], [1]))) == [(1, 3, [1, 1])]  # at 3
    assert shown(op.push(rows([3, 3, 6], [2, -1, 1]))) == [(3, 3, [2])]
    assert shown(op.flush()) == [(5, 7, [1, 1])]


def test_rows_at_the_watermark_wait_where_a_column_says_their_order() -> None:
    frame = pw.threshold_frame("x > 0")
    plan = pw.plan(
        time="t", windows=[frame], aggregates=[pw.collect("x"), pw.count()], order_by="n"
    )
    op = pw.Operator(plan)
    numbered = [{"t": [1, 3], "x": [1, -1], "n": [0, 9]}, {"t": [3], "x": [2], "n": [1]}]
    assert [shown(op.push(each)) for each in numbered] == [[], []]
    assert shown(op.push({"t": [4], "x": [-1], "n": [2]})) == [(1, 3, [1, 2])]


@pytest.mark.parametrize("options", UPDATING, ids=str)
def test_on_update_open_frames_are_told_too(options: dict[str, Any]) -> None:
    """An open frame ends at the tick after its last row, so that it moves as it grows."""
    op = operator(pw.threshold_frame("x > 0"), **options)
    assert shown(op.push(rows([1], [1]))) == [(1, 2, [1])]
    assert shown(op.push(rows([4], [2]))) == [(1, 2, [1], 1, True), (1, 5, [1, 2])]
    assert shown(op.push(rows([5], [-1]))) == [], "it closes where it ended"
    assert shown(op.push(rows([9], [-1]))) == []
    assert shown(op.flush()) == []


def test_a_retracted_frame_has_the_values_that_it_had() -> None:
    op = operator(pw.delta_frame("x", 2), lateness=50)
    op.push(rows([1, 3, 9], [5, 5, 9]))
    op.push(rows([12], [9]))
    told = shown(op.push(rows([2], [0])))
    assert told == [(1, 2, [5]), (1, 9, [5, 5], 1, True), (2, 3, [0]), (3, 9, [5])]
