"""Batch runs: lazy, one scan of the source, and nothing made of nothing."""

import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

import panewise as pw
from panewise.plan import Placement
from panewise.windows import Window

TWENTY: list[Window] = [
    *(pw.tumbling(size) for size in range(2, 16)),
    *(pw.sliding(size, 10) for size in (20, 30, 45)),
    pw.session(4),
    pw.cumulating(5, 20),
    pw.band(0, 9),
]
EVERY_WAY = {
    "independent": pw.plan(time="t", windows=[pw.tumbling(5)], aggregates=[pw.sum("x")]),
    "slices": pw.plan(time="t", windows=[pw.sliding(6, 3)], aggregates=[pw.first("x")]),
    "edges": pw.plan(time="t", windows=TWENTY, aggregates=[pw.median("x"), pw.collect("x")]),
}


@pytest.mark.parametrize("way", EVERY_WAY)
def test_running_a_plan_starts_no_job(spark: SparkSession, way: str) -> None:
    events = spark.range(3).selectExpr("id AS t", "raise_error('evaluated') AS x")
    context = spark.sparkContext
    context.setJobGroup("lazy", "nothing should run here")
    try:
        answer = EVERY_WAY[way].run(events)
        assert answer.columns[:2] == ["window_id", "window"]
        assert list(context.statusTracker().getJobIdsForGroup("lazy")) == []
    finally:
        context.setLocalProperty("spark.jobGroup.id", None)  # type: ignore[arg-type]
    with pytest.raises(PySparkException, match="evaluated"):
        answer.collect()


def test_twenty_windows_read_the_source_once(spark: SparkSession, tmp_path: Path) -> None:
    path = str(tmp_path / "events")
    spark.range(50).selectExpr("id AS t", "id % 3 AS k", "id AS x").write.parquet(path)
    aggregates = [pw.sum("x"), pw.first("x"), pw.max("x")]
    answer = pw.aggregate(
        spark.read.parquet(path), time="t", by=["k"], windows=TWENTY, aggregates=aggregates
    )
    plan = answer._jdf.queryExecution().executedPlan().toString()
    assert plan.count("Scan parquet") == 1
    counted = answer.groupBy("window_id").count().collect()
    assert {row["window_id"] for row in counted} == {w.window_id for w in TWENTY}


SPARSE = pw.Statistics.given(rows=10_000_000, span=10**12, keys=1_000_000)
DENSE = pw.Statistics.given(rows=10_000_000, span=10_000, keys=3)


@pytest.mark.parametrize(
    ("by", "known", "placement", "shuffles"),
    [
        # nearly every cell is one row: folding first would save nothing
        pytest.param(["k"], SPARSE, Placement.ROWS, 1, id="sparse"),
        pytest.param(["k"], DENSE, Placement.CELLS, 2, id="dense"),
        # without keys all rows would travel to one worker
        pytest.param([], SPARSE, Placement.CELLS, 2, id="no keys"),
    ],
)
def test_rows_of_sessions_travel_once_to_their_key_where_few_share_a_cell(
    spark: SparkSession, by: list[str], known: pw.Statistics, placement: Placement, shuffles: int
) -> None:
    events = spark.range(50).selectExpr("id AS t", "id % 3 AS k", "id AS x")
    plan = pw.plan(
        time="t", by=by, windows=[pw.session(5)], aggregates=[pw.sum("x")], statistics=known
    )
    assert [tree.placement for tree in plan.trees] == [placement]
    answer = plan.run(events)
    assert answer._jdf.queryExecution().executedPlan().toString().count("Exchange") == shuffles
    sums = {k: sum(range(k, 50, 3)) for k in range(3)} if by else {None: sum(range(50))}
    assert {row["k"] if by else None: row["sum(x)"] for row in answer.collect()} == sums


@pytest.fixture(params=EVERY_WAY)
def plan(request: pytest.FixtureRequest) -> pw.Plan:
    return EVERY_WAY[request.param]


def test_no_events_make_no_windows(spark: SparkSession, plan: pw.Plan) -> None:
    empty = spark.createDataFrame([], "t bigint, x double")
    nulls = spark.sql("SELECT cast(null as bigint) AS t, 1D AS x FROM range(4)")
    assert plan.run(empty.union(nulls)).collect() == []
    assert plan.run(empty).schema == plan.run(nulls).schema


def test_one_event_of_only_nulls_keeps_its_row(spark: SparkSession) -> None:
    events = spark.sql("SELECT 1L AS t, cast(null as double) AS x, cast(null as string) AS k")
    aggregates = [pw.count("x"), pw.sum("x"), pw.median("x"), pw.first("x"), pw.collect("x")]
    query = pw.plan(
        time="t", by=["k"], windows=[pw.tumbling(5), pw.session(2)], aggregates=aggregates
    )
    assert sorted(map(tuple, query.run(events).collect())) == [
        ("session(2)", (1, 3), None, 0, None, None, None, []),
        ("tumbling(5)", (0, 5), None, 0, None, None, None, []),
    ]


@pytest.fixture
def huge(spark: SparkSession) -> Iterator[DataFrame]:
    yield spark.sql("SELECT id AS t, 9223372036854775807L AS x FROM range(3)")
    spark.conf.set("spark.sql.ansi.enabled", True)


@pytest.mark.parametrize("strategy", ["slices", "edges"])
def test_overflow_is_an_error_or_wraps_as_spark_has_it(
    spark: SparkSession, huge: DataFrame, strategy: str
) -> None:
    query = pw.plan(
        time="t", windows=[pw.sliding(2, 1)], aggregates=[pw.sum("x")], strategy=strategy
    )
    with pytest.raises(PySparkException, match=r"BIGINT|long overflow|ARITHMETIC_OVERFLOW"):
        query.run(huge).collect()
    spark.conf.set("spark.sql.ansi.enabled", False)
    rows = query.run(huge).collect()
    most = 2**63 - 1
    assert {r["window"].start: r["sum(x)"] for r in rows} == {-1: most, 0: -2, 1: -2, 2: most}


def test_a_plan_runs_again_and_quietly(spark: SparkSession) -> None:
    events = spark.range(12).selectExpr("id AS t", "id AS x")
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        answers = [EVERY_WAY["edges"].run(events) for _ in range(2)]
    first, second = ({tuple(map(str, row)) for row in a.collect()} for a in answers)
    assert first == second
