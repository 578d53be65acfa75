"""User-defined aggregates: lift, combine and lower over NumPy arrays.

Idea: subclass, name the SQL types of the partial columns and of the result, and write three
functions on whole arrays.  Rows with a null input are left out before `lift`; windows without a
value lower to null.  `panewise.testing.check_aggregate` runs the law suite over it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pyarrow as pa

from panewise.aggregates.algebra import (
    Aggregate,
    Kind,
    OneColumn,
    Partial,
    Properties,
    Rows,
    Scope,
)
from panewise.aggregates.arrays import choose, fields
from panewise.errors import QueryError
from panewise.model.sql_types import arrow_type

Columns = tuple[np.ndarray, ...]


@dataclass(frozen=True)
class UserPartial(Partial):
    """The user's partial columns as one struct; null where no row has contributed."""

    aggregate: UserAggregate

    @property
    def grows(self) -> bool:
        return self.aggregate.properties.kind is Kind.HOLISTIC

    def lift_sql(self, scope: Scope) -> None:
        """Only arrays can say it."""
        return None

    def combine_sql(self, column: str) -> None:
        return None

    def lift(self, rows: Rows) -> pa.Array:
        values = rows[self.aggregate.column]
        valid = np.asarray(values.is_valid())
        kept = values.filter(values.is_valid()).to_numpy(zero_copy_only=False)
        lifted = _struct(self.aggregate.lift(kept))
        at = np.full(len(values), -1)
        at[valid] = np.arange(len(kept))
        return lifted.take(pa.array(at, mask=~valid))

    def combine(self, left: pa.Array, right: pa.Array) -> pa.Array:
        both = np.asarray(left.is_valid()) & np.asarray(right.is_valid())
        lone = choose(left.is_valid(), left, right)
        if not both.any():
            return lone
        pick = pa.array(np.flatnonzero(both))
        sides = (_columns(left.take(pick)), _columns(right.take(pick)))
        merged = _struct(self.aggregate.combine(*sides)).cast(left.type)
        at = np.arange(len(left))
        at[both] = len(left) + np.arange(len(merged))
        return pa.concat_arrays([lone, merged]).take(pa.array(at))

    def invert(self, whole: pa.Array, part: pa.Array) -> pa.Array:
        both = pa.array(np.flatnonzero(part.is_valid()))
        sides = (_columns(whole.take(both)), _columns(part.take(both)))
        rest = _struct(self.aggregate.invert(*sides)).cast(whole.type)
        at = np.arange(len(whole))
        at[np.asarray(both)] = len(whole) + np.arange(len(rest))
        return pa.concat_arrays([whole, rest]).take(pa.array(at))


@dataclass(frozen=True)
class UserAggregate(OneColumn):
    """Base of aggregates that users write.

    >>> import numpy as np
    >>> class RootMeanSquare(UserAggregate):
    ...     kind_name = "rms"
    ...     partial_types = ("double", "bigint")
    ...     returns = "double"
    ...     def lift(self, x):
    ...         return x.astype(float) ** 2, np.ones(len(x), int)
    ...     def combine(self, a, b):
    ...         return a[0] + b[0], a[1] + b[1]
    ...     def lower(self, p):
    ...         return np.sqrt(p[0] / p[1])
    >>> from panewise.testing import evaluate
    >>> evaluate(RootMeanSquare("x"), x=[3, 3, 3])
    3.0
    """

    native: ClassVar[bool] = False
    partial_types: ClassVar[tuple[str, ...]]
    """SQL types of the arrays that `lift` and `combine` return."""
    returns: ClassVar[str]
    """SQL type of the result."""
    claims: ClassVar[Properties] = Properties(kind=Kind.ALGEBRAIC)

    def lift(self, values: np.ndarray) -> Columns:
        """Partials of single values."""
        raise NotImplementedError

    def combine(self, left: Columns, right: Columns) -> Columns:
        """Partials of two neighbouring ranges, element by element, the earlier one left."""
        raise NotImplementedError

    def invert(self, whole: Columns, part: Columns) -> Columns:
        """Partials of the whole without the part; needed where `claims` says invertible."""
        raise QueryError(f"{type(self).__name__} claims an inverse and does not define it.")

    def lower(self, partials: Columns) -> np.ndarray:  # type: ignore[override]
        """Results of partials."""
        raise NotImplementedError

    def partials(self, scope: Scope) -> tuple[Partial, ...]:
        return (UserPartial(self),)

    @property
    def properties(self) -> Properties:
        return self.claims

    def partial_type(self) -> str:
        """The SQL type of the one struct column."""
        inner = ", ".join(f"p{i}: {kind}" for i, kind in enumerate(self.partial_types))
        return f"struct<{inner}>"

    def result_type(self, scope: Scope) -> str:
        return self.returns

    def arrow_type(self, types: Mapping[str, pa.DataType], lowered: pa.DataType) -> pa.DataType:
        return arrow_type(self.returns)

    def lower_sql(self, scope: Scope, partials: Sequence[str]) -> None:
        return None

    def results(self, partials: Sequence[pa.Array]) -> pa.Array:
        column = partials[0]
        valid = np.asarray(column.is_valid())
        results = pa.array(self.lower(_columns(column.filter(column.is_valid()))))
        at = np.full(len(column), -1)
        at[valid] = np.arange(len(results))
        return results.take(pa.array(at, mask=~valid))

    @classmethod
    def examples(cls) -> tuple[Aggregate, ...]:
        return (cls(column="x"),)


def _columns(structs: pa.Array) -> Columns:
    return tuple(c.to_numpy(zero_copy_only=False) for c in fields(structs))


def _struct(columns: Columns) -> pa.StructArray:
    arrays = [pa.array(np.asarray(c)) for c in columns]
    return pa.StructArray.from_arrays(arrays, names=[f"p{i}" for i in range(len(arrays))])
