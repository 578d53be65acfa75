"""Streams for tests: parquet files, one for each micro-batch, and what a query says of them.

The reference is the same plan over the same rows at once.  Windows that the watermark has not
passed are not told, so a last row of every key, far behind all others, closes what came before.
"""

import itertools
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession

import panewise as pw
from panewise.testing import assert_same_rows
from tests.conformance.engines import as_oracle

START = datetime(2024, 3, 1, tzinfo=UTC)
FAR = timedelta(days=2)
"""Longer than any window or delay of these tests."""
KEYS = [("a", 1), ("b", 1), ("b", 2), (None, 1), ("", None), (None, None)]
SCHEMA = pa.schema(
    {
        "ts": pa.timestamp("us", "UTC"),
        "k": pa.string(),
        "zone": pa.int32(),
        "x": pa.float64(),
        "n": pa.int64(),
        "word": pa.string(),
        "mark": pa.bool_(),
        "id": pa.int64(),
    }
)
Rows = list[dict[str, Any]]


def readings(count: int, seed: int = 1) -> pa.Table:
    """Rows of all keys in order of time: some times are equal, some stretches are empty."""
    draw = np.random.default_rng(seed)
    gaps = draw.choice([0.0, 0.25, 1.0, 12.0], count, p=[0.2, 0.5, 0.28, 0.02])
    times = (np.cumsum(gaps) * 1_000_000).astype(np.int64)
    rows = [
        {
            "ts": START + timedelta(microseconds=int(times[i])),
            **dict(zip(("k", "zone"), KEYS[int(draw.integers(len(KEYS)))], strict=True)),
            # sums of eighths are exact in any order
            "x": None if i % 11 == 0 else int(draw.integers(800)) / 8,
            "n": int(draw.integers(-9, 9)),
            "word": ["red", "green", "blue", None][int(draw.integers(4))],
            "mark": bool(draw.random() < 0.1),
            "id": i,
        }
        for i in range(count)
    ]
    return pa.Table.from_pylist(rows, SCHEMA)


def disordered(rows: pa.Table, within: timedelta, seed: int = 2) -> pa.Table:
    """The same rows, none of them later than `within` behind the newest before it."""
    times = np.asarray(rows["ts"].cast(pa.int64()))
    most = within / timedelta(microseconds=1)
    moved = times + np.random.default_rng(seed).uniform(0, most, len(times))
    return rows.take(pa.array(np.argsort(moved)))


def closed(rows: pa.Table, by: Sequence[str] = ("k", "zone")) -> pa.Table:
    """The same rows and, for every key, a marked one that is far behind them."""
    last = max(rows["ts"].to_pylist()) + FAR
    keys = rows.select(by).group_by(by).aggregate([]).to_pylist() if by else [{}]
    empty = dict.fromkeys(rows.column_names)
    far = [
        {**empty, **key, "ts": last, "mark": True, "id": 10**9 + number}
        for number, key in enumerate(keys)
    ]
    return pa.concat_tables([rows, pa.Table.from_pylist(far, rows.schema)])


def cut(rows: pa.Table, pieces: int) -> list[pa.Table]:
    """Consecutive pieces of about one size."""
    bounds = [len(rows) * number // pieces for number in range(pieces + 1)]
    return [rows.slice(low, high - low) for low, high in itertools.pairwise(bounds)]


def write(folder: Path, pieces: Iterable[pa.Table]) -> Path:
    """One more file for each piece; Spark reads them in this order."""
    folder.mkdir(exist_ok=True)
    first = len(list(folder.glob("*.parquet")))
    for number, piece in enumerate(pieces, first):
        hidden, path = folder / f".{number}", folder / f"{number:04}.parquet"
        pq.write_table(piece, hidden)
        os.utime(hidden, (1_700_000_000 + number,) * 2)
        hidden.rename(path)
    return folder


def stream(spark: SparkSession, folder: Path, files: int = 1) -> DataFrame:
    """The files of a folder, so many in each micro-batch."""
    schema = spark.read.parquet(str(folder)).schema
    source = spark.readStream.schema(schema).option("maxFilesPerTrigger", files)
    return source.parquet(str(folder))


@dataclass
class Sink:
    """Results by micro-batch; one that comes again replaces itself."""

    batches: dict[int, Rows] = field(default_factory=dict)
    metrics: list[Any] = field(default_factory=list)
    """What was observed in every micro-batch with rows."""

    def take(self, frame: DataFrame, batch: int) -> None:
        self.batches[batch] = listed(frame)

    def start(
        self, answer: DataFrame, checkpoint: Path, mode: str = "append", **trigger: Any
    ) -> Any:
        """A query into this sink, which is started and not waited for."""
        writer = answer.writeStream.foreachBatch(self.take).outputMode(mode)
        if trigger:
            writer = writer.trigger(**trigger)
        return writer.option("checkpointLocation", str(checkpoint)).start()

    def run(self, answer: DataFrame, checkpoint: Path, mode: str = "append") -> "Sink":
        """Everything that is there now."""
        query = self.start(answer, checkpoint, mode, availableNow=True)
        query.awaitTermination()
        self.metrics += observed(query)
        return self

    @property
    def rows(self) -> Rows:
        return [row for batch in sorted(self.batches) for row in self.batches[batch]]

    def total(self, name: str) -> int:
        return sum(metrics[name] for metrics in self.metrics)


def observed(query: Any) -> list[Any]:
    """The metrics of every micro-batch that had rows."""
    every = [progress.observedMetrics.get("panewise") for progress in query.recentProgress]
    counts = [metrics["counts"] for metrics in every if metrics is not None]
    return [each for each in counts if each["rows"] is not None]


def listed(answer: Any) -> Rows:
    """Results as the oracle has them."""
    table = answer.toArrow() if isinstance(answer, DataFrame) else answer
    return [as_oracle(row) for row in table.to_pylist()]


def answers(plan: pw.Plan, rows: Any, until: Any) -> Rows:
    """What a plan says of all rows at once, up to a watermark."""
    return [row for row in listed(plan.run(rows)) if row["window"][1] <= until]


def check(told: Rows, plan: pw.Plan, rows: Any, until: Any) -> None:
    """The same as at once: nothing more, nothing less, and not nothing."""
    expected = answers(plan, rows, until)
    assert {row["window_id"] for row in expected} == {w.window_id for w in plan.query.windows}
    assert_same_rows(told, expected, by=plan.query.by, magnitude=1e3)


def newest(rows: pa.Table) -> datetime:
    found: datetime = max(rows["ts"].to_pylist())
    return found
