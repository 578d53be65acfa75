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
from panewise.sql.places import Place, place_of, refusal, relayed
from panewise.sql.values import UNITS


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
    said: dict[str, Place] = field(default_factory=dict)
    """Where windows and aggregates stand, by their names and spellings."""
    aggregates: frozenset[str] = frozenset()
    """What aggregates are called, in upper case."""
    aggregate: Callable[[exp.Expr], Aggregate] = field(default=None)  # type: ignore[assignment]
    """Reads the aggregate of a frame; set by what reads them."""

    def refused(self, at: Any, rule: str, hint: str | None) -> QueryError:
        return refusal(self.text, at, rule, hint)

    def say(self, node: exp.Expr, *spellings: str) -> None:
        """Remember where something stands, for errors about the whole."""
        place = place_of(node)
        for spelling in spellings if place is not None else ():
            self.said.setdefault(spelling, place)  # type: ignore[arg-type]

    def about(self, message: str) -> Place | None:
        """Where what a message speaks of stands: the last of them, and the longest spelling."""
        found = [s for s in self.said if s in message]
        if found:
            return self.said[max(reversed(found), key=len)]
        return next((p for name, p in self.places.items() if f'"{name}"' in message), None)

    def time_is(self, node: exp.Expr) -> None:
        """A time column, which must be the same wherever one is named."""
        name = self.plain(node)
        if self.time is not None and self.time != name:
            rule = f'a statement has one time column: got "{name}" beside "{self.time}"'
            hint = f"name one of them everywhere, or a unit: {', '.join(UNITS)}."
            raise self.refused(node, rule, hint)
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
        for inner in tree.find_all(exp.Anonymous):
            if inner.name.upper() in self.aggregates:
                rule = f"{inner.name} is about many events, and this is about each"
                hint = "conditions on results stand in HAVING, and aggregates in SELECT."
                raise self.refused(inner, rule, hint)
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
            raise relayed(self.text, tree, problem) from None
