"""Which windows can be read from which: the arithmetic against intervals written out."""

import math
from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import panewise as pw
from panewise.optimizer.coverage import (
    Relation,
    covered_by,
    minimal_multiplier,
    multiplier,
    partitioned_by,
    stride,
)
from panewise.windows import Family

families = st.builds(
    lambda size, slide, origin: Family(size, slide, origin=origin),
    st.integers(1, 14),
    st.integers(1, 8),
    st.integers(-9, 9),
)


@st.composite
def covered(draw: st.DrawFn) -> tuple[Family, Family]:
    """A child and a parent that covers it, which two random windows seldom are."""
    parent = draw(families)
    longer = draw(st.integers(0, 8)) * parent.slide if parent.slide <= parent.size else 0
    slide, shift = draw(st.integers(1, 4)) * parent.slide, draw(st.integers(-3, 3)) * parent.slide
    return Family(parent.size + longer, slide, origin=parent.origin + shift), parent


pairs = st.one_of(covered(), st.tuples(families, families))


def starts(family: Family, first: int, last: int) -> list[int]:
    """The instances that begin in [first, last], by asking every tick."""
    return [t for t in range(first, last + 1) if (t - family.origin) % family.slide == 0]


def within(child: Family, parent: Family) -> list[list[range]]:
    """For every instance of the child in a common period, the parent's instances inside it."""
    period = math.lcm(child.slide, parent.slide)
    return [
        [range(u, u + parent.size) for u in starts(parent, a, a + child.size - parent.size)]
        for a in starts(child, 0, period - 1)
    ]


def fills(instances: list[range], size: int) -> bool:
    return len({tick for instance in instances for tick in instance}) == size


def disjoint(instances: list[range]) -> bool:
    return all(one.stop <= other.start for one, other in pairwise(instances))


@given(pairs)
def test_covered_means_that_the_parent_fills_every_instance(pair: tuple[Family, Family]) -> None:
    child, parent = pair
    expected = all(fills(inside, child.size) for inside in within(child, parent))
    assert covered_by(child, parent) == expected


@given(pairs)
def test_partitioned_means_filled_without_overlap(pair: tuple[Family, Family]) -> None:
    child, parent = pair
    expected = all(fills(i, child.size) and disjoint(i) for i in within(child, parent))
    assert partitioned_by(child, parent) == expected


@given(covered())
def test_the_multiplier_counts_the_instances_inside(pair: tuple[Family, Family]) -> None:
    child, parent = pair
    assert {len(inside) for inside in within(child, parent)} == {multiplier(child, parent)}


def fewest(child: Family, parent: Family) -> int:
    """The parent's instances on the shortest way from the child's start to its end."""
    end, at, steps = child.size - parent.size, {0}, 1
    while end not in at:
        reached = {u + d for u in at for d in range(parent.slide, parent.size + 1, parent.slide)}
        at, steps = reached, steps + 1
    return steps


@given(covered())
def test_the_minimal_multiplier_is_minimal(pair: tuple[Family, Family]) -> None:
    child, parent = pair
    assert minimal_multiplier(child, parent) == fewest(child, parent)


@given(covered())
def test_instances_a_stride_apart_and_the_last_one_cover(pair: tuple[Family, Family]) -> None:
    child, parent = pair
    last = child.size - parent.size
    offsets = [*range(0, last, stride(parent)), last] if last else [0]
    assert all(offset % parent.slide == 0 for offset in offsets)
    assert fills([range(u, u + parent.size) for u in offsets], child.size)
    assert len(offsets) == minimal_multiplier(child, parent)


@given(covered())
def test_a_partition_has_no_instance_to_spare(pair: tuple[Family, Family]) -> None:
    child, parent = pair
    assume(partitioned_by(child, parent))
    assert minimal_multiplier(child, parent) == multiplier(child, parent)


@given(families, st.integers(1, 3), st.integers(1, 3))
def test_coverage_is_transitive(family: Family, one: int, two: int) -> None:
    assume(family.slide <= family.size)
    middle = Family(family.size + one * family.slide, family.slide * two, origin=family.origin)
    assume(middle.slide <= middle.size)
    child = Family(middle.size + two * middle.slide, middle.slide, origin=family.origin)
    assert covered_by(middle, family) and covered_by(child, middle) and covered_by(child, family)


def test_the_papers_examples() -> None:
    # examples 2 to 5
    #  0 ########## 10
    #  0 ######## 8
    #    2 ######## 10
    child, parent = Family(10, 2), Family(8, 2)
    assert covered_by(child, parent)
    assert within(child, parent)[0] == [range(0, 8), range(2, 10)]
    assert multiplier(child, parent) == 2
    assert not partitioned_by(child, parent)
    assert partitioned_by(child, Family(2, 2))


@pytest.mark.parametrize(
    "other", [Family(12, 12, step=4), Family(12, 12, once=True)], ids=["cumulating", "band"]
)
def test_other_families_neither_give_nor_take(other: Family) -> None:
    for relation in Relation:
        assert not relation.holds(other, Family(4, 4))
        assert not relation.holds(Family(24, 24), other)
        assert not relation.holds(other, other)


def test_a_parent_with_gaps_lends_whole_instances_only() -> None:
    #  0 ########### 11        8 ###...
    #  0 ### 3  4 ### 7  8 ### 11
    assert not covered_by(Family(11, 8), Family(3, 4))
    assert covered_by(Family(3, 8), Family(3, 4))
    assert partitioned_by(Family(3, 8), Family(3, 4))


# What the paper prints, for the tests that show where it goes wrong.


def printed_theorem_1(child: Family, parent: Family) -> bool:
    return child.slide % parent.slide == 0 and (child.size - parent.size) % parent.slide == 0


def test_e16_a_parent_is_not_longer_and_may_be_as_long() -> None:
    small, large = Family(8, 2), Family(10, 2)
    assert printed_theorem_1(small, large)
    assert not covered_by(small, large)
    # definition 1 asks for a longer child, though every other instance is at hand
    subset, all_of_them = Family(10, 4), Family(10, 2)
    assert not subset.size > all_of_them.size
    for relation in Relation:
        assert relation.holds(subset, all_of_them)
        assert relation.reads(subset, all_of_them) == 1


def test_e17_idempotent_aggregates_read_a_minimal_cover() -> None:
    child, parent = Family(20, 2), Family(8, 2)
    assert multiplier(child, parent) == 7
    assert Relation.COVERED.reads(child, parent) == 3
    # where the slide does not divide the size, neighbours overlap: [0,7), [6,13), [12,19)
    assert minimal_multiplier(Family(19, 2), Family(7, 2)) == 3


def test_e24_origins_must_agree() -> None:
    child, parent = Family(20, 20, origin=5), Family(10, 10)
    assert printed_theorem_1(child, parent)
    assert not covered_by(child, parent) and not partitioned_by(child, parent)
    shifted = Family(10, 10, origin=-15)
    assert covered_by(child, shifted) and partitioned_by(child, shifted)


def test_e25_one_sum_among_the_aggregates_forbids_overlaps() -> None:
    lowest, total = pw.min("x").properties, pw.sum("x").properties
    assert Relation.serving([lowest]) is Relation.COVERED
    assert Relation.serving([lowest, total]) is Relation.PARTITIONED
    #  1 2 3 4 5 6 7 8 9 10
    values = range(1, 11)
    inside = [values[0:8], values[2:10]]
    assert min(map(min, inside)) == min(values)
    assert sum(map(sum, inside)) != sum(values)
