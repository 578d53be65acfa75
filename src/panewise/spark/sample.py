"""Statistics of a stream: from its first rows, or from the results of a plan that ran."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from panewise.aggregates.count import Count
from panewise.errors import SchemaError
from panewise.model import measure_of
from panewise.optimizer.search import tiles
from panewise.plan import Plan, Statistics
from panewise.query import Query
from panewise.spark.binding import Binding
from panewise.spark.expressions import quoted, ticks_of
from panewise.spark.size import input_rows
from panewise.windows import Family


def sample(query: Query, events: DataFrame, rows: int) -> Statistics:
    """Statistics of the first rows; only times and a hash of the keys come to the driver."""
    binding = Binding.of(query, events)
    key = f"xxhash64({', '.join(binding.keys)})" if binding.keys else "0L"
    # collect, not toArrow: it takes the first partitions in order and leaves the others alone
    lasts = "z - t + 1" if query.spanning else "1L"
    head = binding.rows.selectExpr("t", f"{key} AS k", lasts).limit(rows).collect()
    ticks, keys, length = np.array([*zip(*head, strict=True)], np.int64).reshape(3, -1)
    total = len(head) if len(head) < rows else max(rows, input_rows(events))
    known = Statistics.counted(ticks, keys, max(total, 1))
    mean = float(length.mean()) if query.spanning and len(head) else None
    return replace(known, length=mean)


def observe(plan: Plan, results: DataFrame, rows: int | None) -> Statistics:
    """Statistics from results: each row of a window is a key that was active in an instance.

    Windows of several sizes are as many points of the same curve.
    """
    families = {(w.window_id, w.level): w.demand() for w in plan.query.windows}
    periodic = {i: d for i, d in families.items() if isinstance(d, Family) and not d.once}
    if not periodic:
        raise SchemaError(
            "results tell the rates of periodic windows: this plan has none.",
            hint="use plan.sample(events).",
        )
    counted = _counted(plan, results)
    found = {i: counted[i] for i in periodic if i in counted}
    if not found:
        raise SchemaError(
            "results hold no row of a periodic window of this plan.",
            hint="give the DataFrame that plan.run returned, or what was written from it.",
        )
    # windows reach beyond the first and the last event; those that slide least do so least
    span = min(
        last - first + 2 * (periodic[name].slide - periodic[name].size)
        for name, (_, first, last, _) in found.items()
    )
    points = {}
    for name, (answered, first, last, _) in found.items():
        family = periodic[name]
        nested = family.size // family.step
        instances = (1 + (last - first - family.size) / family.slide) * nested
        points[(family.size + family.step) / 2] = answered / instances
    if rows is None:
        # an event with a duration is counted in every window that it overlaps
        once = [n for n in found if tiles(periodic[n]) and not plan.query.spanning]
        told = [count for n in once if (count := found[n][3])]
        if not told:
            raise SchemaError(
                "results do not tell how many events were behind them.",
                hint="say plan.observe(results, rows=...), or aggregate a count().",
            )
        rows = int(told[0])
    return Statistics(
        rows=rows,
        rate=rows / span,
        keys=_ascending(points, rows / span),
        source="the results of a run",
        length=plan.statistics.length,
    )


Told = tuple[str, int | None]
"""The name and the level of a window."""


def _counted(plan: Plan, results: DataFrame) -> dict[Told, tuple[int, int, int, int | None]]:
    """Rows, first tick, last tick and events of each window."""
    kind = results.select("window.start").schema.fields[0].dataType.simpleString()
    measure = measure_of(plan.query.time, kind)
    start, end = (ticks_of(measure, f"window.{side}") for side in ("start", "end"))
    counts = [a.name for a in plan.query.aggregates if isinstance(a, Count) and not a.columns()]
    events = f"sum({quoted(counts[0])})" if counts else "cast(NULL AS bigint)"
    level = F.col("level") if plan.query.leveled else F.lit(None).alias("level")
    found = results.groupBy("window_id", level).agg(
        F.count(F.lit(1)), F.expr(f"min({start})"), F.expr(f"max({end})"), F.expr(events)
    )
    return {(row[0], row[1]): (row[2], row[3], row[4], row[5]) for row in found.collect()}


def _ascending(points: dict[float, float], rate: float) -> tuple[tuple[float, float], ...]:
    """Points by width; a wider stretch never has fewer keys, and none has more keys than rows."""
    kept: list[tuple[float, float]] = []
    for width, keys in sorted(points.items()):
        least = kept[-1][1] if kept else 0.0
        kept.append((width, max(least, min(keys, rate * width))))
    return tuple(kept)
