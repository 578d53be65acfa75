"""Count.

Idea: one integer per cell.  Cost: O(1) per combine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from panewise.aggregates.algebra import Aggregate, Partial, Properties, Rows, Scope, register
from panewise.aggregates.arrays import either


@dataclass(frozen=True)
class CountPartial(Partial):
    """How many rows, or how many with a value."""

    column: str | None = None
    monoid: ClassVar[str] = "sum"
    properties: ClassVar[Properties] = Properties(invertible=True)

    def lift_sql(self, scope: Scope) -> str:
        return "count(1)" if self.column is None else f"count({scope[self.column]})"

    def combine_sql(self, column: str) -> str:
        return f"sum({column})"

    def lift(self, rows: Rows) -> pa.Array:
        if self.column is None:
            return pa.array(np.ones(len(rows.ticks), np.int64))
        return pc.cast(rows[self.column].is_valid(), pa.int64())

    def combine(self, left: pa.Array, right: pa.Array) -> pa.Array:
        return either(left, right, pc.add(left, right))

    def invert(self, whole: pa.Array, part: pa.Array) -> pa.Array:
        return pc.subtract(whole, pc.fill_null(part, 0))


@register
@dataclass(frozen=True)
class Count(Aggregate):
    """Number of rows, or of rows where the column is not null.

    >>> from panewise.testing import evaluate
    >>> evaluate(count("x"), x=[1, None, 3]), evaluate(count(), x=[1, None, 3])
    (2, 3)
    """

    kind_name: ClassVar[str] = "count"
    running_form: ClassVar[str] = "count"
    column: str | None = None

    def columns(self) -> tuple[str, ...]:
        return () if self.column is None else (self.column,)

    def partials(self, scope: Scope) -> tuple[Partial, ...]:
        return (CountPartial(self.column),)

    @property
    def properties(self) -> Properties:
        return CountPartial.properties

    def reference_sql(self, scope: Scope) -> str:
        return CountPartial(self.column).lift_sql(scope)

    def lower_sql(self, scope: Scope, partials: Sequence[str]) -> str:
        return f"coalesce({partials[0]}, 0)"

    def lower(self, partials: Sequence[pa.Array]) -> pa.Array:
        return pc.fill_null(partials[0], 0) if partials[0].null_count else partials[0]

    @property
    def told_as_held(self) -> bool:
        return True

    @classmethod
    def examples(cls) -> tuple[Aggregate, ...]:
        return (count("x"), count())


def count(column: str | None = None) -> Count:
    """Rows in the window; with a column, rows where it is not null.

    >>> import panewise as pw
    >>> from panewise.testing import evaluate
    >>> evaluate(pw.count(), x=[1, None, 3]), evaluate(pw.count("x"), x=[1, None, 3])
    (3, 2)
    """
    return Count(column=column)
