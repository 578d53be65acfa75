"""Ranges of cells against the definition: list the windows, look which cells lie inside."""

from collections.abc import Sequence
from itertools import pairwise
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from panewise.kernels import ranges
from panewise.kernels.families import family_table
from panewise.kernels.program import one
from panewise.kernels.ranges import (
    ALWAYS,
    NEVER,
    Ranges,
    gallop,
    gallop_back,
    periodic_ranges,
    session_ranges,
    touched_ranges,
)
from panewise.windows import Family
from tests.kernels.families import families, instances, near

Range = tuple[int, int, int, int, int, int]  # window, key, start, end, lo, hi

keys = st.lists(st.lists(near, unique=True, max_size=10).map(sorted), max_size=3)


def cells(panes: Sequence[Sequence[int]]) -> tuple[np.ndarray, np.ndarray]:
    """The panes of each key, one after the other, and where each key begins."""
    runs = np.cumsum([0, *map(len, panes)])
    return np.array([p for key in panes for p in key], np.int64), runs


def listed(found: Ranges | None) -> list[Range]:
    assert found is not None
    return list(zip(*(column.tolist() for column in found.arrays()), strict=True))


def found(panes: Sequence[Sequence[int]], family: Family, prev: int, upto: int) -> list[Range]:
    table = family_table([(0, family)])
    return listed(periodic_ranges(*cells(panes), table, one(prev), one(upto)))


def defined(
    panes: Sequence[Sequence[int]], of: Sequence[Family], prev: Sequence[int], upto: Sequence[int]
) -> list[Range]:
    """The cells between the bounds of every window that ends between the bounds of its key."""
    result = []
    for number, family in enumerate(of):
        base = 0
        for key, own in enumerate(panes):
            for start, end in instances(family):
                inside = [base + i for i, pane in enumerate(own) if start <= pane < end]
                if inside and prev[key] < end <= upto[key]:
                    result.append((number, key, start, end, inside[0], inside[-1] + 1))
            base += len(own)
    return result


befores = st.one_of(st.just(NEVER), near)
afters = st.one_of(st.just(ALWAYS), near)


@given(keys, families, befores, afters)
def test_ranges_follow_the_definition(
    panes: list[list[int]], family: Family, prev: int, upto: int
) -> None:
    bounds = [prev] * len(panes), [upto] * len(panes)
    assert found(panes, family, prev, upto) == defined(panes, [family], *bounds)


@given(keys, st.lists(families, max_size=5), befores, afters)
def test_families_of_one_table_do_not_see_each_other(
    panes: list[list[int]], several: list[Family], prev: int, upto: int
) -> None:
    table = family_table(list(enumerate(several)))
    got = listed(periodic_ranges(*cells(panes), table, one(prev), one(upto)))
    assert got == defined(panes, several, [prev] * len(panes), [upto] * len(panes))


@given(keys.filter(lambda panes: len(panes) > 1), families, st.data())
def test_each_key_has_its_own_bounds(
    panes: list[list[int]], family: Family, data: st.DataObject
) -> None:
    prev = data.draw(st.lists(befores, min_size=len(panes), max_size=len(panes)))
    upto = data.draw(st.lists(afters, min_size=len(panes), max_size=len(panes)))
    table = family_table([(0, family)])
    got = listed(periodic_ranges(*cells(panes), table, np.array(prev), np.array(upto)))
    assert got == defined(panes, [family], prev, upto)


@given(keys, families, near, near)
def test_reporting_twice_is_reporting_once(
    panes: list[list[int]], family: Family, this: int, that: int
) -> None:
    early, late = sorted([this, that])
    parts = found(panes, family, NEVER, early) + found(panes, family, early, late)
    assert sorted(parts) == sorted(found(panes, family, NEVER, late))


@given(keys, families, st.integers(0, 40))
def test_too_many_windows_are_none(panes: list[list[int]], family: Family, most: int) -> None:
    expected = found(panes, family, NEVER, ALWAYS)
    table = family_table([(0, family)])
    got = periodic_ranges(*cells(panes), table, one(NEVER), one(ALWAYS), most)
    assert (got is None) == (len(expected) > most)


def test_a_window_that_begins_before_the_first_cell_is_reported() -> None:
    # size 6, slide 4        -4 ####.. 2
    #                             0 ###### 6
    # cells                       0 1
    got = found([[0, 1]], Family(6, 4), NEVER, ALWAYS)
    assert got == [(0, 0, -4, 2, 0, 2), (0, 0, 0, 6, 0, 2)]


def test_cells_between_windows_belong_to_none() -> None:
    # size 3, slide 7    0 ### 3    7 ### 10
    # cells               1     4       9
    got = found([[1, 4, 9]], Family(3, 7), NEVER, ALWAYS)
    assert got == [(0, 0, 0, 3, 0, 1), (0, 0, 7, 10, 2, 3)]


def test_a_gap_of_a_billion_windows_is_jumped_over() -> None:
    far = 10**18
    got = found([[0, far]], Family(10, 1), NEVER, ALWAYS)
    assert len(got) == 20
    assert {start for _, _, start, *_ in got} == {*range(-9, 1), *range(far - 9, far + 1)}


def test_the_cost_of_a_window_does_not_grow_with_its_size() -> None:
    # 200,000 windows over 200,000 cells each: 4e10 steps if every window scanned its own cells
    panes = np.arange(200_000)
    runs = np.array([0, len(panes)])
    table = family_table([(0, Family(200_000, 1))])
    got = periodic_ranges(panes, runs, table, one(NEVER), one(ALWAYS))
    assert got is not None and len(got) == 2 * len(panes) - 1


@given(keys, families)
def test_the_first_report_has_room_for_all(panes: list[list[int]], family: Family) -> None:
    with patch.object(ranges, "find_periodic", wraps=ranges.find_periodic) as passes:
        found(panes, family, NEVER, ALWAYS)
    assert passes.call_count == 1


@given(keys, families, near, st.integers(0, 2**30))
def test_touched_windows_had_ended_and_hold_a_fresh_cell(
    panes: list[list[int]], family: Family, prev: int, bits: int
) -> None:
    pane, runs = cells(panes)
    fresh = np.array([bits >> i & 1 for i in range(len(pane))], np.bool_)
    got = listed(touched_ranges(pane, runs, fresh, family_table([(0, family)]), one(prev)))
    ended = defined(panes, [family], [NEVER] * len(panes), [prev] * len(panes))
    assert sorted(got) == sorted(r for r in ended if fresh[r[4] : r[5]].any())


@given(keys.filter(lambda panes: len(panes) > 1), families, st.data())
def test_touched_windows_had_ended_for_their_key(
    panes: list[list[int]], family: Family, data: st.DataObject
) -> None:
    prev = data.draw(st.lists(befores, min_size=len(panes), max_size=len(panes)))
    pane, runs = cells(panes)
    fresh = np.ones(len(pane), np.bool_)
    got = listed(touched_ranges(pane, runs, fresh, family_table([(0, family)]), np.array(prev)))
    assert sorted(got) == sorted(defined(panes, [family], [NEVER] * len(panes), prev))


@pytest.mark.parametrize(
    ("watermark", "closed"), [(14, [False, False]), (15, [True, False]), (ALWAYS, [True, True])]
)
def test_a_session_closes_when_no_later_cell_can_join_it(watermark: int, closed: list) -> None:
    # gap 4:  [2 5][6 10] joined, as 6 - 5 <= 4;  15 - 10 > 4 begins another
    first, last = np.array([2, 6, 15]), np.array([5, 10, 15])
    *found, done = session_ranges(first, last, np.array([0, 3]), 4, watermark)
    assert list(zip(*found, strict=True)) == [(0, 0, 2, 2, 10), (0, 2, 3, 15, 15)]
    assert list(done) == closed


@given(keys, st.integers(1, 12), afters)
def test_sessions_are_cut_where_the_distance_is_larger_than_the_gap(
    times: list[list[int]], gap: int, watermark: int
) -> None:
    time, runs = cells(times)
    expected, base = [], 0
    for key, own in enumerate(times):
        cuts = [i for i in range(1, len(own)) if own[i] - own[i - 1] > gap]
        for lo, hi in pairwise([0, *cuts, len(own)]):
            if lo < hi:
                closed = watermark == ALWAYS or own[hi - 1] + gap < watermark
                expected.append((key, base + lo, base + hi, own[lo], own[hi - 1], closed))
        base += len(own)
    assert list(zip(*session_ranges(time, time, runs, gap, watermark), strict=True)) == expected


def test_a_long_cell_reaches_over_short_ones() -> None:
    # gap 2:  [0 ------- 9]
    #            [1 2]        [11]      11 - 9 <= 2, though 11 - 2 is more
    first, last = np.array([0, 1, 11]), np.array([9, 2, 11])
    *_, lo, hi, begin, end, _ = session_ranges(first, last, np.array([0, 3]), 2, ALWAYS)
    assert [*lo, *hi, *begin, *end] == [0, 3, 0, 11]


@given(st.lists(near, unique=True).map(sorted), near, st.integers(0, 9))
def test_a_bound_is_found_from_either_end(panes: list[int], bound: int, lo: int) -> None:
    pane, lo = np.array(panes, np.int64), min(lo, len(panes))
    first = next((i for i in range(lo, len(panes)) if panes[i] >= bound), len(panes))
    assert gallop(pane, lo, len(pane), bound) == first
    assert gallop_back(pane, lo, len(pane), bound) == first
