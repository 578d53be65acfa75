"""Which plan a query gets, why, what cannot be asked for, and what several queries share."""

import json
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import panewise as pw
from panewise.errors import PanewiseError, QueryError
from panewise.optimizer import STRATEGIES, pane_edges
from panewise.optimizer.choose import GRAPH_UP_TO, WEIGHED_UP_TO
from panewise.optimizer.model import Constants, Model
from panewise.optimizer.strategies import Strategies
from panewise.plan import Placement, Plan, Statistics, Way
from panewise.query import Query, merge
from panewise.testing.generators import window_examples
from panewise.windows import Family, Window

ONE = pw.tumbling(10)
NATIVE = pw.sum("x")
COUNTED = pw.median("x")
SKETCH = pw.approx_count_distinct("x")
FORCED = STRATEGIES[1:]
#  a hundred rows of one key in each tick; and a key for each row
DENSE = Statistics.given(rows=10**8, span=10**6, keys=1)
SPARSE = Statistics.given(rows=10**8, span=10**8, keys=10**9)
OVERLAPPING = [pw.sliding(1000 * n, 10) for n in range(1, 20)]


def plan(
    windows: Iterable[Window], *aggregates: pw.Aggregate, by: Sequence[str] = ("k",), **more: Any
) -> Plan:
    return pw.plan(time="t", by=by, windows=windows, aggregates=aggregates or (NATIVE,), **more)


def refused(*given: Any, **more: Any) -> str:
    with pytest.raises(QueryError) as error:
        plan(*given, **more)
    return str(error.value)


def answers(plan: Plan) -> Counter[tuple[int, int]]:
    """How many times each window is answered for each aggregate."""
    return Counter(
        (window, aggregate)
        for tree in plan.trees
        for window in tree.windows
        for aggregate in tree.aggregates
    )


def every_answer_once(plan: Plan) -> bool:
    expected = [
        (window, aggregate)
        for window in range(len(plan.query.windows))
        for aggregate in range(len(plan.query.aggregates))
    ]
    return answers(plan) == Counter(expected)


# --- what auto chooses ---


@pytest.mark.parametrize("statistics", [None, DENSE])
@pytest.mark.parametrize("aggregate", [NATIVE, SKETCH, pw.min("x")])
@pytest.mark.parametrize("window", [ONE, pw.sliding(10, 10), pw.cumulating(10, 10)])
def test_one_tumbling_window_is_read_from_the_events(
    window: Window, aggregate: pw.Aggregate, statistics: Statistics | None
) -> None:
    chosen = plan([window], aggregate, statistics=statistics)
    assert (chosen.strategy, chosen.chosen) == ("auto", "independent")
    assert chosen.reason == "one window: nothing to share"
    (tree,) = chosen.trees
    assert tree.way is Way.LEVELS and max(tree.depths()) == 1
    assert chosen.statistics == (statistics or Statistics())


@pytest.mark.parametrize("statistics", [None, DENSE])
def test_many_overlapping_windows_are_one_pass_of_the_kernel(
    statistics: Statistics | None,
) -> None:
    chosen = plan(OVERLAPPING, statistics=statistics)
    assert chosen.chosen == "edges"
    (tree,) = chosen.trees
    assert tree.way is Way.KERNEL and len(tree.windows) == len(OVERLAPPING)
    assert chosen.reason.startswith("least of 7 plans; the next, ")
    costs = [other.cost for other in chosen.alternatives]
    assert len(costs) == 6 and costs == sorted(costs) and costs[0] >= chosen.cost


@pytest.mark.parametrize("windows", [[ONE], OVERLAPPING, [ONE, pw.session(5)], [pw.session(5)]])
def test_array_code_is_the_kernels(windows: list[Window]) -> None:
    chosen = plan(windows, NATIVE, COUNTED)
    assert {tree.way for tree in chosen.trees} == {Way.KERNEL}
    assert chosen.chosen.startswith("edges")
    assert chosen.reason == "median(x) is combined by array code"


@pytest.mark.parametrize("windows", [[ONE], [ONE, pw.tumbling(7)], OVERLAPPING, [pw.band(0, 9)]])
@pytest.mark.parametrize("statistics", [None, DENSE, SPARSE])
def test_sketches_are_merged_by_spark_unless_there_are_sessions(
    windows: list[Window], statistics: Statistics | None
) -> None:
    chosen = plan(windows, SKETCH, statistics=statistics)
    assert {tree.way for tree in chosen.trees} == {Way.LEVELS}
    forced = plan(windows, SKETCH, statistics=statistics, strategy="edges")
    assert {tree.way for tree in forced.trees} == {Way.LEVELS}
    beside = plan([*windows, pw.session(5)], SKETCH, statistics=statistics)
    last = len(windows)
    assert any(last in tree.windows and tree.way is Way.KERNEL for tree in beside.trees)


@pytest.mark.parametrize("sessions", [[pw.session(5)], [pw.session(5), pw.session(500)]])
def test_sessions_alone_are_one_pass(sessions: list[Window]) -> None:
    chosen = plan(sessions)
    assert chosen.chosen == "edges"
    assert chosen.reason == "sessions merge neighbouring panes in order"
    (tree,) = chosen.trees
    assert tree.way is Way.KERNEL and len(tree.windows) == len(sessions)


@pytest.mark.parametrize("windows", [OVERLAPPING, [pw.session(10)], [ONE, pw.session(10)]])
def test_rows_travel_where_folding_saves_nothing(windows: list[Window]) -> None:
    def placements(statistics: Statistics, by: Sequence[str]) -> set[Placement]:
        chosen = plan(windows, by=by, statistics=statistics, strategy="edges")
        return {tree.placement for tree in chosen.trees}

    assert placements(SPARSE, ["k"]) == {Placement.ROWS}
    assert placements(DENSE, ["k"]) == {Placement.CELLS}
    # without keys there is one worker
    assert placements(SPARSE, []) == placements(DENSE, []) == {Placement.CELLS}


def priced(monkeypatch: pytest.MonkeyPatch, constants: Constants) -> None:
    monkeypatch.setattr(Constants, "stored", classmethod(lambda cls: constants))


def test_windows_read_each_other_where_reading_is_all_that_costs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    #  10 <- events, 20 <- 10, 40 <- 20: each reads half as many rows
    priced(monkeypatch, replace(Constants.reading(), worker=1e15))
    chosen = plan([pw.tumbling(10 * 2**n) for n in range(3)], statistics=DENSE)
    assert chosen.chosen == "coverage"
    (tree,) = chosen.trees
    assert tree.depths() == [1, 2, 3]


def test_panes_are_shared_where_no_window_is_read_by_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    priced(monkeypatch, replace(Constants.reading(), worker=1e15))
    chosen = plan([pw.tumbling(n) for n in (15, 17, 19)], statistics=DENSE)
    assert chosen.chosen == "slices"
    (tree,) = chosen.trees
    assert tree.depths() == [1, 2, 2, 2]


def test_levels_are_few_where_each_is_dear(monkeypatch: pytest.MonkeyPatch) -> None:
    priced(monkeypatch, replace(Constants.stored(), worker=1e9, stage=1e6))
    chosen = plan([pw.tumbling(10 * 2**n) for n in range(3)], statistics=DENSE)
    assert chosen.chosen == "scan"
    assert [max(tree.depths()) for tree in chosen.trees] == [1]


def test_what_was_chosen_is_estimated_node_by_node() -> None:
    chosen = plan([ONE, pw.sliding(60, 5)], statistics=DENSE, strategy="tree")
    (tree,) = chosen.trees
    assert all(node.rows > 0 and node.cost > 0 for node in tree.nodes)
    assert sum(node.cost for node in tree.nodes) <= chosen.cost * (1 + 1e-9)


def test_equal_queries_have_equal_plans() -> None:
    assert plan([ONE, pw.session(5)]) == plan([pw.tumbling(10), pw.session(5)])


def test_a_plan_is_tuned_with_its_own_strategy() -> None:
    for strategy in STRATEGIES:
        tuned = plan(OVERLAPPING, strategy=strategy).tune(DENSE)
        assert (tuned.strategy, tuned.statistics) == (strategy, DENSE)
        assert tuned == plan(OVERLAPPING, strategy=strategy, statistics=DENSE)


def test_a_sample_that_tells_only_the_rows_is_enough() -> None:
    some = Statistics(rows=1000, disorder=7, source="a sample too disordered to tell")
    chosen = plan(OVERLAPPING, statistics=some)
    assert chosen.statistics == some
    assert chosen.cost < plan(OVERLAPPING).cost


@pytest.mark.parametrize("size", ["60 days", "3650 days"])
def test_long_windows_over_data_of_which_nothing_is_known(size: str) -> None:
    assert every_answer_once(plan([pw.tumbling(size)]))
    assert every_answer_once(plan([pw.session(size)]))


# --- strategies by name ---


@pytest.mark.parametrize("strategy", FORCED)
def test_one_tumbling_window_by_every_strategy(strategy: str) -> None:
    forced = plan([ONE], strategy=strategy)
    assert (forced.strategy, forced.reason) == (strategy, "as asked")
    assert forced.chosen == strategy and forced.alternatives == ()
    assert every_answer_once(forced)


@pytest.mark.parametrize("strategy", FORCED)
def test_overlapping_windows_by_every_strategy(strategy: str) -> None:
    forced = plan(OVERLAPPING, strategy=strategy, statistics=DENSE)
    assert forced.chosen == strategy
    assert every_answer_once(forced)
    ways = {tree.way for tree in forced.trees}
    assert ways == ({Way.KERNEL} if strategy == "edges" else {Way.LEVELS})


def test_the_shapes_of_strategies() -> None:
    windows = [pw.tumbling(n) for n in (20, 30, 40)]
    trees = {s: plan(windows, strategy=s, statistics=DENSE).trees for s in FORCED}
    assert [len(tree.nodes) for tree in trees["independent"]] == [1, 1, 1]
    assert [len(tree.nodes) for tree in trees["scan"]] == [3]
    assert trees["scan"][0].depths() == [1, 1, 1]
    assert trees["slices"][0].depths() == [1, 2, 2, 2]
    assert sorted(trees["coverage"][0].depths()) == [1, 1, 2]
    factors = [node for node in trees["factor"][0].nodes if node.window is None]
    assert [node.shape for node in factors] == [Family(10, 10)]


@pytest.mark.parametrize("strategy", ["fast", "", "Edges", None, 3])
def test_an_unknown_strategy_lists_them_all(strategy: Any) -> None:
    message = refused([ONE], strategy=strategy)
    assert f"got {strategy!r}" in message
    for name in STRATEGIES:
        assert f'"{name}"' in message


@pytest.mark.parametrize("strategy", [s for s in FORCED if s != "edges"])
def test_what_cannot_be_forced(strategy: str) -> None:
    message = refused([ONE], COUNTED, strategy=strategy)
    assert f'no "{strategy}" plan: median(x) is combined by array code.' in message
    assert 'Hint: leave strategy="auto".' in message
    message = refused([pw.session(5)], strategy=strategy)
    assert f'no "{strategy}" plan: sessions merge neighbouring panes in order.' in message
    assert plan([pw.session(5), ONE], strategy=strategy).strategy == strategy


@pytest.mark.parametrize("strategy", ["coverage", "factor", "tree"])
def test_graphs_of_too_many_windows_are_not_drawn(strategy: str) -> None:
    windows = [pw.tumbling(n) for n in range(1, GRAPH_UP_TO + 2)]
    message = refused(windows, strategy=strategy)
    assert f"at most {GRAPH_UP_TO:,} of them: got {GRAPH_UP_TO + 1:,}" in message


@pytest.mark.parametrize("strategy", ["auto", "independent", "scan", "edges", "slices"])
def test_many_windows_by_the_other_strategies(strategy: str) -> None:
    windows = [pw.tumbling(n) for n in range(1, GRAPH_UP_TO + 2)]
    assert every_answer_once(plan(windows, strategy=strategy))


# --- any windows ---

query_windows = st.lists(
    st.one_of(
        st.sampled_from(window_examples()),
        st.builds(pw.tumbling, st.integers(1, 60)),
        st.builds(lambda slide, times: pw.sliding(slide * times, slide), *[st.integers(1, 12)] * 2),
    ),
    min_size=1,
    max_size=6,
    unique_by=lambda window: window.window_id,
)
AGGREGATES = (NATIVE, pw.min("x"), pw.max("y"), pw.count(), SKETCH, COUNTED)
aggregate_sets = st.lists(st.sampled_from(AGGREGATES), min_size=1, max_size=3, unique=True)
known = st.sampled_from(
    [None, DENSE, SPARSE, Statistics.given(rows=10**6, span=10**6, keys=100), Statistics(rows=10)]
)


def allowed(windows: Sequence[Window], aggregates: Sequence[pw.Aggregate]) -> tuple[str, ...]:
    periodic = any(isinstance(window.demand(), Family) for window in windows)
    return FORCED if periodic and all(a.native for a in aggregates) else ("edges",)


@given(query_windows, aggregate_sets, known, st.booleans())
def test_every_strategy_answers_every_window_once(
    windows: list[Window], aggregates: list[pw.Aggregate], known: Statistics | None, keyed: bool
) -> None:
    auto = plan(windows, *aggregates, by=["k"] if keyed else [], statistics=known)
    assert every_answer_once(auto)
    costs = [auto.cost, *(other.cost for other in auto.alternatives)]
    assert all(math.isfinite(cost) and cost > 0 for cost in costs)
    for strategy in allowed(windows, aggregates):
        forced = plan(
            windows,
            *aggregates,
            by=["k"] if keyed else [],
            statistics=known,
            strategy=strategy,
        )
        assert every_answer_once(forced)
        assert auto.cost <= forced.cost * (1 + 1e-9)
        for tree in forced.trees:
            assert keyed or tree.placement is Placement.CELLS or tree.way is Way.ROWS
            for place, node in enumerate(tree.nodes):
                assert node.parent is None or node.parent < place


@given(query_windows, known)
def test_auto_is_the_least_of_what_it_shows(
    windows: list[Window], known: Statistics | None
) -> None:
    chosen = plan(windows, NATIVE, pw.min("x"), statistics=known)
    for other in chosen.alternatives:
        assert chosen.cost <= other.cost
    assert json.loads(chosen.explain("json"))
    assert chosen.explain()


# --- several kinds of aggregates ---


def kinds(plan: Plan) -> list[tuple[int, ...]]:
    return [tree.aggregates for tree in plan.trees]


HOPPING = [pw.sliding(1000, 10), pw.sliding(2000, 10), pw.sliding(4000, 10)]


def drafts(windows: Sequence[Window], *aggregates: pw.Aggregate) -> Strategies:
    demands = [window.demand() for window in windows]
    families = [demand for demand in demands if isinstance(demand, Family)]
    model = Model(DENSE, families, Constants.stored(), columns=len(aggregates))
    return Strategies(Query("t", ("k",), tuple(windows), aggregates), model)


@pytest.mark.parametrize("name", ["coverage", "factor", "trees"])
def test_idempotent_aggregates_may_have_a_tree_of_their_own(name: str) -> None:
    #  min of <2000,10> from 2 instances of <1000,10>; a sum would count some events twice
    together, apart = getattr(drafts(HOPPING, NATIVE, pw.min("x")), name)()
    assert [tree.aggregates for tree in together.trees] == [(0, 1)]
    assert apart.name == f"{together.name}, by kind of aggregate"
    assert [tree.aggregates for tree in apart.trees] == [(1,), (0,)]
    covered, partitioned = apart.trees
    assert all(node.minimal for node in covered.nodes)
    assert not any(node.minimal for node in partitioned.nodes)
    read = [covered.nodes[n.parent].shape for n in covered.nodes if n.parent is not None]
    assert any(isinstance(shape, Family) and shape.overlap > 1 for shape in read)
    for tree in apart.trees:
        assert sorted(tree.windows) == [0, 1, 2]


@pytest.mark.parametrize("strategy", ["coverage", "factor", "tree"])
def test_both_ways_are_weighed(strategy: str) -> None:
    chosen = plan(HOPPING, NATIVE, pw.min("x"), statistics=DENSE)
    named = {chosen.chosen, *(other.strategy for other in chosen.alternatives)}
    assert {strategy, f"{strategy}, by kind of aggregate"} <= named
    assert every_answer_once(plan(HOPPING, NATIVE, pw.min("x"), strategy=strategy))


def test_a_tree_of_their_own_is_taken_where_it_is_cheaper() -> None:
    extremes = [kind(f"x{n}") for n in range(50) for kind in (pw.min, pw.max)]
    forced = plan(HOPPING, NATIVE, *extremes, strategy="coverage", statistics=DENSE)
    assert forced.chosen == "coverage, by kind of aggregate"
    assert every_answer_once(forced)


@pytest.mark.parametrize("strategy", ["coverage", "factor", "tree"])
def test_aggregates_of_one_kind_have_one_tree(strategy: str) -> None:
    for aggregates in ((NATIVE, pw.count()), (pw.min("x"), pw.max("x"))):
        forced = plan(HOPPING, *aggregates, strategy=strategy, statistics=DENSE)
        assert forced.chosen == strategy and kinds(forced) == [(0, 1)]


@pytest.mark.parametrize("strategy", ["coverage", "factor", "tree"])
def test_tumbling_windows_have_one_tree_for_all(strategy: str) -> None:
    windows = [pw.tumbling(10 * n) for n in (1, 2, 3, 4)]
    forced = plan(windows, NATIVE, pw.min("x"), strategy=strategy, statistics=DENSE)
    assert forced.chosen == strategy and kinds(forced) == [(0, 1)]


# --- sessions beside windows ---


def test_sessions_share_the_panes_or_have_their_own() -> None:
    windows = [pw.tumbling(13), pw.session(11), *OVERLAPPING[:2], pw.session(50)]
    shared, apart = drafts(windows, NATIVE).edges()
    assert (shared.name, apart.name) == ("edges", "edges, sessions apart")
    assert [tree.windows for tree in shared.trees] == [(0, 1, 2, 3, 4)]
    assert [tree.windows for tree in apart.trees] == [(1, 4), (0, 2, 3)]
    assert [tree.nodes[0].shape for tree in apart.trees] == [
        pane_edges([pw.session(11)]),
        pane_edges([pw.tumbling(13), *OVERLAPPING[:2]]),
    ]
    chosen = plan(windows, statistics=DENSE)
    named = {chosen.chosen, *(other.strategy for other in chosen.alternatives)}
    assert {"edges", "edges, sessions apart"} <= named


def test_sessions_share_where_reading_twice_is_dear(monkeypatch: pytest.MonkeyPatch) -> None:
    priced(monkeypatch, replace(Constants.stored(), scan=1e6))
    chosen = plan([pw.tumbling(13), pw.session(11)], statistics=DENSE)
    assert chosen.chosen == "edges" and len(chosen.trees) == 1


@pytest.mark.parametrize("strategy", ["independent", "scan", "coverage", "factor", "tree"])
def test_levels_beside_a_pass_for_the_sessions(strategy: str) -> None:
    windows = [pw.session(5), ONE, pw.session(50), pw.tumbling(20)]
    forced = plan(windows, strategy=strategy)
    assert every_answer_once(forced)
    passes = [tree.windows for tree in forced.trees if tree.way is Way.KERNEL]
    assert passes == ([(0,), (2,)] if strategy == "independent" else [(0, 2)])


# --- several queries ---


def query(*windows: Window, aggregates: Sequence[pw.Aggregate] = (NATIVE,), **more: Any) -> Plan:
    return pw.plan(**{"time": "t", "by": ["k"], **more}, windows=windows, aggregates=aggregates)


def test_the_same_window_in_two_queries_is_computed_once() -> None:
    alerts = query(ONE, pw.tumbling(20).named("twenty"))
    report = query(pw.tumbling(20), pw.sliding(60, 5), aggregates=[NATIVE, pw.min("x")])
    shared = pw.plan_all({"alerts": alerts, "report": report.query})
    whole = shared.plan.query
    assert whole.windows == (ONE, pw.tumbling(20), pw.sliding(60, 5))
    assert whole.aggregates == (NATIVE, pw.min("x"))
    assert every_answer_once(shared.plan)
    first, second = shared.queries["alerts"], shared.queries["report"]
    assert (first.windows, first.aggregates) == ((0, 1), (0,))
    assert (second.windows, second.aggregates) == ((1, 2), (0, 1))
    # names are each query's own
    assert [w.window_id for w in first.query.windows] == ["tumbling(10)", "twenty"]
    assert [w.window_id for w in second.query.windows] == ["tumbling(20)", "sliding(60, 5)"]
    assert list(shared.queries) == ["alerts", "report"]


def test_windows_that_differ_by_name_are_one_in_the_whole() -> None:
    twice = query(ONE.named("a"), ONE.named("b"))
    shared = pw.plan_all({"only": twice})
    assert shared.plan.query.windows == (ONE,)
    assert shared.queries["only"].windows == (0, 0)


def test_strategy_and_statistics_are_those_of_the_whole() -> None:
    queries = {"a": query(ONE), "b": query(pw.tumbling(20))}
    shared = pw.plan_all(queries, strategy="slices", statistics=DENSE)
    assert (shared.plan.strategy, shared.plan.statistics) == ("slices", DENSE)
    assert shared.tune(SPARSE).plan.statistics == SPARSE
    assert shared.tune(SPARSE).queries == shared.queries
    assert str(shared) == shared.explain() == shared.plan.explain()


@pytest.mark.parametrize(
    ("one", "other", "message"),
    [
        (query(ONE), query(ONE, time="u"), "share time: got 't' in \"one\" and 'u' in \"other\""),
        (query(ONE), query(ONE, by=["k", "l"]), "share by: got ('k',)"),
        (query(ONE), query(ONE, by=[]), "share by: got ('k',)"),
        (query(ONE), query(ONE, order_by="seq"), "share order_by: got None"),
        (
            query(ONE, aggregates=[NATIVE.alias("x")]),
            query(ONE, aggregates=[pw.min("x").alias("x")]),
            'one name for two aggregates: "x" is sum(x) and min(x) (in "other")',
        ),
        (
            query(ONE),
            query(ONE, aggregates=[NATIVE.alias("query")]),
            '"query" is taken in shared results',
        ),
        (query(ONE, by=["query"]), query(ONE, by=["query"]), '"query" is taken in shared results'),
        (query(ONE, by=["WINDOW"]), query(ONE, by=["WINDOW"]), '"WINDOW" is taken in shared'),
        (query(ONE), query(pw.tumbling("10 seconds")), "count the same thing"),
    ],
)
def test_queries_that_cannot_be_planned_together(one: Plan, other: Plan, message: str) -> None:
    with pytest.raises(QueryError) as error:
        pw.plan_all({"one": one, "other": other})
    assert message in str(error.value)


@pytest.mark.parametrize("given", [[], None, [query(ONE)], query(ONE), "alerts"])
def test_queries_are_given_by_name(given: Any) -> None:
    with pytest.raises(QueryError, match="plan_all takes queries by name"):
        pw.plan_all(given)


def test_no_queries() -> None:
    with pytest.raises(QueryError, match="plan_all takes queries by name"):
        pw.plan_all({})
    with pytest.raises(QueryError, match="plan_all takes queries by name"):
        merge([query(ONE).query])  # type: ignore[arg-type]


@pytest.mark.parametrize("given", [{"a": ONE}, {"a": None}, {"a": query(ONE), "b": "query"}])
def test_queries_are_plans(given: Any) -> None:
    with pytest.raises(QueryError):
        pw.plan_all(given)


def test_a_part_that_was_not_planned() -> None:
    shared = pw.plan_all({"alerts": query(ONE)})
    with pytest.raises(QueryError, match='no query "report"') as error:
        shared.part(None, "report")
    assert 'there are "alerts"' in str(error.value)


@given(st.lists(query_windows, min_size=1, max_size=4))
def test_every_window_of_every_query_is_somewhere_in_the_whole(sets: list[list[Window]]) -> None:
    named = {f"q{n}": query(*windows) for n, windows in enumerate(sets)}
    shared = pw.plan_all(named)
    whole = shared.plan.query.windows
    assert len(set(whole)) == len(whole)
    for name, windows in zip(named, sets, strict=True):
        assert [whole[i] for i in shared.queries[name].windows] == windows
    assert every_answer_once(shared.plan)


# --- bad input ---


def primes(count: int, least: int = 2) -> list[int]:
    most = least + 20 * count
    sieve = bytearray([1]) * most
    for n in range(2, math.isqrt(most) + 1):
        if sieve[n]:
            sieve[n * n :: n] = bytes(len(range(n * n, most, n)))
    return [n for n in range(least, most) if sieve[n]][:count]


def test_a_window_given_twice() -> None:
    message = refused([ONE, pw.tumbling(20), ONE])
    assert 'two windows have one name: got "tumbling(10)" twice.' in message
    assert '.named("...")' in message


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("window", [ONE, pw.sliding(60, 7), pw.cumulating(5, 20), pw.band(3, 9)])
def test_windows_that_differ_by_name_alone(window: Window, strategy: str) -> None:
    windows = [window, window.named("again"), window.named("and again"), pw.tumbling(40)]
    chosen = plan(windows, NATIVE, pw.min("x"), strategy=strategy)
    assert every_answer_once(chosen)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_bands_alone(strategy: str) -> None:
    chosen = plan([pw.band(0, 10), pw.band(5, 10), pw.band(90, 1)], strategy=strategy)
    assert every_answer_once(chosen)


def test_ten_thousand_tumbling_windows() -> None:
    chosen = plan([pw.tumbling(f"{n} seconds") for n in range(1, 10_001)])
    assert every_answer_once(chosen)
    assert chosen.explain()


def test_ten_thousand_windows_of_prime_sizes_in_microseconds() -> None:
    sizes = primes(10_000)
    assert len(sizes) == 10_000 and sizes[-1] == 104_729
    chosen = plan([pw.tumbling(f"{n} microseconds") for n in sizes])
    assert every_answer_once(chosen)


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("statistics", [DENSE, SPARSE])
def test_a_least_common_multiple_of_sixty_digits(strategy: str, statistics: Statistics) -> None:
    sizes = [999_999_999_999_989, 999_999_999_999_947, 999_999_999_999_883, 999_999_999_999_877]
    assert math.lcm(*sizes) > 10**59
    windows = [pw.tumbling(n) for n in sizes] + [pw.sliding(10**15, n) for n in sizes]
    chosen = plan(windows, NATIVE, pw.min("x"), strategy=strategy, statistics=statistics)
    assert every_answer_once(chosen)
    assert math.isfinite(chosen.cost)


def test_a_least_common_multiple_of_sixty_digits_over_unknown_data() -> None:
    sizes = [999_999_999_999_989, 999_999_999_999_947, 999_999_999_999_883, 999_999_999_999_877]
    assert every_answer_once(plan([pw.tumbling(n) for n in sizes]))


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("statistics", [None, Statistics.given(rows=10**7, span="3 hours")])
def test_a_slide_of_a_microsecond_and_a_size_of_a_day(
    strategy: str, statistics: Statistics | None
) -> None:
    tiny = pw.sliding("1 day", "1 microsecond")
    windows = [tiny, pw.sliding("2 days", "3 microseconds"), pw.tumbling("1 hour")]
    for some in (windows[:1], windows):
        chosen = plan(some, NATIVE, pw.min("x"), strategy=strategy, statistics=statistics)
        assert every_answer_once(chosen)
        assert math.isfinite(chosen.cost)
    # nobody would copy a row 86 billion times
    assert plan([tiny], statistics=statistics).chosen == "edges"


@pytest.mark.parametrize("count", [WEIGHED_UP_TO, WEIGHED_UP_TO + 1])
def test_around_the_number_of_windows_up_to_which_trees_are_weighed(count: int) -> None:
    windows = [pw.sliding(2 * n, n) for n in range(50, 50 + count)]
    chosen = plan(windows, NATIVE, pw.min("x"))
    assert every_answer_once(chosen)
    weighed = {chosen.chosen, *(other.strategy for other in chosen.alternatives)}
    assert ("tree" in weighed) == (count <= WEIGHED_UP_TO)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"windows": []}, "at least one of windows"),
        ({"windows": [5]}, "windows takes windows"),
        ({"windows": ONE}, "windows takes a list"),
        ({"aggregates": []}, "at least one of aggregates"),
        ({"aggregates": "sum"}, "aggregates takes a list"),
        ({"by": "k"}, "by takes a list"),
        ({"by": ["window"]}, "two result columns have one name"),
        ({"windows": [ONE, pw.tumbling("10 seconds")]}, "count the same thing"),
    ],
)
def test_other_bad_input(given: Any, message: str) -> None:
    with pytest.raises(PanewiseError) as error:
        pw.plan(**{"time": "t", "windows": [ONE], "aggregates": [NATIVE], **given})
    assert message in str(error.value)


def test_every_window_of_a_plan_says_what_it_is() -> None:
    chosen = plan([ONE, pw.sliding(60, 5), pw.cumulating(5, 20), pw.band(3, 9)])
    for tree in chosen.trees:
        for node in tree.nodes:
            if node.window is not None:
                assert node.shape == chosen.query.windows[node.window].demand()


def test_statistics_of_another_kind() -> None:
    message = refused([ONE], statistics={"rows": 3})
    assert "statistics is a Statistics: got {'rows': 3}" in message
    assert "Statistics.given(" in message


@pytest.mark.parametrize("known", [Statistics(rows=0), Statistics(rows=0, rate=2.0)])
def test_a_stream_without_rows_has_a_plan(known: Statistics) -> None:
    for windows in ([ONE], [ONE, pw.sliding(60, 5), pw.session(3)]):
        assert every_answer_once(plan(windows, statistics=known))
