"""Running a side: one query for all windows of ours, one for each window on Spark's side.

All read the same files, wait as long for late rows and write to the `noop` sink.  Spark's queries
run one after another and count together.  They run twice: in the session as it is for ours, and
with the settings and the file system that Spark has where nobody chooses others.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from benchmarks.spark.cases import Gap, Query, Span, agree, as_spark, checksum, planned
from benchmarks.spark.streaming_input import FILES, SCHEMA, Input
from benchmarks.spark.streaming_outcome import Run, added
from panewise.spark import session
from panewise.spark.local_files import NAME, write_without_programs

DELAY = 10
"""Seconds that rows may be late."""
STATE_BYTES = ("rocksdbSstFileSize", "stateOnCurrentVersionSizeBytes")
"""What RocksDB and Spark's default store say about the size of the state."""
AS_IT_COMES = {
    "spark.sql.shuffle.partitions": "200",
    "spark.sql.streaming.stateStore.providerClass": (
        "org.apache.spark.sql.execution.streaming.state.HDFSBackedStateStoreProvider"
    ),
}
"""Spark's own defaults of what the session sets for ours and Spark's queries can feel."""
TO_FILES = {"spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "false"}
"""RocksDB writes all of the state to its files, and not changes to a log: then they have a size."""
FEW_BATCHES, FEW_QUERIES = 3, 2
"""As it comes, Spark takes so long for a batch that it gets fewer, with those for warming up."""
_STORE = "org.apache.spark.sql.execution.streaming.state.StateStore"


def start() -> SparkSession:
    """Two cores, two shuffle partitions, RocksDB."""
    started = session(
        "local[2]",
        app="panewise-benchmarks",
        spark_driver_memory="8g",
        spark_sql_shuffle_partitions=2,
        spark_sql_session_timeZone="UTC",
    )
    started.sparkContext.setLogLevel("ERROR")
    return started


@dataclass(frozen=True)
class Stage:
    """Where queries run: a session, an input, and a folder for what they leave behind."""

    spark: SparkSession
    given: Input
    files: Path
    work: Path
    warm: int = 0

    def shorter(self, batches: int) -> Stage:
        """The same with the first batches only, where there are more."""
        fewer = min(self.given.batches, max(batches, self.warm + 1))
        return replace(self, given=replace(self.given, batches=fewer))

    def inbox(self) -> Path:
        """A folder where all batches but the last have arrived."""
        shutil.rmtree(self.work, ignore_errors=True)
        self.given.link(self.files, self.work / "inbox", range(self.given.batches))
        return self.work / "inbox"

    def stream(self, inbox: Path) -> DataFrame:
        source = self.spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", FILES)
        return source.parquet(str(inbox))

    def run(self, query: Query) -> Run:
        """All batches, then a restart with one more."""
        inbox = self.inbox()
        batches = self._batches(query, inbox)
        later = batches[self.warm :]
        last, recovery = self._restarted(query, inbox)
        shutil.rmtree(self.work)
        return Run(
            rows=[each.numInputRows for each in batches],
            seconds=[each.durationMs["triggerExecution"] / 1000 for each in batches],
            state_bytes=_state_bytes(last),
            memory_bytes=_mean([_state(each, "memoryUsedBytes") for each in later]),
            state_rows=_mean([_state(each, "numRowsTotal") for each in later]),
            recovery=recovery,
        )

    def _restarted(self, query: Query, inbox: Path) -> tuple[Any, float]:
        """One more batch, and seconds until it is done with nothing left in the JVM's stores."""
        self.given.link(self.files, inbox, range(self.given.batches, self.given.batches + 1))
        _java(self.spark, _STORE).stop()
        began = time.time()
        with settings(self.spark, TO_FILES):
            first = self._batches(query, inbox)[0]
        # what comes before the first batch, and that batch; not Spark's batch without rows after it
        waited = datetime.fromisoformat(first.timestamp).timestamp() - began
        return first, waited + first.durationMs["triggerExecution"] / 1000

    def _batches(self, query: Query, inbox: Path) -> list[Any]:
        """The progress of every batch that had rows."""
        writer = query(self.stream(inbox)).writeStream.format("noop").outputMode("append")
        writer = writer.option("checkpointLocation", str(self.work / "checkpoint"))
        running = writer.trigger(availableNow=True).start()
        running.awaitTermination()
        return [each for each in running.recentProgress if each.numInputRows]


Windows = Sequence[Span | Gap]


def our_query(windows: Windows) -> Query:
    return partial(planned(windows, "sum").run, delay=f"{DELAY} s")


def spark_query(window: Span | Gap) -> Query:
    own = as_spark([window], "sum")
    return lambda events: own(events.withWatermark("ts", f"{DELAY} seconds"))


def ours(stage: Stage, windows: Windows) -> Run:
    return stage.run(our_query(windows))


def theirs(stage: Stage, windows: Windows, queries: int) -> Run:
    """The queries of some of the windows; the others are counted like their mean."""
    chosen = spread(windows, queries)
    runs = [stage.run(spark_query(window)) for window in chosen]
    return added(runs, len(windows) / len(chosen))


def by_default(stage: Stage, windows: Windows, queries: int) -> Run:
    """The same with Spark's own settings."""
    with settings(stage.spark, AS_IT_COMES), hadoops_files(stage.spark):
        return theirs(stage.shorter(FEW_BATCHES), windows, few(queries))


def few(queries: int) -> int:
    """Queries that run by default; 0 stays all."""
    return min(queries, FEW_QUERIES)


@contextmanager
def settings(spark: SparkSession, given: Mapping[str, str]) -> Iterator[None]:
    """Settings of a session for a while; a query reads them when it starts for the first time."""
    before = {name: spark.conf.get(name) for name in given}
    try:
        for name, value in given.items():
            spark.conf.set(name, value)
        yield
    finally:
        for name, value in before.items():
            assert value is not None
            spark.conf.set(name, value)


@contextmanager
def hadoops_files(spark: SparkSession) -> Iterator[None]:
    """For a while, local files as they are written in a session that is not ours."""
    systems = _java(spark, "org.apache.hadoop.fs.FileSystem")
    root = _java(spark, "java.net.URI")("file:///")
    hadoops = spark.sparkContext._jsc.hadoopConfiguration()
    systems.get(root, hadoops).close()  # which takes ours out of the cache
    try:
        assert systems.get(root, hadoops).getClass().getName() != NAME
        yield
    finally:
        write_without_programs(spark)


def spread(windows: Windows, count: int) -> Windows:
    """So many of the windows, evenly from the first to the last; all for 0.

    >>> spread(range(20), 4), spread(range(3), 4), spread(range(3), 0)
    ([0, 6, 13, 19], [0, 1, 2], [0, 1, 2])
    """
    if not 0 < count < len(windows):
        return list(windows)
    if count == 1:
        return [windows[len(windows) // 2]]
    return [windows[round(i * (len(windows) - 1) / (count - 1))] for i in range(count)]


def same(stage: Stage, windows: Windows) -> str:
    """Whether both sides give the same rows: how many they are, or that they differ.

    Sessions of ours close at edges of panes, so up to a gap later than Spark's.  Where there are
    some, windows that end in the last gap before the watermark are not compared.
    """
    inbox = stage.inbox()
    until = settled(stage.spark.read.schema(SCHEMA).parquet(str(inbox)), windows)
    queries = [our_query(windows), *map(spark_query, windows)]
    running = []
    for number, query in enumerate(queries):
        rows = query(stage.stream(inbox)).select("window", "device", "value")
        writer = rows.writeStream.format("memory").queryName(f"side_{number}").outputMode("append")
        writer = writer.option("checkpointLocation", str(stage.work / f"checkpoint-{number}"))
        running.append(writer.trigger(availableNow=True).start())
    for each in running:
        each.awaitTermination()
    tables = [stage.spark.table(f"side_{number}") for number in range(len(queries))]
    mine, rivals = tables[0], tables[1]
    for table in tables[2:]:
        rivals = rivals.unionByName(table)
    found = checksum(rivals.where(until)), checksum(mine.where(until))
    for number in range(len(queries)):
        stage.spark.catalog.dropTempView(f"side_{number}")
    shutil.rmtree(stage.work)
    if not found[0][0]:
        return "DIFFERENT: no rows"
    if agree(*found):
        return f"equal ({found[0][0]:,.0f} rows)"
    return f"DIFFERENT: {found[0][0]:,.0f} rows of Spark's, {found[1][0]:,.0f} of ours"


def settled(arrived: DataFrame, windows: Windows) -> Column:
    """Whether a window has been told by both sides once all these rows have arrived."""
    gap = max((window.gap for window in windows if isinstance(window, Gap)), default=None)
    if gap is None:
        return F.lit(True)
    (newest,) = arrived.agg(F.max(F.unix_micros("ts"))).collect()[0]
    return F.unix_micros("window.end") <= newest - 1_000_000 * (DELAY + gap)


def _state(progress: Any, metric: str) -> float:
    """The sum of a metric over the stateful operators of a query."""
    return sum(getattr(operator, metric) for operator in progress.stateOperators)


def _state_bytes(progress: Any) -> float:
    """The size of the state as its store tells it; a store has one of these metrics."""
    return sum(
        operator.customMetrics.get(metric, 0)
        for operator in progress.stateOperators
        for metric in STATE_BYTES
    )


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _java(spark: SparkSession, name: str) -> Any:
    found: Any = spark._jvm
    for part in name.split("."):
        found = getattr(found, part)
    return found
