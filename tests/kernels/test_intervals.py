"""Bounds as a column, and those that were told before."""

import numpy as np
import pyarrow as pa
import pytest

from panewise.kernels.intervals import FEW, Intervals

KIND = pa.struct([("start", pa.timestamp("us")), ("end", pa.timestamp("us"))])


@pytest.mark.parametrize("count", [0, 1, 100, FEW + 1])
def test_intervals_that_were_told_stay_when_others_are(count: int) -> None:
    intervals = Intervals(KIND)
    starts = [np.arange(at, at + count) for at in range(12)]
    told = [intervals.of(start, start + 7) for start in starts]
    for start, got in zip(starts, told, strict=True):
        got.validate(full=True)
        assert got.type == KIND
        begin, end = (np.asarray(field.cast(pa.int64())) for field in got.flatten())
        assert begin.tolist() == start.tolist() and end.tolist() == (start + 7).tolist()
