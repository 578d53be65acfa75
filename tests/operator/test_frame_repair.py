"""Late rows: which frames are retracted, which are revised, and which are new."""

from typing import Any

import pytest

import panewise as pw
from panewise.windows import Window
from tests.operator.framing import UPDATING, operator, rows, shown

LATE: list[dict[str, Any]] = [{**each, "lateness": 100} for each in UPDATING]


@pytest.fixture(params=LATE, ids=str)
def options(request: pytest.FixtureRequest) -> Any:
    return request.param


def test_the_repair_example(options: dict[str, Any]) -> None:
    # sum 3:   (1,2)(2,1) | (4,1)(5,2) | (6,2)(7,1) | (8,3) | (9,1)
    # late (3,2): three rounds of split and merge, and as before from 9 on
    op = operator(pw.aggregate_frame(pw.sum("x"), 3), **options)
    first = shown(op.push(rows([1, 2, 4, 5, 6, 7, 8, 9], [2, 1, 1, 2, 2, 1, 3, 1])))
    assert first == [
        *((1, 4, [2, 1]), (4, 6, [1, 2]), (6, 8, [2, 1]), (8, 9, [3])),
        (9, 10, [1]),
    ]
    assert shown(op.push(rows([3], [2]))) == [
        *((1, 3, [2, 1]), (1, 4, [2, 1], 1, True)),
        *((3, 5, [2, 1]), (4, 6, [1, 2], 1, True)),
        *((5, 7, [2, 2]), (6, 8, [2, 1], 1, True)),
        *((7, 9, [1, 3]), (8, 9, [3], 1, True)),
    ]


def test_a_false_row_inside_a_frame_splits_it(options: dict[str, Any]) -> None:
    # + + . + + -     late - at 3:   + + - + + -
    op = operator(pw.threshold_frame("x > 0"), **options)
    op.push(rows([1, 2, 4, 5, 6], [1, 2, 4, 5, -1]))
    assert shown(op.push(rows([3], [-1]))) == [
        (1, 3, [1, 2]),
        (1, 6, [1, 2, 4, 5], 1, True),
        (4, 6, [4, 5]),
    ]


def test_both_parts_are_held_to_the_conditions(options: dict[str, Any]) -> None:
    op = operator(pw.threshold_frame("x > 0", min_rows=3), **options)
    op.push(rows([1, 2, 4, 5, 6, 7], [1, 2, 4, 5, 6, -1]))
    assert shown(op.push(rows([3], [-1]))) == [
        (1, 7, [1, 2, 4, 5, 6], 1, True),
        (4, 7, [4, 5, 6]),
    ]


def test_a_true_row_beside_a_frame_extends_it(options: dict[str, Any]) -> None:
    # - . + + . - : late + at 2, at 5, and one in its middle
    op = operator(pw.threshold_frame("x > 0"), **options)
    op.push(rows([1, 3, 4, 6], [-1, 3, 4, -1]))
    assert shown(op.push(rows([5], [5]))) == [(3, 6, [3, 4, 5], 1, False)]
    assert shown(op.push(rows([2], [2]))) == [(2, 6, [2, 3, 4, 5]), (3, 6, [3, 4, 5], 2, True)]
    assert shown(op.push(rows([4], [9]))) == [(2, 6, [2, 3, 4, 9, 5], 1, False)]


def test_a_true_row_between_false_ones_is_a_frame_of_its_own(options: dict[str, Any]) -> None:
    op = operator(pw.threshold_frame("x > 0"), **options)
    op.push(rows([1, 2, 4, 6, 7], [1, -1, -1, 6, -1]))
    assert shown(op.push(rows([3], [3]))) == [(3, 4, [3])]


def test_two_threshold_frames_never_merge(options: dict[str, Any]) -> None:
    op = operator(pw.threshold_frame("x > 0"), **options)
    op.push(rows([1, 5, 9, 12], [1, -1, 9, -1]))
    assert shown(op.push(rows([4, 6], [4, 6]))) == [
        (1, 5, [1, 4], 1, False),
        (6, 12, [6, 9]),
        (9, 12, [9], 1, True),
    ]


def test_another_band_inside_a_frame_makes_three(options: dict[str, Any]) -> None:
    op = operator(pw.boundary_frame("x", edges=[5]), **options)
    op.push(rows([1, 2, 4, 5, 6], [1, 2, 4, 3, 9]))
    assert shown(op.push(rows([3], [7]))) == [
        (1, 3, [1, 2]),
        (1, 6, [1, 2, 4, 3], 1, True),
        (3, 4, [7]),
        (4, 6, [4, 3]),
    ]


def test_the_band_of_a_neighbour_is_joined(options: dict[str, Any]) -> None:
    op = operator(pw.boundary_frame("x", edges=[5]), **options)
    op.push(rows([1, 5, 8], [1, 9, 1]))
    assert shown(op.push(rows([3], [2]))) == [(1, 5, [1, 2], 1, False)]
    assert shown(op.push(rows([4], [8]))) == [
        (1, 4, [1, 2]),
        (1, 5, [1, 2], 2, True),
        (4, 8, [8, 9]),
        (5, 8, [9], 1, True),
    ]


@pytest.mark.parametrize(
    ("frame", "told"),
    [
        (pw.threshold_frame("x > 0"), [(1, 8, [3, 3, 3]), (5, 8, [3, 3], 1, True)]),
        (
            pw.boundary_frame("x", width=10, origin=-5),
            [(1, 10, [3, 3, 3, -1, -1]), (5, 10, [3, 3, -1, -1], 1, True)],
        ),
        (pw.delta_frame("x", 2), [(1, 8, [3, 3, 3]), (5, 8, [3, 3], 1, True)]),
        (
            pw.aggregate_frame(pw.count(), 2),
            [
                *((1, 7, [3, 3]), (5, 8, [3, 3], 1, True), (7, 9, [3, -1])),
                *((8, 10, [-1, -1], 1, True), (9, 10, [-1])),
            ],
        ),
    ],
    ids=lambda each: getattr(each, "kind", ""),
)
def test_a_row_before_every_frame(options: dict[str, Any], frame: Window, told: list[Any]) -> None:
    """The source's own multi buffer does not handle it."""
    op = operator(frame, **options)
    op.push(rows([5, 7, 8, 9], [3, 3, -1, -1]))
    assert shown(op.push(rows([1], [3]))) == told


def test_all_rows_at_one_time(options: dict[str, Any]) -> None:
    """Frames of no length share an interval, and are told in order."""
    op = operator(pw.aggregate_frame(pw.sum("x"), 2), **options)
    assert shown(op.push(rows([5, 5, 5], [1, 1, 1]))) == [(5, 5, [1, 1]), (5, 6, [1])]
    assert shown(op.push(rows([5], [1]))) == [(5, 6, [1, 1], 1, False)]
    assert shown(op.push(rows([5], [7]))) == [(5, 5, [1, 1]), (5, 6, [7], 2, False)]


def test_late_rows_on_close(options: dict[str, Any]) -> None:
    """Only frames that were told are told again, and others when the watermark passes."""
    op = operator(pw.aggregate_frame(pw.count(), 2), lateness=100, buffer=options["buffer"])
    assert shown(op.push(rows([1, 2, 5, 6, 9], [1, 2, 5, 6, 9]))) == [(1, 5, [1, 2])]
    assert shown(op.push(rows([10], [10]))) == [(5, 9, [5, 6])]
    assert shown(op.push(rows([3], [3]))) == [
        (1, 3, [1, 2]),
        (1, 5, [1, 2], 1, True),
        (3, 6, [3, 5]),
        (5, 9, [5, 6], 1, True),
    ]
    assert shown(op.push(rows([11], [11]))) == [(6, 10, [6, 9])]
