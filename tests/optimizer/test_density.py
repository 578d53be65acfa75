"""Edges per tick, against counting them one by one."""

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from panewise.optimizer.density import Density
from panewise.plan import Edges

Progressions = list[tuple[int, int]]
progressions = st.lists(st.tuples(st.integers(1, 24), st.integers(-50, 50)), min_size=1, max_size=4)
tumbling = st.lists(st.integers(1, 12).map(lambda period: (period, 0)), min_size=1, max_size=5)


def counted(listed: Progressions) -> float:
    """By one whole period."""
    period = math.lcm(*(p for p, _ in listed))
    return counted_in(listed, 0, period)


def counted_in(listed: Progressions, start: int, length: int) -> float:
    found: set[int] = set()
    for period, phase in listed:
        found.update(range(start + (phase - start) % period, start + length, period))
    return len(found) / length


def density(listed: Progressions) -> float:
    return Density(listed).of(Edges.union(listed))


@given(st.one_of(progressions, tumbling))
def test_exact_over_one_period(listed: Progressions) -> None:
    # lcm(1..24) is long, but that of four of them fits
    if math.lcm(*(p for p, _ in listed)) <= 1 << 15:
        assert density(listed) == pytest.approx(counted(listed))
    else:
        assert density(listed) == pytest.approx(counted(listed), rel=0.02)


@given(tumbling, st.integers(1, 10**12), st.integers(-(10**12), 10**12))
def test_the_unit_and_the_origin_do_not_matter(
    listed: Progressions, unit: int, origin: int
) -> None:
    scaled = [(period * unit, origin + phase * unit) for period, phase in listed]
    assert density(scaled) * unit == pytest.approx(density(listed))


@given(progressions, progressions)
def test_unions_within_a_larger_set(some: Progressions, others: Progressions) -> None:
    known = Density([*some, *others])
    found = known.of(Edges.union(some))
    assert found == pytest.approx(counted(some), rel=0.02)
    assert known.of(Edges.union(some)) == found  # remembered
    assert known.of(Edges.union([*some, *others])) >= found * 0.98


def test_813_panes_in_4845_seconds() -> None:
    assert density([(15, 0), (17, 0), (19, 0)]) * 4845 == pytest.approx(813)
    microseconds = [(n * 10**6, 0) for n in (15, 17, 19)]
    assert density(microseconds) * 4845e6 == pytest.approx(813)


@pytest.mark.parametrize(
    ("listed", "expected"),
    [
        ([(10, 0), (10, 5)], 1 / 5),
        ([(10, 3), (20, 13)], 1 / 10),  # one is part of the other
        ([(10, 3), (20, 0)], 3 / 20),  # none coincide
        ([(4, 0), (6, 1)], 5 / 12),
        ([(4, 0), (6, 2)], 1 / 4 + 1 / 6 - 1 / 12),
        ([(1, 0)], 1),
        ([(7, -3)], 1 / 7),
    ],
)
def test_phases(listed: Progressions, expected: float) -> None:
    assert density(listed) == pytest.approx(expected)


def test_fixed_edges_are_none_per_tick() -> None:
    assert Density([]).of(Edges((), (5, 9))) == 0
    assert Density([(10, 0)]).of(Edges(((10, 0),), (5, 9))) == pytest.approx(1 / 10)


def test_progressions_that_were_not_announced() -> None:
    known = Density([(20, 0), (30, 0)])
    assert known.of(Edges(((10, 0),))) == pytest.approx(1 / 10)
    assert known.of(Edges(((7, 0), (20, 0)))) == pytest.approx(1 / 7 + 1 / 20)  # off the grid
    assert known.of(Edges(((40, 0),))) == pytest.approx(1 / 40)
    assert Density([]).of(Edges(((7, 0),))) == pytest.approx(1 / 7)


@pytest.mark.parametrize(
    ("least", "most", "count"),
    [(10, 60, 6), (100, 900, 6), (1000, 4500, 4), (3000, 4090, 6), (300, 3000, 100)],
)
@pytest.mark.parametrize("phases", [1, 50])
def test_long_periods_within_two_per_cent(least: int, most: int, count: int, phases: int) -> None:
    rng = random.Random(f"{least} {most} {count} {phases}")
    for _ in range(3):
        listed = [(rng.randint(least, most), rng.randrange(phases)) for _ in range(count)]
        expected = counted_in(listed, 7_777_777_777, 1_000_000)
        assert density(listed) == pytest.approx(expected, rel=0.02)


def test_one_alone_is_exact_beside_others_of_a_huge_period() -> None:
    #  its edges in the part that is looked at are no whole number
    listed = [(3855, 0), (3967, 11), (4051, 0)]
    for each in listed:
        assert Density(listed).of(Edges((each,))) == pytest.approx(1 / each[0])


def test_primes_of_fifteen_digits() -> None:
    primes = [999_999_999_999_989, 999_999_999_999_947, 999_999_999_999_883]
    assert density([(p, 0) for p in primes]) == pytest.approx(3e-15, rel=1e-6)
    beside = [(10, 0), *((p, 0) for p in primes)]
    assert density(beside) == pytest.approx(1 / 10)


def test_never_more_than_the_sum_nor_less_than_the_finest() -> None:
    rng = random.Random(4)
    for _ in range(50):
        listed = [(rng.randint(2, 10**6), rng.randrange(100)) for _ in range(rng.randint(1, 9))]
        found = density(listed)
        assert max(1 / p for p, _ in listed) * 0.999 <= found
        assert found <= sum(1 / p for p, _ in listed) * 1.001


def test_one_odd_window_does_not_hide_that_the_others_coincide() -> None:
    minute = 60_000_000
    minutes = [(n * minute, 0) for n in (20, 30, 45, 50)]
    odd = (61_000_001, 0)
    expected = counted([(n, 0) for n in (20, 30, 45, 50)]) / minute
    known = Density([*minutes, odd])
    assert known.of(Edges.union(minutes)) == pytest.approx(expected)
    assert known.of(Edges.union([*minutes, odd])) == pytest.approx(expected + 1 / odd[0])


def test_many_progressions_too_long_for_a_part() -> None:
    rng = random.Random(6)
    listed = [(rng.randint(10**9, 10**12), rng.randrange(10**6)) for _ in range(3000)]
    total = sum(1 / period for period, _ in listed)
    assert Density(listed).of(Edges(tuple(listed))) == pytest.approx(total, rel=0.01)
