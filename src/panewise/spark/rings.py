"""Rings of granules put together by level, on Spark: one more group-by behind the plan's."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from panewise.aggregates import Aggregate
from panewise.aggregates.count import Count
from panewise.aggregates.recurring import Recurring, too_many
from panewise.aggregates.sum import Mean
from panewise.model import measure_of
from panewise.plan import Plan
from panewise.query import RingQuery
from panewise.query.rings import ITEMS, NUMBER, TOTAL, part_name
from panewise.spark.binding import Binding
from panewise.spark.expressions import literal, quoted, ticks_of, time_of
from panewise.spark.words import items_alone, marked
from panewise.windows import sizes


def run_rings(asked: RingQuery, plan: Plan, events: DataFrame) -> DataFrame:
    """A plan over rings, by level."""
    rows = plan.run(marked(asked, events))
    item = None
    if asked.items is not None:
        item = Binding.of(asked.outer, events).types[asked.items.column]
    return _by_level(asked, rows, item)


def _by_level(asked: RingQuery, rows: DataFrame, item: str | None) -> DataFrame:
    """One row for each window of each level that has an event; items alone are of this type."""
    kind = rows.select("window.start").schema.fields[0].dataType.simpleString()
    measure = measure_of(asked.inner.time, kind)
    reach = _picked([f"{ring.reach}L" for ring in asked.rings])
    wide = ", ".join(f"{sizes.units(wide)}L" for wide, _ in asked.scheme.levels)
    keys = [f"{quoted(name)} AS k{n}" for n, name in enumerate(asked.outer.by)]
    parts = [quoted(a.name) for a in asked.inner.aggregates]
    if asked.items is not None:
        number = _picked([str(ring.number) for ring in asked.rings])
        parts = [f"{number} AS r", f"{quoted(asked.items.word)} AS w", f"{parts[0]} AS b"]
    placed = rows.selectExpr(
        *keys,
        f"{_picked([str(ring.of.level) for ring in asked.rings])} AS l",
        f"{ticks_of(measure, 'window.start')} + {reach} AS e",
        f"{_picked([f'{weight!r}D' for weight in asked.weights])} AS weight",
        *parts,
    )
    groups = [*(f"k{n}" for n in range(len(keys))), "l", "e"]
    (first, *_) = asked.aggregates
    if item is not None and isinstance(first, Recurring):
        found = items_alone(first, placed, groups, item, len(asked.scheme.levels))
    else:
        told = [_told(n, a).alias(f"r{n}") for n, a in enumerate(asked.aggregates)]
        found = placed.groupBy(*groups).agg(*told)
    start = f"e - element_at(array({wide}), l + 1)"
    bounds = (time_of(measure, ticks, kind) for ticks in (f"({start})", "e"))
    return found.selectExpr(
        f"{literal(asked.scheme.window_id)} AS window_id",
        "named_struct('start', {}, 'end', {}) AS window".format(*bounds),
        "l AS level",
        *(f"k{n} AS {quoted(name)}" for n, name in enumerate(asked.outer.by)),
        *(_finished(n, a) for n, a in enumerate(asked.aggregates)),
    )


def _picked(values: list[str]) -> str:
    """A constant of each ring, whose name is its number."""
    return f"element_at(array({', '.join(values)}), cast(window_id as int) + 1)"


def _told(number: int, aggregate: Aggregate) -> Column:
    """Sums over rings, each ring weighed; of items all that the rings hold."""
    there, total, items = (quoted(part_name(number, part)) for part in (NUMBER, TOTAL, ITEMS))
    if isinstance(aggregate, Recurring):
        problem = literal(too_many(aggregate))
        checked = f"IF(size({items}) > {aggregate.most}, raise_error({problem}), {items})"
        return F.expr(f"flatten(collect_list({checked}))")
    counted = f"sum(weight * {there})"
    if isinstance(aggregate, Count):
        return F.expr(counted)
    # a ring without a value adds nothing, whatever its weight
    summed = f"sum(weight * cast({total} as double))"
    if isinstance(aggregate, Mean):
        summed = f"{summed} / nullif({counted}, 0D)"
    return F.expr(f"CASE WHEN sum({there}) > 0 THEN {summed} END")


def _finished(number: int, aggregate: Aggregate) -> str:
    name = quoted(aggregate.name)
    if not isinstance(aggregate, Recurring) or not aggregate.counts:
        return f"r{number} AS {name}"
    items = f"r{number}"
    distinct = f"array_distinct(transform({items}, x -> x.item))"
    own = f"filter({items}, x -> x.item = i)"
    summed = f"aggregate({own}, 0L, (a, x) -> a + x.count)"
    held = f"filter({distinct}, i -> size({own}) = l + 1)"
    counted = f"transform({held}, i -> named_struct('item', i, 'count', {summed}))"
    order = (
        "(a, b) -> CASE WHEN a.count <> b.count THEN IF(a.count > b.count, -1, 1) "
        "WHEN a.item < b.item THEN -1 WHEN a.item > b.item THEN 1 ELSE 0 END"
    )
    return f"array_sort({counted}, {order}) AS {name}"
