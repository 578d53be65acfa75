"""State files that are damaged: what Spark repairs, what it refuses, and how to go on then.

State is a changelog for each micro-batch and, now and then, a snapshot; version n is what there is
after micro-batch n - 1.
"""

import datetime as dt
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import SparkSession

from tests.spark.streaming import driver, feed
from tests.spark.streaming.feed import Sink

DELAY = dt.timedelta(seconds=20)
STORE = "spark.sql.streaming.stateStore"
REPAIR = f"{STORE}.autoSnapshotRepair.enabled"
OFTEN = {f"{STORE}.minDeltasForSnapshot": "2", f"{STORE}.maintenanceInterval": "100ms"}
"""Snapshots of every other version, written soon."""


@dataclass
class Stopped:
    """A query that stopped, a copy of its checkpoint, and rows that it has not seen."""

    source: Path
    state: Path
    sink: Sink
    rows: pa.Table

    def go_on(self, spark: SparkSession) -> Any:
        """Read the rest, and compare with a batch; the first progress."""
        answer = driver.PLAN.run(feed.stream(spark, self.source), delay=DELAY)
        query = self.sink.start(answer, self.state, availableNow=True)
        query.awaitTermination()
        feed.check(self.sink.rows, driver.PLAN, self.rows, feed.newest(self.rows) - DELAY)
        return query.recentProgress[0]

    def files(self, kind: str) -> list[list[Path]]:
        """Those of each partition, by version."""
        folders = [each for each in (self.state / "state" / "0").iterdir() if each.name.isdigit()]
        assert len(folders) == 2
        return [sorted(folder.glob(f"*.{kind}"), key=version) for folder in folders]

    def uncommit(self, batch: int) -> None:
        """As if it had not come to an end."""
        for name in (f"{batch}", f".{batch}.crc"):
            (self.state / "commits" / name).unlink()
        del self.sink.batches[batch]


def version(path: Path) -> int:
    return int(path.name.split(".")[0])


def cut_off(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


@pytest.fixture(scope="module")
def snapshots_often(spark: SparkSession) -> Iterator[None]:
    stores = spark._jvm.org.apache.spark.sql.execution.streaming.state.StateStore  # type: ignore
    stores.stop()  # its maintenance begins again with the interval of then
    for name, value in OFTEN.items():
        spark.conf.set(name, value)
    yield
    for name in OFTEN:
        spark.conf.unset(name)
    stores.stop()


@pytest.fixture(scope="module")
def begun(
    spark: SparkSession, snapshots_often: None, tmp_path_factory: pytest.TempPathFactory
) -> Stopped:
    """Six micro-batches, and snapshots 1, 3 and 5."""
    folder = tmp_path_factory.mktemp("begun")
    rows = feed.closed(feed.disordered(feed.readings(400), DELAY))
    pieces = feed.cut(rows, 8)
    source = feed.write(folder / "in", pieces[:6])
    made = Stopped(source, folder / "state", Sink(), rows)
    answer = driver.PLAN.run(feed.stream(spark, source), delay=DELAY)
    query = made.sink.start(answer, made.state)
    query.processAllAvailable()
    until = time.monotonic() + 60
    while [version(p) for part in made.files("zip") for p in part] != [1, 3, 5, 1, 3, 5]:
        assert time.monotonic() < until, made.files("zip")
        time.sleep(0.1)
    query.stop()
    feed.write(source, pieces[6:])
    return made


@pytest.fixture
def stopped(begun: Stopped, tmp_path: Path) -> Stopped:
    state = shutil.copytree(begun.state, tmp_path / "state")
    return Stopped(begun.source, state, Sink(dict(begun.sink.batches)), begun.rows)


@pytest.fixture
def without_repair(spark: SparkSession) -> Iterator[None]:
    spark.conf.set(REPAIR, "false")
    yield
    spark.conf.unset(REPAIR)


@pytest.mark.parametrize("damage", ["deleted", "corrupt"])
def test_the_newest_state_was_not_committed(
    spark: SparkSession, stopped: Stopped, damage: str
) -> None:
    """The machine failed while the last micro-batch wrote its state.

    Spark commits a micro-batch after its state is written.  Without the commit it computes the
    batch again from the state before it, and writes over whatever is there of the newer one.
    """
    stopped.uncommit(5)
    for part in stopped.files("changelog"):
        assert version(part[-1]) == 6
        part[-1].unlink() if damage == "deleted" else cut_off(part[-1])
    stopped.go_on(spark)


def test_the_newest_snapshot_is_corrupt(spark: SparkSession, stopped: Stopped) -> None:
    """Spark takes the one before it and more changelogs, and counts what it repaired."""
    for part in stopped.files("zip"):
        cut_off(part[-1])
    (operator,) = stopped.go_on(spark).stateOperators
    assert operator.customMetrics["rocksdbNumSnapshotsAutoRepaired"] == 2


@pytest.mark.usefixtures("without_repair")
def test_a_snapshot_that_is_not_repaired_is_named(spark: SparkSession, stopped: Stopped) -> None:
    for part in stopped.files("zip"):
        cut_off(part[-1])
    with pytest.raises(StreamingQueryException) as failed:
        stopped.go_on(spark)
    assert "CANNOT_LOAD_STATE_STORE" in str(failed.value)
    assert any(f"Checksum error: file:{p[-1]}" in str(failed.value) for p in stopped.files("zip"))


def test_no_snapshot_is_left(spark: SparkSession, stopped: Stopped) -> None:
    """Changelogs alone do not say what they are of: it fails, and nothing is told wrongly."""
    for part in stopped.files("zip"):
        for path in part:
            cut_off(path)
    told = dict(stopped.sink.batches)
    with pytest.raises(StreamingQueryException, match="CANNOT_LOAD_STATE_STORE"):
        stopped.go_on(spark)
    assert stopped.sink.batches == told


def test_the_newest_changelog_is_corrupt(spark: SparkSession, stopped: Stopped) -> None:
    """It is the only copy, so Spark names it and stops.

    Without the commit of its micro-batch, that is computed again and the changelog written anew.
    """
    newest = [part[-1] for part in stopped.files("changelog")]
    for path in newest:
        assert version(path) == 6
        cut_off(path)
    with pytest.raises(StreamingQueryException) as failed:
        stopped.go_on(spark)
    assert "CANNOT_LOAD_STATE_STORE" in str(failed.value)
    assert any(f"Checksum error: file:{path}" in str(failed.value) for path in newest)
    stopped.uncommit(5)
    # the batch that failed had offsets of its own: it comes again after the one before it
    for name in ("6", ".6.crc"):
        (stopped.state / "offsets" / name).unlink()
    stopped.go_on(spark)
