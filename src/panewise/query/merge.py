"""Several queries as one that answers them all."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass

from panewise.aggregates import Aggregate
from panewise.errors import QueryError
from panewise.query.query import LEVEL_COLUMN, NUMBER_COLUMN, RESULT_COLUMNS, Query
from panewise.windows import Window

TAKEN = {"query", *RESULT_COLUMNS, NUMBER_COLUMN, LEVEL_COLUMN}


@dataclass(frozen=True)
class Part:
    """One of the queries, and where its windows and aggregates are in the whole."""

    query: Query
    windows: tuple[int, ...]
    aggregates: tuple[int, ...]


@dataclass(frozen=True)
class Merged:
    """The whole, and its parts by name."""

    whole: Query
    queries: dict[str, Part]


def merge(queries: Mapping[str, Query]) -> Merged:
    """One query with every window and every aggregate of all, each once."""
    _check(queries)
    windows: dict[Window, int] = {}
    aggregates: dict[Aggregate, int] = {}
    named: dict[str, Aggregate] = {}
    parts: dict[str, Part] = {}
    for name, query in queries.items():
        asked = [dataclasses.replace(w, name=None) for w in query.windows]
        for aggregate in query.aggregates:
            known = named.setdefault(aggregate.name, aggregate)
            if known != aggregate:
                raise QueryError(
                    f'one name for two aggregates: "{aggregate.name}" is {known.canonical} and '
                    f'{aggregate.canonical} (in "{name}").',
                    hint='rename one with .alias("...").',
                )
        parts[name] = Part(
            query,
            tuple(windows.setdefault(w, len(windows)) for w in asked),
            tuple(aggregates.setdefault(a, len(aggregates)) for a in query.aggregates),
        )
    first = next(iter(queries.values()))
    for name in (*first.by, *named):
        if name.lower() in TAKEN:  # Spark tells no letter cases apart
            raise QueryError(
                f'two result columns have one name: "{name}" is taken in shared results.',
                hint='rename the column with withColumnRenamed("...") or .alias("...").',
            )
    whole = dataclasses.replace(first, windows=tuple(windows), aggregates=tuple(aggregates))
    return Merged(whole, parts)


def _check(queries: Mapping[str, Query]) -> None:
    if not isinstance(queries, Mapping) or not queries:
        raise QueryError(
            f"plan_all takes queries by name: got {queries!r}.",
            hint='write plan_all({"alerts": plan, "report": other}).',
        )
    for name, query in queries.items():
        if not isinstance(query, Query):
            raise QueryError(
                f'plan_all takes plans or queries: got {query!r} as "{name}".',
                hint="make one with pw.plan(...).",
            )
    (name, first), *others = queries.items()
    for other, query in others:
        for what in ("time", "until", "by", "order_by", "revise", "on_bad_rows"):
            mine, theirs = getattr(first, what), getattr(query, what)
            if mine != theirs:
                raise QueryError(
                    f"queries planned together share {what}: got {mine!r} in "
                    f'"{name}" and {theirs!r} in "{other}".',
                    hint="plan them apart.",
                )
