"""Every query is written as SQL that reads back as the same query."""

import pytest
from hypothesis import HealthCheck, given, settings

import panewise as pw
from panewise.aggregates import registered as aggregates
from panewise.errors import QueryError
from panewise.query import Query, RingQuery
from panewise.sql import parse, render
from panewise.windows import registered as windows
from tests.sql.queries import queries, ring_queries
from tests.sql.users import Every, RootMeanSquare

OURS = {"windows": {"nth": Every}, "aggregates": {"rms": RootMeanSquare}}


@settings(max_examples=150, suppress_health_check=list(HealthCheck))
@given(queries())
def test_a_query_comes_back(query: Query) -> None:
    text = render(query)
    (statement,) = parse(text, **OURS)
    assert statement.query == query, text
    assert statement.query.to_sql() == text


@given(ring_queries())
def test_a_query_about_rings_comes_back(query: RingQuery) -> None:
    (statement,) = parse(render(query))
    assert statement.query == query


@pytest.mark.parametrize("kind", windows())
def test_every_window_comes_back(kind: str) -> None:
    for window in windows()[kind].examples():
        query = Query(time="t", by=(), windows=(window,), aggregates=(pw.count(),))
        (statement,) = parse(query.to_sql("db.events"))
        assert (statement.query, statement.source) == (query, "db.events")


@pytest.mark.parametrize("kind", aggregates())
def test_every_aggregate_comes_back(kind: str) -> None:
    for aggregate in aggregates()[kind].examples():
        query = Query(time="t", by=(), windows=(pw.tumbling(5),), aggregates=(aggregate,))
        (statement,) = parse(query.to_sql())
        assert statement.query == query


def test_what_a_function_wants_is_written() -> None:
    aggregate = pw.approx_quantile("x", 0.5)
    query = Query(time="t", by=(), windows=(pw.tumbling(5),), aggregates=(aggregate,))
    assert parse(query.to_sql())[0].query == query


def test_expressions_of_one_meaning_have_one_spelling() -> None:
    frame = pw.aggregate_frame(pw.sum("y+2"), 3)
    assert frame == pw.aggregate_frame(pw.sum("y + 2"), 3)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT upper(d) AS u, SUM(x * 2) AS v, window_end AS e FROM t TIMESTAMP BY ts "
        "WHERE x > 1 GROUP BY upper(d), TUMBLING(10), [RANGES 10, 20 SLIDES 5, 5]",
        "SELECT SUM(x) AS a, SUM(x), MAX(x) - MIN(x) AS r FROM t TIMESTAMP BY ts "
        "GROUP BY WINDOWS(TUMBLING(5), SESSION(3)) HAVING COUNT(*) > 1 AND a > 2 "
        "ORDER BY window_start DESC NULLS FIRST, r LIMIT 3",
        "SELECT k, COUNT(*) FILTER (WHERE x > 1) AS n FROM t TIMESTAMP BY ts "
        "GROUP BY k, GRANULES((4, 1), (8, 2), level => 1)",
    ],
)
def test_a_statement_comes_back(text: str) -> None:
    (statement,) = parse(text)
    (again,) = parse(statement.to_sql())
    assert (again.query, again.preparation) == (statement.query, statement.preparation)
    assert [s.name for s in again.select] == [s.name for s in statement.select]
    assert again.to_sql() == statement.to_sql()


def test_a_column_of_spark_has_no_text(spark: object) -> None:
    from pyspark.sql import functions as F

    frame = pw.threshold_frame(F.col("x") > 1)
    with pytest.raises(QueryError, match="Column of Spark"):
        Query(time="t", by=(), windows=(frame,), aggregates=(pw.count(),)).to_sql()
