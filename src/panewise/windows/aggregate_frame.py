"""Aggregate frames: rows until an aggregate of them reaches a limit."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from panewise.aggregates import Aggregate, registered, sum, variance
from panewise.errors import QueryError
from panewise.expressions import Expression
from panewise.windows import context
from panewise.windows.context import Window
from panewise.windows.frames import Conditions, Frame, Number, Scheme, number

CROSSINGS = ("include", "exclude")


@context.register
@dataclass(frozen=True, kw_only=True)
class AggregateFrame(Frame):
    """Neighbouring rows whose aggregate is below a limit.

    The row with which the aggregate reaches the limit is the last of its frame, or with
    `crossing="exclude"` the first of the next.  The column of the aggregate may be an expression.
    An aggregate that has no value yet, as the variance of one row, has not reached its limit.

    >>> aggregate_frame(sum("amount"), 1000).window_id
    'aggregate_frame(sum(amount), 1000)'
    """

    kind: ClassVar[str] = "aggregate_frame"
    aggregate: Aggregate
    limit: Number
    crossing: str = "include"

    @property
    def value(self) -> Expression | None:
        columns = self.aggregate.columns()
        return _read(columns[0]) if columns else None

    @property
    def scheme(self) -> Scheme:
        form = self.aggregate.running()
        assert form is not None, "refused when the frame was made"
        return Scheme(form, self.limit, ahead=self.crossing == "exclude")

    def described(self) -> list[str]:
        crossing = [f"crossing={self.crossing}"] if self.crossing != "include" else []
        return [self.aggregate.canonical, str(self.limit), *crossing]

    @classmethod
    def examples(cls) -> tuple[Window, ...]:
        return (
            aggregate_frame(sum("y"), 3),
            aggregate_frame(sum("y + 2"), 3.5, crossing="exclude"),
            aggregate_frame(variance("y"), 0.93, min_rows=2),
        )


@lru_cache(maxsize=256)
def _read(text: str) -> Expression:
    return Expression.parse(text)


def aggregate_frame(
    aggregate: object,
    limit: object,
    *,
    crossing: str = "include",
    min_rows: int = 1,
    min_duration: object = None,
    max_rows: int | None = None,
    max_duration: object = None,
    basis: str = "observed",
) -> AggregateFrame:
    """Frames that close once `aggregate` of their rows reaches `limit`.

    >>> import panewise as pw
    >>> events = {"t": [1, 3, 12, 14], "x": [5, 1, 2, 7]}
    >>> window = pw.aggregate_frame(pw.sum("x"), 6)
    >>> told = pw.aggregate(events, time="t", windows=[window], aggregates=[pw.sum("x")])
    >>> for row in told.to_pylist():
    ...     print(row["window"], row["sum(x)"])
    {'start': 1, 'end': 12} 6
    {'start': 12, 'end': 15} 9
    """
    kind = AggregateFrame.kind
    conditions = Conditions(kind, min_rows, min_duration, max_rows, max_duration, basis).read()
    if not isinstance(aggregate, Aggregate):
        raise QueryError(
            f"{kind} takes an aggregate: got {aggregate!r}.",
            hint='write aggregate_frame(pw.sum("amount"), 1000).',
        )
    if aggregate.running() is None:
        known = [a for a in registered().values() if a.examples()[0].running()]
        raise QueryError(
            f"{kind} follows an aggregate row by row: {aggregate.canonical} has no running form.",
            hint=f"use one of {', '.join(sorted(a.kind_name for a in known))}.",
        )
    if crossing not in CROSSINGS:
        raise QueryError(
            f'{kind}: crossing is "include" or "exclude": got {crossing!r}.',
            hint='"include" keeps the row that reaches the limit in its frame.',
        )
    spelled = _spelled(aggregate)
    return AggregateFrame(
        aggregate=spelled.alias(spelled.canonical),
        limit=number(kind, "limit", limit),
        crossing=crossing,
        **conditions,  # type: ignore[arg-type]
    )


def _spelled(aggregate: Aggregate) -> Aggregate:
    """The aggregate with its expression in its one spelling."""
    columns = aggregate.columns()
    if not columns:
        return aggregate
    spelled = {"column": Expression.parse(columns[0]).text}
    return dataclasses.replace(aggregate, **spelled)
