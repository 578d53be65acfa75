"""Spark batch: a plan and a DataFrame into a lazy DataFrame.

events --slice--> cells --compose--> window partials --lower--> rows

Each tree of the plan is sliced and composed by itself; their windows are put together at the end.
"""

from __future__ import annotations

from functools import partial, reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from panewise.aggregates import Aggregate
from panewise.errors import ResultSizeWarning, warn_caller
from panewise.plan import Plan, Tree, Way
from panewise.query.query import LEVEL_COLUMN, NUMBER_COLUMN
from panewise.spark import kernel, levels, spans
from panewise.spark.binding import Binding
from panewise.spark.expressions import literal, time_of
from panewise.spark.size import expected_rows

MANY_ROWS = 1_000_000_000


def run(plan: Plan, events: DataFrame) -> DataFrame:
    """The rows of all windows; nothing is computed until they are asked for."""
    binding = Binding.of(plan.query, events)
    _warn_of_many_rows(plan, events)
    found = [kernel.windows(tree, binding) for tree in plan.trees if tree.way is Way.KERNEL]
    found += [kernel.row_windows(tree, binding) for tree in plan.trees if tree.way is Way.ROWS]
    # trees of the same windows, for other aggregates, run as one
    leveled: dict[tuple[int, ...], list[Tree]] = {}
    for tree in plan.trees:
        if tree.way is Way.LEVELS:
            leveled.setdefault(tuple(sorted(tree.windows)), []).append(tree)
    found += [levels.windows(trees, binding) for trees in leveled.values()]
    if plan.query.spanning:
        found = [spans.windows(plan.trees, binding)]
    together = partial(DataFrame.unionByName, allowMissingColumns=True)
    return _lower(binding, reduce(together, found))


def _lower(binding: Binding, windows: DataFrame) -> DataFrame:
    query = binding.query
    names = ", ".join(literal(window.window_id) for window in query.windows)
    kind = binding.types[query.time]
    start, end = (time_of(binding.measure, tick, kind) for tick in ("s", "e"))
    columns = [
        F.expr(f"element_at(array({names}), w + 1)").alias("window_id"),
        F.expr(f"named_struct('start', {start}, 'end', {end})").alias("window"),
    ]
    if query.numbered:
        columns.append(F.col("no").alias(NUMBER_COLUMN))
    if query.leveled:
        levels = ", ".join("NULL" if w.level is None else str(w.level) for w in query.windows)
        columns.append(F.expr(f"element_at(array({levels}), w + 1)").alias(LEVEL_COLUMN))
    columns += [F.col(k).alias(name) for k, name in zip(binding.keys, query.by, strict=True)]
    columns += [
        _result(binding, number, aggregate).alias(aggregate.name)
        for number, aggregate in enumerate(query.aggregates)
    ]
    return windows.select(*columns)


def _result(binding: Binding, number: int, aggregate: Aggregate) -> Column:
    if not aggregate.native:
        return F.col(f"r{number}")
    lowered = F.expr(str(aggregate.lower_sql(binding.scope, binding.partials_of(aggregate))))
    kind = binding.result_type(aggregate)
    return lowered.cast(kind) if kind is not None else lowered


def _warn_of_many_rows(plan: Plan, events: DataFrame) -> None:
    expected = expected_rows(plan, events)
    if expected > MANY_ROWS:
        widest = max(plan.query.windows, key=lambda w: getattr(w.demand(), "overlap", 1))
        warn_caller(
            f"this query may produce about {expected:,} rows: each event is in "
            f"{getattr(widest.demand(), 'overlap', 1):,} windows of {widest.window_id}. "
            "Hint: use a larger slide, or filter the events first.",
            ResultSizeWarning,
        )
