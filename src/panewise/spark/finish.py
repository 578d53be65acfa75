"""Around windows on Spark: events before, results after.

Every expression is one that was parsed and checked; nothing else of a statement's text gets here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from pyspark.errors import AnalysisException
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from panewise.errors import QueryError, SchemaError
from panewise.expressions import Expression
from panewise.query import Finish, Preparation
from panewise.query.finish import Ordered
from panewise.spark.expressions import quoted

_BOUNDS = {"window_start": "`window`.`start`", "window_end": "`window`.`end`"}


def prepared(events: DataFrame, preparation: Preparation) -> DataFrame:
    """The events that count, with the columns that are made."""
    with _refusals():
        if preparation.where is not None:
            events = events.where(_column(preparation.where, ()))
        return events.withColumns({name: _column(value, ()) for name, value in preparation.made})


def finished(rows: DataFrame, finish: Finish) -> DataFrame:
    """The rows and columns that are told."""
    names = rows.columns
    if rows.isStreaming and (finish.order or finish.limit is not None):
        raise QueryError(
            "the results of a stream never end: got ORDER BY or LIMIT.",
            hint="leave them out, and order what was written.",
        )
    with _refusals():
        if finish.having is not None:
            rows = rows.where(_column(finish.having, names))
        if finish.order:
            rows = rows.orderBy(*(_sorted(key, names) for key in finish.order))
        if finish.limit is not None:
            rows = rows.limit(finish.limit)
        return rows.select(*(_column(s.value, names).alias(s.name) for s in finish.select))


@contextmanager
def _refusals() -> Iterator[None]:
    """What Spark finds wrong with the types of an expression, in its own words."""
    try:
        yield
    except AnalysisException as problem:
        reason = str(problem).splitlines()[0]
        raise SchemaError(
            f"Spark refuses an expression: {reason}", hint="compare and compute like with like."
        ) from None


def _column(value: Expression, known: Iterable[str]) -> Column:
    """An expression as a Column; `window_start` is a part of `window` unless a key is called so."""
    names = {name: quoted(name) for name in value.columns}
    bounds = {name: part for name, part in _BOUNDS.items() if name in names and known}
    names |= {name: part for name, part in bounds.items() if name not in known}
    return F.expr(value.sql(names))


def _sorted(key: Ordered, names: Iterable[str]) -> Column:
    value = _column(key.value, names)
    if key.descending:
        return value.desc_nulls_first() if key.nulls_first else value.desc_nulls_last()
    return value.asc_nulls_first() if key.nulls_first else value.asc_nulls_last()
