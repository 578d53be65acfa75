"""What a statement has said so far: its time column, and the columns made for its events."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from sqlglot import exp

from panewise.aggregates import Aggregate
from panewise.errors import QueryError
from panewise.expressions import Expression
from panewise.expressions.parse import check
from panewise.sql.places import Place, place_of, refusal


@dataclass
class Scope:
    """The text of one statement, and what its parts share."""

    text: str
    tables: tuple[str, ...] = ()
    """Names that may stand before a column and a dot."""
    time: str | None = None
    made: dict[str, Expression] = field(default_factory=dict)
    """Columns to add to the events, by name: expressions that are aggregated or grouped by."""
    places: dict[str, Place] = field(default_factory=dict)
    """Where each column of the events was first read."""
    aggregate: Callable[[exp.Expr], Aggregate] = field(default=None)  # type: ignore[assignment]
    """Reads an aggregate; set by what reads them."""

    def refused(self, at: Any, rule: str, hint: str | None) -> QueryError:
        return refusal(self.text, at, rule, hint)

    def time_is(self, node: exp.Expr) -> None:
        """A time column, which must be the same wherever one is named."""
        name = self.plain(node)
        if self.time is not None and self.time != name:
            raise self.refused(
                node,
                f'a statement has one time column: got "{name}" beside "{self.time}"',
                "name one of them everywhere.",
            )
        self.time = name

    def plain(self, node: exp.Expr) -> str:
        """The name of a column."""
        if isinstance(node, exp.Column):
            if isinstance(node.this, exp.Star):
                raise self.refused(node, "a column is named here: got *", None)
            if node.table and node.table not in self.tables:
                hint = f"write `{node.table}.{node.name}` in backticks if that is its name."
                raise self.refused(node, "a column has one name", hint)
        name = node.name
        place = place_of(node)
        if place is not None:
            self.places.setdefault(name, place)
        return name

    def column(self, node: exp.Expr) -> str:
        """The name of a column, or of one that is made of an expression."""
        if isinstance(node, exp.Column):
            return self.plain(node)
        return self.make(self.expression(node))

    def make(self, expression: Expression) -> str:
        """The name of a column with this expression's values."""
        self.made[expression.text] = expression
        return expression.text

    def expression(self, node: exp.Expr) -> Expression:
        """Scalar SQL over the columns of an event."""
        tree = node.copy()
        for column in tree.find_all(exp.Column):
            self.plain(column)
            column.set("table", None)
        return self.checked(tree)

    def checked(self, tree: exp.Expr) -> Expression:
        """An expression every node of which is allowed."""
        check(self.text, tree)
        try:
            return Expression(tree.sql(dialect="spark", comments=False))
        except QueryError as problem:
            rule = problem.message.split(":\n")[0]
            raise self.refused(tree, rule, problem.hint) from None
