"""Queries and statements as SQL text."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from panewise.aggregates import Aggregate
from panewise.expressions import Expression
from panewise.query import Query, RingQuery
from panewise.query.finish import Ordered
from panewise.query.query import DROP
from panewise.sql import spelling
from panewise.sql.statement import Statement
from panewise.windows import Level, Window


def render(query: Query | RingQuery, source: str = "events") -> str:
    """A query as SQL, which `parse` reads as the same query.

    >>> from panewise.sql import parse
    >>> (statement,) = parse("SELECT AVG(x) AS m FROM t GROUP BY device, window(ts, '5 minutes')")
    >>> print(render(statement.query))
    SELECT device, window_id, window_start, window_end, MEAN(x) AS m
    FROM events TIMESTAMP BY ts
    GROUP BY device, TUMBLING('5m')
    """
    asked = query.outer if isinstance(query, RingQuery) else query
    leveled = isinstance(query, RingQuery) or query.leveled
    bounds = [
        *("window_id", "window_start", "window_end"),
        *(["window_no"] if asked.numbered and not isinstance(query, RingQuery) else []),
        *(["level"] if leveled else []),
    ]
    taken = {*asked.by, *(a.name for a in query.aggregates)}
    told = [spelling.name(key) for key in asked.by]
    told += [column for column in bounds if column not in taken]
    told += [_named(spelling.aggregate(a, {}), a.output) for a in query.aggregates]
    return _clauses([f"SELECT {', '.join(told)}", _from(asked, source), _group(query, {})])


def render_statement(statement: Statement) -> str:
    """A statement as SQL, with all its clauses."""
    query, finish = statement.query, statement.finish
    asked = query.outer if isinstance(query, RingQuery) else query
    made = {name: value.text for name, value in statement.preparation.made}
    known: dict[str, str] = {key: made.get(key) or spelling.name(key) for key in asked.by}
    known |= {a.name: spelling.aggregate(a, made) for a in query.aggregates}

    def told(value: Expression) -> str:
        return value.sql({n: known.get(n, n) for n in value.columns})

    by_name = {a.name: a for a in query.aggregates}
    items = [_named(told(s.value), _alias(s.value, s.name, by_name, asked)) for s in finish.select]
    order = [_ordered(key, told(key.value)) for key in finish.order]
    where, having = statement.where, finish.having
    return _clauses(
        [
            f"SELECT {', '.join(items)}",
            _from(asked, statement.source),
            "" if where is None else f"WHERE {where.text}",
            _group(query, made),
            "" if having is None else f"HAVING {told(having)}",
            f"ORDER BY {', '.join(order)}" if order else "",
            "" if finish.limit is None else f"LIMIT {finish.limit}",
        ]
    )


def _alias(
    value: Expression, name: str, aggregates: dict[str, Aggregate], query: Query
) -> str | None:
    """The name that a column is to be given, if it has not this one anyway."""
    read = value.columns[0] if len(value.columns) == 1 else ""
    if value.text != spelling.name(read) and value.text != f"`{read}`":
        return name
    if read in aggregates:
        return aggregates[read].output
    return None if read == name else name


def _named(value: str, name: str | None) -> str:
    return value if name is None else f"{value} AS {spelling.name(name)}"


def _ordered(key: Ordered, value: str) -> str:
    nulls = ""
    if key.nulls_first == key.descending:  # as Spark has it, nulls are the least
        nulls = " NULLS FIRST" if key.nulls_first else " NULLS LAST"
    return f"{value}{' DESC' if key.descending else ''}{nulls}"


def _from(query: Query, source: str) -> str:
    time = spelling.name(query.time)
    if query.until is not None:
        time = f"({time}, {spelling.name(query.until)})"
    then = "" if query.order_by is None else f" THEN BY {spelling.name(query.order_by)}"
    revise = "" if query.revise is None else f" REVISE BY {spelling.name(query.revise)}"
    bad_rows = "" if query.on_bad_rows == DROP else f" ON BAD ROWS {query.on_bad_rows.upper()}"
    return f"FROM {source} TIMESTAMP BY {time}{then}{revise}{bad_rows}"


def _group(query: Query | RingQuery, made: dict[str, str]) -> str:
    by = query.outer.by if isinstance(query, RingQuery) else query.by
    keys = [made.get(key) or spelling.name(key) for key in by]
    if isinstance(query, RingQuery):
        windows = [spelling.window(query.scheme)]
    else:
        windows = list(_windows(query.windows))
    if len(windows) > 1:
        listed = ",\n  ".join(windows)
        windows = [f"WINDOWS(\n  {listed}\n)"]
    return f"GROUP BY {', '.join([*keys, *windows])}"


def _windows(windows: Iterable[Window]) -> Iterable[str]:
    """Each window; the levels of granules, where all stand in their order, as one."""
    for scheme, levels in groupby(windows, key=_scheme):
        found = list(levels)
        count = len(scheme[0]) if scheme is not None else 0
        while found:
            if scheme is not None and [w.level for w in found[:count]] == list(range(count)):
                first, found = found[0], found[count:]
                spelled = spelling.granules(scheme[0], scheme[1])
                named = first.name is not None
                yield f"WINDOW({spelling.constant(first.name)}, {spelled})" if named else spelled
            else:
                yield spelling.window(found.pop(0))


def _scheme(window: Window) -> tuple[tuple[object, ...], object, str | None] | None:
    if not isinstance(window, Level):
        return None
    return window.levels, window.origin, window.name


def _clauses(parts: list[str]) -> str:
    return "\n".join(part for part in parts if part)
