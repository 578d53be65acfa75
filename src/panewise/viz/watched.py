"""A run that was watched: a few events go in one by one, and what was told is kept.

Nothing in a picture is worked out here: windows, results, late rows and revisions are what the
operator says.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from panewise.errors import QueryError
from panewise.plan import Edges, Plan, RingPlan, SharedPlan
from panewise.query import Query
from panewise.windows import Family

if TYPE_CHECKING:
    from panewise.operator.operator import Stats

MOST_EVENTS = 500

Lane = tuple[str | None, str, int | None]
"""A query among several, a window, and a level of granules."""
Key = tuple[Any, ...]


@dataclass(frozen=True)
class Event:
    """One row, from a tick to another; both are the same where it is an instant."""

    start: int
    end: int
    key: Key
    value: Any
    order: int
    """Its place in the order of arrival, from 1."""
    late: bool = False
    """It came behind the watermark."""
    dropped: bool = False
    """It came after the lateness too."""


@dataclass
class Told:
    """One window and what was said of it, in this order."""

    lane: Lane
    key: Key
    start: int
    end: int
    values: list[Any] = field(default_factory=list)
    others: Mapping[str, Any] = field(default_factory=dict)
    """All aggregates, as they were told last."""
    retracted: bool = False


@dataclass(frozen=True)
class Watched:
    """All that a picture shows."""

    events: list[Event]
    told: list[Told]
    lanes: list[Lane]
    edges: Edges
    time: pa.DataType
    shown: Mapping[str | None, str]
    """The aggregate whose values are shown, for each query among several."""


def watch(
    plan: Plan | RingPlan | SharedPlan,
    events: Any,
    *,
    column: str | None,
    value: str | None,
    options: Mapping[str, Any],
) -> Watched:
    """Run the plan, batch by batch where options of the operator are given."""
    from panewise.operator.columns import columns_of

    query = _query(plan)
    shown = _shown(plan, column)
    value = value if value is not None else _read(query, set(shown.values()))
    names = list(dict.fromkeys([*query.columns(), *([value] if value else [])]))
    rows = pa.table(columns_of(events, names))
    if len(rows) > MOST_EVENTS:
        raise QueryError(
            f"a time line shows a few events: got {len(rows):,}, and {MOST_EVENTS} are the most.",
            hint="draw a part of them, for example events.slice(0, 50).",
        )
    seen = _events(rows, query, value)
    tables: list[pa.Table] = []
    if options:
        seen, tables = _one_by_one(plan, rows, seen, options)
    elif len(rows):
        tables = [plan.run(rows)]
    told = _told(tables, query.by, shown)
    time = rows.schema.field(query.time).type if seen else pa.int64()
    return Watched(seen, told, _lanes(plan), _edges(plan), time, shown)


def _query(plan: Plan | RingPlan | SharedPlan) -> Query:
    """What is read of events."""
    if isinstance(plan, SharedPlan):
        return plan.plan.query
    return plan.query.outer if isinstance(plan, RingPlan) else plan.query


def _shown(plan: Plan | RingPlan | SharedPlan, column: str | None) -> dict[str | None, str]:
    """The aggregate that was asked for, or the first of each query."""
    asked: dict[str | None, list[str]]
    if isinstance(plan, SharedPlan):
        asked = {n: [a.name for a in part.query.aggregates] for n, part in plan.queries.items()}
    else:
        asked = {None: [a.name for a in plan.query.aggregates]}
    known = list(dict.fromkeys(name for names in asked.values() for name in names))
    if column is not None and column not in known:
        raise QueryError(f'no aggregate "{column}".', hint=f"there are {', '.join(known)}.")
    return {query: column if column in names else names[0] for query, names in asked.items()}


def _read(query: Query, shown: set[str]) -> str | None:
    """The column that says most of an event: an aggregate's, or the one that windows look at."""
    found = [c for a in query.aggregates if a.name in shown for c in a.columns()]
    found += [c for window in query.windows for c in window.columns()]
    found += [c for a in query.aggregates for c in a.columns()]
    return next((name for name in found if name not in (query.time, query.until)), None)


def _events(rows: pa.Table, query: Query, value: str | None) -> list[Event]:
    from panewise.operator.columns import ticks_of

    start = ticks_of(rows[query.time].combine_chunks()).to_pylist()
    end = start
    if query.until is not None:
        until = rows[query.until].combine_chunks()
        if pa.types.is_duration(until.type):
            lasted = until.cast(pa.duration("us")).cast(pa.int64()).to_pylist()
            end = [_plus(a, b) for a, b in zip(start, lasted, strict=True)]
        else:
            end = ticks_of(until).to_pylist()
    keys = [tuple(row.values()) for row in rows.select(query.by).to_pylist()]
    keys = keys if query.by else [()] * len(start)
    values = rows[value].to_pylist() if value else [None] * len(start)
    return [
        Event(a, b, k, v, order)
        for order, (a, b, k, v) in enumerate(zip(start, end, keys, values, strict=True), 1)
        # a row without a time, or that ends before it begins, is in no window and at no place here
        if a is not None and b is not None and a <= b
    ]


def _plus(start: int | None, lasted: int | None) -> int | None:
    return None if start is None or lasted is None else start + lasted


def _one_by_one(
    plan: Plan | RingPlan | SharedPlan,
    rows: pa.Table,
    events: list[Event],
    options: Mapping[str, Any],
) -> tuple[list[Event], list[pa.Table]]:
    """Every row pushed by itself, as a stream brings it."""
    from panewise.operator import Operator

    if isinstance(plan, RingPlan):
        raise QueryError(
            f"weights and recurring are answered over events that are all there: got {options}.",
            hint="leave delay and lateness out.",
        )
    operator = Operator(plan, **options)
    there = iter(events)
    found, tables = [], []
    for at in range(len(rows)):
        before = operator.stats()
        tables.append(operator.push(rows.slice(at, 1)))
        after = operator.stats()
        if _left_out(after) == _left_out(before):
            event = next(there)
            behind = before.watermark is not None and event.end < _tick(
                before.watermark, rows, plan
            )
            dropped = after.late_rows > before.late_rows
            found.append(replace(event, late=behind or dropped, dropped=dropped))
    return found, [*tables, operator.flush()]


def _left_out(stats: Stats) -> int:
    """Rows that have no place in the picture."""
    return stats.null_times + stats.bad_rows


def _tick(moment: Any, rows: pa.Table, plan: Plan | SharedPlan) -> int:
    from panewise.operator.columns import ticks_of

    kind = rows.schema.field(_query(plan).time).type
    return int(ticks_of(pa.array([moment], kind))[0].as_py())


def _told(
    tables: Iterable[pa.Table], by: tuple[str, ...], shown: Mapping[str | None, str]
) -> list[Told]:
    """Windows in the order in which they were first told."""
    from panewise.operator.columns import ticks_of

    found: dict[Any, Told] = {}
    for table in tables:
        if not len(table):
            continue
        bounds = table["window"].combine_chunks()
        starts, ends = (ticks_of(bounds.field(side)).to_pylist() for side in (0, 1))
        for start, end, row in zip(starts, ends, table.to_pylist(), strict=True):
            lane = row.get("query"), row["window_id"], row.get("level")
            key = tuple(row[name] for name in by)
            told = Told(lane, key, start, end)
            told = found.setdefault((*lane, key, start, end, row.get("window_no")), told)
            told.retracted = bool(row.get("retracted"))
            told.others = {n: v for n, v in row.items() if n not in ("window", "window_id", *by)}
            if not told.retracted:
                told.values.append(row[shown[lane[0]]])
    return list(found.values())


def _lanes(plan: Plan | RingPlan | SharedPlan) -> list[Lane]:
    if isinstance(plan, SharedPlan):
        queries = {name: part.query for name, part in plan.queries.items()}
        return [(n, w.window_id, w.level) for n, q in queries.items() for w in q.windows]
    if isinstance(plan, RingPlan):
        scheme = plan.query.scheme
        return [(None, scheme.window_id, level) for level in range(len(scheme.levels))]
    return [(None, w.window_id, w.level) for w in plan.query.windows]


def _edges(plan: Plan | RingPlan | SharedPlan) -> Edges:
    """Those of the panes of the plan, or where it has none, of its windows."""
    trees = plan.trees if isinstance(plan, Plan) else plan.plan.trees
    shapes = [node.shape for tree in trees for node in tree.nodes]
    panes = [shape for shape in shapes if isinstance(shape, Edges)]
    panes = panes or [Edges.of(shape) for shape in shapes if isinstance(shape, Family)]
    return Edges.union(
        (each for edges in panes for each in edges.progressions),
        (each for edges in panes for each in edges.fixed),
    )
