"""What a sample and the results of a run say of a stream, and that rows stay the same."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

import panewise as pw
from panewise.errors import SchemaError
from panewise.model.duration import DAY, SECOND
from panewise.testing import assert_same_rows
from panewise.windows import Window

WINDOWS: list[Window] = [pw.tumbling(10), pw.tumbling(20), pw.sliding(60, 10), pw.tumbling(40)]


def plan_of(*windows: Window, by: tuple[str, ...] = ("k",), counts: bool = True) -> pw.Plan:
    aggregates = [pw.sum("x"), *([pw.count()] if counts else [])]
    return pw.plan(time="t", by=by, windows=windows or WINDOWS, aggregates=aggregates)


def steady(spark: SparkSession, rows: int, *, each: int = 1, keys: int = 7) -> DataFrame:
    """`each` rows a tick, of as many keys, in turn; in order, in one partition."""
    return spark.range(0, rows, 1, 1).selectExpr(
        f"id div {each} AS t", f"id % {keys} AS k", "id * 7 % 11 AS x"
    )


def rows_of(answer: DataFrame) -> list[dict[str, Any]]:
    return list(answer.toArrow().to_pylist())


# samples


def test_a_steady_stream(spark: SparkSession) -> None:
    known = plan_of().sample(steady(spark, 4000, each=4)).statistics
    assert known.rows == 4000
    assert known.rate == pytest.approx(4, rel=0.01)
    assert known.disorder == 0
    assert known.source == "a sample of 4,000 rows"
    assert [known.keys_in(width) for width in (1, 50)] == pytest.approx([4, 7], rel=0.01)


def test_disorder_is_how_late_a_row_comes(spark: SparkSession) -> None:
    late = steady(spark, 1000).selectExpr("if(t % 100 = 99, t - 30, t) AS t", "k", "x")
    known = plan_of().sample(late).statistics
    assert known.disorder == 29  # the newest before row 99 is 98, and its time is 69
    assert known.rate == pytest.approx(1, rel=0.01)


def test_null_times_and_null_keys(spark: SparkSession) -> None:
    events = steady(spark, 1000).selectExpr("if(x = 0, null, t) AS t", "nullif(k, 0) AS k", "x")
    known = plan_of().sample(events).statistics
    assert known.rows == events.where("t IS NOT NULL").count()
    assert known.keys_in(100) == pytest.approx(7)


def test_no_keys(spark: SparkSession) -> None:
    known = plan_of(by=()).sample(steady(spark, 1000)).statistics
    assert known.keys_in(10) == known.keys_in(100) == pytest.approx(1)


@pytest.mark.parametrize(
    ("time", "tick", "windows"),
    [
        ("timestamp_seconds(t)", SECOND, [pw.tumbling("10 seconds"), pw.tumbling("1 minute")]),
        ("timestamp_ntz '2024-01-01 00:00:00' + make_dt_interval(0, 0, 0, t)", SECOND,
         [pw.tumbling("10 seconds"), pw.tumbling("1 minute")]),
        ("date_add(date '1970-01-01', cast(t as int))", DAY, [pw.tumbling("10 days")]),
        ("cast(t as int)", 1, [pw.tumbling(10), pw.session(3)]),
    ],
    ids=["timestamp", "timestamp_ntz", "date", "int"],
)  # fmt: skip
def test_every_time_type(spark: SparkSession, time: str, tick: int, windows: list[Window]) -> None:
    events = steady(spark, 1000, each=2).selectExpr(f"{time} AS t", "k", "x")
    plan = plan_of(*windows)
    tuned = plan.sample(events)
    assert tuned.statistics.rate == pytest.approx(2 / tick, rel=0.01)
    assert tuned.statistics.keys_in(20 * tick) == pytest.approx(7)
    assert_same_rows(*map(as_pairs, (tuned.run(events), plan.run(events))), by=["k"])


def as_pairs(answer: DataFrame) -> list[dict[str, Any]]:
    return [
        {**row, "window": (row["window"]["start"], row["window"]["end"])} for row in rows_of(answer)
    ]


def test_a_table_sorted_by_device_tells_no_rate(spark: SparkSession) -> None:
    #  t   0 .. 999, 0 .. 999, ...
    #  k   a .. a,   b .. b,   ...
    table = spark.range(0, 4000, 1, 1).selectExpr("id % 1000 AS t", "id div 1000 AS k", "id AS x")
    plan = plan_of()
    tuned = plan.sample(table)
    assert tuned.statistics.rate is None and tuned.statistics.keys == ()
    assert tuned.statistics.rows == 4000
    assert tuned.statistics.source == "a sample too disordered to tell"
    assert tuned.chosen == plan.tune(pw.Statistics(rows=4000)).chosen
    assert_same_rows(*map(as_pairs, (tuned.run(table), plan.run(table))), by=["k"])


@pytest.mark.parametrize("rows", [0, 1, 3])
def test_too_few_rows_to_tell(spark: SparkSession, rows: int) -> None:
    events = steady(spark, rows)
    tuned = plan_of().sample(events)
    assert tuned.statistics.source == "a sample too small to tell"
    assert len(rows_of(tuned.run(events))) >= rows


def test_a_part_of_the_rows_is_enough(spark: SparkSession) -> None:
    """Not all of them are read: the first rows lie in the first partitions."""
    events = spark.range(0, 64_000, 1, 64).selectExpr(
        "if(id < 32000, id, raise_error('read too far')) AS t", "id % 7 AS k", "id AS x"
    )
    plan = plan_of()
    with tasks_of(spark) as tasks:
        tuned = plan.sample(events, rows=500)
    assert tasks() <= 2
    assert tuned.statistics.rate == pytest.approx(1, rel=0.01)
    assert tuned.statistics.source == "a sample of 500 rows"
    assert tuned.statistics.rows > 500


def test_rows_of_a_source_that_spark_knows_nothing_of(spark: SparkSession) -> None:
    """At least the sampled ones."""
    unknown = spark.sparkContext.parallelize([(i, i % 3, i) for i in range(25_000)], 1)
    events = spark.createDataFrame(unknown, "t bigint, k bigint, x bigint")
    assert plan_of().sample(events, rows=20_000).statistics.rows >= 20_000


def test_a_sample_is_the_beginning_of_the_stream(spark: SparkSession) -> None:
    events = spark.range(0, 6000, 1, 6).selectExpr("id AS t", "id % 7 AS k", "id AS x")
    known = plan_of().sample(events, rows=5500).statistics
    assert known.disorder == 0 and known.rate == pytest.approx(1, rel=0.01)


@contextmanager
def tasks_of(spark: SparkSession) -> Iterator[Callable[[], int]]:
    """How many tasks were started inside."""
    context = spark.sparkContext
    tracker = context.statusTracker()
    context.setJobGroup("sample", "counted by a test")

    def count() -> int:
        jobs = [tracker.getJobInfo(job) for job in tracker.getJobIdsForGroup("sample")]
        stages = {stage for job in jobs if job for stage in job.stageIds}
        found = [tracker.getStageInfo(stage) for stage in stages]
        return sum(info.numTasks for info in found if info)

    try:
        yield count
    finally:
        context.setLocalProperty("spark.jobGroup.id", None)  # type: ignore[arg-type]


def test_tuned_plans_return_the_same_rows(spark: SparkSession) -> None:
    """Whatever the statistics make of the plan."""
    events = steady(spark, 600, each=3)
    plan = plan_of(*WINDOWS, pw.session(2))
    expected = as_pairs(plan.run(events))
    sparse = pw.Statistics.given(rows=10**7, span=10**9, keys=10**6)
    dense = pw.Statistics.given(rows=10**7, span=10**4, keys=2)
    for tuned in (plan.sample(events), plan.tune(sparse), plan.tune(dense)):
        assert_same_rows(as_pairs(tuned.run(events)), expected, by=["k"])


# results of a run


def distinct_keys(events: DataFrame, size: int) -> float:
    """The mean number of keys in the tumbling windows of a size that hold any."""
    panes = events.selectExpr(f"t div {size} AS p", "k").distinct().groupBy("p").count()
    return float(panes.selectExpr("avg(count)").collect()[0][0])


def test_results_tell_rows_rate_and_keys(spark: SparkSession) -> None:
    events = steady(spark, 2400, each=2, keys=30)
    plan = plan_of(pw.tumbling(5), pw.tumbling(10), pw.tumbling(40))
    known = plan.observe(plan.run(events)).statistics
    assert known.rows == 2400
    assert known.rate == 2
    assert known.keys == ((5, 10), (10, 20), (40, 30))
    assert [keys for _, keys in known.keys] == [distinct_keys(events, n) for n in (5, 10, 40)]
    assert known.source == "the results of a run"


def test_results_of_uneven_keys(spark: SparkSession) -> None:
    events = spark.range(0, 3000, 1, 1).selectExpr(
        "id div 3 AS t", "cast(pow(hash(id) % 30, 2) as int) AS k", "id AS x"
    )
    plan = plan_of(pw.tumbling(4), pw.tumbling(20), pw.tumbling(100))
    points = dict(plan.observe(plan.run(events)).statistics.keys)
    assert points == {n: pytest.approx(distinct_keys(events, n)) for n in (4, 20, 100)}


def test_long_sliding_windows_over_a_short_stream(spark: SparkSession) -> None:
    """Windows that begin before the first event and end after the last stretch no span."""
    events = steady(spark, 200, each=2, keys=4)
    plan = plan_of(pw.tumbling(5), pw.sliding(60, 5))
    known = plan.observe(plan.run(events)).statistics
    assert known.rate == 2
    assert dict(known.keys) == {5: 4, 60: 4}


def test_only_sliding_windows(spark: SparkSession) -> None:
    events = steady(spark, 200, each=2, keys=4)
    plan = plan_of(pw.sliding(60, 5))
    known = plan.observe(plan.run(events), rows=200).statistics
    assert known.rate == pytest.approx(2, rel=0.1)
    assert dict(known.keys) == {60: 4}


def test_cumulating_windows_tell_of_their_mean_width(spark: SparkSession) -> None:
    #  |-------|                          10 keys in 5 ticks
    #  |---------------|                  20 in 10
    #  |-----------------------|          30 in 15
    #  |-------------------------------|  40 in 20: 25 in 12.5 on average
    events = steady(spark, 400, each=2, keys=100)
    plan = plan_of(pw.cumulating(5, 20))
    known = plan.observe(plan.run(events), rows=400).statistics
    assert known.rate == 2
    assert known.keys == ((12.5, 25),)


def test_rows_are_not_counted_by_windows_with_gaps(spark: SparkSession) -> None:
    events = steady(spark, 2000)
    plan = plan_of(pw.sliding(2, 10, allow_gaps=True), pw.tumbling(10))
    assert plan.observe(plan.run(events)).statistics.rows == 2000
    gaps = plan_of(pw.sliding(2, 10, allow_gaps=True))
    with pytest.raises(SchemaError, match="do not tell how many events"):
        gaps.observe(gaps.run(events))


def test_rows_must_be_said_where_nothing_counts_them(spark: SparkSession) -> None:
    events = steady(spark, 1000)
    silent = plan_of(counts=False)
    results = silent.run(events)
    with pytest.raises(SchemaError, match=r"do not tell how many events.*Hint: say .*rows="):
        silent.observe(results)
    known = silent.observe(results, rows=1000).statistics
    assert known.rows == 1000 and known.rate == 1
    overlapping = plan_of(pw.sliding(20, 10))
    with pytest.raises(SchemaError, match="do not tell how many events"):
        overlapping.observe(overlapping.run(events))


def test_results_without_periodic_windows(spark: SparkSession) -> None:
    events = steady(spark, 100)
    sessions = plan_of(pw.session(3), pw.band(0, 10))
    with pytest.raises(SchemaError, match=r"this plan has none.*Hint: use plan.sample"):
        sessions.observe(sessions.run(events))
    other = plan_of(pw.tumbling(7)).run(events)
    with pytest.raises(SchemaError, match=r"no row of a periodic window of this plan.*Hint: give"):
        plan_of().observe(other)
    with pytest.raises(SchemaError, match="no row of a periodic window"):
        plan_of().observe(plan_of().run(events.where("false")))


def test_results_that_were_written(spark: SparkSession, tmp_path: Any) -> None:
    events = spark.range(0, 900, 1, 1).selectExpr(
        "date_add(date '2024-01-01', cast(id div 3 as int)) AS t", "id % 3 AS k", "id AS x"
    )
    plan = plan_of(pw.tumbling("5 days"), pw.sliding("10 days", "5 days"), pw.session("2 days"))
    path = str(tmp_path / "results")
    plan.run(events).write.parquet(path)
    known = plan.observe(spark.read.parquet(path)).statistics
    assert known.rows == 900
    assert dict(known.keys) == {5 * DAY: 3, 10 * DAY: 3}
    first, last = date(2024, 1, 1), date(2024, 1, 1) + timedelta(days=299)
    assert known.rate == pytest.approx(900 / ((last - first).days * DAY), rel=0.05)


@pytest.mark.parametrize(
    "events",
    [
        pytest.param(lambda spark: steady(spark, 20_000, each=20, keys=2), id="dense"),
        pytest.param(lambda spark: steady(spark, 20_000, keys=20_000), id="sparse"),
    ],
)
def test_a_run_and_a_sample_choose_alike(
    spark: SparkSession, events: Callable[[SparkSession], DataFrame]
) -> None:
    data = events(spark)
    plan = plan_of()
    sampled, observed = plan.sample(data), plan.observe(plan.run(data))
    assert observed.statistics.rows == sampled.statistics.rows
    assert observed.chosen == sampled.chosen
    assert observed.cost == pytest.approx(sampled.cost, rel=0.1)
