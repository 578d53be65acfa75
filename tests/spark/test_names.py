"""Columns of any name: found, quoted, and given back under the same name."""

import pytest
from pyspark.sql import DataFrame, SparkSession

import panewise as pw
from panewise.errors import SchemaError

AWKWARD = ["a.b", "two words", "tick`s", "window", "window_id", "größe \U0001f600", "p", "x'y\\"]


@pytest.fixture(scope="module")
def awkward(spark: SparkSession) -> DataFrame:
    rows = [(t, "key", *range(t, t + len(AWKWARD))) for t in range(3)]
    return spark.createDataFrame(rows, ["the time.", "k `0`", *AWKWARD])


@pytest.mark.parametrize("strategy", ["independent", "scan", "slices", "edges"])
def test_awkward_names(awkward: DataFrame, strategy: str) -> None:
    name = "it's \\ a `name`"
    got = pw.aggregate(
        awkward,
        time="the time.",
        by=["k `0`"],
        windows=[pw.tumbling(10).named(name)],
        aggregates=[*(pw.sum(column) for column in AWKWARD), pw.max("window").alias("a.b c")],
        order_by="p",
        strategy=strategy,
    )
    sums = [f"sum({column})" for column in AWKWARD]
    assert got.columns == ["window_id", "window", "k `0`", *sums, "a.b c"]
    (row,) = got.collect()
    assert list(row) == [name, (0, 10), "key", *range(3, 3 + 3 * len(AWKWARD), 3), 5]


def find(events: DataFrame, column: str) -> list[str]:
    query = {"time": "t", "windows": [pw.tumbling(5)], "aggregates": [pw.count()]}
    return pw.plan(by=[column], **query).run(events).columns  # type: ignore[arg-type]


def test_case_follows_the_session(spark: SparkSession) -> None:
    events = spark.sql("SELECT 1L AS T, 2 AS `Device`")
    assert find(events, "deviCE") == ["window_id", "window", "deviCE", "count()"]
    spark.conf.set("spark.sql.caseSensitive", True)
    try:
        with pytest.raises(SchemaError, match='no column "t" in the DataFrame'):
            find(events, "Device")
        both = spark.sql("SELECT 1L AS t, 2 AS `Device`, 3 AS `device`")
        assert "Device" in find(both, "Device")
    finally:
        spark.conf.unset("spark.sql.caseSensitive")


@pytest.mark.parametrize("second", ["k", "K"])
def test_ambiguous_names_are_refused(spark: SparkSession, second: str) -> None:
    events = spark.range(1).selectExpr("id AS t", "1 AS k", f"2 AS `{second}`")
    with pytest.raises(SchemaError) as refused:
        find(events, "k")
    assert str(refused.value) == (
        'column "k" is ambiguous: the DataFrame has 2 of that name. '
        "Hint: rename one with withColumnRenamed() or select()."
    )
