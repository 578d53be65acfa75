"""What is shown of a running query: as a value, to listeners, as JSON lines and as a live line."""

import datetime as dt
import io
import json
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql.streaming import StreamingQueryListener

import panewise as pw
from panewise.spark import Progress, follow, progress
from panewise.spark.streaming.progress import COUNTS
from tests.spark.streaming import feed
from tests.spark.streaming.feed import Sink

DELAY = dt.timedelta(seconds=20)
PLAN = pw.plan(
    time="ts",
    by=["k"],
    windows=[pw.tumbling("10 s"), pw.session("4 s")],
    aggregates=[pw.sum("n"), pw.count()],
)
MICROSECOND = dt.timedelta(microseconds=1)
ALL_ATTEMPTS = "spark.sql.legacy.observeMetricsAggregateAllAttempts"
"""Observes as releases before 4.3 do."""


def moment(ticks: int) -> dt.datetime:
    return dt.datetime(1970, 1, 1, tzinfo=dt.UTC) + ticks * MICROSECOND


def now() -> int:
    return (dt.datetime.now(dt.UTC) - moment(0)) // MICROSECOND


class Told:
    """A query as `progress` and `follow` see it, with what it said of its batches."""

    def __init__(self, *batches: dict[str, Any], looks: int = 1) -> None:
        self.recentProgress = [
            SimpleNamespace(
                batchId=number,
                durationMs={"triggerExecution": 500},
                observedMetrics={name: Row(counts=said) for name, said in batch.items()},
                stateOperators=[SimpleNamespace(customMetrics={}, memoryUsedBytes=2**20)],
            )
            for number, batch in enumerate(batches)
        ]
        self._looks = looks

    @property
    def isActive(self) -> bool:
        self._looks -= 1
        return self._looks > 0

    def awaitTermination(self) -> None:
        pass


def counts(unit: str = "_us", *, watermark: int | None, since: int | None = None) -> Row:
    moments = {f"watermark{unit}": watermark, f"since{unit}": since}
    return Row(**dict.fromkeys(COUNTS, 3), **moments)


def shown(*said: Row) -> Progress:
    found = progress(Told({f"panewise.{n}": each for n, each in enumerate(said)}))  # type: ignore
    assert found is not None
    return found


def test_times_that_python_does_not_have_are_ticks() -> None:
    last = (dt.datetime.max.replace(tzinfo=dt.UTC) - moment(0)) // MICROSECOND
    assert shown(counts(watermark=last)).watermark == dt.datetime.max.replace(tzinfo=dt.UTC)
    for ticks in (last + 1, 2**63 - 1, -(2**62)):
        found = shown(counts(watermark=ticks, since=ticks))
        assert (found.watermark, found.since, found.lag) == (ticks, ticks, None)
        assert f"watermark {ticks}, " in str(found)
        assert json.loads(json.dumps(found.as_dict()))["watermark"] == ticks


def test_a_stream_beyond_the_year_9999(spark: SparkSession, tmp_path: Path) -> None:
    ticks = 10**18
    times = pa.array([ticks, ticks + 5], pa.timestamp("us", "UTC"))
    folder = feed.write(tmp_path / "in", [pa.table({"ts": times, "k": ["a", "b"], "n": [1, 2]})])
    answer = PLAN.run(feed.stream(spark, folder), delay="0 s")
    writer = answer.writeStream.format("noop").trigger(availableNow=True)
    query = writer.option("checkpointLocation", str(tmp_path / "state")).start()
    query.awaitTermination()
    found = progress(query)
    assert found is not None
    assert found.watermark == ticks + 5


def test_of_several_runs_the_least_watermark_and_the_latest_since() -> None:
    found = shown(counts(watermark=9, since=4), counts(watermark=7))
    assert (found.watermark, found.since) == (moment(7), moment(4))
    assert [getattr(found, name) for name in COUNTS] == [6] * len(COUNTS)
    assert shown(counts(watermark=9), counts(watermark=None)).watermark is None
    assert shown(counts("", watermark=9), counts("", watermark=8)).watermark == 8
    assert shown(counts("", watermark=9), counts(watermark=8)).watermark is None, "of two units"


def test_metrics_of_others_are_left_alone() -> None:
    mine, other = counts(watermark=9), Row(rows=1)
    query: Any = Told({"panewise": mine, "panewisely": other, "quality": other})
    found = progress(query)
    assert found is not None
    assert found.rows == 3
    silent: Any = Told({"quality": other}, {"panewise": Row(**dict.fromkeys(mine.asDict()))})
    assert progress(silent) is None


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_the_live_line_says_how_far_behind_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """The lag grows while no batch comes, and the line says so."""
    terminal = Terminal()
    monkeypatch.setattr("sys.stdout", terminal)
    monkeypatch.setattr("panewise.spark.streaming.progress._EVERY", 0.2)
    monkeypatch.setenv("COLUMNS", "300")
    monkeypatch.setenv("TERM", "xterm")
    hour = now() - 3_600_000_000
    query: Any = Told({"panewise": counts(watermark=hour)}, looks=8)
    follow(query)
    monkeypatch.undo()
    line = terminal.getvalue()
    assert f"batch 0, 3 rows in 0.5 s (6/s), 3 results, watermark {moment(hour)} (1:00:00" in line
    assert "(1:00:01 behind the clock), 3 cells of 3 keys, 1.0 MB, 3 late, 3 no time" in line


def test_a_watermark_ahead_of_the_clock() -> None:
    line = str(shown(counts(watermark=now() + 90_000_000)))
    assert "(0:01:30 ahead of the clock)" in line


@pytest.fixture
def answer(spark: SparkSession, tmp_path: Path) -> DataFrame:
    """Three micro-batches, the last of which closes all windows but a few."""
    rows = feed.closed(feed.disordered(feed.readings(150), DELAY), by=("k",))
    folder = feed.write(tmp_path / "in", feed.cut(rows, 3))
    return PLAN.run(feed.stream(spark, folder), delay=DELAY)


def test_a_json_line_for_every_batch(answer: DataFrame, tmp_path: Path) -> None:
    sink, to = Sink(), io.StringIO()
    query = sink.start(answer, tmp_path / "state", availableNow=True)
    follow(query, to=to)
    lines = [json.loads(line) for line in to.getvalue().splitlines()]
    assert [line["batch"] for line in lines] == [0, 1, 2]
    assert sum(line["rows"] for line in lines) == 154
    assert sum(line["results"] for line in lines) == len(sink.rows)
    fields = {field for field in Progress.__dataclass_fields__} | {"rate", "lag"}
    assert all(set(line) == fields for line in lines)
    marks = [dt.datetime.fromisoformat(line["watermark"]) for line in lines]
    assert marks == [moment(each["watermark_us"]) for each in feed.observed(query)]
    assert all(line["lag"] > 0 and line["state_bytes"] > 0 for line in lines)


def test_an_error_of_the_query_is_raised(answer: DataFrame, tmp_path: Path) -> None:
    class Failing(Sink):
        def take(self, frame: DataFrame, batch: int) -> None:
            raise RuntimeError("the disk is full")

    query = Failing().start(answer, tmp_path / "state", availableNow=True)
    with pytest.raises(Exception, match="the disk is full"):
        follow(query, to=io.StringIO())


class Listener(StreamingQueryListener):
    def __init__(self) -> None:
        self.heard: list[Any] = []
        self.ended = False

    def onQueryStarted(self, event: Any) -> None:
        pass

    def onQueryProgress(self, event: Any) -> None:
        self.heard.append(event.progress)

    def onQueryIdle(self, event: Any) -> None:
        pass

    def onQueryTerminated(self, event: Any) -> None:
        self.ended = True


@pytest.fixture
def listener(spark: SparkSession) -> Iterator[Listener]:
    found = Listener()
    spark.streams.addListener(found)
    yield found
    spark.streams.removeListener(found)


def test_listeners_see_the_counts(listener: Listener, answer: DataFrame, tmp_path: Path) -> None:
    sink = Sink().run(answer, tmp_path / "state")
    until = time.monotonic() + 30
    while not listener.ended:
        assert time.monotonic() < until
        time.sleep(0.05)
    heard = [each.observedMetrics["panewise"]["counts"].asDict() for each in listener.heard]
    assert len(heard) == 3
    assert heard == sink.metrics
    assert sum(each["rows"] for each in heard) == 154
    assert sum(each["results"] for each in heard) == len(sink.rows) > 0


@pytest.fixture
def all_attempts(spark: SparkSession) -> Iterator[None]:
    spark.conf.set(ALL_ATTEMPTS, "true")
    yield
    spark.conf.unset(ALL_ATTEMPTS)


@pytest.mark.usefixtures("all_attempts")
def test_a_sink_that_reads_its_batch_twice_counts_it_once(
    answer: DataFrame, tmp_path: Path
) -> None:
    class Twice(Sink):
        def take(self, frame: DataFrame, batch: int) -> None:
            assert not frame.isEmpty() or batch == 0
            super().take(frame, batch)
            assert frame.count() == len(self.batches[batch])

    once, twice = (kind().run(answer, tmp_path / kind.__name__) for kind in (Sink, Twice))
    assert twice.metrics == once.metrics
    assert twice.total("results") == len(twice.rows) > 0
