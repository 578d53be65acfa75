"""Rows of blocks that are passed over together: long frames, cut anew around late rows, against
what is found by looking at every row."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import panewise as pw
from panewise.errors import ResultOverflow
from panewise.kernels.frames.blocks import WIDTH
from panewise.kernels.frames.scanner import FrameScanner
from panewise.kernels.frames.verdict import GROWS, OPENS, step
from panewise.windows import Frame
from tests.kernels.frames.test_repair import Buffered, frames_of

ROWS = 6 * WIDTH
FRAMES = [
    pw.threshold_frame("y > -6"),
    pw.threshold_frame("y > -6", max_duration=100),
    pw.boundary_frame("y", edges=[-4, 4]),
    pw.delta_frame("y", 6),
    pw.delta_frame("y", 6, max_rows=WIDTH + 1),
    pw.delta_frame("y", 12, mode="range"),
    pw.delta_frame("y", 12, mode="range", max_duration=70),
    pw.aggregate_frame(pw.sum("y"), 500),
    pw.aggregate_frame(pw.sum("y"), 500, crossing="exclude"),
    pw.aggregate_frame(pw.count(), 2 * WIDTH),
    pw.aggregate_frame(pw.max("y"), 7, max_rows=3 * WIDTH),
    pw.aggregate_frame(pw.mean("y"), 3),
]


def by_verdict(frame: Frame, buffered: Buffered) -> list[Any]:
    """All frames that the rows of one key have, the open one too."""
    held = buffered.buffer.sorted()
    assert held is not None
    scanner = FrameScanner(frame, 0, 1)
    values = scanner.values_of(held)
    values = values.astype(np.float64 if values.dtype == np.float64 else np.int64)
    form, ahead, bound, _, most, _, longest, _ = scanner.parameters
    a = b = values.dtype.type(0)
    count = start = 0
    told: list[Any] = []
    for time, value in zip(held.pane.tolist(), values, strict=True):
        became, a, b = step(
            form, ahead, bound, most, longest, a, b, count, time - start, value
        )  # fmt: skip
        if became == GROWS:
            count += 1
            continue
        if count:
            told.append((0, start, time, count))
        start, count = time, int(became == OPENS)
    last = int(held.pane[-1])
    return sorted([*told, (0, start, last + 1, count)] if count else told)


def walk(kind: type, seed: int) -> np.ndarray:
    """Steps up and down; of floats some are NaN and infinite."""
    rng = np.random.default_rng(seed)
    values = np.cumsum(rng.choice([-1, 0, 1], ROWS)).astype(kind)
    if kind is np.float64:
        values[rng.integers(0, ROWS, 5)] = [np.nan, np.nan, np.inf, np.inf, -np.inf]
    return values


@pytest.mark.parametrize("kind", [np.int64, np.float64])
@pytest.mark.parametrize("frame", FRAMES, ids=lambda frame: frame.canonical)
def test_long_frames_are_cut_as_row_by_row(frame: Frame, kind: type) -> None:
    values = walk(kind, seed=7)
    rng = np.random.default_rng(1)
    late = np.where(rng.random(ROWS) < 0.2, rng.integers(1, 2 * WIDTH, ROWS), 0)
    order = np.argsort(np.arange(ROWS) + late, kind="stable")
    buffered = Buffered(frame, pa.from_numpy_dtype(kind))
    told: list[Any] = []
    for part in np.split(order, [ROWS // 2, ROWS // 2 + 1, ROWS // 2 + 9, ROWS - 40, ROWS - 2]):
        # two rows share a time, so a region may have to reach farther than its frames
        regions = buffered.push(*((int(t) // 2, values[t]) for t in part))
        for gone in frames_of(regions.were):
            told.remove(gone)
        told += frames_of(regions.now)
        assert sorted(told) == by_verdict(frame, buffered)


def test_a_sum_that_leaves_64_bits_inside_a_block_is_an_error() -> None:
    buffered = Buffered(pw.aggregate_frame(pw.sum("y"), 0))
    buffered.push(*((t, -(2**58)) for t in range(30)))  # 2**61 is left
    with pytest.raises(ResultOverflow, match="left the range of BIGINT"):
        buffered.push(*((t, -(2**62)) for t in (20, 21, 22)))


def test_rows_without_a_value_are_in_no_frame() -> None:
    buffered = Buffered(pw.delta_frame("y", 3))
    frame = FrameScanner(buffered.frame, 0, 1)
    rows = [(t, None if t % 3 == 0 else 1) for t in range(3 * WIDTH)]
    buffered.buffer.insert(
        frame.admitted(buffered.cells(rows, [0] * len(rows))), 1, tells_open=True
    )
    regions = buffered.push((WIDTH, 9))
    before = sum(t % 3 > 0 for t in range(WIDTH + 1))
    assert [count for *_, count in frames_of(regions.now)] == [before, 1, 2 * WIDTH - before]
