"""Repair: frames are cut anew around a late row, and no farther than until they are as before."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import panewise as pw
from panewise.kernels.cells import Cells
from panewise.kernels.frames.inputs import frame_input
from panewise.kernels.frames.multi_buffer import MultiBuffer, Regions
from panewise.kernels.frames.scanner import FrameScanner
from panewise.windows import Frame

Row = tuple[int, Any]
"""Time and value."""


_WHOLE = pa.int64()


class Buffered:
    """A multi buffer of one key unless others are given."""

    def __init__(self, frame: Frame, kind: pa.DataType = _WHOLE) -> None:
        self.frame, self._kind = frame, kind
        self.buffer = MultiBuffer(FrameScanner(frame, 0, 1), 1)
        self.count = 0

    def cells(self, rows: list[Row], codes: list[int]) -> Cells:
        ticks = np.array([t for t, _ in rows], np.int64)
        low, self.count = self.count, self.count + len(rows)
        looked = frame_input(self.frame, {"y": pa.array([y for _, y in rows], self._kind)})
        cells = Cells(
            code=np.array(codes, np.int64), pane=ticks, first=ticks, last=ticks, partials=[],
            sequence=np.arange(low, self.count), inputs=[looked],
        )  # fmt: skip
        return cells.take(np.lexsort((cells.tie, cells.pane, cells.code)))  # as tiers give them

    def push(self, *rows: Row, codes: list[int] | None = None, keys: int = 1) -> Regions:
        cells = self.cells(list(rows), codes or [0] * len(rows))
        return self.buffer.insert(cells, keys, tells_open=True)

    def starts(self, found: Any) -> list[int]:
        return sorted(found.start.tolist())

    def fresh(self) -> list[Row]:
        """All frames, cut from nothing."""
        other = Buffered(self.frame)
        held = self.buffer.sorted()
        if held is None:
            return []
        regions = other.buffer.insert(held, int(held.code.max()) + 1, tells_open=True)
        return frames_of(regions.now)


def frames_of(found: Any) -> list[Any]:
    columns = (found.code, found.start, found.end, found.hi - found.lo)
    return sorted(zip(*(c.tolist() for c in columns), strict=True))


def test_the_example_of_the_source() -> None:
    # sum 3:   1 2 | 4 5 | 6 7 | 8 | 9        late 3:   1 2 | 3 4 | 5 6 | 7 8 | 9
    buffered = Buffered(pw.aggregate_frame(pw.sum("y"), 3))
    buffered.push((1, 2), (2, 1), (4, 1), (5, 2), (6, 2), (7, 1), (8, 3), (9, 1))
    regions = buffered.push((3, 2))
    # from the frame that the row falls into, which is the one before it, to where 9 opens again
    assert buffered.starts(regions.were) == [1, 4, 6, 8]
    assert buffered.starts(regions.now) == [1, 3, 5, 7]
    assert len(regions.rows) == 8 and len(buffered.buffer) == 9


@pytest.mark.parametrize(
    ("frame", "most"),
    [
        (pw.threshold_frame("y > 0"), 40),
        (pw.boundary_frame("y", edges=[0]), 40),
        (pw.delta_frame("y", 3, mode="range"), 60),
        (pw.aggregate_frame(pw.count(), 10, max_duration=25), 60),
    ],
    ids=lambda each: each.kind if isinstance(each, Frame) else "",
)
def test_rows_far_away_are_not_touched(frame: Frame, most: int) -> None:
    """Stretches of ten rows, 10,000 of them held: a late row costs a few stretches."""
    buffered = Buffered(frame)
    values = [1 if t // 10 % 2 else -4 for t in range(10_000)]
    times = [t + t // 10 * 20 for t in range(10_000)]  # far apart between stretches
    buffered.push(*zip(times, values, strict=True))
    for late in (times[5], times[5_000], times[9_990]):
        regions = buffered.push((late, 1))
        assert 1 <= len(regions.rows) <= most


def test_equal_times_are_not_equal_rows() -> None:
    # sum 2, all rows at one time:   1 1 | 1 1      one more:   1 1 | 1 1 | 1
    buffered = Buffered(pw.aggregate_frame(pw.sum("y"), 2))
    buffered.push((5, 1), (5, 1), (5, 1), (5, 1))
    assert frames_of(buffered.push((5, 1)).now) == buffered.fresh()


pushes = st.lists(
    st.lists(
        st.tuples(st.integers(0, 15), st.integers(-2, 3), st.integers(0, 1)),
        min_size=1,
        max_size=6,
    ),
    min_size=1,
    max_size=6,
)


@pytest.mark.parametrize(
    "frame",
    [
        pw.threshold_frame("y > 0"),
        pw.boundary_frame("y", edges=[0, 2]),
        pw.delta_frame("y", 2),
        pw.delta_frame("y", 2, mode="range"),
        pw.aggregate_frame(pw.sum("y"), 4),
        pw.aggregate_frame(pw.sum("y"), 4, crossing="exclude", min_rows=2),
        pw.aggregate_frame(pw.max("y"), 3, max_rows=4),
    ],
    ids=lambda frame: frame.canonical,
)
def test_split_and_merge_give_what_cutting_anew_gives(frame: Frame) -> None:
    """What the regions were is taken away, what they are now is added."""

    @settings(max_examples=150, deadline=None)
    @given(pushes=pushes)
    def check(pushes: list[list[tuple[int, int, int]]]) -> None:
        buffered = Buffered(frame)
        told: list[Any] = []
        for push in pushes:
            rows, codes = [(t, y) for t, y, _ in push], [k for _, _, k in push]
            regions = buffered.push(*rows, codes=codes, keys=2)
            for gone in frames_of(regions.were):
                told.remove(gone)
            told += frames_of(regions.now)
            assert sorted(told) == buffered.fresh()

    check()
