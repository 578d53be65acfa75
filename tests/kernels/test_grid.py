"""The panes of times against the definition: the greatest edge at or before each."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from panewise.kernels import grid as module
from panewise.kernels.grid import NO_PANE, Grid, cut_at
from panewise.plan import Edges

near = st.integers(-60, 60)
progressions = st.lists(st.tuples(st.integers(1, 40), st.integers(-40, 40)), max_size=6)
edge_sets = st.builds(Edges.union, progressions, st.lists(near, max_size=4))


def placed(edges: Edges, ticks: list[int]) -> list[int]:
    """The pane of each time, by way of the panes that are listed."""
    panes, place = Grid(edges).place(np.array(ticks, np.int64))
    assert np.all(np.diff(panes) > 0)
    return panes[place].tolist()


def defined(edges: Edges, ticks: list[int]) -> list[int]:
    return [NO_PANE if pane is None else pane for pane in map(edges.pane_of, ticks)]


@given(edge_sets, st.lists(near, min_size=1, max_size=30))
def test_times_find_their_pane(edges: Edges, ticks: list[int]) -> None:
    assert placed(edges, ticks) == defined(edges, ticks)
    assert Grid(edges).panes_of(np.array(ticks)).tolist() == defined(edges, ticks)


@given(edge_sets, st.lists(near, min_size=1, max_size=30))
def test_the_place_is_where_a_search_over_the_edges_ends(edges: Edges, ticks: list[int]) -> None:
    times = np.array(ticks, np.int64)
    panes, place = Grid(edges).place(times)
    assert place.tolist() == (np.searchsorted(panes, times, side="right") - 1).tolist()


@given(
    edge_sets,
    st.lists(near, min_size=1, max_size=20),
    st.sampled_from([-(10**17), -(10**9) - 7, 1_700_000_000_000_000]),
)
def test_panes_far_away_are_those_near_by(edges: Edges, ticks: list[int], far: int) -> None:
    moved = Edges(
        tuple((period, (phase + far) % period) for period, phase in edges.progressions),
        tuple(edge + far for edge in edges.fixed),
    )
    away = [tick + far for tick in ticks]
    assert placed(moved, away) == defined(moved, away)
    back = [NO_PANE if pane == NO_PANE else pane - far for pane in placed(moved, away)]
    assert back == defined(edges, ticks)


def test_a_thousand_progressions() -> None:
    edges = Edges(tuple((1000 + k, 7 * k % (1000 + k)) for k in range(1000)))
    ticks = np.random.default_rng(1).integers(-5000, 5000, 3000)
    panes, place = Grid(edges).place(ticks)
    assert panes[place].tolist() == defined(edges, ticks.tolist())


@pytest.mark.parametrize("ticks", [[5], [9, 5, 7], [-1, 12]])
def test_times_before_every_fixed_edge_have_no_pane(ticks: list[int]) -> None:
    #  no pane  |10   |13
    #   5 7 9      12
    edges = Edges((), (10, 13))
    assert placed(edges, ticks) == [10 if tick == 12 else NO_PANE for tick in ticks]


def test_fixed_edges_lie_between_those_of_a_progression() -> None:
    #  |0       |10 |13     |20
    edges = Edges(((10, 0),), (13,))
    assert placed(edges, [0, 9, 10, 12, 13, 19, 20]) == [0, 0, 10, 10, 13, 13, 20]


def test_edges_that_coincide_are_one_pane() -> None:
    panes, _ = Grid(Edges(((4, 0), (6, 0)))).place(np.arange(24))
    assert panes.tolist() == [0, 4, 6, 8, 12, 16, 18, 20]


def test_a_long_span_lists_only_panes_with_times() -> None:
    # 10^17 ticks in panes of a second: all of them would need 800 gigabytes
    edges = Edges(((10**6, 3), (7 * 10**6, 0)))
    ticks = [-(10**17), 5, 10**17, 6]
    panes, place = Grid(edges).place(np.array(ticks))
    assert len(panes) == 3
    assert panes[place].tolist() == defined(edges, ticks)


@pytest.mark.parametrize("period", [10**17, 2**58, 2**61])
def test_long_panes_reach_to_the_ends_of_time(period: int) -> None:
    edges = Edges(((period, 0),))
    ticks = [-(2**62), 0, 2**62]
    assert placed(edges, ticks) == defined(edges, ticks)


@given(edge_sets, st.lists(st.lists(near, min_size=1, max_size=6), max_size=6))
def test_a_grid_is_asked_again_and_again(edges: Edges, batches: list[list[int]]) -> None:
    grid = Grid(edges)
    for ticks in batches:
        panes, place = grid.place(np.array(ticks, np.int64))
        assert panes[place].tolist() == defined(edges, ticks)


def test_panes_between_two_times_are_all_that_are_there() -> None:
    grid = Grid(Edges(((4, 0), (6, 0))))
    for low, high, expected in [(5, 13, [4, 6, 8, 12]), (6, 7, [6]), (12, 12, [12]), (0, 3, [0])]:
        panes = grid.between(low, high, 10)
        assert panes is not None and panes.tolist() == expected


@given(st.lists(st.integers(-(10**6), 10**6), min_size=1, max_size=30))
def test_listing_edges_or_not_gives_the_same_panes(ticks: list[int]) -> None:
    edges = Edges(((977, 5), (1013, 0)), (13,))
    whole = placed(edges, ticks)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_MOST_EDGES", 0)
        assert placed(edges, ticks) == whole == defined(edges, ticks)


@given(
    st.lists(st.integers(-(2**40), 2**40) | st.integers(-20, 20), min_size=1, max_size=60),
    st.lists(st.integers(-(2**40), 2**40) | st.integers(-20, 20), max_size=20),
)
def test_cuts_are_where_a_search_finds_them(times: list[int], edges: list[int]) -> None:
    ticks = np.sort(np.array(times, np.int64))
    inner = sorted({edge for edge in edges if ticks[0] < edge <= ticks[-1]})
    panes = np.array([ticks[0] - 3, *inner], np.int64)
    cuts = np.empty(len(panes) + 1, np.int64)
    empty = cut_at(ticks, panes, cuts)
    expected = [0, *ticks.searchsorted(panes[1:]), len(ticks)]
    assert cuts.tolist() == expected
    assert bool(empty) == (len(set(expected)) < len(expected))
