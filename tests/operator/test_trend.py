"""Trend across levels: each value beside that of the next level at the same instant."""

from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import panewise as pw
from panewise.errors import QueryError, SchemaError
from panewise.testing import assert_same_rows
from tests.conformance.engines import as_oracle

SCHEME = pw.granules((4, 2), (12, 4), (24, 8)).named("load")
PLAN = pw.plan(
    time="t",
    by=["k"],
    windows=[SCHEME, pw.tumbling(6), pw.granules((2, 1), (8, 1))],
    aggregates=[pw.mean("x"), pw.sum("x"), pw.count().alias("n")],
)
ROWS = pa.table(
    {
        "t": [*range(-6, 30), *range(20, 24)],
        "k": [None if t % 3 == 0 else "a" for t in range(40)],
        "x": [t * 5 % 7 if t < 26 else 40 for t in range(40)],
    }
)


def expected(results: list[dict[str, Any]], of: str) -> list[dict[str, Any]]:
    scales = {("load", 0): 1 / 3, ("load", 1): 1 / 2, ("granules(2/1, 8/1)", 0): 1 / 4}
    told = []
    for row in results:
        for other in results:
            same = all(row[n] == other[n] for n in ("window_id", "k"))
            if not same or row["window"][1] != other["window"][1] or row["level"] is None:
                continue
            if other["level"] == row["level"] + 1:
                scale = 1.0 if of == "mean(x)" else scales[row["window_id"], row["level"]]
                value, base = float(row[of]), other[of] * scale
                kept = {n: row[n] for n in ("window_id", "window", "level", "k")}
                told.append({**kept, "value": value, "base": base, "difference": value - base})
    return told


@pytest.mark.parametrize("of", ["mean(x)", "sum(x)", "n"])
def test_here_and_on_spark(spark: SparkSession, of: str) -> None:
    here = PLAN.run(ROWS)
    want = expected([as_oracle(row) for row in here.to_pylist()], of)
    assert {row["level"] for row in want} == {0, 1} and len(want) > 20
    there = PLAN.run(spark.createDataFrame(ROWS))
    for told, burst in (
        (PLAN.trend(here, of), PLAN.bursts(here, of, factor=1.5)),
        (PLAN.trend(there, of).toArrow(), PLAN.bursts(there, of, factor=1.5).toArrow()),
    ):
        assert_same_rows([as_oracle(row) for row in told.to_pylist()], want, by=("k",))
        over = [row for row in want if row["value"] > 1.5 * row["base"]]
        assert 0 < len(over) < len(want)
        assert_same_rows([as_oracle(row) for row in burst.to_pylist()], over, by=("k",))


def test_refusals() -> None:
    results = PLAN.run(ROWS)
    with pytest.raises(QueryError, match=r'a trend is of an aggregate of the plan: got "mean\(y\)'):
        PLAN.trend(results, "mean(y)")
    for factor in (0, -1, "3", True, float("nan")):
        with pytest.raises(QueryError, match="factor is a positive number"):
            PLAN.bursts(results, "n", factor=factor)  # type: ignore[arg-type]
    flat = pw.plan(time="t", windows=[pw.tumbling(5)], aggregates=[pw.count()])
    with pytest.raises(QueryError, match="a trend compares levels"):
        flat.trend(flat.run(ROWS), "count()")


@pytest.mark.parametrize(
    ("aggregate", "kind"),
    [(pw.collect("x"), "list|array"), (pw.max("k"), "string"), (pw.top_k("x", 2), "list|array")],
    ids=["list", "text", "ranked"],
)
def test_a_trend_is_of_numbers(spark: SparkSession, aggregate: pw.Aggregate, kind: str) -> None:
    plan = pw.plan(time="t", windows=[pw.granules((4, 4), (8, 4))], aggregates=[aggregate])
    for results in (plan.run(ROWS), plan.run(spark.createDataFrame(ROWS))):
        with pytest.raises(SchemaError, match=f"a trend is of numbers: .* is ({kind})"):
            plan.trend(results, aggregate.name)
