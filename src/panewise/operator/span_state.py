"""The state of a span engine as tables, and back; everything that is loaded is checked first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from panewise.errors import SnapshotError
from panewise.kernels.ranges import NEVER
from panewise.kernels.state import Layout, table_of
from panewise.operator.container import damaged
from panewise.operator.snapshot_checks import Limits, check_columns, in_key_order
from panewise.operator.span_engine import SpanEngine
from panewise.operator.versions import Events
from panewise.plan.technique import MOST_LEVELS

_NUMBERS = ("revisions", "late_shares")
_COUNTED = pa.schema([("count", pa.int64()), ("longest", pa.int64())])
_PLACES = ("code", "start", "last")


def taken(engine: SpanEngine) -> tuple[dict[str, Any], dict[str, pa.Table]]:
    """How far it has come, and all keys, cells, counts and events."""
    tables = {"keys": engine.composer.keys.keys, "values": engine.composer.values.table.keys}
    for number, held in enumerate(engine.held):
        cells = held.leveled()
        if cells is not None:
            tables[f"share.{number}.cells"] = table_of(cells.cells)
    for name in _NUMBERS:
        columns = getattr(engine, name).state()
        tables[name] = pa.table({n: pa.array(column) for n, column in columns.items()})
    durations = engine.durations
    tables["durations"] = pa.table([durations.counts, durations.longest], schema=_COUNTED)
    if engine.live is not None and engine.live.events is not None:
        tables["live"] = _live(engine.live.events)
    rooms = [held.room for held in engine.held]
    return {"released": engine.released, "rooms": rooms, "shares": shares_of(engine)}, tables


def shares_of(engine: SpanEngine) -> list[str]:
    """What must be the same for cells to mean the same."""
    return [f"{each.share.technique}: {each.share.carried!r}" for each in engine.held]


def load(engine: SpanEngine, reached: Mapping[str, Any], tables: Mapping[str, pa.Table]) -> None:
    """Let a new engine go on with what another one held."""
    if reached["shares"] != shares_of(engine):
        raise SnapshotError(
            f"the state is of cells by {'; '.join(map(str, reached['shares']))}, and this plan has "
            f"{'; '.join(shares_of(engine))}.",
            hint="plan it with the strategy and statistics that it had.",
        )
    keys = engine.composer.keys
    check_columns(tables["keys"], engine.bound.key_schema)
    keys.encode(tables["keys"])
    values = engine.composer.values
    if len(values.schema):
        check_columns(tables["values"], values.schema)
        values.encode(tables["values"])
    engine.go_on(_whole(reached["released"], NEVER))
    kinds = dict(zip(engine.bound.partials, engine.bound.layout().kinds, strict=True))
    for number, held in enumerate(engine.held):
        room = _whole(reached["rooms"][number], 1)
        if f"share.{number}.cells" not in tables:
            continue
        types = [kinds.get(p, pa.int64()) for p in held.share.carried]  # the others are counts
        layout = Layout(held.share.carried, types, ())
        limits = Limits(2 * MOST_LEVELS * room, len(values), layout)
        cells = limits.cells(tables[f"share.{number}.cells"])
        if not in_key_order(cells) or np.any(cells.code % room >= len(keys)):
            raise damaged("cells are not in order, or of keys that are not there")
        held.restore(cells, room)
    limits = Limits(len(keys), 0, Layout((), (), ()))
    for name in _NUMBERS:
        getattr(engine, name).restore(limits.integers(tables[name]))
    counted = limits.integers(tables["durations"])
    check_columns(tables["durations"], _COUNTED)
    if len(counted["count"]) != len(engine.durations.counts):
        raise damaged("durations are counted in other bins")
    engine.durations.counts, engine.durations.longest = counted["count"], counted["longest"]
    if engine.live is not None and "live" in tables:
        engine.live.events = _events(engine, limits, tables["live"])


def _live(events: Events) -> pa.Table:
    """Places under names that no column can have."""
    places = (events.code, events.start, events.last)
    columns = {f"\0{name}": pa.array(each) for name, each in zip(_PLACES, places, strict=True)}
    return pa.table(columns | dict(events.columns))


def _events(engine: SpanEngine, limits: Limits, table: pa.Table) -> Events:
    places = [f"\0{name}" for name in _PLACES]
    numbers = limits.integers(table.select(places).rename_columns(list(_PLACES)))
    names = table.column_names[len(places) :]
    types = engine.bound.types
    check_columns(table.select(names), pa.schema([(name, types[name]) for name in types]))
    columns = {name: table[name].combine_chunks() for name in names}
    events = Events(columns, numbers["start"], numbers["last"], numbers["code"])
    if np.any(events.last < events.start):
        raise damaged("an event ends before it begins")
    return events


def _whole(number: object, least: int) -> int:
    if type(number) is not int or not least <= number < 2**63:
        raise damaged(f"a number is {number!r}")
    return number
