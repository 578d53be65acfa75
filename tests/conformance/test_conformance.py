"""Every engine returns what the oracle returns, for every window type, aggregate and value type.

A Spark job costs more than the data it reads, so many generated datasets share one job: each is a
group of its own under the key `case`.
"""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from panewise import aggregates as agg
from panewise.aggregates import Aggregate
from panewise.model import Measure
from panewise.query import Query
from panewise.testing import assert_same_rows, events, oracle
from panewise.testing.applicable import examples_for
from panewise.testing.generators import VALUE_TYPES, window_examples
from panewise.windows import Window, sliding, tumbling
from tests.conformance.engines import ENGINES, Engine

Rows = list[dict[str, Any]]
KEYS = ("case", "k")
DATASETS = 12
TIME_TYPES = {m: m.value for m in Measure if m is not Measure.INTEGER}
FEW = (agg.count(), agg.sum("x"), agg.mean("x"), agg.max("x"), agg.last("x"), agg.argmin("x", "y"))
# The rest run in the long suite.
QUICK_TYPES = {"int", "double", "decimal(38,10)", "string", "timestamp"}

few_jobs = settings(
    max_examples=max(2, settings().max_examples // 12),
    # A smaller case would cost many more jobs; the message shows the rows of one dataset anyway.
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
    suppress_health_check=list(HealthCheck),
)


def datasets(sql_type: str, measure: Measure = Measure.INTEGER) -> st.SearchStrategy[Rows]:
    """Rows of several datasets; the first may be empty, each later one has a row more at least."""

    def packed(*several: Rows) -> Rows:
        return [{"case": n, **row} for n, rows in enumerate(several) for row in rows]

    return st.builds(packed, *(events(sql_type, measure, min_rows=n) for n in range(DATASETS)))


def check(
    engine: Engine,
    windows: Sequence[Window],
    aggregates: Sequence[Aggregate],
    rows: Rows,
    *,
    sql_type: str = "bigint",
    time_type: str = "bigint",
    order_by: str | None = "seq",
) -> None:
    query = Query("t", KEYS, tuple(windows), tuple(aggregates), order_by)
    types = {"x": sql_type, "y": "bigint"}
    schema = {"case": "int", "t": time_type, "k": "string", **types, "seq": "bigint"}
    got = engine.run(query, rows, schema)
    by_case: dict[int, Rows] = {}
    for row in oracle(query, rows, types):
        by_case.setdefault(row["case"], []).append(row)
    for case in range(DATASETS):
        own = [row for row in got if row["case"] == case]
        try:
            assert_same_rows(own, by_case.get(case, []), by=KEYS, magnitude=1e3)
        except AssertionError as different:
            used = [row for row in rows if row["case"] == case]
            raise AssertionError(f"{different}\nfrom rows:\n" + "\n".join(map(str, used))) from None


def fitting(
    engine: Engine, windows: Sequence[Window], aggregates: Sequence[Aggregate]
) -> tuple[list[Window], list[Aggregate]]:
    """The windows and aggregates that the engine answers, each asked alone."""
    fits = [w for w in windows if engine.fits(Query("t", (), (w,), (agg.count(),)))]
    probe = sliding(10, 3)
    return fits, [a for a in aggregates if engine.fits(Query("t", (), (probe,), (a,)))]


# Left to itself, a plan with every aggregate takes the kernel: once is enough.
@pytest.mark.parametrize("engine", [name for name in ENGINES if name != "spark batch"])
@pytest.mark.parametrize(
    "sql_type",
    [
        pytest.param(kind, marks=() if kind in QUICK_TYPES else pytest.mark.long)
        for kind in VALUE_TYPES
    ],
)
def test_value_types(spark: SparkSession, engine: str, sql_type: str) -> None:
    """Every aggregate at once, over a set of windows that holds each type."""
    chosen = {type(w): w for w in reversed(window_examples())}
    windows, aggregates = fitting(ENGINES[engine], list(chosen.values()), examples_for(sql_type))

    @few_jobs
    @given(rows=datasets(sql_type))
    def run(rows: Rows) -> None:
        check(ENGINES[engine], windows, aggregates, rows, sql_type=sql_type)

    run()


@pytest.mark.parametrize("window", window_examples(), ids=lambda w: w.window_id)
def test_each_window_alone(spark: SparkSession, window: Window) -> None:
    """One window and native aggregates, so that the plan may take its shortest way."""

    @few_jobs
    @given(rows=datasets("bigint"))
    def run(rows: Rows) -> None:
        check(ENGINES["spark batch"], [window], FEW, rows)

    run()


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("measure", TIME_TYPES, ids=lambda m: m.value)
def test_measures(spark: SparkSession, engine: str, measure: Measure) -> None:
    """Every window example, in minutes of a timestamp or days of a date."""
    windows, aggregates = fitting(ENGINES[engine], window_examples(measure), FEW)

    @few_jobs
    @given(rows=datasets("int", measure))
    def run(rows: Rows) -> None:
        time_type = TIME_TYPES[measure]
        check(ENGINES[engine], windows, aggregates, rows, sql_type="int", time_type=time_type)

    run()


@pytest.mark.parametrize("engine", ENGINES)
def test_ties_follow_arrival_without_a_column(spark: SparkSession, engine: str) -> None:
    ordered = (agg.first("x"), agg.last("x"), agg.collect("x"), agg.argmax("x", "y"))
    windows, aggregates = fitting(ENGINES[engine], [tumbling(7), sliding(10, 5)], ordered)

    @few_jobs
    @given(rows=datasets("string"))
    def run(rows: Rows) -> None:
        check(ENGINES[engine], windows, aggregates, rows, sql_type="string", order_by=None)

    run()
