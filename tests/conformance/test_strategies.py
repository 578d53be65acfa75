"""Every strategy returns the same rows as one pass over the union of all edges."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, event, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession

import panewise as pw
from panewise import aggregates as agg
from panewise.aggregates import Aggregate
from panewise.errors import QueryError
from panewise.optimizer.choose import STRATEGIES
from panewise.query import Query
from panewise.testing import assert_same_rows, events
from panewise.windows import Window
from tests.conformance.engines import ENGINES, as_oracle, data_frame

Rows = list[dict[str, Any]]
SCHEMA = {"t": "bigint", "k": "string", "x": "bigint", "y": "bigint", "seq": "bigint"}
OTHERS = [strategy for strategy in STRATEGIES if strategy != "edges"]
IDEMPOTENT: list[Aggregate] = [
    agg.min("x"),
    agg.max("x"),
    agg.range("y"),
    agg.first("x"),
    agg.last("y"),
    agg.argmax("x", "y"),
]
COUNTING: list[Aggregate] = [agg.count(), agg.sum("x"), agg.mean("x"), agg.max_count("y")]

few_sets = settings(
    max_examples=max(4, settings().max_examples // 4),
    # each example is a job for every strategy; the message shows the plan and the rows
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
    suppress_health_check=list(HealthCheck),
)


@st.composite
def related_windows(draw: st.DrawFn, kinds: Sequence[str]) -> list[Window]:
    """Two to six windows whose sizes, slides and origins are multiples of one or two seeds."""
    seeds = draw(st.lists(st.sampled_from([1, 2, 3, 5]), min_size=1, max_size=2, unique=True))
    shift = draw(st.sampled_from([0, 0, 1, -7]))

    def one() -> Window:
        seed, kind = draw(st.sampled_from(seeds)), draw(st.sampled_from(kinds))
        small, large = (seed * draw(st.sampled_from(of)) for of in ([1, 2, 3, 4], [1, 2, 3, 4, 6]))
        origin = shift + seed * draw(st.sampled_from([0, 0, 0, 1]))
        makers: dict[str, Callable[[], Window]] = {
            "tumbling": lambda: pw.tumbling(large, origin=origin),
            "sliding": lambda: pw.sliding(small * large, small, origin=origin),
            "ragged": lambda: pw.sliding(small + large, large, origin=origin),
            "gaps": lambda: pw.sliding(small, small + large, origin=origin, allow_gaps=True),
            "cumulating": lambda: pw.cumulating(small, small * 3, origin=origin),
            "band": lambda: pw.band(origin, small * large),
            "session": lambda: pw.session(small),
        }
        return makers[kind]()

    found = {window.window_id: window for window in (one() for _ in range(draw(COUNTS)))}
    return list(found.values())


COUNTS = st.integers(2, 6)
PLAIN = ["tumbling", "tumbling", "sliding", "ragged", "gaps"]
EVERY_KIND = [*PLAIN, "sliding", "cumulating", "band", "session"]


def some_of(choice: Sequence[Aggregate]) -> st.SearchStrategy[list[Aggregate]]:
    return st.lists(st.sampled_from(choice), min_size=1, max_size=5, unique=True)


@pytest.mark.parametrize(
    ("kinds", "choice"),
    [
        pytest.param(PLAIN, IDEMPOTENT, id="covered"),
        pytest.param(PLAIN, [*COUNTING, *IDEMPOTENT], id="partitioned"),
        pytest.param(EVERY_KIND, [*COUNTING, *IDEMPOTENT], id="every kind of window"),
    ],
)
def test_strategies_agree(
    spark: SparkSession, kinds: Sequence[str], choice: Sequence[Aggregate]
) -> None:
    @few_sets
    @given(
        windows=related_windows(kinds),
        aggregates=some_of(choice),
        rows=events(min_rows=12, max_rows=40),
    )
    def run(windows: list[Window], aggregates: list[Aggregate], rows: Rows) -> None:
        check(windows, aggregates, rows)

    run()


def check(windows: Sequence[Window], aggregates: Sequence[Aggregate], rows: Rows) -> None:
    frame = data_frame(rows, SCHEMA)

    def plan(strategy: str) -> pw.Plan:
        return pw.plan(
            time="t",
            by=["k"],
            windows=windows,
            aggregates=aggregates,
            order_by="seq",
            strategy=strategy,
        )

    def answers(of: pw.Plan) -> Rows:
        return [as_oracle(row) for row in of.run(frame).toArrow().to_pylist()]

    expected = answers(plan("edges"))
    ran = {plan("edges").trees}
    for strategy in OTHERS:
        try:
            planned = plan(strategy)
        except QueryError:
            assert all(isinstance(window, pw.windows.Session) for window in windows)
            continue
        shared = [n for t in planned.trees for n in t.nodes if n.parent is not None]
        event(f"{strategy}: {'shares' if shared else 'shares nothing'}")
        if planned.trees in ran:  # the same trees under another name
            continue
        ran.add(planned.trees)
        try:
            assert_same_rows(answers(planned), expected, by=["k"])
        except AssertionError as different:
            read = "\n".join(map(str, rows))
            message = f"{strategy}: {different}\n{planned.explain()}\nfrom rows:\n{read}"
            raise AssertionError(message) from None


def test_the_window_sets_share_something() -> None:
    """The generators are worth nothing if no window can be read from another."""
    shared = 0

    @settings(max_examples=30, derandomize=True, database=None)
    @given(windows=related_windows(PLAIN), aggregates=some_of(IDEMPOTENT))
    def look(windows: list[Window], aggregates: list[Aggregate]) -> None:
        nonlocal shared
        plan = pw.plan(time="t", windows=windows, aggregates=aggregates, strategy="coverage")
        shared += any(node.parent is not None for tree in plan.trees for node in tree.nodes)

    look()
    assert shared >= 15


@pytest.mark.parametrize(
    ("window", "aggregate", "fitting"),
    [
        (pw.sliding(10, 3), pw.sum("x"), set(ENGINES)),
        (pw.cumulating(3, 12), pw.first("x"), set(ENGINES)),
        (pw.session(3), pw.sum("x"), {"spark batch", "spark edges"}),
        (pw.tumbling(3), pw.median("x"), {"spark batch", "spark edges"}),
    ],
    ids=lambda each: "" if isinstance(each, set) else str(each),  # sets have no order
)
def test_an_engine_fits_unless_its_strategy_is_refused(
    window: Window, aggregate: Aggregate, fitting: set[str]
) -> None:
    query = Query("t", (), (window,), (aggregate,))
    assert {name for name, engine in ENGINES.items() if engine.fits(query)} == fitting
