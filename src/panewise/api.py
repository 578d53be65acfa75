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
    Plan over ts by device
      panes    edges every 5m (at most 12 panes per hour and key)
      compose  kernel: one pass over sorted panes costs less than 13 copies of each
               pane
      shuffle  cells, folded where the rows are
      carry    mean(temp)
    windows
      tumbling(20m)                      about 4 panes each
      sliding(1h, 5m)                    about 12 panes each, overlap 12
    """
    query = Query(
        time,
        _listed("by", by, 'by=["device"]'),
        _listed("windows", windows, 'windows=[pw.tumbling("5 minutes")]'),
        _listed("aggregates", aggregates, 'aggregates=[pw.sum("value")]'),
        order_by,
    )
    return choose(query, compose)


def _listed(name: str, given: Any, example: str) -> tuple[Any, ...]:
    """A list as given; one thing alone is not a list, and text is not a list of letters."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise QueryError(f"{name} takes a list: got {given!r}.", hint=f"write {example}.")
    return tuple(given)


def aggregate(events: Any, **query: Any) -> Any:
    """`plan(...).run(events)`."""
    return plan(**query).run(events)
