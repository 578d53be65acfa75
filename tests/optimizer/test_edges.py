"""Where panes begin: the union of the edges that windows ask for, and no more."""

import math
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

import panewise as pw
from panewise.optimizer import pane_edges
from panewise.optimizer.edges import COMPARED, PROGRESSIONS
from panewise.plan import Edges
from panewise.windows import Family, Window


def edges_in(edges: Edges, period: int, start: int = 0) -> list[int]:
    """The edges in one period, by asking every tick."""
    ticks = range(start, start + period)
    return [tick for tick in ticks if edges.pane_of(tick) == tick]


@pytest.mark.parametrize(
    ("sizes", "period", "panes"), [((15, 17, 19), 4845, 813), ((20, 30, 40), 120, 8)]
)
def test_tumbling_sets_of_the_papers(sizes: Sequence[int], period: int, panes: int) -> None:
    edges = pane_edges([pw.tumbling(size) for size in sizes])
    assert len(edges_in(edges, period)) == panes
    assert len(edges_in(edges, period, start=-3 * period)) == panes
    assert edges.rate * period >= panes


@pytest.mark.parametrize(
    ("windows", "progressions"),
    [
        ([pw.tumbling(20), pw.tumbling(40)], ((20, 0),)),
        ([pw.tumbling(40), pw.tumbling(20)], ((20, 0),)),
        ([pw.sliding(60, 20)], ((20, 0),)),
        #  0 ############ 12
        #       5 ############ 17      ends are 2 after a start
        ([pw.sliding(12, 5)], ((5, 0), (5, 2))),
        ([pw.sliding(12, 5, origin=1)], ((5, 1), (5, 3))),
        ([pw.sliding(12, 5, origin=-4)], ((5, 1), (5, 3))),
        ([pw.tumbling(10, origin=3), pw.tumbling(20, origin=13)], ((10, 3),)),
        ([pw.tumbling(10, origin=3), pw.tumbling(20)], ((10, 3), (20, 0))),
        ([pw.sliding(3, 7, allow_gaps=True)], ((7, 0), (7, 3))),
        ([pw.cumulating(3, 12)], ((3, 0),)),
        ([pw.cumulating(3, 12, origin=7)], ((3, 1),)),
    ],
)
def test_progressions(windows: list[Window], progressions: tuple) -> None:
    assert pane_edges(windows).progressions == progressions


@pytest.mark.parametrize(
    ("windows", "progressions"),
    [
        ([pw.session(7)], ((7, 0),)),
        ([pw.session(9), pw.session(4)], ((4, 0),)),
        ([pw.tumbling(5), pw.session(7)], ((5, 0),)),  # fine enough already
        ([pw.tumbling(5), pw.session(5)], ((5, 0),)),
        ([pw.tumbling(20), pw.session(10)], ((10, 0),)),  # subdivided
        ([pw.tumbling(20, origin=3), pw.session(10)], ((10, 3),)),
        ([pw.tumbling(20), pw.session(7)], ((7, 0), (20, 0))),  # cheaper than every 5
        ([pw.tumbling(10_007), pw.session(100)], ((100, 0), (10_007, 0))),  # a prime
    ],
)
def test_sessions_ask_for_narrow_panes(windows: list[Window], progressions: tuple) -> None:
    assert pane_edges(windows).progressions == progressions


def test_a_band_adds_its_two_edges() -> None:
    #            10 ############### 35
    #  0 #### 10 #### 20 #### 30 #### 40
    assert pane_edges([pw.band(10, 25)]) == Edges((), (10, 35))
    assert pane_edges([pw.band(10, 25), pw.tumbling(10)]) == Edges(((10, 0),), (35,))
    assert pane_edges([pw.band(10, 25), pw.session(4)]) == Edges(((4, 0),), (10, 35))


windows = st.lists(
    st.one_of(
        st.builds(pw.tumbling, st.integers(1, 12), origin=st.integers(-9, 9)),
        st.builds(
            lambda size, slide, at: pw.sliding(size, slide, origin=at, allow_gaps=True),
            st.integers(1, 12),
            st.integers(1, 12),
            st.integers(-9, 9),
        ),
        st.builds(pw.band, st.integers(-20, 20), st.integers(1, 20)),
        st.builds(pw.session, st.integers(1, 12)),
        st.builds(lambda step, parts: pw.cumulating(step, step * parts), *[st.integers(1, 5)] * 2),
    ),
    min_size=1,
    max_size=4,
)


@given(windows)
def test_no_window_cuts_a_pane(windows: list[Window]) -> None:
    edges = pane_edges(windows)
    for window in windows:
        demand = window.demand()
        if not isinstance(demand, Family):
            assert edges.widest is not None and edges.widest <= demand.ticks
            continue
        starts = [demand.origin + k * demand.slide for k in range(1 if demand.once else 6)]
        for start in starts:
            for bound in (start, *range(start + demand.step, start + demand.size + 1, demand.step)):
                assert edges.pane_of(bound) == bound


@given(
    st.lists(st.tuples(st.integers(1, 12), st.integers(-12, 12)), max_size=4),
    st.lists(st.integers(-30, 30), max_size=4),
    st.integers(-60, 60),
)
def test_the_pane_is_the_greatest_edge_at_or_before(
    progressions: list[tuple[int, int]], fixed: list[int], tick: int
) -> None:
    every = {phase + k * period for period, phase in progressions for k in range(-100, 100)}
    expected = max((edge for edge in {*every, *fixed} if edge <= tick), default=None)
    assert Edges.union(progressions, fixed).pane_of(tick) == expected


@given(st.lists(st.integers(1, 12), min_size=1, max_size=4))
def test_the_rate_bounds_the_panes(sizes: list[int]) -> None:
    edges = pane_edges([pw.tumbling(size) for size in sizes])
    period = math.lcm(*sizes)
    assert len(edges_in(edges, period)) <= edges.rate * period


# --- more windows than one expression takes ---


def hopping(count: int, unit: int = 1, origin: int = 0) -> list[Window]:
    """Windows whose edges are no part of each other's: slides between n and 2n."""
    sizes = range(count, 2 * count)
    return [pw.sliding(2 * n * unit, n * unit, origin=origin) for n in sizes]


def all_edges(windows: Sequence[Window]) -> Edges:
    demands = [window.demand() for window in windows]
    listed = [d for d in demands if isinstance(d, Family)]
    return Edges(
        tuple(edge for f in listed if not f.once for edge in f.edges()),
        tuple(edge for f in listed if f.once for edge in f.fixed_edges()),
    )


def test_as_many_progressions_as_one_expression_takes_stay_apart() -> None:
    assert len(pane_edges(hopping(PROGRESSIONS)).progressions) == PROGRESSIONS
    assert pane_edges(hopping(PROGRESSIONS + 1)).progressions == ((1, 0),)
    # windows that add no edges are not counted
    contained = [pw.sliding(8 * n, 4 * n) for n in range(PROGRESSIONS, 2 * PROGRESSIONS)]
    assert len(pane_edges([*hopping(PROGRESSIONS), *contained]).progressions) == PROGRESSIONS


@pytest.mark.parametrize("count", [PROGRESSIONS + 1, COMPARED + 1])
@pytest.mark.parametrize(
    ("unit", "origin", "grid"),
    [(1, 0, (1, 0)), (60, 0, (60, 0)), (60, 7, (60, 7)), (60, -7, (60, 53))],
)
def test_too_many_progressions_become_a_grid_with_all_their_edges(
    count: int, unit: int, origin: int, grid: tuple[int, int]
) -> None:
    windows = hopping(count, unit, origin)
    edges = pane_edges(windows)
    assert edges.progressions == (grid,)
    assert edges.contains(all_edges(windows))


@pytest.mark.parametrize("count", [PROGRESSIONS + 1, COMPARED + 1])
def test_different_origins_make_a_finer_grid(count: int) -> None:
    windows = [*hopping(count, 60, 20), pw.tumbling(60 * count, origin=5)]
    edges = pane_edges(windows)
    assert edges.progressions == ((15, 5),)
    assert edges.contains(all_edges(windows))


@pytest.mark.parametrize("count", [PROGRESSIONS + 1, COMPARED + 1])
def test_bands_and_sessions_beside_a_grid(count: int) -> None:
    windows = [*hopping(count, 60), pw.band(7, 120), pw.band(60, 60)]
    edges = pane_edges(windows)
    assert edges == Edges(((60, 0),), (7, 127))
    assert edges.contains(all_edges(windows))
    finer = pane_edges([*windows, pw.session(20)])
    assert finer == Edges(((20, 0),), (7, 127))


@given(
    st.lists(
        st.builds(
            lambda size, slide, at: pw.sliding(size, slide, origin=at, allow_gaps=True),
            st.integers(1, 10**6),
            st.integers(1, 10**6),
            st.integers(-(10**6), 10**6),
        ),
        min_size=PROGRESSIONS // 2,
        max_size=PROGRESSIONS * 2,
    )
)
def test_every_edge_is_kept_whatever_becomes_of_the_progressions(windows: list[Window]) -> None:
    edges = pane_edges(windows)
    assert len(edges.progressions) <= PROGRESSIONS
    assert edges.contains(all_edges(windows))
