"""What goes wrong in a running stream: nothing is lost, nothing is doubled."""

import contextlib
import datetime as dt
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession

from tests.spark.streaming import driver, feed
from tests.spark.streaming.feed import Sink

ROOT = Path(__file__).parents[3]
DELAY = dt.timedelta(seconds=20)


class Driver:
    """A stream in a process of its own."""

    def __init__(self, folder: Path, how: str, master: str = "local[2]", **env: str) -> None:
        places = [str(folder / name) for name in ("in", "out", "state")]
        self._said = folder / "said.txt"
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.spark.streaming.driver", *places, master, how],
            cwd=ROOT,
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)]),
                **env,
            },
            stdout=subprocess.PIPE,
            stderr=self._said.open("w"),
            text=True,
            start_new_session=True,
        )

    def kill(self, batches: int, moment: float) -> None:
        """End it, and Spark with it, so many seconds after so many micro-batches were written."""
        assert self._process.stdout is not None
        try:
            for _ in range(1 + batches):  # it says when it starts, too
                assert self._process.stdout.readline(), self._said.read_text()
            time.sleep(moment)
            assert self._process.poll() is None, self._said.read_text()
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.communicate()

    def finish(self) -> None:
        told, _ = self._process.communicate()
        assert "finished" in told, self._said.read_text()


def check(folder: Path, rows: pa.Table) -> None:
    """Everything that was written, once, is what a batch says."""
    parts = sorted((folder / "out").iterdir())
    tables = [pq.read_table(part) for part in parts if list(part.glob("*.parquet"))]
    told = feed.listed(pa.concat_tables(tables))
    feed.check(told, driver.PLAN, rows, feed.newest(rows) - DELAY)


@pytest.mark.long
@pytest.mark.parametrize("kills", [2, 20])
def test_the_driver_is_killed_again_and_again(tmp_path: Path, kills: int) -> None:
    """Python and the JVM at once, at random moments, while two more files come each time."""
    rows = feed.closed(feed.disordered(feed.readings(200 * (kills + 2)), DELAY))
    pieces = feed.cut(rows, 2 * (kills + 1))
    moments = random.Random(kills)
    for number in range(kills):
        feed.write(tmp_path / "in", pieces[2 * number : 2 * number + 2])
        Driver(tmp_path, "on").kill(moments.randrange(3), moments.uniform(0, 2))
    feed.write(tmp_path / "in", pieces[2 * kills :])
    Driver(tmp_path, "once").finish()
    check(tmp_path, rows)


def test_workers_are_killed(tmp_path: Path) -> None:
    """One while it folds rows, one while it tells windows; Spark tries their tasks again."""
    rows = feed.closed(feed.disordered(feed.readings(300), DELAY))
    feed.write(tmp_path / "in", feed.cut(rows, 2))
    marks = tmp_path / "marks"
    marks.mkdir()
    Driver(tmp_path, "once", "local[2,3]", **{driver.MARKS: str(marks)}).finish()
    assert {mark.name for mark in marks.iterdir()} == {"lift", "lower"}
    check(tmp_path, rows)


class FailsOnce(Sink):
    """It fails after all results of its second micro-batch were computed."""

    failed = False

    def take(self, frame: DataFrame, batch: int) -> None:
        super().take(frame, batch)
        if batch == 1 and not self.failed:
            self.failed = True
            del self.batches[batch]
            raise RuntimeError("the disk is full")


@pytest.mark.parametrize("same", [True, False], ids=["same answer", "new answer"])
def test_a_sink_that_fails_once(spark: SparkSession, tmp_path: Path, same: bool) -> None:
    """The batch comes again: to workers that have done it already, or know nothing of it."""
    rows = feed.closed(feed.disordered(feed.readings(300), DELAY))
    folder = feed.write(tmp_path / "in", feed.cut(rows, 3))
    sink = FailsOnce()
    answer = driver.PLAN.run(feed.stream(spark, folder), delay=DELAY)
    with pytest.raises(StreamingQueryException, match="the disk is full"):
        sink.run(answer, tmp_path / "state")
    if not same:
        answer = driver.PLAN.run(feed.stream(spark, folder), delay=DELAY)
    sink.run(answer, tmp_path / "state")
    feed.check(sink.rows, driver.PLAN, rows, feed.newest(rows) - DELAY)


@pytest.mark.parametrize("damage", ["deleted", "corrupt"])
def test_the_newest_state_is_damaged(spark: SparkSession, tmp_path: Path, damage: str) -> None:
    """The machine failed while the last micro-batch wrote its state, before it was committed.

    Spark commits a micro-batch after its state is written.  Without the commit it computes the
    batch again from the state before it, and writes over whatever is there of the newer one.
    """
    rows = feed.closed(feed.disordered(feed.readings(300), DELAY))
    pieces = feed.cut(rows, 4)
    folder, sink = feed.write(tmp_path / "in", pieces[:3]), Sink()
    answer = driver.PLAN.run(feed.stream(spark, folder), delay=DELAY)
    sink.run(answer, tmp_path / "state")
    newest = max(
        (path for path in (tmp_path / "state" / "commits").iterdir() if path.name.isdigit()),
        key=lambda path: int(path.name),
    )
    for path in (newest, newest.with_name(f".{newest.name}.crc")):
        path.unlink(missing_ok=True)
    version = int(newest.name) + 1
    damaged = 0
    for path in (tmp_path / "state" / "state").rglob(f"*{version}.*"):
        if path.name.split(".")[0].split("_")[0] == str(version):
            damaged += 1
            if damage == "deleted":
                path.unlink()
            else:
                path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    assert damaged >= 2  # of both partitions
    del sink.batches[int(newest.name)]
    feed.write(folder, pieces[3:])
    sink.run(driver.PLAN.run(feed.stream(spark, folder), delay=DELAY), tmp_path / "state")
    feed.check(sink.rows, driver.PLAN, rows, feed.newest(rows) - DELAY)
