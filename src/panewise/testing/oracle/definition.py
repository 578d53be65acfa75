"""The oracle: the slow, obvious definition of every window and aggregate.

Idea: for each key, list the windows that hold at least one event, each with its rows, and compute
each aggregate from those rows in plain Python.  Cost: as bad as that sounds.  It shares the
definitions with the engines and no code, so that it can judge them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any

from panewise.errors import BadRowsError
from panewise.testing.oracle.table import Bounds, Event, order_key, value_of
from panewise.testing.oracle.windows import Group, instances
from panewise.windows import END

if TYPE_CHECKING:
    from panewise.query import Query

Row = Mapping[str, Any]
Keys = tuple[Any, ...]

_EPOCH = datetime(1970, 1, 1)
_DAY = 86_400_000_000


def oracle(
    query: Query,
    rows: Sequence[Row],
    types: Mapping[str, str] | None = None,
    *,
    until: int | None = None,
) -> list[dict[str, Any]]:
    """The rows that every engine must return, in no particular order.

    `rows` are in arrival order. A time is an int, a date, or a datetime; datetimes with a zone are
    TIMESTAMP, naive ones TIMESTAMP_NTZ. `types` names SQL types where values alone cannot tell:
    the digits of a decimal, or a number narrower than 64 bits. With `until`, a watermark in ticks,
    only windows that nothing can change any more are returned.
    """
    watermark = END if until is None else until
    return [
        {
            "window_id": window.window_id,
            "window": (_from_ticks(found.start, like), _from_ticks(found.end, like)),
            **({"window_no": found.no} if query.numbered else {}),
            **({"level": window.level} if query.leveled else {}),
            **dict(zip(query.by, keys, strict=True)),
            **{
                a.name: value_of(
                    a, found.events, types or {}, Bounds(found.start, found.end, _unit(like))
                )
                for a in query.aggregates
            },
        }
        for keys, like, events in _groups(query, rows)
        for group in [_settled(events, like, watermark, types or {})]
        for window in query.windows
        if group.events
        for found in instances(window, group)
        if found.final <= watermark
    ]


def _settled(events: list[Event], like: object, watermark: int, types: Mapping[str, str]) -> Group:
    """Events before the watermark: no other can come before or between them."""
    days = isinstance(like, date) and not isinstance(like, datetime)
    settled = [e for e in events if e.time < watermark]
    return Group(settled, _DAY if days else 1, watermark, types)


def _groups(query: Query, rows: Sequence[Row]) -> Iterator[tuple[Keys, Any, list[Event]]]:
    """Keys as first seen, one of the group's times, and its events in `(time, sequence)` order."""
    groups: dict[Keys, tuple[Keys, Any, list[Event]]] = {}
    for arrival, row in enumerate(rows):
        bounds = _bounds(query, row)
        if bounds is None:
            continue
        keys = tuple(row[key] for key in query.by)
        name = tuple(None if key is None else order_key(key) for key in keys)
        _, _, events = groups.setdefault(name, (keys, row[query.time], []))
        sequence = (row[query.order_by], arrival) if query.order_by else (arrival,)
        start, last = bounds
        events.append(Event(start, sequence, row, last))
    for keys, like, events in groups.values():
        events = events if query.revise is None else _holding(query, events)
        yield keys, like, sorted(events, key=lambda e: (e.time, e.sequence))


def _holding(query: Query, events: Sequence[Event]) -> list[Event]:
    """Of events that were sent again the version that holds; one without an id has no other."""
    held: dict[object, Event] = {}
    for number, event in enumerate(events):
        name = event.row[query.revise or ""]
        place = (number, "unknown") if name is None else order_key(name)
        if place not in held or _rank(query, event) >= _rank(query, held[place]):
            held[place] = event
    return list(held.values())


def _rank(query: Query, event: Event) -> list[Any]:
    values = [event.row[name] for a in query.aggregates for name in a.columns()]
    if query.order_by is not None:
        values.insert(0, event.row[query.order_by])
    ranks = [(v is not None, None if v is None else order_key(v)) for v in values]
    interval = [(True, event.last), (True, event.time)]
    at = int(query.order_by is not None)
    return [*ranks[:at], *interval, *ranks[at:]]


def _bounds(query: Query, row: Row) -> tuple[int, int | None] | None:
    """The first tick of an event and, where it has a duration, the last; None if it is left out."""
    if row[query.time] is None:
        return None
    start = _to_ticks(row[query.time])
    if query.until is None:
        return start, None
    given = row[query.until]
    if given is None:
        return None
    lasts = given // timedelta(microseconds=1) if isinstance(given, timedelta) else None
    end = _to_ticks(given) if lasts is None else start + lasts
    if end < start and query.on_bad_rows == "fail":
        raise BadRowsError(f"an event ends before it begins: {row}.")
    # one that takes no time is there for one tick
    return None if end < start else (start, max(end - 1, start))


def _to_ticks(value: object) -> int:
    if isinstance(value, datetime):
        wall = value if value.tzinfo is None else value.astimezone(UTC).replace(tzinfo=None)
        return (wall - _EPOCH) // timedelta(microseconds=1)
    if isinstance(value, date):
        return (value - _EPOCH.date()).days * _DAY
    assert isinstance(value, int)
    return value


def _unit(like: object) -> int:
    """The ticks of what rates are told for: a second, a day of dates, one of an integer measure."""
    if isinstance(like, datetime):
        return 1_000_000
    return _DAY if isinstance(like, date) else 1


def _from_ticks(ticks: int, like: object) -> Any:
    if isinstance(like, datetime):
        wall = _EPOCH + timedelta(microseconds=ticks)
        return wall if like.tzinfo is None else wall.replace(tzinfo=UTC)
    if isinstance(like, date):
        return _EPOCH.date() + timedelta(days=ticks // _DAY)
    return ticks
