"""Factor windows: the paper's examples, its slips, and that none is ever taken at a loss."""

import math
import random
from collections.abc import Sequence
from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from panewise.optimizer.coverage import Relation, covered_by, partitioned_by
from panewise.optimizer.coverage_graph import Forest, costs, min_cost_forest
from panewise.optimizer.factor_forest import factor_forest
from panewise.optimizer.factor_windows import (
    benefit,
    best_covering_factor,
    best_partitioned_factor,
    candidates_partitioned,
    is_beneficial,
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
    st.builds(lambda size: Family(size, size), st.integers(1, 60)),
    st.builds(lambda slide, times: Family(slide * times, slide), *[st.integers(1, 12)] * 2),
    st.builds(
        lambda step, parts: Family(step * parts, step * parts, step), *[st.integers(1, 5)] * 2
    ),
    st.builds(lambda size: Family(size, size, once=True), st.integers(1, 9)),
)
window_sets = st.lists(window, min_size=1, max_size=8)


def tumbling(*sizes: int) -> list[Family]:
    return [Family(size, size) for size in sizes]


def total(forest: Forest, relation: Relation, rate: float | Fraction = 1) -> Fraction:
    return sum(costs(forest.windows, forest.parents, rate, relation), Fraction(0))


@pytest.mark.parametrize("relation", Relation)
def test_example_7(relation: Relation) -> None:
    windows = tumbling(20, 30, 40)
    assert total(Forest(tuple(windows), (None,) * 3), relation) * 120 == 360
    assert total(min_cost_forest(windows, relation, 1), relation) * 120 == 246
    forest = factor_forest(windows, relation, 1)
    assert forest.windows == (*windows, Family(10, 10))
    assert forest.parents == (3, 3, 0, None) and forest.factors == 1
    assert total(forest, relation) * 120 == 150


def test_example_8() -> None:
    children = tumbling(20, 30)
    assert candidates_partitioned(1, children) == [10, 5, 2]
    assert all(is_beneficial(Family(r, r), None, children) for r in (10, 5, 2))
    assert best_partitioned_factor(None, children) == Family(10, 10)


@pytest.mark.parametrize("relation", Relation)
def test_15_17_19_have_nothing_in_common(relation: Relation) -> None:
    windows = tumbling(15, 17, 19)
    forest = factor_forest(windows, relation, 1)
    assert forest == min_cost_forest(windows, relation, 1)
    assert total(forest, relation) * 4845 == 14_535


# What the paper prints, for the tests that show where it goes wrong.


def test_e18_a_lone_hopping_window_gains_a_pane() -> None:
    forest = factor_forest([Family(100, 10)], PARTITIONED, 1)
    assert forest.windows[1:] == (Family(10, 10),)
    assert total(forest, PARTITIONED) * 100 == 200


def printed_algorithm_4(factor: Family, target_size: int, children: Sequence[Family]) -> bool:
    if len(children) >= 2:
        return True
    child = children[0]
    k, m = child.size / child.slide, math.lcm(*(c.size for c in children)) // child.size
    if k == 1:
        return False
    if k >= 3 and m >= 3:
        return True
    return factor.size / target_size >= 1 + m / ((m - 1) * (k - 1))


def test_e19_one_instance_per_period_is_no_division_by_zero() -> None:
    children = [Family(100, 10)]
    with pytest.raises(ZeroDivisionError):
        printed_algorithm_4(Family(10, 10), 1, children)
    assert is_beneficial(Family(10, 10), None, children)
    # <4,2> from <2,2>: 4/2 events + 2/2, and 2 results: no loss; from <1,1> it cannot pay
    assert benefit(Family(2, 2), None, [Family(4, 2)]) == 0
    assert not is_beneficial(Family(1, 1), None, [Family(4, 2)])


def test_two_children_with_gaps_need_not_pay() -> None:
    children = [Family(2, 10), Family(4, 10)]
    assert printed_algorithm_4(Family(2, 2), 1, children)
    assert not is_beneficial(Family(2, 2), None, children)


def test_e20_slides_count_in_the_common_divisor() -> None:
    children = [Family(240, 120), Family(280, 140), Family(400, 200)]
    printed = math.gcd(*(child.size for child in children))
    assert printed == 40
    assert not all(partitioned_by(child, Family(40, 40)) for child in children)
    assert candidates_partitioned(1, children)[0] == 20
    assert best_partitioned_factor(None, children) == Family(20, 20)
    assert all(partitioned_by(child, Family(20, 20)) for child in children)


@given(st.lists(window, min_size=1, max_size=4), st.integers(1, 3), rates)
def test_e21_the_largest_candidate_is_the_best(
    children: list[Family], unit: int, rate: float
) -> None:
    children = [Family(c.size * unit, c.slide * unit, origin=c.origin * unit) for c in children]
    sizes = candidates_partitioned(unit, children)
    assert unit not in sizes  # the target itself is no candidate
    at = children[0].origin
    factors = [Family(size, size, origin=at) for size in sizes]
    assert all(partitioned_by(child, factor) for child in children for factor in factors)
    target = Family(unit, unit)
    for above in (target, None):
        benefits = [benefit(factor, above, children, rate=rate) for factor in factors]
        assert benefits == sorted(benefits, reverse=True)


def printed_algorithm_3(sizes: Sequence[int], rate: int) -> Fraction:
    """Tumbling windows only: one factor window per target, judged by its target alone."""
    factors = set()
    for target in (1, *sizes):
        children = [s for s in sizes if s % target == 0 and s != target]
        if target == 1:  # raw events are the parent of windows that have no other
            children = [s for s in sizes if not any(s % o == 0 for o in sizes if o != s)]
        shared = math.gcd(*children)
        if len(children) > 1 and shared != target:
            factors.add(shared)
    windows = tumbling(*sizes, *sorted(factors - set(sizes)))
    return total(min_cost_forest(windows, PARTITIONED, rate), PARTITIONED, rate)


def test_e22_a_factor_window_must_lower_the_total() -> None:
    sizes = (2, 8, 10, 21, 48, 80, 100)
    period = math.lcm(*sizes)
    before = total(min_cost_forest(tumbling(*sizes), PARTITIONED, 1), PARTITIONED)
    assert before * period == 27_930
    assert printed_algorithm_3(sizes, 1) * period == 28_455
    forest = factor_forest(tumbling(*sizes), PARTITIONED, 1)
    assert total(forest, PARTITIONED) * period == 27_930
    assert forest.factors == 0


def test_e23_many_events_per_tick_pay_for_a_window_of_one_tick() -> None:
    windows = tumbling(15, 17, 19)
    assert printed_algorithm_3((15, 17, 19), 10) * 4845 == 145_350
    forest = factor_forest(windows, PARTITIONED, 10)
    assert forest.windows[3:] == (Family(1, 1),)
    assert total(forest, PARTITIONED, 10) * 4845 == 62_985


def test_e24_origins_count_in_the_common_divisor() -> None:
    windows = [Family(20, 20), Family(30, 30, origin=5)]
    assert candidates_partitioned(1, windows) == [5]
    assert not partitioned_by(windows[1], Family(10, 10))
    forest = factor_forest(windows, PARTITIONED, 1)
    assert forest.windows[2:] == (Family(5, 5),)
    together = [Family(20, 20, origin=3), Family(30, 30, origin=-7)]
    assert factor_forest(together, PARTITIONED, 1).windows[2:] == (Family(10, 10, origin=3),)


def test_e25_overlapping_factor_windows_serve_idempotent_aggregates_alone() -> None:
    windows = [Family(12, 5), Family(22, 5)]
    assert factor_forest(windows, COVERED, 1).windows[2:] == (Family(7, 5),)
    for rate in (1, 10):
        factors = factor_forest(windows, PARTITIONED, rate).windows[2:]
        assert all(factor.size == factor.slide for factor in factors)


def test_pairs_help_where_all_together_have_nothing_in_common() -> None:
    windows = tumbling(20, 30, 49, 77)
    assert math.gcd(20, 30, 49, 77) == 1
    assert set(factor_forest(windows, PARTITIONED, 1).windows[4:]) == {*tumbling(10, 7)}


def test_factor_windows_of_factor_windows() -> None:
    #  raw ── 4 ─┬─ 12 ─┬─ 24
    #            │      └─ 36
    #            └─ 20 ─┬─ 100
    #                   └─ 140
    forest = factor_forest(tumbling(24, 36, 100, 140), PARTITIONED, 10)
    above = [None if p is None else forest.windows[p].size for p in forest.parents]
    found = {w.size: parent for w, parent in zip(forest.windows, above, strict=True)}
    assert found == {24: 12, 36: 12, 100: 20, 140: 20, 12: 4, 20: 4, 4: None}


def _next(window: Family) -> Family:
    """A window that reads two instances of this one, if it tumbles."""
    return Family(window.size + window.slide, window.slide * 2, origin=window.origin)


@given(window_sets, st.integers(1, 4), relations, rates)
def test_the_benefit_is_the_difference_between_two_plans(
    windows: list[Family], times: int, relation: Relation, rate: float
) -> None:
    target = windows[0]
    factor = Family(target.size * times, target.slide * times, origin=target.origin)
    children = [
        c
        for c in [*windows[1:], _next(factor)]
        if relation.holds(c, target) and relation.holds(c, factor)
    ]
    assume(relation.holds(factor, target))
    without = Forest((target, *children), (None, *[0] * len(children)))
    with_it = Forest((target, factor, *children), (None, 0, *[1] * len(children)))
    saved = total(without, relation, rate) - total(with_it, relation, rate)
    assert benefit(factor, target, children, relation, rate) == saved
    assert is_beneficial(factor, target, children, relation, rate) == (saved >= 0)


hopping = st.builds(
    lambda slide, times, rest: Family(slide * times + rest % slide, slide),
    st.sampled_from([4, 6, 8, 12]),
    st.integers(1, 5),
    st.sampled_from([0, 0, 1, 2]),
)


def all_covering(children: Sequence[Family]) -> list[Family]:
    smallest = min(child.size for child in children)
    every = (Family(r, s) for r in range(1, smallest + 1) for s in range(1, r + 1))
    return [f for f in every if f not in children and all(covered_by(c, f) for c in children)]


@given(st.lists(hopping, min_size=1, max_size=3), rates)
def test_a_covering_factor_is_valid_and_close_to_the_best(
    children: list[Family], rate: float
) -> None:
    found = best_covering_factor(None, children, rate)
    best = max(
        (benefit(f, None, children, COVERED, rate) for f in all_covering(children)), default=0
    )
    if found is None:
        assert best <= 0
        return
    assert all(covered_by(child, found) for child in children)
    assert found not in children
    gained = benefit(found, None, children, COVERED, rate)
    assert 0 < gained <= best and gained >= Fraction(9, 10) * best


def test_a_covering_factor_below_a_window() -> None:
    # 100 results of <10,10> become 10 of <100,10>, which reads 10 of them
    target, children = Family(10, 10), [Family(1000, 10), Family(900, 10)]
    found = best_covering_factor(target, children)
    assert found is not None and found.slide == 10 and 80 <= found.size <= 200
    assert covered_by(found, target) and all(covered_by(child, found) for child in children)


def test_a_covering_factor_with_gaps_serves_no_longer_windows() -> None:
    #  0 # 1   4 # 5     0 ### 3  2 ### 5
    for rate in (1, 10):
        windows = [Family(1, 4), Family(3, 2)]
        found = best_covering_factor(None, windows, rate)
        assert found is None or all(covered_by(window, found) for window in windows)
    # every second, third, fifth and seventh instance are together more than all of them
    children = [Family(3, 7 * n) for n in (2, 3, 5, 7)]
    assert best_covering_factor(None, children, 10) == Family(3, 7)


def test_no_work_grows_with_the_ticks() -> None:
    day = 86_400 * 10**6
    assert candidates_partitioned(1, tumbling(day, 7 * day))[:3] == [day, day // 2, day // 3]
    children = [Family(30 * day, 10**6), Family(7 * day, 10**6)]
    found = best_covering_factor(None, children, rate=1e-3)
    assert found is not None and all(covered_by(child, found) for child in children)


def readers(forest: Forest) -> set[int | None]:
    return set(forest.parents)


@given(window_sets, relations, rates)
def test_never_worse_than_without_factor_windows(
    windows: list[Family], relation: Relation, rate: float
) -> None:
    forest = factor_forest(windows, relation, rate)
    asked = len(windows)
    assert forest.windows[:asked] == tuple(windows)
    assert len(forest.windows) == len(forest.parents) == asked + forest.factors
    assert set(range(asked, len(forest.windows))) <= readers(forest)
    for child, parent in zip(forest.windows, forest.parents, strict=True):
        assert parent is None or relation.holds(child, forest.windows[parent])
    for i in range(len(forest.windows)):
        path = [i]
        while (above := forest.parents[path[-1]]) is not None:
            assert above not in path
            path.append(above)
    plain = total(min_cost_forest(windows, relation, rate), relation, rate)
    assert total(forest, relation, rate) <= plain
    # and no window has a cheaper parent among those kept
    again = min_cost_forest(forest.windows, relation, rate)
    assert total(forest, relation, rate) == total(again, relation, rate)


def optimum(sizes: Sequence[int], rate: int) -> float:
    """The cheapest of all sets of factor windows, each a common divisor of some windows."""
    closed = set(sizes)
    while more := {math.gcd(a, b) for a in closed for b in closed} - closed:
        closed |= more
    extra = sorted(closed - set(sizes))

    def cost(chosen: int) -> float:
        nodes = [*sizes, *(d for bit, d in enumerate(extra) if chosen >> bit & 1)]
        return sum(
            min([rate * r, *(r // p for p in nodes if r % p == 0 and p != r)]) / r for r in nodes
        )

    return min(map(cost, range(1 << len(extra))))


@pytest.mark.parametrize("rate", [1, 10])
def test_close_to_the_optimum(rate: int) -> None:
    rng = random.Random(7)
    ratios = []
    for _ in range(10):
        sizes = {rng.choice([2, 5, 10]) * rng.randint(2, 50) for _ in range(5)}
        found = total(factor_forest(tumbling(*sizes), PARTITIONED, rate), PARTITIONED, rate)
        ratios.append(float(found) / optimum(sorted(sizes), rate))
    assert max(ratios) < 1.05 and sum(ratios) / len(ratios) < 1.01


def test_no_events_and_no_windows() -> None:
    for relation in Relation:
        assert factor_forest([], relation, 1) == Forest((), ())
        assert factor_forest(tumbling(20, 30), relation, 0).factors == 0


def test_the_same_plan_whenever_it_is_made() -> None:
    rng = random.Random(3)
    windows = [Family(2 * s, s) for s in rng.sample(range(4_000_000, 500_000_000, 1_000_000), 30)]
    for relation in Relation:
        assert factor_forest(windows, relation, 1e-3) == factor_forest(windows, relation, 1e-3)
