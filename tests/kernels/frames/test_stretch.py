"""How far a stretch goes, against looking at every row."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from panewise.kernels.compiled import compiled
from panewise.kernels.frames.stretch import between

NAN, INF = float("nan"), float("inf")
near_ends = [-(2**63), -(2**63) + 1, 0, 2**63 - 2, 2**63 - 1]


@compiled
def passed(values, at, stop, low, high):  # type: ignore[no-untyped-def]
    """`between` is compiled into the loop around it."""
    return between(values, at, stop, low, high)


@pytest.mark.parametrize(
    ("kind", "inside", "strays", "bounds"),
    [
        (np.int64, st.integers(-3, 3), st.sampled_from([-4, 4, *near_ends]), (-3, 3)),
        (np.int64, st.integers(-3, 3), st.sampled_from([0, 4]), (-(2**63), 2**63 - 1)),
        (np.float64, st.floats(-3, 3), st.sampled_from([NAN, INF, -INF, 3.5]), (-3.0, 3.0)),
        (np.float64, st.floats(-3, 3), st.sampled_from([NAN, INF, -INF]), (-INF, INF)),
    ],
)
def test_as_row_by_row(kind: type, inside: Any, strays: Any, bounds: tuple[Any, Any]) -> None:
    @settings(max_examples=200, deadline=None)
    @given(st.integers(0, 80), st.lists(st.integers(0, 79), max_size=3), st.data())
    def check(count: int, places: list[int], data: st.DataObject) -> None:
        values = np.full(count, data.draw(inside), kind)
        for place in places:
            if place < count:
                values[place] = data.draw(strays)
        at = data.draw(st.integers(0, count))
        stop = data.draw(st.integers(at, count))
        low, high = map(kind, bounds)
        expected = at
        while expected < stop and low <= values[expected] <= high:
            expected += 1
        assert passed(values, at, stop, low, high) == expected

    check()
