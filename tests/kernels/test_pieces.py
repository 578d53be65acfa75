"""Pieces that follow each other, as one."""

import numpy as np
import pytest

from panewise.kernels import program
from panewise.kernels.cells import Cells
from panewise.kernels.columns import ALL_VALID, Numbers
from panewise.kernels.program import Piece, in_one
from panewise.kernels.ranges import Ranges
from tests.kernels.building import numbers_of

NONE = np.empty(0, np.int64)
CELLS = Cells(NONE, NONE, [])


def piece(*starts: int, **more: object) -> Piece:
    start = np.array(starts, np.int64)
    ranges = Ranges(start * 0, start * 0, start, start + 1, start * 0, start * 0)
    return Piece(ranges, [numbers_of([10 * s for s in starts])], CELLS, NONE, **more)  # type: ignore[arg-type]


def shown(each: Piece) -> list[tuple[int, ...]]:
    (column,) = each.partials
    assert isinstance(column, Numbers)
    assert len(column.valid) == len(ALL_VALID)
    parts = (each.ranges.start, column.values, each.revisions(), each.taken_back())
    return list(zip(*(part.tolist() for part in parts), strict=True))


def test_what_is_told_again_or_taken_back_stays_in_order() -> None:
    gone = piece(7, 8, revision=np.array([2, 1]), retracted=True)
    (whole,) = in_one([piece(3, 1), piece(5, revision=np.array([4])), gone])
    assert shown(whole) == [
        (3, 30, 0, False), (1, 10, 0, False), (5, 50, 4, False), (7, 70, 2, True), (8, 80, 1, True),
    ]  # fmt: skip


def test_what_is_taken_back_need_not_have_been_revised() -> None:
    (whole,) = in_one([piece(3), piece(1, retracted=True)])
    assert shown(whole) == [(3, 30, 0, False), (1, 10, 0, True)]


def test_what_is_told_once_has_no_revision() -> None:
    (whole,) = in_one([piece(3), piece(1)])
    assert whole.revision is None and whole.retracted is False
    assert shown(whole) == [(3, 30, 0, False), (1, 10, 0, False)]


def test_large_pieces_and_those_with_numbers_stay_as_they_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(program, "SMALL", 2)
    given = [piece(1), piece(2), piece(3, 4, 5), piece(6, number=np.array([0])), piece(7)]
    found = [each.ranges.start.tolist() for each in in_one(given)]
    assert found == [[1, 2], [3, 4, 5], [6], [7]]
    assert list(in_one([])) == []
