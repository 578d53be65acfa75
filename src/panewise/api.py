"""The two calls that users make."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from panewise.aggregates import Aggregate
from panewise.errors import QueryError
from panewise.optimizer import choose
from panewise.plan import Plan
from panewise.query import Query
from panewise.windows import Window


def plan(
    *,
    time: str,
    by: Iterable[str] = (),
    windows: Iterable[Window],
    aggregates: Iterable[Aggregate],
    order_by: str | None = None,
    compose: str = "auto",
) -> Plan:
    """Plan many windows over one stream.

    `time` is a TIMESTAMP, TIMESTAMP_NTZ, DATE or integer column; `by` the keys; `order_by` a column
    that breaks ties of equal times (arrival order otherwise). `compose` forces how windows are
    built from panes ("direct", "expand" or "kernel"), for comparison.

    >>> import panewise as pw
    >>> shared = pw.plan(
    ...     time="ts",
    ...     by=["device"],
    ...     windows=[pw.tumbling("20 minutes"), pw.sliding("1 hour", "5 minutes")],
    ...     aggregates=[pw.mean("temp")],
    ... )
    >>> print(shared.explain())
    """
    if isinstance(by, str):
        raise QueryError(f'by lists column names: got "{by}".', hint=f'write by=["{by}"].')
    query = Query(time, tuple(by), tuple(windows), tuple(aggregates), order_by)
    return choose(query, compose)


def aggregate(events: Any, **query: Any) -> Any:
    """`plan(...).run(events)`."""
    return plan(**query).run(events)
