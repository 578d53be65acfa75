"""Expressions: scalar SQL as a frozen value.

Idea: the text is parsed and checked once; the canonical text is the value, so that expressions
compare, hash and travel as text does.  Engines take it as SQL or as array code.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pyarrow as pa
from sqlglot import exp

from panewise.errors import SchemaError, nearest
from panewise.expressions.evaluate import evaluate
from panewise.expressions.parse import canonical, tree_of


@dataclass(frozen=True, slots=True)
class Expression:
    """Scalar SQL over columns, in Spark's dialect and with its meaning in ANSI mode.

    >>> paid = Expression.parse("status='paid' and amount>0")
    >>> paid.text
    "status = 'paid' AND amount > 0"
    >>> paid.columns
    ('status', 'amount')
    >>> paid.evaluate({"status": pa.array(["paid", "new"]), "amount": pa.array([None, 5])})
    <pyarrow.lib.BooleanArray object at ...>
    [
      null,
      false
    ]
    """

    text: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", canonical(self.text))

    @classmethod
    def parse(cls, text: str) -> Expression:
        """Read SQL text, refusing by name what an expression cannot hold."""
        return cls(text)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns it reads, each once, in the order of the text."""
        return _columns(self.text)

    def evaluate(self, columns: Mapping[str, pa.Array]) -> pa.Array:
        """One value per row of the columns, which may be more than it reads."""
        read = self.columns
        for name in read:
            if name not in columns:
                raise SchemaError(
                    f'"{self.text}" reads an unknown column: got "{name}".',
                    hint=nearest(name, columns),
                )
        if read == (self.text,) and columns[self.text].type.id in _NUMBERS:  # a column
            return columns[self.text]
        length = len(next(iter(columns.values()))) if columns else 1
        used = {name: columns[name] for name in read}
        return evaluate(tree_of(self.text), used, length)

    def holds(self, columns: Mapping[str, pa.Array]) -> np.ndarray:
        """Whether it is true, row by row; null counts as false.

        >>> Expression.parse("x > 1").holds({"x": pa.array([1, 2, None])})
        array([False,  True, False])
        """
        values = self.evaluate(columns)
        if pa.types.is_null(values.type):
            return np.zeros(len(values), bool)
        if not pa.types.is_boolean(values.type):
            raise SchemaError(
                f'a predicate is true or false: "{self.text}" is {values.type}.',
                hint=f'compare it with something, for example "{self.text} > 0".',
            )
        return values.fill_null(False).to_numpy(zero_copy_only=False)

    def sql(self, names: Mapping[str, str]) -> str:
        """Spark SQL with every column under the name given, which the caller has quoted.

        >>> Expression.parse("a + 1 > `b c`").sql({"a": "`c0`", "b c": "`c1`"})
        '(`c0` + 1) > `c1`'
        """

        def renamed(node: exp.Expr) -> exp.Expr:
            if isinstance(node, exp.Column):
                return exp.Var(this=names[node.name])
            return _grouped(node)

        tree: exp.Expr = tree_of(self.text).copy().transform(renamed)
        return tree.sql(dialect="spark", comments=False)

    def __str__(self) -> str:
        return self.text


@lru_cache(maxsize=256)
def _columns(text: str) -> tuple[str, ...]:
    found = tree_of(text).find_all(exp.Column, bfs=False)
    return tuple(dict.fromkeys(column.name for column in found))


_NUMBERS = (pa.int64().id, pa.float64().id)
"""Types of columns that are a value as they are."""
_COMPOUND = (exp.Binary, exp.Unary, exp.Between, exp.In)


def _grouped(node: exp.Expr) -> exp.Expr:
    """Operands in parentheses, so that no two readings of precedence can differ."""
    if not isinstance(node, _COMPOUND) or isinstance(node, exp.Paren):
        return node
    for operand in list(node.iter_expressions()):
        if isinstance(operand, _COMPOUND) and not isinstance(operand, exp.Paren):
            operand.replace(exp.Paren(this=operand.copy()))
    return node
