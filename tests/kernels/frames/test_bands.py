"""Bands of boundary frames: equal exactly where the definition says that values share one."""

import math
from bisect import bisect_right
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import panewise as pw
from panewise.kernels.frames.bands import bands
from panewise.windows import BoundaryFrame

WIDTHS = [1, 3, 7, 2.1, 2.5, 0.3, Decimal("0.7"), 10**17, 2**63, 2**70, 1e-5]
ORIGINS = [0, 5, -5, 0.25, 2**63, -(2**65), Decimal("0.1")]
EDGES = [[0], [-1.5, 2.1], [2**63 - 1], [2**63, 2**64], [-(2**63), -(2**64) + 1, 3], [0.1, 0.3]]
integers = st.lists(
    st.one_of(
        st.integers(-30, 30), st.sampled_from([-(2**63), 1 - 2**63, 2**63 - 1, 2**63 - 2, 2**53])
    ),
    min_size=2,
    max_size=12,
)
decimals = st.lists(st.decimals(-99, 99, places=2), min_size=2, max_size=12)
floats = st.lists(
    st.one_of(
        st.integers(-30, 30).map(lambda n: n * 0.7), st.floats(allow_infinity=True, allow_nan=True)
    ),
    min_size=2,
    max_size=12,
)


def together(given: list[Any]) -> list[list[bool]]:
    """Which rows are in one band."""

    def same(a: Any, b: Any) -> bool:
        return bool(a == b or (a != a and b != b))

    return [[same(a, b) for a in given] for b in given]


def defined(frame: BoundaryFrame, value: Any) -> Any:
    """By the definition, in exact numbers."""
    if frame.width is None:
        if isinstance(value, float) and not math.isfinite(value):
            return 0 if value < 0 else len(frame.edges)
        edges = sorted(Fraction(edge) for edge in frame.edges)
        return bisect_right(edges, Fraction(value))
    if isinstance(value, float):
        away = value - float(frame.origin)
        return away // float(frame.width) if math.isfinite(away) else away
    return (Fraction(value) - Fraction(frame.origin)) // Fraction(frame.width)


def agree(frame: BoundaryFrame, values: list[Any], kind: pa.DataType) -> None:
    found = bands(frame, pa.array(values, kind)).to_pylist()
    assert together(found) == together([defined(frame, value) for value in values])


def frames() -> list[BoundaryFrame]:
    cut = [pw.boundary_frame("y", edges=sorted(edges)) for edges in EDGES]
    return cut + [pw.boundary_frame("y", width=w, origin=o) for w in WIDTHS for o in ORIGINS]


@pytest.mark.parametrize(
    ("values", "kind"),
    [(integers, pa.int64()), (decimals, pa.decimal128(18, 2)), (floats, pa.float64())],
    ids=["integers", "decimals", "floats"],
)
def test_the_definition(values: st.SearchStrategy[list[Any]], kind: pa.DataType) -> None:
    @settings(max_examples=400, deadline=None)
    @given(frame=st.sampled_from(frames()), values=values)
    def check(frame: BoundaryFrame, values: list[Any]) -> None:
        agree(frame, values, kind)

    check()


def test_a_quotient_that_rounds_up() -> None:
    """21 is below ten times the float 2.1, which is a little more than 2.1."""
    frame = pw.boundary_frame("y", width=2.1)
    assert bands(frame, pa.array([20, 21])).to_pylist() == [9, 9]
    assert bands(frame, pa.array([20.0, 21.0])).to_pylist() == [9.0, 9.0]


def test_an_edge_that_no_float_is_equal_to() -> None:
    frame = pw.boundary_frame("y", edges=[2**53 + 1])
    assert bands(frame, pa.array([2.0**53, 2.0**53 + 2])).to_pylist() == [0, 1]


def test_an_edge_above_every_integer() -> None:
    frame = pw.boundary_frame("y", edges=[2**63])
    assert bands(frame, pa.array([0, 2**63 - 1])).to_pylist() == [0, 0]


@pytest.mark.parametrize("kind", [pa.int64(), pa.float64(), pa.decimal128(18, 2)], ids=str)
def test_nulls_have_none(kind: pa.DataType) -> None:
    for frame in (pw.boundary_frame("y", edges=[0]), pw.boundary_frame("y", width=2)):
        found = bands(frame, pa.array([None, 1, None], kind))
        assert found.is_valid().to_pylist() == [False, True, False]
        assert len(bands(frame, pa.array([], kind))) == 0


def test_infinities_and_nan() -> None:
    values = pa.array([math.inf, math.nan, -math.inf, 1e300])
    by_width = bands(pw.boundary_frame("y", width=2), values).to_pylist()
    assert together(by_width) == together(["inf", "nan", "-inf", "1e300"])
    assert bands(pw.boundary_frame("y", edges=[0]), values).to_pylist() == [1, 1, 0, 1]
