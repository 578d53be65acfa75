"""The cost model: the papers' numbers under the papers' constants, and what must hold under any."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from panewise.optimizer.coverage import Relation
from panewise.optimizer.model import Constants, Model, copies
from panewise.optimizer.search import union
from panewise.plan import Edges, Node, Placement, Shape, Statistics, Tree, Way
from panewise.windows import Family, PaneWidth

READING = Constants.reading()
STORED = Constants.stored()


def one_key(rate: float) -> Statistics:
    """Every pane has one row, as in the paper."""
    return Statistics(rows=1e6, rate=rate, keys=((1e-9, 1.0), (1e12, 1.0)))


def tumbling(*sizes: int) -> list[Family]:
    return [Family(size, size) for size in sizes]


def cost(model: Model, nodes: Sequence[Node]) -> float:
    return model.cost(Tree(tuple(nodes), Way.LEVELS, (0,)))


def per_period(statistics: Statistics, nodes: Sequence[Node], period: int) -> float:
    families = [node.shape for node in nodes if isinstance(node.shape, Family)]
    model = Model(statistics, families, READING)
    return cost(model, nodes) / model.span * period


def direct(windows: Sequence[Family]) -> list[Node]:
    return [Node(window, None, i) for i, window in enumerate(windows)]


def flat(windows: Sequence[Family], panes: Shape) -> list[Node]:
    return [Node(panes), *(Node(window, 0, i) for i, window in enumerate(windows))]


def paper(sizes: Sequence[int]) -> list[Node]:
    """The paper's tree: panes of 10 for 20 and 30, and 40 from 20."""
    assert tuple(sizes) == (20, 30, 40)
    ten, twenty, thirty, forty = tumbling(10, *sizes)
    return [Node(ten), Node(twenty, 0, 0), Node(thirty, 0, 1), Node(forty, 1, 2)]


# --- the papers' numbers ---


def test_e18_a_lone_hopping_window_at_steady_rates() -> None:
    hopping, pane = Family(100, 10), Family(10, 10)
    assert per_period(one_key(1), direct([hopping]), 100) == pytest.approx(1000)
    assert per_period(one_key(1), flat([hopping], pane), 100) == pytest.approx(200)
    assert per_period(one_key(1), flat([hopping], Edges.of(hopping)), 100) == pytest.approx(
        200, rel=1e-4
    )


def test_e17_overlapping_instances_are_read_once_or_as_few_as_cover() -> None:
    #  <20,2> from <8,2>: 7 instances lie within, 3 of them cover
    parent, child = Family(8, 2), Family(20, 2)
    model = Model(one_key(1), [parent, child], READING)
    assert model.reads(child, parent) / model.span == pytest.approx(7 / 2)
    assert model.reads(child, parent, minimal=True) / model.span == pytest.approx(3 / 2)


@pytest.mark.parametrize(
    ("keys", "rate", "expected"),
    [(10, 1, 324), (1000, 1, 478), (1000, 10_000, 0.34 * 360 * 10_000)],
)
def test_e26_a_pane_has_a_row_for_each_active_key(keys: int, rate: int, expected: float) -> None:
    span = 1200
    statistics = Statistics.given(rows=rate * span, span=span, keys=keys)
    alone = per_period(statistics, direct(tumbling(20, 30, 40)), 120)
    assert alone == pytest.approx(360 * rate)
    shared = per_period(statistics, paper((20, 30, 40)), 120)
    assert shared == pytest.approx(expected, rel=0.01)


@pytest.mark.parametrize(
    ("sizes", "period", "rate", "alone", "shared"),
    [
        ((15, 17, 19), 4845, 1, 14_535, 7_284),
        ((15, 17, 19), 4845, 10, 145_350, 50_889),
        ((20, 30, 40), 120, 1, 360, 144),
        ((10, 20, 30, 40), 120, 1, 480, 156 + 12),
    ],
)
def test_table_3_4_flat_edges(
    sizes: Sequence[int], period: int, rate: float, alone: float, shared: float
) -> None:
    windows = tumbling(*sizes)
    assert per_period(one_key(rate), direct(windows), period) == pytest.approx(alone)
    # the table lets a window that is the panes cost nothing, as do the 12 reads of 10 from 10
    found = per_period(one_key(rate), flat(windows, union(windows)), period)
    assert found == pytest.approx(shared, rel=1e-4)


def test_table_3_4_trees() -> None:
    ten, twenty, thirty, forty = tumbling(10, 20, 30, 40)
    assert per_period(one_key(1), paper((20, 30, 40)), 120) == pytest.approx(150)
    # 8 panes per period; 40 reads the 6 instances of 20
    pair = [Node(union([twenty, thirty])), Node(twenty, 0, 0), Node(thirty, 0, 1)]
    best = [*pair, Node(forty, 1, 2)]
    assert per_period(one_key(1), best, 120) == pytest.approx(142, rel=1e-4)
    asked = [Node(ten, None, 0), Node(twenty, 0, 1), Node(thirty, 0, 2)]
    assert per_period(one_key(1), [*asked, Node(forty, 1, 3)], 120) == pytest.approx(150)
    assert per_period(one_key(1), [*asked, Node(forty, 0, 3)], 120) == pytest.approx(156)


def test_two_levels_of_edges_cost_more_than_one_for_15_17_19() -> None:
    windows = tumbling(15, 17, 19)
    for alone in range(3):
        pair = [i for i in range(3) if i != alone]
        nodes = [Node(union(windows)), Node(union(windows[i] for i in pair), 0)]
        nodes += [Node(windows[i], 1, i) for i in pair]
        two = per_period(one_key(1), [*nodes, Node(windows[alone], 0, alone)], 4845)
        assert 7_521 - 1 <= two <= 7_649 + 1
        apart = [Node(nodes[1].shape), *(Node(windows[i], 0, i) for i in pair)]
        beside = per_period(one_key(1), [*apart, Node(windows[alone], None, alone)], 4845)
        assert 10_740 - 1 <= beside <= 10_868 + 1


# --- rows ---

statistics = st.builds(
    lambda rows, span, keys: Statistics.given(rows=rows, span=span, keys=keys),
    st.integers(1, 10**9),
    st.integers(1, 10**9),
    st.sampled_from([1, 10, 1000, 10**6]),
)
family = st.one_of(
    st.builds(lambda size: Family(size, size), st.integers(1, 500)),
    st.builds(Family, st.integers(1, 500), st.integers(1, 100)),
    st.builds(
        lambda step, parts: Family(step * parts, step * parts, step), *[st.integers(1, 9)] * 2
    ),
)
families = st.lists(family, min_size=1, max_size=5)


@given(statistics, families)
def test_rows_never_exceed_events_times_copies(
    statistics: Statistics, windows: list[Family]
) -> None:
    model = Model(statistics, windows, READING)
    for window in windows:
        assert 0 < model.rows(window) <= statistics.rows * window.overlap * (1 + 1e-9)
    assert 0 < model.rows(union(windows)) <= statistics.rows
    assert 0 < model.rows(PaneWidth(10)) <= statistics.rows


@given(statistics, families, families)
def test_more_edges_have_no_fewer_rows(
    statistics: Statistics, some: list[Family], more: list[Family]
) -> None:
    model = Model(statistics, [*some, *more], READING)
    # within the tolerance of counting a part of a long period
    assert model.rows(union([*some, *more])) >= model.rows(union(some)) * 0.98


@given(statistics, families)
def test_panes_have_no_fewer_rows_than_a_window_without_overlap(
    statistics: Statistics, windows: list[Family]
) -> None:
    model = Model(statistics, windows, READING)
    panes = model.rows(union(windows))
    for window in windows:
        if window.size == window.slide == window.step:
            assert panes >= model.rows(window) * 0.98


def test_a_band_is_one_instance() -> None:
    model = Model(Statistics.given(rows=10**6, span=10**6, keys=7), [Family(10, 10)], READING)
    assert model.rows(Family(10_000, 10_000, once=True)) == pytest.approx(7)
    assert model.rows(Edges((), (0, 10_000))) == pytest.approx(3 * 7, rel=0.01)


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        (Family(10, 10), 1),
        (Family(30, 10), 3),
        (Family(12, 5), 2.4),
        (Family(3, 6), 0.5),
        (Family(30, 30, step=10), 2),  # the first third is in 3 of them, the last in 1
        (Family(30, 30, once=True), 1),
        (Edges(((10, 0),)), 1),
        (PaneWidth(10), 1),
    ],
)
def test_copies(shape: Shape, expected: float) -> None:
    assert copies(shape) == pytest.approx(expected)


# --- costs ---


@given(statistics, families, st.sampled_from([READING, STORED]))
def test_reading_panes_never_costs_more_than_reading_events(
    statistics: Statistics, windows: list[Family], constants: Constants
) -> None:
    model = Model(statistics, windows, constants)
    panes = union(windows)
    for window in windows:
        reads = model.reads(window, panes)
        assert reads <= model.reads(window, None) * (1 + 1e-9)


@given(statistics, families)
def test_aggregates_and_sketches_cost(statistics: Statistics, windows: list[Family]) -> None:
    one, two, sketch = (
        Model(statistics, windows, STORED, columns=columns, opaque=opaque)
        for columns, opaque in ((1, False), (2, False), (1, True))
    )
    panes = union(windows)
    nodes = flat(windows, panes)
    depths = Tree(tuple(nodes), Way.LEVELS, (0,)).depths()
    assert one.levels_cost(nodes, depths) < two.levels_cost(nodes, depths)
    for placement in Placement:
        price = one.kernel_cost(panes, windows, placement)
        assert price < two.kernel_cost(panes, windows, placement)
        assert price < sketch.kernel_cost(panes, windows, placement)


@given(statistics, families, st.sampled_from([READING, STORED]))
def test_a_tree_costs_the_sum_of_its_nodes_and_what_they_share(
    statistics: Statistics, windows: list[Family], constants: Constants
) -> None:
    model = Model(statistics, windows, constants)
    nodes = flat(windows, union(windows))
    parts = sum(
        model.read_cost(n.shape, None if n.parent is None else nodes[n.parent].shape)
        + model.node_cost(n.shape)
        for n in nodes
    )
    shared = constants.scan * statistics.rows + 2 * constants.stage
    assert cost(model, nodes) == pytest.approx(parts + shared)


def test_finished_windows_pass_through_the_levels_after_them() -> None:
    ten, twenty, forty = tumbling(10, 20, 40)
    data = Statistics.given(rows=10**6, span=10**5)
    model = Model(data, [ten, twenty, forty], STORED)
    asked = [Node(ten, None, 0), Node(twenty, 0, 1), Node(forty, 1, 2)]
    helper = [Node(ten), Node(twenty, 0), Node(forty, 1, 0)]
    passed = 2 * model.node_cost(ten) + model.node_cost(twenty)
    assert cost(model, asked) - cost(model, helper) == pytest.approx(passed)


def test_several_readers_of_the_events_copy_them() -> None:
    windows = tumbling(10, 20, 30)
    data = Statistics.given(rows=10**6, span=10**5)
    model = Model(data, windows, STORED)
    together = cost(model, direct(windows))
    apart = sum(cost(model, direct([window])) for window in windows)
    copied = 3 * STORED.copy * data.rows
    saved = 2 * (STORED.scan * data.rows + STORED.stage)
    assert together == pytest.approx(apart + copied - saved)


def test_the_kernel_does_not_mind_the_overlap() -> None:
    #  the same panes and as many results, however many panes a window spans
    data = Statistics.given(rows=10**7, span=10**6, keys=1)
    short, long = Family(20, 10), Family(10_000, 10)
    model = Model(data, [short, long], STORED)
    panes = Edges(((10, 0),))
    for placement in Placement:
        few = model.kernel_cost(panes, [short], placement)
        assert model.kernel_cost(panes, [long], placement) == pytest.approx(few, rel=0.01)
    levels = [cost(model, flat([window], panes)) for window in (short, long)]
    assert levels[1] > 4 * levels[0]


def test_rows_travel_where_folding_saves_nothing() -> None:
    def cheaper(data: Statistics) -> Placement:
        window = Family(100, 10)
        model = Model(data, [window], STORED)
        panes = Edges.of(window)
        return min(Placement, key=lambda p: model.kernel_cost(panes, [window], p))

    assert cheaper(Statistics.given(rows=10**9, span=10**9, keys=10**9)) is Placement.ROWS
    assert cheaper(Statistics.given(rows=10**9, span=10**5, keys=1)) is Placement.CELLS


def test_the_constants_by_name() -> None:
    assert READING.as_dict()["fold"] == 1
    assert sum(READING.as_dict().values()) == 1
    assert Constants(**STORED.as_dict()) == STORED
    assert all(value >= 0 for value in STORED.as_dict().values())


def test_minimal_covers_only_where_they_are_asked_for() -> None:
    parent, child = Family(8, 2), Family(20, 2)
    model = Model(one_key(1), [parent, child], READING)
    nodes = [Node(parent, None, 0), Node(child, 0, 1)]
    covered = [Node(parent, None, 0, minimal=True), Node(child, 0, 1, minimal=True)]
    assert Relation.COVERED.reads(child, parent) < Relation.PARTITIONED.reads(child, parent)
    assert cost(model, covered) < cost(model, nodes)
