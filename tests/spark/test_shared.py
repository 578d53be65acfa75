"""Queries planned together: each gets the rows that its own plan would return."""

from collections.abc import Mapping
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

import panewise as pw
from panewise.errors import QueryError
from panewise.optimizer.choose import STRATEGIES
from panewise.testing import assert_same_rows

ALERTS = pw.plan(
    time="t",
    by=["k"],
    windows=[pw.tumbling(5), pw.sliding(10, 5).named("recent"), pw.session(3)],
    aggregates=[pw.max("x"), pw.count()],
)
REPORT = pw.plan(
    time="t",
    by=["k"],
    windows=[pw.tumbling(20), pw.tumbling(5).named("fine"), pw.cumulating(5, 20)],
    aggregates=[pw.mean("x"), pw.count(), pw.sum("y").alias("total")],
)


@pytest.fixture(scope="module")
def events(spark: SparkSession) -> DataFrame:
    rows = [
        (t, "ab"[t % 2] if t % 7 else None, t * 5 % 9 if t % 4 else None, t % 3)
        for t in [*range(-8, 25), 3, 3, 40]
    ]
    return spark.createDataFrame(rows, "t bigint, k string, x bigint, y bigint").repartition(3)


def listed(answer: DataFrame) -> list[dict[str, Any]]:
    found = answer.toArrow().to_pylist()
    return [{**row, "window": (row["window"]["start"], row["window"]["end"])} for row in found]


def check(shared: pw.SharedPlan, apart: Mapping[str, pw.Plan], events: DataFrame) -> DataFrame:
    """Each query's part has the columns and rows of its own plan."""
    rows = shared.run(events)
    for name, plan in apart.items():
        mine, own = shared.part(rows, name), plan.run(events)
        assert mine.dtypes == own.dtypes
        assert_same_rows(listed(mine), listed(own), by=plan.query.by)
    return rows


def test_each_query_gets_its_own_rows(events: DataFrame) -> None:
    queries = {"alerts": ALERTS, "report": REPORT}
    rows = check(pw.plan_all(queries), queries, events)
    own = sum(plan.run(events).count() for plan in queries.values())
    assert rows.count() == own
    assert rows.columns == [
        "query", "window_id", "window", "k", "max(x)", "count()", "mean(x)", "total",
    ]  # fmt: skip


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_strategy(events: DataFrame, strategy: str) -> None:
    queries = {"alerts": ALERTS, "report": REPORT}
    check(pw.plan_all(queries, strategy=strategy), queries, events)


def test_a_window_of_two_queries_is_computed_once_and_named_by_each(events: DataFrame) -> None:
    shared = pw.plan_all({"alerts": ALERTS, "report": REPORT})
    names = [window.window_id for window in shared.plan.query.windows]
    assert names.count("tumbling(5)") == 1 and "fine" not in names and "recent" not in names
    found = shared.run(events).select("query", "window_id").distinct().collect()
    assert {tuple(row) for row in found} == {
        ("alerts", "tumbling(5)"), ("alerts", "recent"), ("alerts", "session(3)"),
        ("report", "tumbling(20)"), ("report", "fine"), ("report", "cumulating(5, 20)"),
    }  # fmt: skip


def test_columns_of_others_are_null(events: DataFrame) -> None:
    rows = pw.plan_all({"alerts": ALERTS, "report": REPORT}).run(events)
    alerts, report = (rows.where(f"query = '{name}'") for name in ("alerts", "report"))
    assert alerts.where("`mean(x)` IS NOT NULL OR total IS NOT NULL").count() == 0
    assert report.where("`max(x)` IS NOT NULL").count() == 0
    assert rows.where("`count()` IS NULL").count() == 0
    assert alerts.where("`max(x)` IS NOT NULL").count() > 0
    assert report.where("total IS NOT NULL").count() > 0


def test_one_window_under_two_names_in_one_query(events: DataFrame) -> None:
    twice = pw.plan(
        time="t",
        by=["k"],
        windows=[pw.tumbling(5).named("one"), pw.tumbling(5).named("two"), pw.tumbling(5)],
        aggregates=[pw.sum("x")],
    )
    shared = pw.plan_all({"twice": twice, "alerts": ALERTS})
    assert len(shared.plan.query.windows) == 3
    check(shared, {"twice": twice, "alerts": ALERTS}, events)


def test_names_exchanged_between_queries(events: DataFrame) -> None:
    """A name that is one window's spelling and another's alias."""
    plain = pw.plan(time="t", by=["k"], windows=[pw.tumbling(5)], aggregates=[pw.count()])
    crossed = pw.plan(
        time="t",
        by=["k"],
        windows=[pw.tumbling(10).named("tumbling(5)"), pw.tumbling(5).named("tumbling(10)")],
        aggregates=[pw.count()],
    )
    queries = {"plain": plain, "crossed": crossed}
    check(pw.plan_all(queries), queries, events)


def test_one_query_alone_and_two_that_are_equal(events: DataFrame) -> None:
    check(pw.plan_all({"only": ALERTS}), {"only": ALERTS}, events)
    queries = {"one": REPORT, "other": REPORT}
    check(pw.plan_all(queries), queries, events)


def test_array_code_in_one_query_only(events: DataFrame) -> None:
    holistic = pw.plan(
        time="t", by=["k"], windows=[pw.tumbling(10)], aggregates=[pw.median("x"), pw.collect("y")]
    )
    queries = {"alerts": ALERTS, "holistic": holistic}
    check(pw.plan_all(queries), queries, events)


def test_a_tuned_shared_plan(events: DataFrame) -> None:
    queries = {"alerts": ALERTS, "report": REPORT}
    shared = pw.plan_all(queries)
    check(shared.sample(events), queries, events)
    sparse = pw.Statistics.given(rows=10**7, span=10**9, keys=10**6)
    tuned = shared.tune(sparse)
    assert tuned.plan.statistics == sparse
    check(tuned, queries, events)


def test_a_query_that_was_not_planned(events: DataFrame) -> None:
    shared = pw.plan_all({"alerts": ALERTS, "report": REPORT})
    with pytest.raises(QueryError) as refused:
        shared.part(shared.run(events), "reports")
    assert str(refused.value) == (
        'no query "reports" was planned here. Hint: there are "alerts", "report".'
    )


AWKWARD = [
    "it's",
    'a "b"',
    "two words",
    "a.b",
    "back\\slash",
    "tick`s",
    "query",
    "größe \U0001f600",
]


def test_awkward_names(spark: SparkSession) -> None:
    """Of queries, windows, keys and columns."""
    events = spark.createDataFrame(
        [(t, "key", *range(t, t + len(AWKWARD))) for t in range(9)],
        ["the time.", "k `0`", *AWKWARD],
    )
    queries = {
        name: pw.plan(
            time="the time.",
            by=["k `0`"],
            windows=[pw.tumbling(4).named(name), pw.tumbling(n + 2)],
            aggregates=[pw.sum(name), pw.max(name).alias(f"{name} `most`.")],
        )
        for n, name in enumerate(AWKWARD)
    }
    check(pw.plan_all(queries), queries, events)
