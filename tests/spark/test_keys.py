"""Keys of every type: each group is one group, and comes back as it was."""

import datetime as dt
from decimal import Decimal
from math import nan
from typing import Any

import numpy as np
import pytest
from pyspark.sql import DataFrame, SparkSession

import panewise as pw

SCHEMA = (
    "t bigint, label string, text string, number double, whole int, day date, at timestamp, "
    "price decimal(10,2), raw binary, flag boolean, pair struct<a:int,`b c`:double>, "
    "list array<double>"
)
COLUMNS = [field.split()[0] for field in SCHEMA.split(", ")][2:]
NOON = dt.datetime(2024, 5, 1, 12)
BASE: dict[str, Any] = {
    "text": "", "number": 0.0, "whole": 1, "day": NOON.date(), "at": NOON, "price": Decimal("1.10"),
    "raw": b"", "flag": True, "pair": (1, 0.0), "list": [0.0],
}  # fmt: skip
OTHERS: dict[str, list[Any]] = {
    "text": ["a", "None", None], "number": [nan, 1.5, None], "whole": [-1, None],
    "day": [dt.date(1969, 12, 31), None], "at": [dt.datetime(1969, 12, 31, 23), None],
    "price": [Decimal("-1.10"), None], "raw": [b"\x00", None], "flag": [False, None],
    "pair": [(1, None), (None, nan), None], "list": [[], [None], [nan], [0.0, 1.0], None],
}  # fmt: skip


def root_mean_square() -> type[pw.UserAggregate]:
    class RootMeanSquare(pw.UserAggregate):
        kind_name = "rms"
        partial_types = ("double", "bigint")
        returns = "double"

        def lift(self, values: np.ndarray) -> tuple[np.ndarray, ...]:
            return values.astype(float) ** 2, np.ones(len(values), int)

        def combine(self, left: tuple, right: tuple) -> tuple[np.ndarray, ...]:
            return left[0] + right[0], left[1] + right[1]

        def lower(self, partials: tuple) -> np.ndarray:
            return np.sqrt(partials[0] / partials[1])

    return RootMeanSquare


@pytest.fixture(scope="module")
def events(spark: SparkSession) -> DataFrame:
    """Keys that differ in one column, each twice, and zeros of both signs under one label."""
    changed = [{name: value} for name, values in OTHERS.items() for value in values]
    keys = [("base", BASE), *((str(change), {**BASE, **change}) for change in changed)]
    signs = {"number": -0.0, "pair": (1, -0.0), "list": [-0.0]}
    keys += [("base", {**BASE, name: zero}) for name, zero in signs.items()]
    rows = [
        (3 * i + repeat, label, *key.values())
        for repeat in range(2)
        for i, (label, key) in enumerate(keys)
    ]
    return spark.createDataFrame(rows, SCHEMA).repartition(3)


@pytest.mark.parametrize("way", ["slices", "edges", "user"])
def test_every_key_is_one_group(events: DataFrame, way: str) -> None:
    aggregates = [pw.collect("label"), pw.count()]
    if way == "user":
        aggregates.append(root_mean_square()("t"))
    rows = pw.aggregate(
        events,
        time="t",
        by=COLUMNS,
        windows=[pw.tumbling(1000), pw.sliding(2000, 1000)],
        aggregates=aggregates,
        strategy="auto" if way == "user" else way,
    ).collect()
    assert all(len(set(row["collect(label)"])) == 1 for row in rows)
    found = {(row["window_id"], row["window"].start, row["collect(label)"][0]) for row in rows}
    labels = 1 + sum(map(len, OTHERS.values()))
    assert len(rows) == len(found) == 3 * labels
    by_label = {row["collect(label)"][0]: row for row in rows}
    base = by_label["base"]
    assert base["count()"] == 8
    assert [base[name] for name in COLUMNS] == [*BASE.values()]
    for name, others in OTHERS.items():
        for value in others:
            assert repr(_plain(by_label[str({name: value})][name])) == repr(value)


def _plain(value: Any) -> Any:
    return tuple(value) if hasattr(value, "asDict") else value


def test_no_key_is_one_group(events: DataFrame) -> None:
    windows = [pw.tumbling(1000), pw.sliding(3000, 1000)]
    rows = pw.aggregate(events, time="t", windows=windows, aggregates=[pw.count()]).collect()
    assert {row["count()"] for row in rows} == {events.count()}
    assert len(rows) == 4


@pytest.mark.parametrize("partitions", [1, 7])
def test_the_number_of_partitions_does_not_matter(spark: SparkSession, partitions: int) -> None:
    spark.conf.set("spark.sql.shuffle.partitions", partitions)
    try:
        events = spark.range(60).selectExpr("id AS t", "id % 5 AS k", "id AS x")
        rows = pw.aggregate(
            events,
            time="t",
            by=["k"],
            windows=[pw.sliding(20, 10), pw.session(5)],
            aggregates=[pw.sum("x"), pw.count_distinct("x")],
        ).collect()
    finally:
        spark.conf.set("spark.sql.shuffle.partitions", 2)
    assert len(rows) == 5 * (7 + 1)
    whole = {r["k"]: r["sum(x)"] for r in rows if r["window_id"] == "session(5)"}
    assert whole == {k: sum(range(k, 60, 5)) for k in range(5)}
    inner = [r for r in rows if r["window"].start >= 0 and r["window"].end <= 60]
    assert {r["count_distinct(x)"] for r in inner if r["window_id"] != "session(5)"} == {4}
