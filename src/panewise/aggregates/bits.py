"""Bitwise or: which bits some value has.

Idea: a word of bits is its own partial, idempotent, and one instruction to combine.  Flags are
united by it, and small sets: the bit of an item says that it is there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import pyarrow as pa
import pyarrow.compute as pc

from panewise.aggregates.algebra import OneColumn, Partial, Properties, Rows, Scope, register
from panewise.aggregates.arrays import either


@dataclass(frozen=True)
class BitOrPartial(Partial):
    """The bits of all values together."""

    column: str
    monoid: ClassVar[str] = "or"
    properties: ClassVar[Properties] = Properties(idempotent=True)

    def lift_sql(self, scope: Scope) -> str:
        return f"bit_or({scope[self.column]})"

    def combine_sql(self, column: str) -> str:
        return f"bit_or({column})"

    def lift(self, rows: Rows) -> pa.Array:
        return rows[self.column]

    def combine(self, left: pa.Array, right: pa.Array) -> pa.Array:
        return either(left, right, pc.bit_wise_or(left, right))


@register
@dataclass(frozen=True)
class BitOr(OneColumn):
    """Bitwise or of integers; null over a window with no value.

    >>> from panewise.testing import evaluate
    >>> evaluate(bit_or("x"), x=[1, 4, None, 5])
    5
    """

    kind_name: ClassVar[str] = "bit_or"
    parts = (BitOrPartial,)

    def reference_sql(self, scope: Scope) -> str:
        return f"bit_or({scope[self.column]})"


def bit_or(column: str) -> BitOr:
    """Bitwise or of a column of integers.

    >>> import panewise as pw
    >>> from panewise.testing import evaluate
    >>> evaluate(pw.bit_or("flags"), flags=[1, 4, None, 5])
    5
    """
    return BitOr(column=column)
