"""Cutting by stretches against looking at every row, in pieces and in whole."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import panewise as pw
from panewise.kernels.frames.bands import bands, cut_by
from panewise.kernels.frames.cutter import Cutter, numbers_of
from panewise.kernels.frames.inputs import frame_input
from panewise.kernels.frames.intervals import bounds_of
from panewise.kernels.frames.segment import CONTEXT, counts, segment_new
from panewise.kernels.frames.verdict import GROWS, OPENS, step
from panewise.windows.boundary_frame import BoundaryFrame
from panewise.windows.frames import Frame
from panewise.windows.threshold_frame import ThresholdFrame

FRAMES: list[Frame] = [
    pw.threshold_frame("x > 1"),
    pw.threshold_frame("x > 1", max_rows=3, min_rows=2),
    pw.threshold_frame("x > 1", max_duration=4),
    pw.threshold_frame("x <= 1.5"),
    pw.threshold_frame("x BETWEEN 0 AND 3"),
    pw.boundary_frame("x", width=2),
    pw.boundary_frame("x", width=3, origin=-1, max_rows=4),
    pw.boundary_frame("x", width=2**62 + 1, origin=5),
    pw.boundary_frame("x", width=0.3, origin=0.1),
    pw.boundary_frame("x", edges=[-(2**62), 1.5, 4, 2**63 - 1]),
    pw.boundary_frame("x", edges=[0, 2], max_duration=3),
    pw.delta_frame("x", 3),
    pw.delta_frame("x", 3, mode="range", max_rows=4),
    pw.aggregate_frame(pw.sum("x"), 4),
    pw.aggregate_frame(pw.sum("x"), 4, crossing="exclude", max_duration=5),
    pw.aggregate_frame(pw.sum("x"), 2**62),
    pw.aggregate_frame(pw.sum("x"), 2**80),
    pw.aggregate_frame(pw.sum("x"), 2**80, crossing="exclude"),
    pw.delta_frame("x", 2**63),
    pw.aggregate_frame(pw.count("x"), 3),
    pw.aggregate_frame(pw.count("x"), 3, crossing="exclude"),
    pw.aggregate_frame(pw.max("x"), 3),
]
HUGE = [2**62, -(2**62), 2**63 - 1, -(2**63), 2**62 + 1]
whole = st.one_of(st.integers(-3, 5), st.integers(-3, 5), st.sampled_from(HUGE))
odd = st.sampled_from([float("nan"), float("inf"), -float("inf"), 0.1, -0.0])
floats = st.one_of(st.integers(-6, 10).map(lambda n: n / 2), st.integers(-3, 5).map(float), odd)


def row_by_row(times: np.ndarray, values: np.ndarray, cutter: Cutter) -> list[Any] | None:
    """Start, end and bounds of every frame, by `step` alone; None where a sum goes around."""
    form, ahead, bound, _, most, _, longest, _ = cutter.parameters
    kind = np.float64 if values.dtype == np.float64 else np.int64
    a = b = kind(0)
    found, lo, count = [], 0, 0
    for i, value in enumerate(values.astype(kind)):
        lasts = times[i] - times[lo]
        became, a, b = step(
            form, ahead, bound, most, longest, kind(a), kind(b), count, lasts, value
        )
        if became < 0:
            return None
        if became == GROWS:
            count += 1
            continue
        if count and counts(cutter.parameters, count, times[lo], times[i - 1], times[i]):
            found.append((times[lo], times[i], lo, i))
        lo, count = i, int(became == OPENS)
    return found


def in_pieces(
    times: np.ndarray, values: np.ndarray, bands: Any, cutter: Cutter, cuts: list[int]
) -> list[Any] | None:
    contexts, begun = np.zeros((1, CONTEXT), np.int64), np.zeros(1, np.int64)
    no_sequence = np.empty(0, np.int64)
    found, began = [], 0
    for low, high in zip([0, *cuts], [*cuts, len(times)], strict=True):
        out = np.empty((6, high - low + 2), np.int64)
        closed, opened = segment_new(
            times[low:high], values[low:high], bands, np.array([0, high - low]), no_sequence, low,
            1, False, cutter.parameters, contexts, begun, out,
        )  # fmt: skip
        if closed < 0:
            return None
        for _, seed, start, end, lo, hi in out[:, :closed].T.tolist():
            found.append((start, end, began if seed == 0 else low + lo, low + hi))
        if opened and out[1, closed] != 0:
            began = low + int(out[4, closed])
        if opened:
            assert begun[0] == began
    return found


@pytest.mark.parametrize("kind", [whole, floats], ids=["integers", "floats"])
@pytest.mark.parametrize("frame", FRAMES, ids=lambda each: each.canonical)
def test_as_row_by_row(frame: Frame, kind: st.SearchStrategy[Any]) -> None:
    @settings(max_examples=60, deadline=None)
    @given(values=st.lists(kind, min_size=1, max_size=20), data=st.data())
    def check(values: list[Any], data: st.DataObject) -> None:
        column = pa.array(values, pa.int64() if kind is whole else pa.float64())
        steps = data.draw(st.lists(st.integers(0, 3), min_size=len(column), max_size=len(column)))
        form = Cutter.of(frame, 0, whole=False).form
        looked_at, _ = numbers_of(evaluated(frame, column), form)
        cutter = Cutter.of(frame, 0, whole=looked_at.dtype != np.float64)
        times = np.cumsum(steps)
        cuts = sorted(data.draw(st.lists(st.integers(0, len(column)), max_size=3)))
        expected = row_by_row(times, looked_at, cutter)
        assert in_pieces(times, looked_at, None, cutter, cuts) == expected
        cut = cut_of(frame, column.type)
        if cut is not None:  # bands and intervals are looked for on the way
            assert in_pieces(times, np.asarray(column), cut, cutter, cuts) == expected

    check()


def evaluated(frame: Frame, column: pa.Array) -> pa.Array:
    """Truths, bands or numbers, each made before any is looked at."""
    if isinstance(frame, BoundaryFrame):
        return bands(frame, column)
    if isinstance(frame, ThresholdFrame):
        return frame.predicate.evaluate({"x": column})
    return frame_input(frame, {"x": column})


def cut_of(frame: Frame, kind: pa.DataType) -> Any:
    if isinstance(frame, BoundaryFrame):
        return cut_by(frame, kind)
    return bounds_of(frame, kind) if isinstance(frame, ThresholdFrame) else None


@pytest.mark.parametrize("crossing", ["include", "exclude"])
@settings(max_examples=100, deadline=None)
@given(
    values=st.lists(
        st.one_of(st.integers(0, 9), st.integers(-9, 9), st.sampled_from([2**40, -(2**41), 2**62])),
        min_size=60, max_size=60,
    ),
    repeated=st.integers(1, 4),
    limit=st.sampled_from([20, 150, 1000, 2**42, 2**63]),
)  # fmt: skip
def test_sums_of_many_rows_at_a_time(
    crossing: str, values: list[int], repeated: int, limit: int
) -> None:
    given = np.array(values * repeated, np.int64)
    cutter = Cutter.of(pw.aggregate_frame(pw.sum("x"), limit, crossing=crossing), 0, whole=True)
    times = np.arange(len(given))
    expected = row_by_row(times, given, cutter)
    assert in_pieces(times, given, None, cutter, [7, 50]) == expected


@settings(max_examples=200, deadline=None)
@given(
    first=st.floats(allow_nan=False),
    steps=st.lists(st.integers(-40, 40), min_size=40, max_size=40),
    delta=st.sampled_from([0.1, 0.3, 1e-17, 1e-300, 3, 1e308]),
)
def test_deltas_of_floats_that_are_rounded(first: float, steps: list[int], delta: float) -> None:
    """Values around the bounds, and a few floats apart from the first."""
    with np.errstate(all="ignore"):
        near = [first + step * delta / 20 for step in steps]
        apart = [first + step * np.spacing(first) for step in steps]
    given = np.array([first, *near, first, *apart])
    cutter = Cutter.of(pw.delta_frame("x", delta), 0, whole=False)
    times = np.arange(len(given))
    assert in_pieces(times, given, None, cutter, [20]) == row_by_row(times, given, cutter)
