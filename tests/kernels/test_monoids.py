"""The compiled monoids against their definitions."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from panewise.kernels.monoids import MAX, MIN, OPERATIONS, OR, PRODUCT, SUM, combine, overflows

NAN = math.nan
quarters = st.integers(-20, 20).map(lambda n: n / 4)
floats = st.one_of(quarters, st.sampled_from([NAN, math.inf, -math.inf]))
long = st.one_of(st.integers(-(2**63), 2**63 - 1), st.sampled_from([0, -1, 2**62, -(2**63)]))


def above(a: float) -> tuple[bool, float]:
    """NaN is above every number."""
    return (True, 0.0) if math.isnan(a) else (False, a)


@given(floats, floats)
def test_extremes_order_not_a_number_last(a: float, b: float) -> None:
    assert above(combine(a, b, MIN)) == min(above(a), above(b))
    assert above(combine(a, b, MAX)) == max(above(a), above(b))


@given(quarters, quarters)
def test_sums_and_products(a: float, b: float) -> None:
    assert combine(a, b, SUM) == a + b
    assert combine(a, b, PRODUCT) == a * b


@given(long, long)
def test_bits_are_those_of_either(a: int, b: int) -> None:
    assert combine(a, b, OR) == a | b


@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize("kind", [int, float])
def test_every_monoid_is_associative_and_commutes(name: str, kind: type) -> None:
    operation = OPERATIONS[name]

    @given(st.tuples(*[st.integers(-9, 9)] * 3))
    def check(drawn: tuple[int, int, int]) -> None:
        a, b, c = map(kind, drawn)
        assert combine(a, b, operation) == combine(b, a, operation)
        left = combine(combine(a, b, operation), c, operation)
        assert left == combine(a, combine(b, c, operation), operation)

    check()


@given(long, long)
def test_an_overflow_is_a_sum_that_went_around(a: int, b: int) -> None:
    wrapped = (a + b + 2**63) % 2**64 - 2**63
    assert overflows(a, b, wrapped) == (wrapped != a + b)
