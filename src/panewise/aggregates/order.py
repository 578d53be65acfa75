"""First, last, M4, argmin and argmax: aggregates that ask *when*.

Idea: a candidate row travels with its `(time, sequence)`, so the choice does not depend on how the
rows were cut into panes or in which order they arrived.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from panewise.aggregates.algebra import (
    Aggregate,
    Kind,
    OneColumn,
    Partial,
    Properties,
    Rows,
    Scope,
    joined,
    register,
)
from panewise.aggregates.arrays import choose, equal, fields, less, raised, struct_of
from panewise.aggregates.extremes import MaxPartial, MinPartial
from panewise.aggregates.records import Picks, backwards, in_order

_BY_TIME = Properties(kind=Kind.ALGEBRAIC, idempotent=True, ordered=True)


@dataclass(frozen=True)
class BoundaryPartial(Partial):
    """The earliest or latest row: `struct(t, s, v)`."""

    column: str
    latest: bool
    ignore_nulls: bool = False
    properties: ClassVar[Properties] = _BY_TIME

    @property
    def _pick(self) -> str:
        return "max_by" if self.latest else "min_by"

    def lift_sql(self, scope: Scope) -> str:
        t, s, v = scope.time, scope.sequence, scope[self.column]
        picked = f"{self._pick}(named_struct('t', {t}, 's', {s}, 'v', {v}), struct({t}, {s}))"
        return f"{picked} FILTER (WHERE {v} IS NOT NULL)" if self.ignore_nulls else picked

    def combine_sql(self, column: str) -> str:
        order = f"struct({column}.t, {column}.s)"
        return f"{self._pick}({column}, {order}) FILTER (WHERE {column} IS NOT NULL)"

    def lift(self, rows: Rows) -> pa.Array:
        v = rows[self.column]
        present = v.is_valid() if self.ignore_nulls else rows.ticks.is_valid()
        return struct_of(present, t=rows.ticks, s=rows.sequence, v=v)

    def combine(self, left: pa.Array, right: pa.Array) -> pa.Array:
        first = _precedes(fields(left)[:2], fields(right)[:2])
        wins = pc.invert(first) if self.latest else first
        return _present_or(wins, left, right)

    def behind(self, column: pa.Array, rows: int) -> pa.Array:
        return raised(column, "s", rows)

    def record(self, column: pa.Array) -> Picks:
        when = _moments(fields(column)[:2])
        return Picks(backwards(when) if self.latest else when)


@dataclass(frozen=True)
class ArgPartial(Partial):
    """The row with the extreme of another column, the earliest of ties: `struct(b, t, s, v)`."""

    column: str
    by: str
    largest: bool
    properties: ClassVar[Properties] = _BY_TIME

    def lift_sql(self, scope: Scope) -> str:
        b, t, s = scope[self.by], scope.time, scope.sequence
        row = f"named_struct('b', {b}, 't', {t}, 's', {s}, 'v', {scope[self.column]})"
        return f"{self._best(row, b, t, s)} FILTER (WHERE {b} IS NOT NULL)"

    def combine_sql(self, column: str) -> str:
        best = self._best(column, f"{column}.b", f"{column}.t", f"{column}.s")
        return f"{best} FILTER (WHERE {column} IS NOT NULL)"

    def _best(self, row: str, b: str, t: str, s: str) -> str:
        if self.largest:
            return f"max_by({row}, struct({b}, -{t}, -{s}))"
        return f"min_by({row}, struct({b}, {t}, {s}))"

    def lift(self, rows: Rows) -> pa.Array:
        by = rows[self.by]
        return struct_of(by.is_valid(), b=by, t=rows.ticks, s=rows.sequence, v=rows[self.column])

    def combine(self, left: pa.Array, right: pa.Array) -> pa.Array:
        (a, *when, _), (b, *other, _) = fields(left), fields(right)
        better = less(b, a) if self.largest else less(a, b)
        wins = pc.or_(better, pc.and_(equal(a, b), _precedes(when, other)))
        return _present_or(wins, left, right)

    def behind(self, column: pa.Array, rows: int) -> pa.Array:
        return raised(column, "s", rows)

    def record(self, column: pa.Array) -> Picks | None:
        by, *when, _ = fields(column)
        keys = in_order(by)
        if keys is None:
            return None
        return Picks([*(backwards(keys) if self.largest else keys), *_moments(when)])


@dataclass(frozen=True)
class _Boundary(OneColumn):
    latest: ClassVar[bool]
    ignore_nulls: bool = False

    def partials(self, scope: Scope) -> tuple[Partial, ...]:
        return (BoundaryPartial(self.column, self.latest, self.ignore_nulls),)

    @property
    def properties(self) -> Properties:
        return _BY_TIME

    def lower_sql(self, scope: Scope, partials: Sequence[str]) -> str:
        return f"{partials[0]}.v"

    def lower(self, partials: Sequence[pa.Array]) -> pa.Array:
        return fields(partials[0])[2]

    @classmethod
    def examples(cls) -> tuple[Aggregate, ...]:
        return (cls(column="x"), cls(column="x", ignore_nulls=True))


@register
@dataclass(frozen=True)
class First(_Boundary):
    """Value of the earliest row in `(time, sequence)` order.

    >>> from panewise.testing import evaluate
    >>> evaluate(first("x"), x=[5, 7, 6])
    5
    """

    kind_name: ClassVar[str] = "first"
    running_form: ClassVar[str] = "first"
    latest: ClassVar[bool] = False


@register
@dataclass(frozen=True)
class Last(_Boundary):
    """Value of the latest row in `(time, sequence)` order.

    >>> from panewise.testing import evaluate
    >>> evaluate(last("x"), x=[5, 7, None]), evaluate(last("x", ignore_nulls=True), x=[5, 7, None])
    (None, 7)
    """

    kind_name: ClassVar[str] = "last"
    running_form: ClassVar[str] = "last"
    latest: ClassVar[bool] = True


@register
@dataclass(frozen=True)
class M4(OneColumn):
    """Min, max, first and last value: what a line chart needs of each pixel column.

    >>> from panewise.testing import evaluate
    >>> evaluate(m4("x"), x=[2, 9, 1, 5])
    {'min': 1, 'max': 9, 'first': 2, 'last': 5}

    References: Jugel et al., VLDB 2014.
    """

    kind_name: ClassVar[str] = "m4"

    def partials(self, scope: Scope) -> tuple[Partial, ...]:
        edges = (BoundaryPartial(self.column, latest, True) for latest in (False, True))
        return (MinPartial(self.column), MaxPartial(self.column), *edges)

    @property
    def properties(self) -> Properties:
        return joined(MinPartial.properties, _BY_TIME)

    def lower_sql(self, scope: Scope, partials: Sequence[str]) -> str:
        low, high, start, end = partials
        return f"named_struct('min', {low}, 'max', {high}, 'first', {start}.v, 'last', {end}.v)"

    def lower(self, partials: Sequence[pa.Array]) -> pa.Array:
        low, high, start, end = partials
        return pa.StructArray.from_arrays(
            [low, high, fields(start)[2], fields(end)[2]], names=["min", "max", "first", "last"]
        )


@dataclass(frozen=True)
class _Arg(Aggregate):
    largest: ClassVar[bool]
    column: str
    by: str

    def columns(self) -> tuple[str, ...]:
        return (self.column, self.by)

    def partials(self, scope: Scope) -> tuple[Partial, ...]:
        return (ArgPartial(self.column, self.by, self.largest),)

    @property
    def properties(self) -> Properties:
        return _BY_TIME

    def lower_sql(self, scope: Scope, partials: Sequence[str]) -> str:
        return f"{partials[0]}.v"

    def lower(self, partials: Sequence[pa.Array]) -> pa.Array:
        return fields(partials[0])[3]

    @classmethod
    def examples(cls) -> tuple[Aggregate, ...]:
        return (cls(column="x", by="y"), cls(column="y", by="x"))


@register
@dataclass(frozen=True)
class ArgMin(_Arg):
    """Value of one column where another is smallest; the earliest of ties.

    >>> from panewise.testing import evaluate
    >>> evaluate(argmin("x", "y"), x=["a", "b", "c"], y=[3, 1, 1])
    'b'
    """

    kind_name: ClassVar[str] = "argmin"
    largest: ClassVar[bool] = False


@register
@dataclass(frozen=True)
class ArgMax(_Arg):
    """Value of one column where another is largest; the earliest of ties.

    >>> from panewise.testing import evaluate
    >>> evaluate(argmax("x", "y"), x=["a", "b", "c"], y=[3, 1, 3])
    'a'
    """

    kind_name: ClassVar[str] = "argmax"
    largest: ClassVar[bool] = True


def first(column: str, *, ignore_nulls: bool = False) -> First:
    """Value of the earliest row.

    >>> import panewise as pw
    >>> from panewise.testing import evaluate
    >>> evaluate(pw.first("x"), x=[5, 7, 6])
    5
    """
    return First(column=column, ignore_nulls=ignore_nulls)


def last(column: str, *, ignore_nulls: bool = False) -> Last:
    """Value of the latest row.

    >>> import panewise as pw
    >>> from panewise.testing import evaluate
    >>> evaluate(pw.last("x", ignore_nulls=True), x=[5, 7, None])
    7
    """
    return Last(column=column, ignore_nulls=ignore_nulls)


def m4(column: str) -> M4:
    """Min, max, first and last value that is not null, as a struct.

    >>> import panewise as pw
    >>> from panewise.testing import evaluate
    >>> evaluate(pw.m4("x"), x=[2, 9, 1, 5])
    {'min': 1, 'max': 9, 'first': 2, 'last': 5}
    """
    return M4(column=column)


def argmin(column: str, by: str) -> ArgMin:
    """Value of `column` in the row where `by` is smallest.

    >>> import panewise as pw
    >>> from panewise.testing import evaluate
    >>> evaluate(pw.argmin("city", by="temp"), city=["Oslo", "Rome"], temp=[3, 21])
    'Oslo'
    """
    return ArgMin(column=column, by=by)


def argmax(column: str, by: str) -> ArgMax:
    """Value of `column` in the row where `by` is largest.

    >>> import panewise as pw
    >>> from panewise.testing import evaluate
    >>> evaluate(pw.argmax("city", by="temp"), city=["Oslo", "Rome"], temp=[3, 21])
    'Rome'
    """
    return ArgMax(column=column, by=by)


def _moments(when: Sequence[pa.Array]) -> list[np.ndarray]:
    """Times and sequences as numbers, and behind them the places, for rows that share both; null
    rows have any."""
    return [*(np.asarray(each.fill_null(0)) for each in when), np.arange(len(when[0]))]


def _precedes(left: Sequence[pa.Array], right: Sequence[pa.Array]) -> pa.Array:
    (t, s), (u, r) = left, right
    return pc.or_(pc.less(t, u), pc.and_(pc.equal(t, u), pc.less_equal(s, r)))


def _present_or(wins: pa.Array, left: pa.Array, right: pa.Array) -> pa.Array:
    """`left` where it wins or stands alone."""
    both = pc.and_(left.is_valid(), right.is_valid())
    return choose(pc.if_else(both, wins, left.is_valid()), left, right)
