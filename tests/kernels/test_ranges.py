"""Ranges of cells against the definition: list the windows, look which cells lie inside."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from panewise.kernels.ranges import (
    ALWAYS,
    NEVER,
    count_periodic,
    panes_of,
    periodic_ranges,
    session_ranges,
    still_needed,
)
from panewise.plan import Edges
from panewise.windows import Family

Range = tuple[int, int, int, int]

families = st.one_of(
    st.builds(Family, st.integers(1, 12), st.integers(1, 12), origin=st.integers(-5, 5)),
    st.builds(
        lambda step, parts, origin: Family(step * parts, step * parts, step=step, origin=origin),
        st.integers(1, 4),
        st.integers(1, 5),
        st.integers(-5, 5),
    ),
    st.builds(
        lambda size, at: Family(size, size, origin=at, once=True),
        st.integers(1, 9),
        st.integers(-40, 40),
    ),
)
near = st.integers(-40, 40)
keys = st.lists(st.lists(near, unique=True, max_size=10).map(sorted), max_size=3)


def cells(panes: Sequence[Sequence[int]]) -> tuple[np.ndarray, np.ndarray]:
    """The panes of each key, one after the other, and where each key begins."""
    runs = np.cumsum([0, *map(len, panes)])
    return np.array([p for key in panes for p in key], np.int64), runs


def found(panes: Sequence[Sequence[int]], family: Family, prev: int, upto: int) -> list[Range]:
    arrays = periodic_ranges(*cells(panes), family, prev, upto)
    return [tuple(map(int, row)) for row in zip(*arrays, strict=True)]  # type: ignore[misc]


def defined(panes: Sequence[Sequence[int]], family: Family, prev: int, upto: int) -> list[Range]:
    """Every window near the cells, and the cells between its bounds."""
    result, base = [], 0
    for key in panes:
        for k in [0] if family.once else range(-60, 60):
            start = family.origin + k * family.slide
            for end in range(start + family.step, start + family.size + 1, family.step):
                inside = [i for i, pane in enumerate(key) if start <= pane < end]
                if inside and prev < end <= upto:
                    result.append((start, end, base + inside[0], base + inside[-1] + 1))
        base += len(key)
    return result


@given(keys, families, st.one_of(st.just(NEVER), near), st.one_of(st.just(ALWAYS), near))
def test_ranges_follow_the_definition(
    panes: list[list[int]], family: Family, prev: int, upto: int
) -> None:
    expected = defined(panes, family, prev, upto)
    assert found(panes, family, prev, upto) == expected
    assert count_periodic(*cells(panes), family, prev, upto) == len(expected)


@given(keys, families, near, near)
def test_reporting_twice_is_reporting_once(
    panes: list[list[int]], family: Family, one: int, other: int
) -> None:
    early, late = sorted([one, other])
    parts = found(panes, family, NEVER, early) + found(panes, family, early, late)
    assert sorted(parts) == sorted(found(panes, family, NEVER, late))


def test_a_window_that_begins_before_the_first_cell_is_reported() -> None:
    # size 6, slide 4        -4 ####.. 2
    #                             0 ###### 6
    # cells                       0 1
    assert found([[0, 1]], Family(6, 4), NEVER, ALWAYS) == [(-4, 2, 0, 2), (0, 6, 0, 2)]


def test_cells_between_windows_belong_to_none() -> None:
    # size 3, slide 7    0 ### 3    7 ### 10
    # cells               1     4       9
    assert found([[1, 4, 9]], Family(3, 7), NEVER, ALWAYS) == [(0, 3, 0, 1), (7, 10, 2, 3)]


def test_a_gap_of_a_billion_windows_is_jumped_over() -> None:
    far = 10**18
    got = found([[0, far]], Family(10, 1), NEVER, ALWAYS)
    assert len(got) == 20
    assert {g[0] for g in got} == {*range(-9, 1), *range(far - 9, far + 1)}


def test_the_cost_of_a_window_does_not_grow_with_its_size() -> None:
    # 200,000 windows over 200,000 cells each: 4e10 steps if every window scanned its own cells
    panes = np.arange(200_000)
    runs = np.array([0, len(panes)])
    count = count_periodic(panes, runs, Family(200_000, 1), NEVER, ALWAYS)
    assert count == 2 * len(panes) - 1


@given(keys.filter(any), families, near)
def test_cells_are_kept_while_a_later_window_reads_them(
    panes: list[list[int]], family: Family, watermark: int
) -> None:
    pane, _ = cells(panes)
    mask = np.zeros(len(pane), np.bool_)
    still_needed(pane, family.size, family.slide, family.origin, family.once, watermark, mask)
    later = defined(panes, family, watermark, 1000)
    needed = {i for _, _, lo, hi in later for i in range(lo, hi)}
    assert set(np.flatnonzero(mask)) == needed


@pytest.mark.parametrize(
    ("watermark", "closed"), [(14, [False, False]), (15, [True, False]), (ALWAYS, [True, True])]
)
def test_a_session_closes_when_no_later_cell_can_join_it(watermark: int, closed: list) -> None:
    # gap 4:  [2 5][6 10] joined, as 6 - 5 <= 4;  15 - 10 > 4 begins another
    first, last = np.array([2, 6, 15]), np.array([5, 10, 15])
    lo, hi, begin, end, done = session_ranges(first, last, np.array([0, 3]), 4, watermark)
    assert list(zip(lo, hi, begin, end, strict=True)) == [(0, 2, 2, 10), (2, 3, 15, 15)]
    assert list(done) == closed


@given(
    st.lists(st.tuples(st.integers(1, 9), st.integers(-9, 9)), max_size=3),
    st.lists(near, max_size=3),
    st.lists(near, min_size=1),
)
def test_compiled_panes_are_those_of_the_edges(
    progressions: list[tuple[int, int]], fixed: list[int], ticks: list[int]
) -> None:
    edges = Edges.union(progressions, fixed)
    grid = np.array(edges.progressions, np.int64).reshape(-1, 2)
    out = np.empty(len(ticks), np.int64)
    panes_of(
        np.array(ticks), grid[:, 0].copy(), grid[:, 1].copy(), np.array(edges.fixed, np.int64), out
    )
    expected = [edges.pane_of(tick) for tick in ticks]
    assert out.tolist() == [NEVER if pane is None else pane for pane in expected]
