"""Trees by levels: one scan, one shuffle a level, and the oracle's rows from every kind of tree."""

import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyspark.sql import DataFrame, SparkSession

import panewise as pw
from panewise.optimizer.coverage import Relation
from panewise.optimizer.search import tiles
from panewise.plan import Edges, Node, Shape, Tree, Way
from panewise.testing import assert_same_rows, oracle
from panewise.windows import Family, Window
from tests.conformance.engines import as_oracle, data_frame

SCHEMA = {"t": "bigint", "k": "string", "x": "bigint", "y": "bigint", "seq": "bigint"}
HOPPING: list[Window] = [
    pw.tumbling(10),
    pw.tumbling(20),
    pw.tumbling(30),
    pw.sliding(20, 10),
    pw.sliding(60, 10),
    pw.sliding(80, 20),
]
IDEMPOTENT = [pw.max("x"), pw.range("y"), pw.first("x"), pw.last("x"), pw.argmax("x", "y")]
OTHERS = [pw.count(), pw.count("x"), pw.sum("x"), pw.mean("y"), pw.max_count("x")]
EVERY = [*IDEMPOTENT, *OTHERS]


def some_rows(count: int = 90) -> list[dict[str, Any]]:
    """Ties in time, times before zero, a stretch without events, null keys and values."""
    rng = random.Random(7)
    sequence = rng.sample(range(count), count)
    return [
        {
            "t": rng.choice([rng.randrange(-40, 30), rng.randrange(70, 100)]),
            "k": rng.choice(["a", "a", "b", None]),
            "x": rng.choice([*range(-3, 4), None]),
            "y": rng.choice([*range(5), None]),
            "seq": number,
        }
        for number in sequence
    ]


ROWS = some_rows()


@pytest.fixture(scope="module")
def events(spark: SparkSession) -> DataFrame:
    return data_frame(ROWS, SCHEMA).repartition(3)


@pytest.fixture(scope="module")
def parquet(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> DataFrame:
    path: Path = tmp_path_factory.mktemp("levels") / "events"
    data_frame(ROWS, SCHEMA).write.parquet(str(path))
    return spark.read.parquet(str(path))


def plan_of(windows: Sequence[Window], aggregates: Sequence[pw.Aggregate], way: str) -> pw.Plan:
    return pw.plan(
        time="t", by=["k"], windows=windows, aggregates=aggregates, order_by="seq", strategy=way
    )


def by_hand(
    windows: Sequence[Window], aggregates: Sequence[pw.Aggregate], *trees: Sequence[Node] | Tree
) -> pw.Plan:
    """A plan with these trees; nodes alone are a tree for all aggregates."""
    whole = tuple(range(len(aggregates)))
    grown = (t if isinstance(t, Tree) else Tree(tuple(t), Way.LEVELS, whole) for t in trees)
    return replace(plan_of(windows, aggregates, "scan"), trees=tuple(grown))


def check(plan: pw.Plan, events: DataFrame, rows: Sequence[dict[str, Any]] = ROWS) -> None:
    got = [as_oracle(row) for row in plan.run(events).toArrow().to_pylist()]
    assert_same_rows(got, oracle(plan.query, rows, SCHEMA), by=["k"])


def physical(plan: pw.Plan, events: DataFrame) -> str:
    """What Spark would execute, every part of it written out."""
    return str(plan.run(events)._jdf.queryExecution().executedPlan().toString())


def test_the_rows_hold_what_can_go_wrong() -> None:
    times = [row["t"] for row in ROWS]
    assert min(times) < 0 and len(set(times)) < len(times)
    assert not any(30 <= t < 70 for t in times)


# physical plans


@pytest.mark.parametrize("aggregate", [pw.sum("x"), pw.max("x")], ids=lambda a: a.name)
@pytest.mark.parametrize(
    ("way", "levels"), [("scan", 1), ("slices", 2), ("coverage", 4), ("factor", 4), ("tree", None)]
)
def test_one_scan_and_one_shuffle_a_level(
    parquet: DataFrame, way: str, levels: int | None, aggregate: pw.Aggregate
) -> None:
    plan = plan_of(HOPPING, [aggregate], way)
    (tree,) = plan.trees
    deep = max(tree.depths())
    assert levels in (None, deep)
    executed = physical(plan, parquet)
    assert executed.count("Scan parquet") == 1
    assert executed.count("Exchange") == deep
    assert executed.count("HashAggregate(") == 2 * deep


def test_independent_windows_read_the_source_each(parquet: DataFrame) -> None:
    executed = physical(plan_of(HOPPING, [pw.sum("x")], "independent"), parquet)
    assert executed.count("Scan parquet") == executed.count("Exchange") == len(HOPPING)


COMPILED = 8000
"""Bytes of a method that the JVM still compiles."""


@pytest.mark.parametrize("way", ["scan", "slices", "coverage"])
def test_the_code_does_not_grow_with_the_windows(parquet: DataFrame, way: str) -> None:
    windows = [pw.sliding(size, size // 4) for size in range(20, 420, 20)]
    plan = plan_of(windows, [pw.max("x")], way)
    conf = parquet.sparkSession.conf
    adaptive = conf.get("spark.sql.adaptive.enabled")
    conf.set("spark.sql.adaptive.enabled", "false")  # which shows its code only when it has run
    try:
        stages = plan.run(parquet)._jdf.queryExecution().debug().codegenToSeq()
    finally:
        conf.set("spark.sql.adaptive.enabled", adaptive)
    sizes = [stages.apply(i)._3().maxMethodCodeSize() for i in range(stages.size())]
    assert sizes and 0 < max(sizes) < COMPILED


@pytest.mark.parametrize("way", ["coverage", "factor"])
def test_two_trees_of_the_same_windows_read_the_source_once(parquet: DataFrame, way: str) -> None:
    windows = [pw.sliding(8, 2), pw.sliding(20, 2), pw.sliding(40, 4)]
    plan = kinds_apart(windows, [pw.min("x"), pw.sum("x")], way)
    covered, partitioned = (max(tree.depths()) for tree in plan.trees)
    executed = physical(plan, parquet)
    assert executed.count("Scan parquet") == 1
    # one shuffle more, where the rows of both trees meet
    assert executed.count("Exchange") == max(covered, partitioned) + 1
    check(plan, parquet)


def test_sessions_beside_levels_have_a_scan_of_their_own(parquet: DataFrame) -> None:
    plan = plan_of([*HOPPING, pw.session(4)], [pw.sum("x")], "coverage")
    assert [tree.way for tree in plan.trees] == [Way.LEVELS, Way.KERNEL]
    assert physical(plan, parquet).count("Scan parquet") == 2
    check(plan, parquet)


def kinds_apart(windows: Sequence[Window], aggregates: Sequence[pw.Aggregate], way: str) -> pw.Plan:
    """One tree for idempotent aggregates, one for the others, each as if it were alone."""
    trees = []
    for idempotent in (True, False):
        kept = [i for i, a in enumerate(aggregates) if a.properties.idempotent is idempotent]
        (tree,) = plan_of(windows, [aggregates[i] for i in kept], way).trees
        trees.append(replace(tree, aggregates=tuple(kept)))
    assert trees[0].nodes != trees[1].nodes
    return by_hand(windows, aggregates, *trees)


# trees by hand


def test_a_minimal_cover(events: DataFrame) -> None:
    #  0     4     8    12    16    20
    #  |-----------|                    sliding(8, 2)
    #              |-----------|
    #                    |-----------|  the last one ends with its reader
    #  |-----------------------------|  sliding(20, 2)
    windows = [pw.sliding(8, 2), pw.sliding(20, 2)]
    nodes = [Node(Family(8, 2), None, 0), Node(Family(20, 2), 0, 1, minimal=True)]
    check(by_hand(windows, IDEMPOTENT, nodes), events)


def test_a_minimal_cover_by_windows_that_are_no_multiple_of_their_slide(events: DataFrame) -> None:
    #  0                    7
    #  |--------------------|                    sliding(7, 2): the next begins at 6, not at 7
    #                    |--------------------|
    #  |--------------------------------------|  sliding(13, 4)
    windows = [pw.sliding(7, 2), pw.sliding(13, 4)]
    nodes = [Node(Family(7, 2), None, 0), Node(Family(13, 4), 0, 1, minimal=True)]
    check(by_hand(windows, IDEMPOTENT, nodes), events)


def test_a_minimal_cover_end_to_end_counts_no_event_twice(events: DataFrame) -> None:
    windows = [pw.sliding(8, 2), pw.sliding(16, 2), pw.sliding(24, 6)]
    nodes = [
        Node(Family(8, 2), None, 0),
        Node(Family(16, 2), 0, 1, minimal=True),
        Node(Family(24, 6), 0, 2, minimal=True),
    ]
    check(by_hand(windows, EVERY, nodes), events)


def test_all_overlapping_windows_inside(events: DataFrame) -> None:
    windows = [pw.sliding(8, 2), pw.sliding(20, 2), pw.sliding(40, 4)]
    nodes = [Node(Family(8, 2), None, 0), Node(Family(20, 2), 0, 1), Node(Family(40, 4), 1, 2)]
    check(by_hand(windows, IDEMPOTENT, nodes), events)


@pytest.mark.parametrize("minimal", [False, True])
def test_a_window_that_is_every_second_one_of_another(events: DataFrame, minimal: bool) -> None:
    windows = [pw.sliding(10, 5), pw.tumbling(10), pw.sliding(10, 15, allow_gaps=True)]
    nodes = [
        Node(Family(10, 5), None, 0),
        Node(Family(10, 10), 0, 1, minimal),
        Node(Family(10, 15), 0, 2, minimal),
    ]
    check(by_hand(windows, EVERY, nodes), events)


@pytest.mark.parametrize("minimal", [False, True])
def test_windows_with_gaps_read_windows_with_gaps(events: DataFrame, minimal: bool) -> None:
    windows = [pw.sliding(3, 4, allow_gaps=True), pw.sliding(3, 8, allow_gaps=True)]
    nodes = [Node(Family(3, 4), None, 0), Node(Family(3, 8), 0, 1, minimal)]
    check(by_hand(windows, EVERY, nodes), events)


def test_windows_with_gaps_read_panes(events: DataFrame) -> None:
    windows = [pw.sliding(3, 7, allow_gaps=True, origin=2), pw.sliding(20, 35, allow_gaps=True)]
    gaps, far = (window.demand() for window in windows)
    nodes = [Node(Edges(((7, 2), (7, 5)))), Node(Family(5, 5)), Node(gaps, 0, 0), Node(far, 1, 1)]
    check(by_hand(windows, EVERY, nodes), events)


def test_panes_that_are_not_uniform_below_two_levels(events: DataFrame) -> None:
    #  0              15    20             30             40    45             60
    #  |--------------|-----|--------------|--------------|-----|--------------|   panes
    #  |--------------|--------------------|--------------------|--------------|   tumbling(15)
    #  |--------------------|-----------------------------|--------------------|   tumbling(20)
    #  |-----------------------------------|-----------------------------------|   tumbling(30)
    windows = [pw.tumbling(15), pw.tumbling(20), pw.tumbling(30), pw.sliding(60, 20)]
    nodes = [
        Node(Edges(((15, 0), (20, 0)))),
        Node(Family(15, 15), 0, 0),
        Node(Family(20, 20), 0, 1),
        Node(Family(30, 30), 1, 2),
        Node(Family(60, 20), 2, 3),
    ]
    check(by_hand(windows, EVERY, nodes), events)


def test_panes_read_windows_and_panes(events: DataFrame) -> None:
    windows = [pw.tumbling(5), pw.tumbling(15), pw.sliding(40, 20), pw.tumbling(60)]
    nodes = [
        Node(Family(5, 5), None, 0),
        Node(Edges(((15, 0), (20, 0))), 0),
        Node(Family(15, 15), 1, 1),
        Node(Edges(((20, 0),)), 1),
        Node(Family(40, 20), 3, 2),
        Node(Family(60, 60), 3, 3),
    ]
    check(by_hand(windows, EVERY, nodes), events)


def test_cumulating_windows_and_bands_read_panes(events: DataFrame) -> None:
    windows = [pw.cumulating(3, 12, origin=1), pw.band(-7, 20), pw.sliding(10, 4), pw.band(75, 5)]
    edges = Edges.union([(3, 1), (4, 0), (4, 2)], [-7, 13, 75, 80])
    nodes = [Node(edges), *(Node(w.demand(), 0, i) for i, w in enumerate(windows))]
    check(by_hand(windows, EVERY, nodes), events)


def test_bands_alone_read_panes_without_a_period(events: DataFrame) -> None:
    windows = [pw.band(-7, 20), pw.band(5, 90), pw.band(500, 5)]
    edges = Edges.union([], [-7, 13, 5, 95, 500, 505])
    nodes = [Node(edges), *(Node(w.demand(), 0, i) for i, w in enumerate(windows))]
    check(by_hand(windows, EVERY, nodes), events)


def test_cumulating_windows_and_bands_read_windows(events: DataFrame) -> None:
    windows = [pw.tumbling(3), pw.cumulating(6, 24), pw.band(-9, 30), pw.cumulating(3, 9, origin=6)]
    three, cumulating, band, short = (window.demand() for window in windows)
    nodes = [
        Node(three, None, 0),
        Node(Family(6, 6), 0),
        Node(cumulating, 1, 1),
        Node(band, 0, 2),
        Node(short, 0, 3),
    ]
    check(by_hand(windows, EVERY, nodes), events)


def test_origins(events: DataFrame) -> None:
    windows = [
        pw.tumbling(5, origin=3),
        pw.sliding(15, 10, origin=-2),
        pw.tumbling(30, origin=-12),
        pw.sliding(25, 5, origin=8),
    ]
    five, fifteen, thirty, last = (window.demand() for window in windows)
    nodes = [Node(five, None, 0), Node(fifteen, 0, 1), Node(thirty, 0, 2), Node(last, 0, 3)]
    check(by_hand(windows, EVERY, nodes), events)


def test_four_levels_with_windows_finished_at_each(events: DataFrame) -> None:
    windows = [pw.tumbling(2), pw.tumbling(4), pw.sliding(36, 12), pw.tumbling(7), pw.tumbling(24)]
    nodes = [
        Node(Family(2, 2), None, 0),
        Node(Family(7, 7), None, 3),
        Node(Family(4, 4), 0, 1),
        Node(Family(12, 12), 2),
        Node(Family(36, 12), 3, 2),
        Node(Family(24, 24), 3, 4),
    ]
    plan = by_hand(windows, EVERY, nodes)
    assert max(plan.trees[0].depths()) == 4
    check(plan, events)


@pytest.mark.parametrize("way", ["coverage", "factor", "tree"])
def test_kinds_of_aggregates_kept_apart(events: DataFrame, way: str) -> None:
    windows = [pw.sliding(8, 2), pw.sliding(20, 2), pw.sliding(40, 4), pw.tumbling(6)]
    check(kinds_apart(windows, EVERY, way), events)


def test_trees_of_unequal_depth_kept_apart(events: DataFrame) -> None:
    """Partials that aggregates of both trees carry, such as the maximum, meet once."""
    windows = [pw.sliding(8, 2), pw.sliding(16, 2), pw.cumulating(2, 8)]
    eight, sixteen, cumulating = (window.demand() for window in windows)
    aggregates = [pw.count(), pw.max("x"), pw.max_count("x"), pw.last("y"), pw.argmin("x", "y")]
    flat = [Node(eight, None, 0), Node(sixteen, None, 1), Node(cumulating, None, 2)]
    deep = [
        Node(Edges(((2, 0),))),
        Node(eight, 0, 0),
        Node(sixteen, 1, 1, minimal=True),
        Node(cumulating, 0, 2),
    ]
    trees = Tree(tuple(flat), Way.LEVELS, (0, 2)), Tree(tuple(deep), Way.LEVELS, (1, 3, 4))
    check(by_hand(windows, aggregates, *trees), events)
    check(by_hand(windows, aggregates, *reversed(trees)), events)


def test_trees_of_some_windows_each(events: DataFrame) -> None:
    windows = [pw.tumbling(4), pw.tumbling(12), pw.tumbling(9), pw.session(3)]
    kernel = plan_of(windows, EVERY, "scan").trees[-1]
    assert kernel.way is Way.KERNEL
    first = [Node(Family(4, 4), None, 0), Node(Family(12, 12), 0, 1)]
    check(by_hand(windows, EVERY, first, [Node(Family(9, 9), None, 2)], kernel), events)


def test_more_instances_than_are_written_out(events: DataFrame) -> None:
    windows = [pw.sliding(40, 2), pw.cumulating(2, 50), pw.sliding(60, 2)]
    forty, cumulating, sixty = (window.demand() for window in windows)
    panes = [Node(Family(2, 2)), Node(forty, 0, 0), Node(cumulating, 0, 1), Node(sixty, 0, 2)]
    check(by_hand(windows, EVERY, panes), events)
    covered = [Node(forty, None, 0), Node(cumulating, None, 1), Node(sixty, 0, 2, minimal=True)]
    check(by_hand(windows, IDEMPOTENT, covered), events)


# trees by chance

HELPERS: tuple[Shape, ...] = (Family(2, 2), Family(6, 6), Edges(((4, 0), (6, 0))), Edges(((2, 0),)))


@st.composite
def trees_of(draw: st.DrawFn, relation: Relation) -> pw.Plan:
    """Every node reads the events, or any node before it that its relation allows."""
    multiples = st.integers(1, 8).map(lambda n: 2 * n)
    hop = st.builds(lambda r, s: pw.sliding(r, s, allow_gaps=True), multiples, multiples)
    windows: list[Window] = draw(
        st.lists(hop, min_size=2, max_size=5, unique_by=lambda w: w.window_id)
    )
    helpers = draw(st.lists(st.sampled_from(HELPERS), max_size=2, unique=True))
    asked: list[tuple[Shape, int | None]] = [(w.demand(), i) for i, w in enumerate(windows)]
    asked += [(shape, None) for shape in helpers]
    nodes: list[Node] = []
    for shape, window in draw(st.permutations(asked)):
        readable = [i for i, n in enumerate(nodes) if may_read(shape, n.shape, relation)]
        parent = draw(st.sampled_from([*readable, None]))
        nodes.append(Node(shape, parent, window, minimal=relation is Relation.COVERED))
    aggregates = IDEMPOTENT if relation is Relation.COVERED else EVERY
    return by_hand(windows, aggregates, without_idle(nodes))


def may_read(child: Shape, parent: Shape, relation: Relation) -> bool:
    if isinstance(parent, Family) and not tiles(parent):
        return isinstance(child, Family) and relation.holds(child, parent)
    return edges_of(parent).contains(edges_of(child))


def edges_of(shape: Shape) -> Edges:
    if isinstance(shape, Edges):
        return shape
    assert isinstance(shape, Family)
    return Edges.of(shape)


def without_idle(nodes: list[Node]) -> list[Node]:
    """Helpers that nobody reads are left out."""
    for at, node in reversed(list(enumerate(nodes))):
        if node.window is None and not any(n.parent == at for n in nodes):
            del nodes[at]
            nodes = [
                replace(n, parent=n.parent - 1) if n.parent is not None and n.parent > at else n
                for n in nodes
            ]
    return nodes


@pytest.mark.parametrize("relation", Relation, ids=lambda relation: relation.name.lower())
def test_any_tree(events: DataFrame, relation: Relation) -> None:
    @settings(max_examples=max(6, settings().max_examples // 10))
    @given(plan=trees_of(relation))
    def run(plan: pw.Plan) -> None:
        check(plan, events)

    run()
