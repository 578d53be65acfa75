"""Spark's own answer: `window()` or `session_window()` and one aggregate expression each."""

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

from pyspark.errors import AnalysisException
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

import panewise as pw
from panewise.aggregates import Aggregate, Scope
from panewise.aggregates import registered as registered_aggregates
from panewise.testing.applicable import takes
from panewise.windows import Window
from tests.conformance.engines import as_oracle

# Columns can only be made once a session runs.
WINDOWS: dict[Window, Callable[[], Column]] = {
    pw.tumbling("20 minutes"): lambda: F.window("t", "20 minutes"),
    pw.tumbling("1 day", origin="5 hours"): lambda: F.window("t", "1 day", startTime="5 hours"),
    pw.sliding("1 hour", "25 minutes"): lambda: F.window("t", "1 hour", "25 minutes"),
    pw.session("10 minutes"): lambda: F.session_window("t", "10 minutes"),
}
DAYS = (  # before 1970, New York's clock changes in spring and autumn, a leap day
    datetime(1969, 12, 31, 22),
    datetime(2024, 2, 29, 12),
    datetime(2024, 3, 10, 5),
    datetime(2024, 11, 3, 4),
)


def times(count: int, seed: int = 0) -> list[datetime | None]:
    """Ties, window edges and their neighbours, and a null now and then."""
    rng = random.Random(seed)
    jitter = [timedelta(0)] * 4 + [timedelta(microseconds=1), timedelta(microseconds=-1)]
    return [
        None
        if rng.random() < 0.05
        else rng.choice(DAYS) + timedelta(minutes=5 * rng.randrange(60)) + rng.choice(jitter)
        for _ in range(count)
    ]


def in_type(moments: Sequence[datetime | None], time_type: str) -> list[datetime | None]:
    """Zoned moments for TIMESTAMP, wall times for TIMESTAMP_NTZ."""
    zone = UTC if time_type == "timestamp" else None
    return [None if t is None else t.replace(tzinfo=zone) for t in moments]


def accepted(events: DataFrame, scope: Scope) -> list[Aggregate]:
    """The aggregates that Spark has an expression for, and whose types its analyzer accepts."""
    found = []
    for kind in registered_aggregates().values():
        for aggregate in kind.examples():
            reference = aggregate.reference_sql(scope)
            if reference is None or not takes(aggregate, scope.types["x"]):
                continue
            try:
                events.groupBy("k").agg(F.expr(reference)).schema  # noqa: B018 (analysed here)
            except AnalysisException:
                continue
            found.append(aggregate)
    return found


def own_rows(
    events: DataFrame,
    windows: Iterable[Window],
    aggregates: Sequence[Aggregate],
    scope: Scope,
) -> list[dict[str, Any]]:
    """What Spark answers, in the shape of the oracle's rows."""
    found = []
    for window in windows:
        answers = [F.expr(str(a.reference_sql(scope))).alias(a.name) for a in aggregates]
        grouped = events.groupBy(WINDOWS[window]().alias("window"), "k").agg(*answers)
        answered = grouped.withColumn("window_id", F.lit(window.window_id)).toArrow().to_pylist()
        found += [as_oracle(row) for row in answered]
    return found


def scope_of(events: DataFrame) -> Scope:
    types = {f.name: f.dataType.simpleString() for f in events.schema.fields}
    return Scope(columns={n: f"`{n}`" for n in types}, types=types, time="t", sequence="seq")


@contextmanager
def setting(spark: SparkSession, **conf: str) -> Iterator[None]:
    """Session settings for a while; underscores stand for dots."""
    named = {key.replace("_", "."): value for key, value in conf.items()}
    before = {key: spark.conf.get(key) for key in named}
    try:
        for key, value in named.items():
            spark.conf.set(key, value)
        yield
    finally:
        for key, old in before.items():
            spark.conf.set(key, str(old))
