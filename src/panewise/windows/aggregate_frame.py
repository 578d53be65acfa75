"""Aggregate frames: rows until an aggregate of them reaches a limit."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Self

from panewise.aggregates import Aggregate, registered, sum, variance
from panewise.errors import QueryError
from panewise.expressions import Expression
from panewise.windows import context
from panewise.windows.context import Window
from panewise.windows.frames import Conditions, Frame, Number, Scheme, expression, number, one_of
from panewise.windows.given_column import GivenColumn, is_column

CROSSINGS = ("include", "exclude")


@context.register
@dataclass(frozen=True, kw_only=True)
class AggregateFrame(Frame):
    """Neighbouring rows whose aggregate is below a limit.

    The row with which the aggregate reaches the limit is the last of its frame, or with
    `crossing="exclude"` the first of the next.  The column of the aggregate may be an expression,
    or a Column of Spark's.  An aggregate that has no value yet, as the variance of one row, has not
    reached its limit.

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

    def looking_at(self, value: Expression) -> Self:
        return dataclasses.replace(self, aggregate=_over(self.aggregate, value.text))

    @property
    def scheme(self) -> Scheme:
        form = self.aggregate.running()
        assert form is not None, "refused when the frame was made"
        return Scheme(form, self.limit, ahead=self.crossing == "exclude")

    def described(self) -> list[str]:
        crossing = [f"crossing={self.crossing}"] if self.crossing != "include" else []
        shown = self.aggregate
        if self.column is not None:
            shown = _over(shown, self.column.shown)
        return [shown.canonical, str(self.limit), *crossing]

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
        given = _written(aggregate).canonical
        known = [a for a in registered().values() if a.examples()[0].running()]
        raise QueryError(
            f"{kind} follows an aggregate row by row: {given} has no running form.",
            hint=f"use one of {', '.join(sorted(a.kind_name for a in known))}.",
        )
    hint = '"include" keeps the row that reaches the limit in its frame.'
    one_of(kind, "crossing", crossing, CROSSINGS, hint)
    spelled, column = _spelled(aggregate)
    return AggregateFrame(
        aggregate=spelled,
        column=column,
        limit=number(kind, "limit", limit),
        crossing=crossing,
        **conditions,  # type: ignore[arg-type]
    )


def _spelled(aggregate: Aggregate) -> tuple[Aggregate, GivenColumn | None]:
    """The aggregate with its expression in its one spelling; of a Column of Spark's, with the
    column that this is to be."""
    columns = aggregate.columns()
    if not columns:
        return aggregate.alias(aggregate.canonical), None
    name = f"the column of {aggregate.kind_name}"
    value, column = expression(AggregateFrame.kind, name, columns[0])
    return _over(aggregate, value.text), column


def _written(aggregate: Aggregate) -> Aggregate:
    """The aggregate with the names of Columns of Spark's in place of them."""
    values = {f.name: getattr(aggregate, f.name) for f in dataclasses.fields(aggregate)}
    columns = {name: GivenColumn.of(v).shown for name, v in values.items() if is_column(v)}
    return dataclasses.replace(aggregate, **columns) if columns else aggregate


def _over(aggregate: Aggregate, column: str) -> Aggregate:
    """The same aggregate of another column, called by what it is."""
    other = dataclasses.replace(aggregate, **{"column": column})
    return other.alias(other.canonical)
