"""The waiting room: rows leave in order, when the watermark has passed them."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from panewise.kernels.cells import Cells
from panewise.kernels.ranges import ALWAYS, NEVER
from panewise.kernels.waiting import BUCKETS, WaitingRoom

KEYS = 3
Row = tuple[int, int, int]  # key, time, sequence
row = st.tuples(st.integers(0, KEYS - 1), st.integers(-40, 40), st.integers(0, 3))
steps = st.lists(st.tuples(st.lists(row, max_size=8), st.integers(-45, 45)), max_size=6)


def cells_of(rows: list[Row]) -> Cells:
    """Rows in order of time."""
    ordered = sorted(rows, key=lambda r: (r[1], r[2]))
    code, time, sequence = np.array(ordered, np.int64).reshape(-1, 3).T
    return Cells(
        code=code.copy(),
        pane=time.copy(),
        partials=[],
        sequence=sequence.copy(),
        inputs=[pa.array([str(r) for r in ordered], pa.string())],
    )


def listed(parts: Sequence[Cells]) -> list[Row]:
    return [row for part in parts for row in _listed(part)]


def _listed(cells: Cells) -> list[Row]:
    assert cells.sequence is not None
    columns = (cells.code, cells.pane, cells.sequence)
    rows = list(zip(*(c.tolist() for c in columns), strict=True))
    assert [str(r) for r in rows] == cells.inputs[0].to_pylist()  # columns stay together
    return rows


@pytest.mark.parametrize("delay", [0, 1, 50, 10 * BUCKETS, 10**12])
def test_rows_leave_sorted_when_the_watermark_has_passed_them(delay: int) -> None:
    @given(steps)
    def check(given: list[tuple[list[Row], int]]) -> None:
        room, waiting = WaitingRoom(delay), list[Row]()
        for rows, watermark in given:
            waiting += rows
            left = listed(room.exchange(cells_of(rows), watermark, KEYS))
            assert left == sorted(r for r in waiting if r[1] < watermark)
            waiting = [r for r in waiting if r[1] >= watermark]
            assert len(room) == len(waiting)
        assert listed(room.exchange(None, ALWAYS, KEYS)) == sorted(waiting)
        assert len(room) == 0

    check()


def test_ties_are_broken_by_sequence_across_pushes() -> None:
    room = WaitingRoom(10)
    room.exchange(cells_of([(0, 5, 2), (0, 5, 9)]), NEVER, 1)
    room.exchange(cells_of([(0, 5, 0), (0, 5, 4)]), NEVER, 1)
    left = listed(room.exchange(cells_of([(0, 5, 3)]), 6, 1))
    assert [sequence for _, _, sequence in left] == [0, 2, 3, 4, 9]


def test_a_row_at_the_watermark_stays() -> None:
    room = WaitingRoom(0)
    assert listed(room.exchange(cells_of([(0, 4, 0), (0, 5, 0)]), 5, 1)) == [(0, 4, 0)]
    assert room.exchange(None, 5, 1) == []
    assert listed(room.exchange(None, 6, 1)) == [(0, 5, 0)]


def test_nothing_leaves_an_empty_room() -> None:
    room = WaitingRoom(5)
    assert room.exchange(None, ALWAYS, 1) == []
    assert room.exchange(cells_of([]), 3, 1) == []


def test_rows_wait_in_as_many_buckets_as_the_delay_is_cut_into() -> None:
    room = WaitingRoom(32 * BUCKETS)
    room.exchange(cells_of([(0, 0, 0)]), 1, 1)
    room.exchange(cells_of([(0, t, 0) for t in range(32 * BUCKETS)]), NEVER, 1)
    assert [len(part) for part in room.parts()] == [32] * BUCKETS
    room.exchange(None, 33, 1)  # cuts the second bucket
    assert [len(part) for part in room.parts()] == [32] * (BUCKETS - 2) + [31]


@given(st.lists(st.lists(row, max_size=8), max_size=3))
def test_rows_put_back_leave_as_they_would_have(several: list[list[Row]]) -> None:
    room, other = WaitingRoom(100), WaitingRoom(100)
    for rows in several:
        room.exchange(cells_of(rows), -20, KEYS)
    for part in room.parts():
        other.put_back(part)
    assert len(other) == len(room)
    for watermark in (0, ALWAYS):
        expected = listed(room.exchange(None, watermark, KEYS))
        assert listed(other.exchange(None, watermark, KEYS)) == expected


def test_rows_put_back_leave_though_a_long_batch_follows() -> None:
    room = WaitingRoom(0)
    room.put_back(cells_of([(0, 10, 0), (0, 20, 0)]))
    room.exchange(cells_of([(0, t, 1) for t in range(0, 1001, 100)]), NEVER, 1)
    left = listed(room.exchange(None, 50, 1))
    assert left == [(0, 0, 1), (0, 10, 0), (0, 20, 0)]


def test_all_rows_can_be_changed() -> None:
    room = WaitingRoom(64)
    room.exchange(cells_of([(0, 1, 0), (0, 50, 0)]), NEVER, 1)
    room.apply(lambda cells: cells.take(np.arange(len(cells)).repeat(2)))
    assert len(room) == 4
