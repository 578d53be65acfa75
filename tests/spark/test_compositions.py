"""Every native aggregate has the same results, whichever way windows are composed."""

import math
from functools import partial

import pytest
from pyspark.sql import DataFrame, SparkSession

import panewise as pw
from panewise.aggregates import registered
from panewise.testing import assert_same_rows
from panewise.windows import Window

WINDOWS: list[Window] = [
    pw.tumbling(5),
    pw.sliding(10, 3),
    pw.sliding(3, 7, allow_gaps=True),
    pw.cumulating(2, 10, origin=1),
    pw.band(-3, 12),
]
INTEGERS = {pw.bit_or("x"): pw.bit_or("y")}
"""Bits are of integers, and x has none."""
NATIVE = [
    INTEGERS.get(example, example)
    for kind in registered().values()
    if kind.native
    for example in kind.examples()
]


@pytest.fixture(scope="module")
def events(spark: SparkSession) -> DataFrame:
    special = [None, math.nan, math.inf, -0.0, 0.0]
    rows = [
        (t, "ab"[t % 2], special[t % 5] if t % 3 == 0 else t / 4, (7 * t) % 5 if t % 4 else None)
        for t in [*range(-12, 12), 3, 3, 9, 30]
    ]
    return spark.createDataFrame(rows, "t bigint, k string, x double, y int").repartition(3)


def test_strategies_agree(events: DataFrame) -> None:
    windows = [*WINDOWS, pw.tumbling(10), pw.sliding(20, 5), pw.sliding(6, 7, allow_gaps=True)]
    run = partial(
        pw.aggregate, events, time="t", by=["k"], windows=windows, aggregates=NATIVE, order_by="t"
    )
    passed = run(strategy="edges").toArrow().to_pylist()
    assert len(passed) > 40
    for way in ("slices", "coverage", "tree"):
        assert_same_rows(run(strategy=way).toArrow().to_pylist(), passed, by=["k"])


def test_types_agree(events: DataFrame) -> None:
    run = partial(pw.aggregate, events, time="t", windows=[pw.tumbling(5)], aggregates=NATIVE)
    alone, *others = (
        [(f.name, f.dataType.simpleString()) for f in run(strategy=way).schema]
        for way in ("independent", "scan", "factor", "slices", "edges", "tree")
    )
    assert all(other == alone for other in others)


def test_nested_values_are_carried(spark: SparkSession) -> None:
    events = spark.sql(
        "SELECT id AS t, map('x', id) AS m, named_struct('a b', id, 'c', array(id)) AS s, "
        "array(id, null) AS l FROM range(6)"
    )
    aggregates = [pw.first("m"), pw.last("s"), pw.collect("l"), pw.argmax("m", "t")]
    run = partial(pw.aggregate, events, time="t", windows=[pw.sliding(4, 2)], aggregates=aggregates)
    copied, passed = (run(strategy=way).collect() for way in ("slices", "edges"))
    assert sorted(copied, key=str) == sorted(passed, key=str)
    assert {r["window"].start: r["first(m)"] for r in passed}[2] == {"x": 2}
