"""Bands of neighbours against the bands of each alone."""

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from panewise.kernels.frames.places import places

floats = st.one_of(
    st.integers(-40, 40).map(lambda n: n / 4), st.floats(), st.sampled_from([0.1, 0.3, 2.1, 1e308])
)
whole = st.one_of(st.integers(-40, 40), st.integers(-(2**63), 2**63 - 1))


def together(values: np.ndarray, cut: Any, kind: type) -> np.ndarray:
    return places(values, cut, np.empty(len(values), kind))


def alone(values: np.ndarray, cut: Any, kind: type) -> list[Any]:
    return [together(values[at : at + 1], cut, kind)[0] for at in range(len(values))]


@given(st.lists(floats, max_size=20), st.lists(st.floats(-9, 9), max_size=4))
def test_between_edges(values: list[float], edges: list[float]) -> None:
    given, bounds = np.array(values), np.array(sorted(edges))
    found = together(given, bounds, np.int64)
    assert found.tolist() == np.searchsorted(bounds, given, side="right").tolist()


@given(st.lists(whole, max_size=20), st.lists(whole, max_size=4))
def test_between_edges_of_integers(values: list[int], edges: list[int]) -> None:
    given = np.array(values, np.int64)
    bounds = np.array(sorted(each for each in edges if each > -(2**63)), np.int64)
    found = together(given, bounds, np.int64)
    assert found.tolist() == np.searchsorted(bounds, given, side="right").tolist()


@given(st.lists(whole, max_size=20), st.integers(2, 2**62), st.integers(0, 2**62))
def test_of_integers(values: list[int], step: int, offset: int) -> None:
    offset %= step
    found = together(np.array(values, np.int64), (step, offset), np.int64).tolist()
    assert found == [(value - offset) // step for value in values]


@given(st.lists(floats, max_size=20), st.floats(-9, 9), st.floats(1e-9, 1e300))
def test_of_floats(values: list[float], origin: float, width: float) -> None:
    given = np.array(values)
    found = together(given, (origin, width), np.float64)
    with np.errstate(all="ignore"):
        away = given - origin
        expected = np.where(np.isinf(away), away, np.floor_divide(away, width))
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(found, alone(given, (origin, width), np.float64))
