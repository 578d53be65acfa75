"""What a stream may not be asked, said before it starts where that can be known."""

import datetime as dt
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession

import panewise as pw
from panewise.errors import PanewiseError, QueryError, SchemaError, StateError
from panewise.spark.streaming.changes import LAYOUT
from tests.conformance.buckets import Played, job_of
from tests.spark.streaming import feed
from tests.spark.streaming.feed import Sink

_PROVIDER = "spark.sql.streaming.stateStore.providerClass"
_HDFS = "org.apache.spark.sql.execution.streaming.state.HDFSBackedStateStoreProvider"
WINDOWS = [pw.tumbling("10 s")]


@pytest.fixture
def rated(spark: SparkSession) -> DataFrame:
    """A stream that is never started."""
    events = spark.readStream.format("rate").load()
    return events.selectExpr("timestamp AS ts", "value AS n", "string(value) AS word")


def refused(events: Any, kind: type[PanewiseError], time: str = "ts", **asked: Any) -> str:
    windows = [pw.tumbling(10)] if time == "n" else WINDOWS
    plan = pw.plan(time=time, windows=windows, aggregates=[pw.count()])
    with pytest.raises(kind) as error:
        plan.run(events, **asked)
    return str(error.value)


def test_neither_watermark_nor_delay(rated: DataFrame) -> None:
    assert refused(rated, QueryError) == (
        'a stream needs to know how late rows may be: "ts" has no watermark, and no delay is '
        'given. Hint: events.withWatermark("ts", "10 seconds"), or plan.run(events, delay="10 s").'
    )


def test_a_watermark_on_another_column(rated: DataFrame) -> None:
    other = rated.selectExpr("*", "ts AS other").withWatermark("other", "1 minute")
    assert '"ts" has no watermark' in refused(other, QueryError)


@pytest.mark.parametrize("buckets", [0, -1, True, 1.5, "2"], ids=repr)
def test_buckets_that_are_no_number_of_buckets(rated: DataFrame, buckets: Any) -> None:
    message = refused(rated, QueryError, delay="1 s", buckets=buckets)
    assert message.startswith(f"buckets is a number of at least 1: got {buckets!r}. Hint: leave")


@pytest.mark.parametrize("delay", ["-1 s", 5, "soon", True], ids=repr)
@pytest.mark.parametrize("name", ["delay", "lateness", "max_ahead"])
def test_stretches_that_are_none(rated: DataFrame, name: str, delay: Any) -> None:
    message = refused(rated, QueryError, **{"delay": "1 s", name: delay})
    assert repr(delay) in message or str(delay) in message
    assert "Hint: " in message


@pytest.fixture
def without_rocksdb(spark: SparkSession) -> Iterator[None]:
    before = spark.conf.get(_PROVIDER)
    spark.conf.set(_PROVIDER, _HDFS)
    yield
    spark.conf.set(_PROVIDER, before)


@pytest.mark.usefixtures("without_rocksdb")
def test_another_state_store(rated: DataFrame) -> None:
    message = refused(rated, SchemaError, delay="1 s")
    assert message.startswith(f"streams keep their state in RocksDB: {_PROVIDER} is {_HDFS}.")
    assert "Hint: panewise.spark.session() has it, or spark.conf.set(" in message


def test_a_time_of_another_type(rated: DataFrame) -> None:
    assert refused(rated, SchemaError, time="word", delay="1 s").startswith(
        "the time column must be a TIMESTAMP, TIMESTAMP_NTZ, DATE or integer: "
        '"word" is STRING. Hint: cast it first'
    )


def test_max_ahead_of_whole_numbers(rated: DataFrame) -> None:
    message = refused(rated, QueryError, time="n", delay=5, max_ahead=100)
    assert message.startswith(
        'max_ahead is how far, in time, a row may be ahead of the clock: got 100 for "n", which is'
    )


@pytest.mark.parametrize(
    "asked", [{"delay": "1 s"}, {"lateness": 0}, {"buckets": 2}, {"max_ahead": "1 h"}], ids=repr
)
def test_what_only_streams_are_asked(spark: SparkSession, asked: dict[str, Any]) -> None:
    ((name, given),) = asked.items()
    batch = spark.sql("SELECT timestamp'2024-03-01' AS ts")
    for events in (batch, pa.table({"ts": [1]})):
        assert refused(events, QueryError, **asked) == (
            f"{name} is for streams, and these events are all there: got {given!r}. "
            "Hint: leave it out, or read them with spark.readStream."
        )


def by_key(**changes: Any) -> pw.Plan:
    query = {"time": "ts", "by": ["k"], "windows": WINDOWS, "aggregates": [pw.sum("n")]}
    return pw.plan(**{**query, **changes})


@pytest.fixture(scope="module")
def begun(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a checkpoint of a query, and rows that it has not seen."""
    folder = tmp_path_factory.mktemp("begun")
    first, second = feed.cut(feed.readings(60), 2)
    source = feed.write(folder / "in", [first])
    answer = by_key().run(feed.stream(spark, source), delay="20 s", buckets=2)
    Sink().run(answer, folder / "state")
    feed.write(source, [second])
    return folder


@pytest.mark.parametrize(
    ("plan", "buckets", "message", "hint"),
    [
        (
            by_key(by=["zone"]),
            2,
            'its by is ["k"], and now ["zone"];',
            "go on with the query it was made with",
        ),
        (by_key(), 3, "its buckets is 2, and now 3;", "give buckets=2"),
    ],
    ids=["by", "buckets"],
)
def test_a_checkpoint_of_another_query(
    spark: SparkSession, begun: Path, plan: pw.Plan, buckets: int, message: str, hint: str
) -> None:
    answer = plan.run(feed.stream(spark, begun / "in"), delay="20 s", buckets=buckets)
    with pytest.raises(StreamingQueryException) as failed:
        Sink().run(answer, begun / "state")
    assert "StateError: the checkpoint is of another query: " + message in str(failed.value)
    assert f"Hint: {hint}, or give a new checkpointLocation." in str(failed.value)


def test_revisions_are_not_turned_on_later(spark: SparkSession, begun: Path) -> None:
    """Spark says it before a worker could."""
    events = feed.stream(spark, begun / "in")
    answer = by_key().run(events, delay="20 s", lateness="5 s", buckets=2)
    with pytest.raises(StreamingQueryException, match="Cannot change outputMode from Append to"):
        Sink().run(answer, begun / "state", "update")


def test_a_checkpoint_of_other_types(spark: SparkSession, begun: Path) -> None:
    events = feed.stream(spark, begun / "in").selectExpr("ts", "k", "double(n) AS n")
    answer = by_key().run(events, delay="20 s", buckets=2)
    with pytest.raises(StreamingQueryException) as failed:
        Sink().run(answer, begun / "state")
    assert 'StateError: column "n" was int64 and is double now.' in str(failed.value)
    assert "Hint: cast it to the type from before" in str(failed.value)


def test_two_queries_on_one_checkpoint(spark: SparkSession, tmp_path: Path) -> None:
    """Spark ends the first, and the second goes on where it was."""
    rows = feed.closed(feed.readings(60))
    pieces = feed.cut(rows, 2)
    source, sink = feed.write(tmp_path / "in", pieces[:1]), Sink()
    answer = by_key().run(feed.stream(spark, source), delay="20 s")
    writer = answer.writeStream.foreachBatch(sink.take)
    first = writer.option("checkpointLocation", str(tmp_path / "state")).start()
    first.processAllAvailable()
    feed.write(source, pieces[1:])
    sink.run(answer, tmp_path / "state")
    assert not first.isActive
    feed.check(sink.rows, by_key(), rows, feed.newest(rows) - dt.timedelta(seconds=20))


def test_two_different_queries_on_one_checkpoint(spark: SparkSession, tmp_path: Path) -> None:
    """Spark ends the first; the second is refused and leaves the state as it was."""
    rows = feed.closed(feed.readings(60))
    pieces = feed.cut(rows, 2)
    source, sink = feed.write(tmp_path / "in", pieces[:1]), Sink()
    answer = by_key().run(feed.stream(spark, source), delay="20 s")
    first = sink.start(answer, tmp_path / "state")
    first.processAllAvailable()
    other = by_key(by=["k", "zone"]).run(feed.stream(spark, source), delay="20 s")
    second = Sink().start(other, tmp_path / "state")
    assert first.awaitTermination(60)
    feed.write(source, pieces[1:])
    with pytest.raises(StreamingQueryException, match="StateError: the checkpoint is of another"):
        second.awaitTermination(60)
    sink.run(answer, tmp_path / "state")
    feed.check(sink.rows, by_key(), rows, feed.newest(rows) - dt.timedelta(seconds=20))


def test_a_state_of_another_layout(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of another release: it is not read as if it were of this one."""
    schema = {"t": "bigint", "x": "bigint"}
    plan = pw.plan(time="t", windows=[pw.tumbling(10)], aggregates=[pw.sum("x")])
    played = Played(job_of(plan.query, schema, delay=0, buckets=1), schema)
    played.push([[{"t": 1, "x": 1}]])
    written = LAYOUT
    monkeypatch.setattr("panewise.spark.streaming.changes.LAYOUT", written + 1)
    with pytest.raises(StateError) as error:
        played.push([[{"t": 2, "x": 1}]], forget=True)
    assert str(error.value) == (
        f"the checkpoint is of another query: its layout is {written}, and now {written + 1}; it "
        "was written by another release. Hint: go on with the query it was made with, or give a "
        "new checkpointLocation."
    )


def picky(where: str) -> pw.Aggregate:
    """An aggregate that cannot stand a number that the rows have."""

    class Picky(pw.UserAggregate):
        kind_name = "picky"
        partial_types = ("double",)
        returns = "double"

        def lift(self, values: np.ndarray) -> tuple[np.ndarray, ...]:
            if where == "lift" and len(values):
                raise ValueError("lift does not like these")  # the line of lift
            return (values.astype(float),)

        def combine(self, left: tuple, right: tuple) -> tuple[np.ndarray, ...]:
            return (left[0] + right[0],)

        def lower(self, partials: tuple) -> np.ndarray:
            if where == "lower" and len(partials[0]):
                raise ValueError("lower does not like these")  # the line of lower
            return partials[0]

    return Picky("n")


@pytest.mark.parametrize("where", ["lift", "lower"])
def test_an_exception_in_a_users_aggregate(spark: SparkSession, tmp_path: Path, where: str) -> None:
    source = feed.write(tmp_path / "in", [feed.closed(feed.readings(30))])
    plan = by_key(aggregates=[picky(where)])
    with pytest.raises(StreamingQueryException) as failed:
        Sink().run(plan.run(feed.stream(spark, source), delay="20 s"), tmp_path / "state")
    text = str(failed.value)
    assert f"ValueError: {where} does not like these" in text
    assert f"# the line of {where}" in text
    assert Path(__file__).name in text
