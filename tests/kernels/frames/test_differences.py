"""What is told of frames that were cut anew, against the definition over sorted columns."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import panewise as pw
from panewise.kernels.frames.numbered import FRESH
from panewise.kernels.ranges import Ranges
from panewise.kernels.revisions import alike, holds, matched
from panewise.windows import Frame
from tests.kernels.frames.test_repair import Buffered, pushes

WINDOW = 5


def defined(regions: Any) -> list[list[tuple[Any, ...]]]:
    """New, changed and gone frames, each with its rows."""
    were, now = regions.were, regions.now
    names_were, names_now = ((each.code, each.start, each.end) for each in (were, now))
    again, gone = matched(names_were, names_now)
    ranges = Ranges(np.zeros_like(now.lo), now.code, now.start, now.end, now.lo, now.hi)
    changed = holds(regions.marks == FRESH, ranges) & (again >= 0)
    if len(were.lo):
        at = np.maximum(again, 0)
        other = (were.hi - were.lo)[at] != now.hi - now.lo
        other |= regions.earlier[were.lo[at]] != regions.rows[now.lo]
        changed |= other & (again >= 0)
    changed = alike(names_now, changed, [each[gone] for each in names_were])
    return [
        _shown(now, again < 0, regions.rows),
        _shown(now, (again >= 0) & changed, regions.rows),
        _shown(were, gone, regions.earlier),
    ]


def _shown(found: Any, picked: np.ndarray, rows: np.ndarray) -> list[tuple[Any, ...]]:
    return [
        (found.code[i], found.start[i], found.end[i], tuple(rows[found.lo[i] : found.hi[i]]))
        for i in np.flatnonzero(picked)
    ]


@pytest.mark.parametrize(
    "frame",
    [
        pw.threshold_frame("y > 0"),
        pw.delta_frame("y", 2, mode="range"),
        pw.aggregate_frame(pw.sum("y"), 4),
        pw.aggregate_frame(pw.count(), 1),
        pw.aggregate_frame(pw.max("y"), 3, max_rows=2, min_rows=2),
    ],
    ids=lambda frame: frame.canonical,
)
def test_what_is_told_is_what_differs(frame: Frame) -> None:
    """Times are few, so many frames have no length and are alike."""

    @settings(max_examples=150, deadline=None)
    @given(pushes=pushes, apart=st.sampled_from([1, 4]))
    def check(pushes: list[list[tuple[int, int, int]]], apart: int) -> None:
        buffered = Buffered(frame)
        for push in pushes:
            rows, codes = [(t // apart, y) for t, y, _ in push], [k for _, _, k in push]
            regions = buffered.push(*rows, codes=codes, keys=2)
            told, picked, new, revised = regions.differences(WINDOW)
            shown = [
                (code, start, end, tuple(picked[lo:hi])) for _, code, start, end, lo, hi in told.T
            ]
            changed = new + revised
            assert [shown[:new], shown[new:changed], shown[changed:]] == defined(regions)
            assert set(told[0].tolist()) <= {WINDOW}

    check()
