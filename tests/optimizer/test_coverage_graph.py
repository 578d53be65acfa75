"""The cheapest forest among the windows asked for, and what it costs."""

import math
import random
from collections.abc import Sequence
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from panewise.optimizer.coverage import Relation
from panewise.optimizer.coverage_graph import (
    Forest,
    costs,
    coverage_graph,
    min_cost_forest,
    raw_span,
)
from panewise.windows import Family

PARTITIONED, COVERED = Relation.PARTITIONED, Relation.COVERED
relations = st.sampled_from(Relation)
rates = st.sampled_from([Fraction(1, 7), 0.5, 1, 1.5, 10])
window = st.one_of(
    st.builds(
        lambda size, slide, origin: Family(size, slide, origin=origin),
        st.integers(1, 24),
        st.integers(1, 12),
        st.integers(-3, 3),
    ),
    st.builds(lambda size: Family(size, size), st.integers(1, 40)),
    st.builds(
        lambda step, parts: Family(step * parts, step * parts, step), *[st.integers(1, 5)] * 2
    ),
    st.builds(lambda size: Family(size, size, once=True), st.integers(1, 9)),
)
window_sets = st.lists(window, min_size=1, max_size=7)


def tumbling(*sizes: int) -> list[Family]:
    return [Family(size, size) for size in sizes]


def per_period(forest: Forest, period: int, relation: Relation, rate: float = 1) -> list[Fraction]:
    return [cost * period for cost in costs(forest.windows, forest.parents, rate, relation)]


def direct(windows: Sequence[Family]) -> Forest:
    return Forest(tuple(windows), (None,) * len(windows))


@pytest.mark.parametrize("relation", Relation)
def test_example_6(relation: Relation) -> None:
    windows = tumbling(10, 20, 30, 40)
    edges = coverage_graph(windows, relation)
    assert sorted(edges) == [(0, 1), (0, 2), (0, 3), (1, 3)]
    assert sum(per_period(direct(windows), 120, relation)) == 480
    forest = min_cost_forest(windows, relation, rate=1)
    assert forest.parents == (None, 0, 0, 1) and forest.factors == 0
    assert per_period(forest, 120, relation) == [120, 12, 12, 6]


@pytest.mark.parametrize("relation", Relation)
def test_example_7_before_factor_windows(relation: Relation) -> None:
    windows = tumbling(20, 30, 40)
    assert sum(per_period(direct(windows), 120, relation)) == 360
    forest = min_cost_forest(windows, relation, rate=1)
    assert per_period(forest, 120, relation) == [120, 120, 6]


@pytest.mark.parametrize("relation", Relation)
def test_mutually_prime_windows_are_read_from_raw_events(relation: Relation) -> None:
    windows = tumbling(15, 17, 19)
    forest = min_cost_forest(windows, relation, rate=1)
    assert forest == direct(windows)
    assert sum(per_period(forest, math.lcm(15, 17, 19), relation)) == 14_535


def test_the_example_reads_a_hopping_parent_under_covered_only() -> None:
    windows = [Family(10, 2), Family(8, 2)]
    assert min_cost_forest(windows, COVERED, rate=1).parents == (1, None)
    assert min_cost_forest(windows, PARTITIONED, rate=1).parents == (None, None)


def test_e17_the_cheapest_parent_by_minimal_covers() -> None:
    windows = [Family(20, 2), Family(8, 2), Family(4, 4)]
    # <20,2> is not on the grid of <4,4>; from <8,2> it reads 3 results instead of 7
    forest = min_cost_forest(windows, COVERED, rate=Fraction(1, 4))
    assert forest.parents == (1, None, None)
    # 7 results would have cost more than the 5 events
    assert costs(windows, forest.parents, Fraction(1, 4), COVERED)[0] == Fraction(3, 2)
    assert Fraction(20, 4) < 7


def test_e18_rates_count_the_windows_that_reach_over_the_period() -> None:
    def printed(window: Family, period: int, reads: int) -> int:
        return (1 + (period - window.size) // window.slide) * reads

    hopping, pane = Family(100, 10), Family(10, 10)
    assert printed(hopping, 100, 100) == 100  # one instance, so the pane seems a loss
    assert printed(hopping, 100, 10) + printed(pane, 100, 10) == 110
    assert per_period(direct([hopping]), 100, PARTITIONED) == [1000]
    assert sum(per_period(Forest((hopping, pane), (1, None)), 100, PARTITIONED)) == 200
    # and no slide needs to divide its size
    assert costs([Family(12, 5)], [None], 1, COVERED) == (Fraction(12, 5),)


def test_e23_the_rate_counts_for_raw_reads_alone() -> None:
    windows = tumbling(15, 17, 19)
    unit = Forest((*windows, Family(1, 1)), (3, 3, 3, None), factors=1)
    assert sum(per_period(direct(windows), 4845, PARTITIONED, rate=10)) == 145_350
    assert sum(per_period(unit, 4845, PARTITIONED, rate=10)) == 62_985
    # pays from a rate of 1.5 on
    for rate, pays in ((Fraction(3, 2), False), (Fraction(8, 5), True)):
        plans = [sum(per_period(f, 1, PARTITIONED, rate)) for f in (direct(windows), unit)]
        assert (plans[1] < plans[0]) == pays


def test_few_events_are_cheaper_than_many_results() -> None:
    windows = tumbling(1, 100)
    assert min_cost_forest(windows, PARTITIONED, rate=0.5).parents == (None, None)
    assert min_cost_forest(windows, PARTITIONED, rate=1).parents == (None, None)  # a tie
    assert min_cost_forest(windows, PARTITIONED, rate=2).parents == (None, 0)


def test_of_equally_cheap_parents_the_larger_is_taken() -> None:
    # 20 is two instances of <10,10> as well as of <12,2>
    large, one, other = Family(20, 20), Family(10, 10), Family(12, 2)
    assert min_cost_forest([large, one, other], COVERED, rate=1).parents[0] == 2
    assert min_cost_forest([large, other, one], COVERED, rate=1).parents[0] == 1


def test_duplicates_read_the_first_of_them() -> None:
    windows = [Family(10, 5, origin=5), Family(10, 5), Family(10, 5, origin=-5)]
    for relation in Relation:
        assert min_cost_forest(windows, relation, rate=1).parents[0] is None
        assert set(min_cost_forest(windows, relation, rate=1).parents[1:]) <= {0, 1}


def test_cumulating_windows_and_bands_read_raw_events() -> None:
    windows = [Family(10, 10), Family(30, 30, step=10), Family(20, 20, once=True)]
    forest = min_cost_forest(windows, PARTITIONED, rate=1)
    assert forest.parents == (None, None, None)
    assert raw_span(windows[1]) == 10 + 20 + 30
    assert costs(windows, forest.parents, 1, PARTITIONED) == (1, 2, 0)


def roots(forest: Forest) -> None:
    """Walk every window to raw events; fails on a cycle."""
    for i in range(len(forest.windows)):
        seen: set[int] = set()
        at: int | None = i
        while at is not None:
            assert at not in seen
            seen.add(at)
            at = forest.parents[at]


@given(window_sets, relations, rates)
def test_each_window_takes_its_cheapest_parent(
    windows: list[Family], relation: Relation, rate: float
) -> None:
    forest = min_cost_forest(windows, relation, rate)
    roots(forest)
    for child, cost in zip(windows, costs(windows, forest.parents, rate, relation), strict=True):
        raw = 0 if child.once else Fraction(rate) * raw_span(child) / child.slide
        choices = (
            Fraction(relation.reads(child, parent), child.slide)
            for parent in windows
            if parent is not child
            and relation.holds(child, parent)
            # duplicates have to be read once
            and (parent.size, parent.slide) != (child.size, child.slide)
        )
        assert cost <= min([raw, *choices])


@given(window_sets, relations)
def test_the_graph_has_every_edge_once(windows: list[Family], relation: Relation) -> None:
    edges = coverage_graph(windows, relation)
    assert len(set(edges)) == len(edges)
    for i, one in enumerate(windows):
        for j, other in enumerate(windows[:i]):
            related = relation.holds(one, other) or relation.holds(other, one)
            assert (((i, j) in edges) + ((j, i) in edges)) == related


def test_a_hundred_windows_in_microseconds() -> None:
    rng = random.Random(1)
    windows = tumbling(*(size * 10**6 for size in rng.sample(range(4, 501), 100)))
    forest = min_cost_forest(windows, PARTITIONED, rate=1e-3)
    roots(forest)
    assert sum(per_period(forest, 1, PARTITIONED, 1e-3)) < len(windows) / 1000
