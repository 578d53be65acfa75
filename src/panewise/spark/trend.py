"""Trend across levels on Spark: one group-by over the results."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import NumericType

from panewise.query.trend import Trend, no_number
from panewise.spark.expressions import literal, quoted


def trend(asked: Trend, rows: DataFrame) -> DataFrame:
    """A row for each instant at which a level and the next coarser one report."""
    kind = rows.schema[asked.of].dataType
    if not isinstance(kind, NumericType):
        raise no_number(asked.of, kind.simpleString())
    keys = [quoted(name) for name in asked.query.by]
    of = f"cast({quoted(asked.of)} as double)"
    # a row is the finer one of its own level, and the coarser one of the level below
    placed = rows.where("level IS NOT NULL").selectExpr(
        "window_id AS i", "window AS w", *keys, f"{of} AS v", "level AS l",
        "explode(array(level, level - 1)) AS pair",
    )  # fmt: skip
    grouped = placed.groupBy("i", *keys, F.expr("w.end"), "pair").agg(
        F.expr("first(w) FILTER (WHERE l = pair) AS w"),
        F.expr("first(v) FILTER (WHERE l = pair) AS value"),
        F.expr("first(v) FILTER (WHERE l = pair + 1) AS base"),
        F.expr("count_if(l = pair) + count_if(l = pair + 1) AS sides"),
    )
    scales = " ".join(
        f"WHEN i = {literal(w.window_id)} AND pair = {w.level} THEN {asked.scale(w)!r}D"
        for w in asked.levels()
    )
    found = grouped.where("sides = 2").selectExpr(
        "i AS window_id", "w AS window", "pair AS level", *keys, "value",
        f"base * (CASE {scales} END) AS base",
    )  # fmt: skip
    return found.selectExpr("*", "value - base AS difference")


def bursts(asked: Trend, rows: DataFrame, factor: float) -> DataFrame:
    """The rows of a trend whose value is more than `factor` times the base."""
    return trend(asked, rows).where(f"value > base * {factor!r}D")
