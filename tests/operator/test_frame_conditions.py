"""Conditions of frames: how many rows, how long, and until when that is counted."""

from typing import Any

import pytest

import panewise as pw
from panewise.windows import Window
from tests.operator.framing import BUFFERS, framed, rows

#                    1  2  3     6  7     9    12 13    20
TABLE = rows([1, 2, 3, 6, 7, 9, 12, 13, 20], [5, 5, -1, 5, -1, 5, 5, 5, -1])


def threshold(**conditions: Any) -> Window:
    return pw.threshold_frame("x > 0", **conditions)


@pytest.mark.parametrize("options", BUFFERS, ids=str)
@pytest.mark.parametrize(
    ("frame", "bounds"),
    [
        (threshold(), [(1, 3), (6, 7), (9, 20)]),
        (threshold(min_rows=2), [(1, 3), (9, 20)]),
        (threshold(min_rows=3), [(9, 20)]),
        # the last row of [6, 7) is its first, and the row that closes it comes a tick later
        (threshold(min_duration=1), [(1, 3), (9, 20)]),
        (threshold(min_duration=1, basis="interval"), [(1, 3), (6, 7), (9, 20)]),
        (threshold(min_duration=4), [(9, 20)]),
        (threshold(min_duration=5), []),
        (threshold(min_duration=11, basis="interval"), [(9, 20)]),
        (threshold(min_duration=12, basis="interval"), []),
        # closed early, the row that had no room opens the next
        (threshold(max_rows=1), [(1, 2), (2, 3), (6, 7), (9, 12), (12, 13), (13, 20)]),
        (threshold(max_rows=2), [(1, 3), (6, 7), (9, 13), (13, 20)]),
        (threshold(max_rows=2, min_rows=2), [(1, 3), (9, 13)]),
        (threshold(max_duration=3), [(1, 3), (6, 7), (9, 13), (13, 20)]),
        (threshold(max_duration=4), [(1, 3), (6, 7), (9, 20)]),
        (pw.boundary_frame("x", edges=[0], max_duration=2), [
            *((1, 3), (3, 6), (6, 7), (7, 9), (9, 12), (12, 20), (20, 21)),
        ]),
        (pw.delta_frame("x", 100, max_rows=4), [(1, 7), (7, 20), (20, 21)]),
        (pw.aggregate_frame(pw.sum("x"), 100, max_duration=6), [(1, 9), (9, 20), (20, 21)]),
        (pw.aggregate_frame(pw.count(), 3, min_rows=3), [(1, 6), (6, 12), (12, 21)]),
    ],
    ids=lambda each: getattr(each, "canonical", ""),
)  # fmt: skip
def test_conditions(frame: Window, bounds: list[Any], options: dict[str, Any]) -> None:
    assert [each[:2] for each in framed(frame, TABLE, **options)] == bounds


@pytest.mark.parametrize("options", BUFFERS, ids=str)
def test_frames_that_fail_are_dropped_and_not_merged(options: dict[str, Any]) -> None:
    frame = pw.delta_frame("x", 2, min_rows=2)
    assert framed(frame, rows([1, 2, 3, 4, 5], [1, 1, 9, 1, 1]), **options) == [
        (1, 3, [1, 1]),
        (4, 6, [1, 1]),
    ]
