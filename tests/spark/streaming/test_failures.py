"""What goes wrong in a running stream: nothing is lost, nothing is doubled."""

import contextlib
import datetime as dt
import os
import queue
import random
import signal
import subprocess
import sys
import threading
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
PATIENCE = 120
"""Seconds after which a driver that says nothing hangs."""


class Driver:
    """A stream in a process of its own."""

    def __init__(self, folder: Path, how: str, master: str = "local[2]", **env: str) -> None:
        places = [str(folder / name) for name in ("in", "out", "state")]
        self._errors = folder / "errors.txt"
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.spark.streaming.driver", *places, master, how],
            cwd=ROOT,
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)]),
                **env,
            },
            stdout=subprocess.PIPE,
            stderr=self._errors.open("w"),
            text=True,
            start_new_session=True,
        )
        self._said: list[str] = []
        self._lines: queue.Queue[str] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._said.append(line.strip())
            self._lines.put(line)
        self._lines.put("")  # it ended

    @property
    def begun(self) -> list[str]:
        """The micro-batches that it began."""
        return [line for line in self._said if line.startswith("begun")]

    def wait(self, line: str, times: int = 1) -> None:
        """Until it has said this so often."""
        for _ in range(times):
            while not (found := self._next()).startswith(line):
                assert found, f"it ended before it had {line}: {self._errors.read_text()}"

    def _next(self) -> str:
        try:
            return self._lines.get(timeout=PATIENCE)
        except queue.Empty:
            pytest.fail(f"it hangs after {self._said}: {self._errors.read_text()}")

    def finish(self) -> "Driver":
        with self:
            self.wait("finished")
        return self

    def __enter__(self) -> "Driver":
        return self

    def __exit__(self, *_: object) -> None:
        """End it, and Spark with it, wherever they are."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait(PATIENCE)
        self._reader.join(PATIENCE)


def check(folder: Path, rows: pa.Table) -> None:
    """Everything that was written, once, is what a batch says."""
    parts = sorted((folder / "out").iterdir())
    tables = [pq.read_table(part) for part in parts if list(part.glob("*.parquet"))]
    told = feed.listed(pa.concat_tables(tables))
    feed.check(told, driver.PLAN, rows, feed.newest(rows) - DELAY)


@pytest.mark.parametrize("kills", [2, pytest.param(20, marks=pytest.mark.long)])
def test_the_driver_is_killed_again_and_again(tmp_path: Path, kills: int) -> None:
    """Python and the JVM at once: in a micro-batch, and at any moment, in turn.

    There are always more files than it reads before it is killed, so it is never idle.
    """
    ahead = 4
    rows = feed.closed(feed.disordered(feed.readings(100 * (kills + 2)), DELAY))
    pieces = feed.cut(rows, ahead * (kills + 1))
    moments = random.Random(kills)
    begun: list[str] = []
    for number in range(kills):
        feed.write(tmp_path / "in", pieces[ahead * number : ahead * (number + 1)])
        with Driver(tmp_path, "on") as running:
            running.wait("begun", moments.randint(1, 3))
            time.sleep(moments.uniform(0, 0.5) if number % 2 else 0)
        begun += running.begun
    feed.write(tmp_path / "in", pieces[ahead * kills :])
    begun += Driver(tmp_path, "once").finish().begun
    assert len(begun) - len(set(begun)) >= kills / 2, "micro-batches that were begun again"
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
