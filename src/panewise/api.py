"""The two calls that users make."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any

from panewise.aggregates import Aggregate
from panewise.errors import QueryError
from panewise.optimizer.choose import choose
from panewise.plan import Plan, RingPlan, SharedPlan, Statistics
from panewise.query import Query, RingQuery, asked, merge
from panewise.query.overlap import overlapping
from panewise.windows import Granules, Window


def plan(
    *,
    time: str | tuple[str, str],
    by: Iterable[str] = (),
    windows: Iterable[Window | Granules],
    aggregates: Iterable[Aggregate],
    order_by: str | None = None,
    overlap: str = "whole",
    strategy: str = "auto",
    statistics: Statistics | None = None,
    revise: str | None = None,
    on_bad_rows: str = "drop",
) -> Plan | RingPlan:
    """Plan many windows over one stream.

    `time` is a TIMESTAMP, TIMESTAMP_NTZ, DATE or integer column, or two for events that have a
    duration: their start and their end, or their start and an interval. `by` are the keys;
    `order_by` a column that breaks ties of equal times (arrival order otherwise).
    `overlap="weighted"` weighs sums by the share of each event that is in the window. `statistics`
    say what is known of the data. `strategy` forces a kind of plan ("independent", "scan",
    "coverage", "factor", "edges", "slices" or "tree"; for events with a duration "se_slicing",
    "se_ml_slicing(5)", "difference" or "dyadic"), for comparison; all of them return the same rows.
    `revise="by call_id"` says by which column an event with a duration is known when it is sent
    again: the later version replaces the earlier one. Events that end before they begin are left
    out and counted; with `on_bad_rows="fail"` they are an error.

    >>> import panewise as pw
    >>> shared = pw.plan(
    ...     time="ts",
    ...     by=["device"],
    ...     windows=[pw.tumbling("20 minutes"), pw.sliding("1 hour", "5 minutes")],
    ...     aggregates=[pw.mean("temp")],
    ... )
    >>> print(shared.explain())
    Plan over ts by device
      strategy    edges: least of 7 plans; ...
      statistics  assumed: 10M rows, rate and keys unknown
      carry       mean(temp)
    one compiled pass; shuffle: cells, folded where the rows are       rows     cost
      events                                                            10M
      +- panes: edges every 5m (at most 12 panes per hour and key)     200k ...
         +- tumbling(20m)     x4                                        50k ...
         +- sliding(1h, 5m)   x12                                      200k ...
    alternatives
      ...
    """
    start, until = _times(time)
    listed = _listed("aggregates", aggregates, 'aggregates=[pw.sum("value")]')
    parts: dict[str, Any] = {
        "time": start,
        "by": _listed("by", by, 'by=["device"]'),
        "windows": _listed("windows", windows, 'windows=[pw.tumbling("5 minutes")]'),
        "aggregates": overlapping(overlap, listed, spanning=until is not None),
        "order_by": order_by,
        "until": until,
        "revise": _event_id(revise),
        "on_bad_rows": on_bad_rows,
    }
    return plan_query(asked(parts), strategy=strategy, statistics=statistics)


def plan_query(
    query: Query | RingQuery, *, strategy: str = "auto", statistics: Statistics | None = None
) -> Plan | RingPlan:
    """Plan what is asked already."""
    if isinstance(query, RingQuery):
        return RingPlan(query, choose(query.inner, strategy, statistics))
    return choose(query, strategy, statistics)


def plan_all(
    queries: Mapping[str, Plan | Query],
    *,
    overlap: str = "whole",
    strategy: str = "auto",
    statistics: Statistics | None = None,
) -> SharedPlan:
    """Plan several queries over one stream together: what they have in common is computed once.

    The queries share time, keys and order; their windows and aggregates may differ.
    `overlap="weighted"` weighs the sums of all of them.

    >>> import panewise as pw
    >>> alerts = pw.plan(time="ts", windows=[pw.tumbling("1m")], aggregates=[pw.max("temp")])
    >>> report = pw.plan(time="ts", windows=[pw.tumbling("1h")], aggregates=[pw.mean("temp")])
    >>> together = pw.plan_all({"alerts": alerts, "report": report})
    >>> [window.window_id for window in together.plan.query.windows]
    ['tumbling(1m)', 'tumbling(1h)']
    """
    if isinstance(queries, Mapping):
        queries = {n: q.query if isinstance(q, Plan) else q for n, q in queries.items()}
        queries = {n: _overlapping(q, overlap) for n, q in queries.items()}
    merged = merge(queries)  # type: ignore[arg-type]
    return SharedPlan(merged.queries, choose(merged.whole, strategy, statistics))


def _event_id(revise: Any) -> str | None:
    """The column after "by"."""
    if revise is None:
        return None
    if not isinstance(revise, str) or not revise.startswith("by ") or not revise[3:].strip():
        raise QueryError(
            f"revise says by which column an event is known again: got {revise!r}.",
            hint='write revise="by call_id".',
        )
    return revise[3:].strip()


def _overlapping(query: Any, overlap: str) -> Any:
    if not isinstance(query, Query):
        return query  # refused where queries are merged
    aggregates = overlapping(overlap, query.aggregates, spanning=query.spanning)
    return dataclasses.replace(query, aggregates=aggregates)


def _times(time: Any) -> tuple[Any, Any]:
    """The column of the time, or of start and end."""
    if isinstance(time, str):
        return time, None
    if not isinstance(time, tuple | list) or len(time) != 2:
        raise QueryError(
            f"time names one column, or two: got {time!r}.",
            hint='write time="ts", or time=("start", "end").',
        )
    return time[0], time[1]


def _listed(name: str, given: Any, example: str) -> tuple[Any, ...]:
    """A list as given; one thing alone is not a list, and text is not a list of letters."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise QueryError(f"{name} takes a list: got {given!r}.", hint=f"write {example}.")
    return tuple(given)


def aggregate(events: Any, **query: Any) -> Any:
    """`plan(...).run(events)`.

    >>> import panewise as pw
    >>> told = pw.aggregate(
    ...     {"t": [1, 4, 12], "x": [5, 1, 2]},
    ...     time="t",
    ...     windows=[pw.tumbling(10)],
    ...     aggregates=[pw.sum("x")],
    ... )
    >>> told["sum(x)"].to_pylist()
    [6, 2]
    """
    return plan(**query).run(events)
