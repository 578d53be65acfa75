"""The same windows as users of Spark write them: one query for each, united.

What the demo and the small benchmark compare with.
"""

from __future__ import annotations

from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from panewise.aggregates import Aggregate, Scope
from panewise.errors import QueryError
from panewise.model import Duration
from panewise.query import Query
from panewise.windows import Window

CLOSE = 1e-9
"""Sums of floating numbers depend on the order of adding, in the last digits."""


def own_windows(query: Query, events: DataFrame) -> DataFrame:
    """What Spark's `window` and `session_window` answer, in the columns of our results."""
    types = {field.name: field.dataType.simpleString() for field in events.schema.fields}
    scope = Scope({name: _quoted(name) for name in types}, types, query.time, query.time)
    answers = [_answer(aggregate, scope) for aggregate in query.aggregates]
    keys = [F.col(_quoted(name)) for name in query.by]
    parts = [
        events.groupBy(_window(window, query.time).alias("window"), *keys)
        .agg(*answers)
        .withColumn("window_id", F.lit(window.window_id))
        for window in query.windows
    ]
    return reduce(DataFrame.unionByName, parts)


def differences(query: Query, ours: DataFrame, theirs: DataFrame) -> int:
    """How many rows are on one side only, or hold other values."""
    on = ["window_id", "window", *query.by]
    joined = ours.alias("a").join(theirs.alias("b"), on, "full")
    types = {field.name: field.dataType.simpleString() for field in ours.schema.fields}
    good = [_same(aggregate.name, types[aggregate.name]) for aggregate in query.aggregates]
    found = joined.agg(F.count_if(~F.coalesce(reduce(Column.__and__, good), F.lit(False)))).first()
    assert found is not None
    return int(found[0])


def _same(name: str, kind: str) -> Column:
    one, other = (F.col(f"{side}.{_quoted(name)}") for side in "ab")
    if kind not in ("double", "float"):
        return one.eqNullSafe(other)
    return one.eqNullSafe(other) | (F.abs(one - other) <= CLOSE * F.abs(other))


def _window(window: Window, time: str) -> Column:
    sizes = window.sizes()
    if not all(isinstance(size, Duration) or size == 0 for size in sizes.values()):
        raise _unknown(window)
    spelled = {name: f"{getattr(s, 'ticks', s)} microseconds" for name, s in sizes.items()}
    column = F.col(_quoted(time))
    match window.kind:
        case "tumbling":
            return F.window(column, spelled["size"], startTime=spelled["origin"])
        case "sliding":
            return F.window(column, spelled["size"], spelled["slide"], spelled["origin"])
        case "session":
            return F.session_window(column, spelled["gap"])
    raise _unknown(window)


def _answer(aggregate: Aggregate, scope: Scope) -> Column:
    reference = aggregate.reference_sql(scope)
    if reference is None:
        raise QueryError(
            f"Spark has nothing of its own to compare {aggregate.canonical} with.",
            hint="leave it out, or compare in process.",
        )
    return F.expr(reference).alias(aggregate.name)


def _unknown(window: Window) -> QueryError:
    return QueryError(
        f"Spark has nothing of its own to compare {window.window_id} with.",
        hint="it has tumbling, sliding and session windows over time.",
    )


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"
