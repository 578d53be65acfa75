"""The multi buffer: rows by their numbers, forgotten, numbered anew."""

import numpy as np
import pytest

import panewise as pw
from tests.kernels.frames.test_repair import Buffered, frames_of


def times(buffered: Buffered) -> list[int]:
    held = buffered.buffer.sorted()
    return [] if held is None else held.pane.tolist()


def filled(count: int = 12) -> Buffered:
    """Frames of three rows, pushed in batches of many sizes."""
    buffered = Buffered(pw.aggregate_frame(pw.count(), 3))
    at = 0
    for size in (1, 1, 2, 5, 1, 10_000):
        rows = [(t, 1) for t in range(at, min(at + size, count))]
        if rows:
            buffered.push(*rows)
        at += size
    return buffered


def test_rows_of_many_pushes_by_their_numbers() -> None:
    buffered = filled(12)
    wanted = np.array([7, 0, 11, 3, 3])
    assert buffered.buffer.rows.take(wanted).pane.tolist() == [7, 0, 11, 3, 3]


def test_frames_that_nothing_can_change_are_dropped() -> None:
    # 0 1 2 | 3 4 5 | 6 7 8 | 9 10 11: rows may come from 7 on, so into [6, 9)
    buffered = filled(12)
    buffered.buffer.drop_closed(7)
    assert times(buffered) == list(range(6, 12)) and len(buffered.buffer) == 6
    assert frames_of(buffered.push((7, 1)).now) == [(0, 6, 8, 3), (0, 8, 11, 3), (0, 11, 12, 1)]


def test_rows_that_no_frame_has_are_dropped_with_them() -> None:
    buffered = Buffered(pw.threshold_frame("y > 0"))
    buffered.push((1, 1), (2, -1), (3, -1), (4, 1), (5, 1))
    buffered.buffer.drop_closed(4)
    assert times(buffered) == [4, 5]


def test_the_oldest_frames_are_dropped_by_number() -> None:
    buffered = filled(12)
    floors = np.full((1, 2), -(2**62))
    buffered.buffer.drop_oldest(4, 1, floors)  # three are closed
    assert len(buffered.buffer) == 12
    buffered.push((12, 1))
    buffered.buffer.drop_oldest(4, 3, floors)
    assert times(buffered) == [9, 10, 11, 12] and floors[0, 0] == 9


def test_numbers_are_given_anew_once_most_are_gone() -> None:
    buffered = filled(6_000)
    buffered.buffer.drop_closed(5_990)
    assert times(buffered) == list(range(5_988, 6_000))
    assert buffered.buffer.rows.count == 12, "the rows themselves are gone too"
    regions = buffered.push((5_989, 1))
    assert frames_of(regions.now) == buffered.fresh()


def test_all_dropped_and_more_pushed() -> None:
    buffered = Buffered(pw.threshold_frame("y > 0"))
    buffered.push(*((t, -1) for t in range(3_000)))
    buffered.buffer.drop_closed(3_000)
    assert len(buffered.buffer) == 0 and times(buffered) == []
    assert frames_of(buffered.push((3_001, 1)).now) == [(0, 3_001, 3_002, 1)]


@pytest.mark.parametrize("gone", [0, 1, 2])
def test_keys_are_numbered_anew(gone: int) -> None:
    buffered = Buffered(pw.aggregate_frame(pw.count(), 2))
    others = [key for key in range(3) if key != gone]
    buffered.push((1, 1), (2, 1), (3, 1), (4, 1), codes=others * 2, keys=3)
    renamed = np.full(3, -1)
    renamed[others] = [0, 1]
    buffered.buffer.rename(renamed)
    assert set(buffered.buffer.codes().tolist()) == {0, 1}
    regions = buffered.push((5, 1), (6, 1), codes=[0, 1], keys=2)
    assert frames_of(regions.now) == [(0, 1, 5, 2), (0, 5, 6, 1), (1, 2, 6, 2), (1, 6, 7, 1)]


def test_the_rows_of_open_frames() -> None:
    buffered = filled(11)
    assert buffered.buffer.open_rows().tolist() == [2]
    assert frames_of(buffered.buffer.open_frames().now) == [(0, 9, 11, 2)]
    none_open = Buffered(pw.threshold_frame("y > 0"))
    none_open.push((1, 1), (2, -1))
    assert none_open.buffer.open_rows().tolist() == []
