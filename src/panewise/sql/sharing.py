"""Several statements: those over the same events, time and keys are planned together.

Idea: in what is shared, an aggregate is called by what it is, so that statements may give one name
to different aggregates, or different names to one; each statement's own names come back when its
rows are told.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from panewise.aggregates import Aggregate
from panewise.api import plan_all
from panewise.expressions import Expression
from panewise.plan import Plan, RingPlan, SharedPlan, Statistics
from panewise.plan.running import is_stream
from panewise.query import Finish, Preparation, Query
from panewise.query.merge import TAKEN
from panewise.sql.engines import finished, is_spark, prepared
from panewise.sql.results import column
from panewise.sql.statement import Statement


def plans(
    statements: Sequence[Statement],
    strategy: str = "auto",
    statistics: Statistics | None = None,
) -> list[tuple[list[int], Plan | RingPlan | SharedPlan]]:
    """The plans behind statements, each with the numbers of the statements that share it."""
    return [
        (numbers, _planned([statements[n] for n in numbers], strategy, statistics))
        for numbers in _together(statements)
    ]


def answers(
    statements: Sequence[Statement],
    tables: Mapping[str, Any],
    strategy: str,
    statistics: Statistics | None,
    streaming: Mapping[str, Any],
) -> tuple[Any, ...]:
    """The answer of each statement, in their order."""
    found: dict[int, Any] = {}
    for numbers, plan in plans(statements, strategy, statistics):
        chosen = [statements[n] for n in numbers]
        events = tables[chosen[0].source]
        for statement in chosen:
            statement.check(events)
        made = _union(chosen)
        kept = prepared(events, made)
        rows = plan.run(kept, **streaming)
        if isinstance(plan, SharedPlan):
            told = _parts(plan, chosen, rows)
        else:
            told = [finished(rows, chosen[0].finish)]
        found.update(zip(numbers, told, strict=True))
    return tuple(found[n] for n in range(len(statements)))


def _planned(
    statements: Sequence[Statement], strategy: str, statistics: Statistics | None
) -> Plan | RingPlan | SharedPlan:
    if len(statements) == 1:
        return statements[0].plan(strategy=strategy, statistics=statistics)
    queries = {str(n): _by_kind(s.query) for n, s in enumerate(statements)}
    return plan_all(queries, strategy=strategy, statistics=statistics)


def _parts(shared: SharedPlan, statements: Sequence[Statement], rows: Any) -> list[Any]:
    if is_spark(rows) and not is_stream(rows):
        rows = rows.persist()  # otherwise each answer would compute them anew
    return [
        finished(shared.part(rows, str(n)), _renamed(s.finish, s.query))
        for n, s in enumerate(statements)
    ]


def _together(statements: Sequence[Statement]) -> list[list[int]]:
    """The numbers of statements that can share, in the order of the first of each."""
    groups: dict[Any, list[int]] = {}
    for number, statement in enumerate(statements):
        groups.setdefault(_key(number, statement), []).append(number)
    return list(groups.values())


def _key(number: int, statement: Statement) -> Any:
    """What statements must have in common; one that can share with none has its number."""
    query = statement.query
    if not isinstance(query, Query) or any(n.lower() in TAKEN for n in query.by):
        return number
    parts = (query.time, query.until, query.by, query.order_by, query.revise, query.on_bad_rows)
    return (statement.source, statement.where, *parts)


def _union(statements: Sequence[Statement]) -> Preparation:
    made = dict(pair for statement in statements for pair in statement.preparation.made)
    return Preparation(statements[0].where, tuple(made.items()))


def _kind(aggregate: Aggregate) -> Aggregate:
    """The same aggregate under its own spelling, whatever a statement calls it."""
    return replace(aggregate, output=None).alias(aggregate.canonical)


def _by_kind(query: Any) -> Query:
    kinds = tuple(dict.fromkeys(map(_kind, query.aggregates)))
    return replace(query, aggregates=kinds)


def _renamed(finish: Finish, query: Any) -> Finish:
    """The same about rows in which aggregates are called by what they are."""
    names = {a.name: column(_kind(a).name).text for a in query.aggregates}

    def renamed(value: Expression) -> Expression:
        kept = {name: column(name).text for name in value.columns}
        return Expression(value.sql({**kept, **names}))

    return replace(
        finish,
        select=tuple(replace(item, value=renamed(item.value)) for item in finish.select),
        having=None if finish.having is None else renamed(finish.having),
        order=tuple(replace(key, value=renamed(key.value)) for key in finish.order),
    )
