"""Intervals of predicates against the predicates evaluated."""

import math
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from panewise.expressions import Expression
from panewise.expressions.interval import Interval, interval_of

LEAST, MOST = -(2**63), 2**63 - 1
NUMBERS = ["0", "-0.0", "1", "2.5", "-2.5", "3000000000", "123456789012345678", "0.1", "-7"]
FLOATING = ["1e0", "-2.5e-1", "1e999", "-1e999", "1e308", "9223372036854775807", "1e-320"]
COMPARISONS = ["x > {}", "x >= {}", "x < {}", "x <= {}", "x = {}", "{} < x", "{} >= x", "{} = x"]
COMPOUND = ["x > 1 AND x < 9.5", "(x >= -1) AND (x <= 2 AND x > 0)", "x BETWEEN -1 AND 2.5"]
WHOLE = [LEAST, LEAST + 1, -8, -7, -3, -2, -1, 0, 1, 2, 3, 9, 10, 2**53 + 1, MOST - 1, MOST]
WHOLE += [each for n in (3000000000, 123456789012345678) for each in (n - 1, n, n + 1)]
FLOATS = [-math.inf, -1.7976931348623157e308, -7.0, -2.5, -1.0, -5e-324, -0.0, 0.0, 5e-324, 0.1]
FLOATS += [0.25, 1.0, 2.5, 9.5, 3e9, 1e308, 9.223372036854775807e18, math.inf, math.nan]
FLOATS += [math.nextafter(each, way) for each in FLOATS for way in (-math.inf, math.inf)]


def lies_in(value: Any, interval: Interval) -> bool:
    return (interval.nan and value != value) or interval.low <= value <= interval.high


def check(text: str, values: list[Any], kind: pa.DataType) -> None:
    interval = interval_of(text, kind)
    assert interval is not None
    truths = Expression.parse(text).evaluate({"x": pa.array(values, kind)}).to_pylist()
    assert [lies_in(value, interval) for value in values] == truths


@pytest.mark.parametrize("comparison", COMPARISONS)
def test_holds_the_numbers_that_a_predicate_is_true_for(comparison: str) -> None:
    for number in NUMBERS:
        check(comparison.format(number), WHOLE, pa.int64())
    for number in NUMBERS + FLOATING:
        check(comparison.format(number), FLOATS, pa.float64())


@pytest.mark.parametrize("text", COMPOUND)
def test_of_several_comparisons_is_where_all_are_true(text: str) -> None:
    check(text, WHOLE, pa.int64())
    check(text, FLOATS, pa.float64())


@given(st.sampled_from(COMPARISONS), st.integers(-(10**6), 10**6), st.lists(st.floats()))
def test_of_floats(comparison: str, hundredths: int, values: list[float]) -> None:
    check(comparison.format(hundredths / 100), values, pa.float64())


@pytest.mark.parametrize(
    "text",
    ["x <> 1", "x > 1 OR x < 0", "NOT x > 1", "x > y", "x + 1 > 2", "x", "x IS NULL", "1 > 0",
     "x > 1 AND y > 1", "x > 1 AND x <> 3", "x <=> 1", "x BETWEEN y AND 3", "x > 'a'"],
)  # fmt: skip
def test_other_predicates_are_evaluated(text: str) -> None:
    for kind in (pa.int64(), pa.float64()):
        assert interval_of(text, kind) is None


def test_integers_are_compared_with_floats_and_long_decimals_by_evaluation() -> None:
    for number in ("1e0", "9223372036854775807", "0.1234567890123456789"):
        assert interval_of(f"x > {number}", pa.int64()) is None


@pytest.mark.parametrize("kind", [pa.int32(), pa.float32(), pa.decimal128(9, 2), pa.date32()])
def test_other_types_are_evaluated(kind: pa.DataType) -> None:
    assert interval_of("x > 1", kind) is None
