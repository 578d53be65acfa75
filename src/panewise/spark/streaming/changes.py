"""Going on from a checkpoint with another query.

Idea: what both queries have goes on as it was.  Windows and aggregates that are new are answered
for what begins after the newest row so far: nothing before it is known to them.  What makes rows
mean something else (the time column, the keys, types, the number of buckets) is refused.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pyarrow as pa

from panewise.errors import StateError
from panewise.kernels.ranges import NEVER
from panewise.operator import engine_state
from panewise.operator.engine import Engine
from panewise.operator.registry import MAIN, Registry
from panewise.operator.transplant import transplanted
from panewise.query import Query
from panewise.spark.streaming.job import Job, window_name
from panewise.spark.zones import zoneless

LAYOUT = 2
_FIXED = {
    "layout": "it was written by another release",
    "buckets": "keys would be looked for in other buckets",
    "lateness": "what was reported could not be revised, or would be revised unasked",
    "time": "rows would be at other times",
    "by": "keys would be others",
    "until": "events would end at other times",
    "revise": "events would be known by another id",
    "order_by": "rows of one time would be in another order",
    "shared": "results would have other columns",
    "rings": "what waits for the end of its window would be put together in another way",
}


@dataclass(frozen=True)
class Since:
    """The ticks from which on windows and aggregates are answered, where it is not the start."""

    windows: Mapping[str, int] = field(default_factory=dict)
    aggregates: Mapping[str, int] = field(default_factory=dict)

    def as_dict(self) -> dict[str, dict[str, int]]:
        return {"windows": dict(self.windows), "aggregates": dict(self.aggregates)}

    @property
    def latest(self) -> int | None:
        return max((*self.windows.values(), *self.aggregates.values()), default=None)


def described(job: Job, tiers: Sequence[str]) -> dict[str, Any]:
    """What a checkpoint says about its query."""
    query = job.bound.query
    return {
        "layout": LAYOUT,
        "buckets": job.buckets,
        "lateness": job.stream.lateness,
        "time": query.time,
        "until": query.until,
        "revise": query.revise,
        "by": list(query.by),
        "order_by": query.order_by,
        "shared": sorted(job.registry.queries) if job.registry.named else [],
        "rings": None if job.rings is None else job.rings.spelled,
        "types": {each.name: str(each.type) for each in job.types},
        "windows": [window_name(window) for window in query.windows],
        "aggregates": [aggregate.canonical for aggregate in query.aggregates],
        "tiers": list(tiers),
        "partials": [repr(partial) for partial in job.bound.partials],
        "inputs": [repr(each) for each, _ in job.bound.layout().inputs],
        "counted": list(job.bound.counted),
    }


def is_same(head: Mapping[str, Any], now: Mapping[str, Any]) -> bool:
    """Whether nothing changed; refuses what cannot be gone on with."""
    for name, why in _FIXED.items():
        if head[name] != now[name]:
            raise StateError(
                f"the checkpoint is of another query: its {name} is {_shown(head[name])}, and now "
                f"{_shown(now[name])}; {why}.",
                hint=f"{_remedy(name, head)}, or give a new checkpointLocation.",
            )
    before, types = zoneless(head["types"]), zoneless(now["types"])
    for name, kind in now["types"].items():
        if before.get(name, types[name]) != types[name]:
            raise StateError(
                f'column "{name}" was {head["types"][name]} and is {kind} now.',
                hint="cast it to the type from before, or give a new checkpointLocation.",
            )
    changing = ("windows", "aggregates", "tiers", "partials", "inputs", "counted")
    return before == types and all(head[name] == now[name] for name in changing)


def new_since(job: Job, head: Mapping[str, Any]) -> Since:
    """From when on what is new is answered; what is not new keeps its moment."""
    moment = head["newest"] + job.bound.resolution
    query, stored = job.bound.query, head["since"]
    names = [window_name(window) for window in query.windows]
    known = head["windows"] if _common(job, head) is not None else []
    windows = {name: moment for name in names if name not in known}
    windows |= {n: s for n, s in stored["windows"].items() if n not in windows}
    added = (a.canonical for a in query.aggregates if a.canonical not in head["aggregates"])
    aggregates = dict.fromkeys(added, moment)
    aggregates |= {n: s for n, s in stored["aggregates"].items() if n not in aggregates}
    return Since(windows, aggregates)


def gone_on(
    job: Job, engine: Engine, head: Mapping[str, Any], tables: Mapping[str, pa.Table]
) -> Engine:
    """The engine of the new query with what the old one held and it can use."""
    common = _common(job, head)
    if common is None:
        engine.composer.watermark = head["watermark"]
        return engine
    before = common.engine(Since(**head["since"]).windows)
    kept = _renamed(common, before, head, tables)
    contexts = _by_identity(before, head, head["contexts"])
    engine_state.load(before, head["watermark"], contexts, kept)
    return transplanted(before, engine)


def _common(job: Job, head: Mapping[str, Any]) -> Job | None:
    """The same job with no more than both queries have."""
    query = job.bound.query
    windows = tuple(w for w in query.windows if window_name(w) in head["windows"])
    aggregates = tuple(a for a in query.aggregates if a.canonical in head["aggregates"])
    if not windows or not aggregates:
        return None
    shared: Query = replace(query, windows=windows, aggregates=aggregates)
    registry = Registry({MAIN: (shared, NEVER)}, named=False)
    types = pa.schema([job.types.field(name) for name in shared.columns()])
    return replace(job, registry=registry, types=types)


def _renamed(
    common: Job, engine: Engine, head: Mapping[str, Any], tables: Mapping[str, pa.Table]
) -> dict[str, pa.Table]:
    """Tables under the numbers of the engine's own tiers, with its own columns only."""
    kept = {name: table for name, table in tables.items() if name == "waiting"}
    kept |= _by_identity(engine, head, tables)
    columns = _places("p", head["partials"], [repr(p) for p in common.program.partials])
    columns |= _places("i", head["inputs"], [repr(i) for i, _ in common.bound.layout().inputs])
    for name, table in kept.items():
        names = [n for n in table.column_names if n in columns or n[0] not in "pi" or n == "pane"]
        table = table.select(names).rename_columns([columns.get(n, n) for n in names])
        # plain columns first, then partials and inputs in the order of their numbers
        numbered = [n for n in table.column_names if n[1:].isdigit()]
        plain = [n for n in table.column_names if n not in numbered]
        ordered = sorted(numbered, key=lambda n: (n[0] == "i", int(n[1:])))
        kept[name] = table.select([*plain, *ordered])
    values = tables["values"]
    if head["counted"] != list(common.bound.counted):
        values = _fewer_values(kept, values, list(common.bound.counted))
    return {**kept, "keys": tables["keys"], "values": values}


def _fewer_values(kept: dict[str, pa.Table], values: pa.Table, counted: list[str]) -> pa.Table:
    """Values of fewer columns, or in another order.

    They stay apart in what is held, and are counted together.
    """
    missing = [name for name in counted if name not in values.column_names]
    assert not missing, "what is counted by both was counted before"
    if len(counted) == values.num_columns:  # only their order changed
        return values.select(counted)
    if counted:
        raise StateError(
            f"an aggregate that counts values was removed: {', '.join(values.column_names)}.",
            hint="keep it, or give a new checkpointLocation.",
        )
    for name, table in kept.items():
        # windows that count rows need to know how many there are, whatever their values
        told = ("value",) if "sequence" in table.column_names else ("value", "weights")
        kept[name] = table.drop_columns([each for each in told if each in table.column_names])
    return pa.table({})


def _by_identity(
    engine: Engine, head: Mapping[str, Any], named: Mapping[str, Any]
) -> dict[str, Any]:
    """What belongs to tiers that the engine has too, under their new numbers."""
    composer = engine.composer
    now = [repr(tier.identity) for tier in (*composer.tiers, *composer.row_tiers)]
    found = {}
    for name, each in named.items():
        kind, _, rest = name.partition(".")
        number, dot, group = rest.partition(".")
        if kind == "tier" and head["tiers"][int(number)] in now:
            found[f"tier.{now.index(head['tiers'][int(number)])}{dot}{group}"] = each
    return found


def _places(letter: str, before: list[str], now: list[str]) -> dict[str, str]:
    return {
        f"{letter}{before.index(each)}": f"{letter}{at}"
        for at, each in enumerate(now)
        if each in before
    }


def _remedy(name: str, head: Mapping[str, Any]) -> str:
    if name == "buckets":  # as many as shuffle partitions, where nothing is said
        return f"give buckets={head[name]}"
    return "go on with the query it was made with"


def _shown(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)
