"""What SELECT, HAVING and ORDER BY say about results: keys, window columns and aggregates."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from sqlglot import exp

from panewise.aggregates import Aggregate, count
from panewise.errors import nearest
from panewise.expressions import Expression
from panewise.expressions.parse import tree_of
from panewise.query.finish import Selected
from panewise.sql.aggregates import Aggregates
from panewise.sql.scope import Scope

WINDOW_COLUMNS = ("window_id", "window_start", "window_end", "window", "window_no", "level")
_PARTS = {"start": "window_start", "end": "window_end"}
_SAME = {"session_window": "window", "window_time": "window_end"}


@dataclass
class Results:
    """Reads expressions over results, and collects the aggregates that they need."""

    scope: Scope
    reader: Aggregates
    by: tuple[str, ...]
    found: dict[str, Aggregate] = field(default_factory=dict)
    """Aggregates by the name of their column."""
    named: dict[str, Expression] = field(default_factory=dict)
    """What the SELECT list gives a name."""

    @property
    def aggregates(self) -> tuple[Aggregate, ...]:
        """Those that are asked for, and a count where none is."""
        return tuple(self.found.values()) or (count().alias("rows of a window"),)

    def selected(self, item: exp.Expr) -> Selected:
        """One of the SELECT list."""
        node, name = item, None
        if isinstance(item, exp.Alias):
            node, name = item.this, item.alias
        if isinstance(node, exp.Star):
            hint = "list keys, window_id, window_start, window_end and aggregates."
            raise self.scope.refused(item, "SELECT lists its columns: got *", hint)
        if self.reader.is_aggregate(node):
            value = self.asked_for(item)
            selected = Selected(column(value), value)
        else:
            expression = self.expression(node, aliases=False)
            selected = Selected(expression, name or _own_name(node, expression))
        self.named[selected.name] = selected.value
        return selected

    def expression(self, node: exp.Expr, aliases: bool = True) -> Expression:
        """An expression over results, in which aggregates are columns."""
        return self.scope.checked(self._resolved(node.copy(), aliases))

    def _resolved(self, node: exp.Expr, aliases: bool) -> exp.Expr:
        if self.reader.is_aggregate(node):
            return _named(self._aggregate(node), node)
        key = self._key(node)
        if key is not None:
            return _named(key, node)
        if isinstance(node, exp.Column):
            return self._column(node, aliases)
        for name, child in list(node.args.items()):
            if isinstance(child, exp.Expr):
                node.set(name, self._resolved(child, aliases))
            elif isinstance(child, list):
                parts = [
                    self._resolved(c, aliases) if isinstance(c, exp.Expr) else c for c in child
                ]
                node.set(name, parts)
        return node

    def _key(self, node: exp.Expr) -> str | None:
        """The key that an expression is, if it is one: `GROUP BY lower(name)`."""
        if isinstance(node, exp.Column):
            return node.name if not node.table and node.name in self.by else None
        text = node.sql(dialect="spark", comments=False)
        return text if text in self.by and text in self.scope.made else None

    def _column(self, node: exp.Column, aliases: bool) -> exp.Expr:
        if aliases and not node.table and node.name in self.named:
            return exp.Paren(this=_tree(self.named[node.name], node))
        if not node.this.quoted:
            name = plain_name(node)
            if name in WINDOW_COLUMNS:
                return _named(name, node)
        if node.name in self.by:
            return _named(self.scope.plain(node), node)
        known = dict.fromkeys([*self.by, *WINDOW_COLUMNS, *self.named])
        rule = f'results have no column "{node.sql(dialect="spark")}"'
        near = nearest(node.name, known)
        near += "" if near.endswith("?") else "."
        hint = f"{near} Columns of events stand in GROUP BY or in an aggregate."
        raise self.scope.refused(node, rule, hint)

    def asked_for(self, item: exp.Expr) -> str:
        """The column of an aggregate that the SELECT list asks for, under its own name."""
        node, name = (item.this, item.alias) if isinstance(item, exp.Alias) else (item, None)
        made = self.reader.read(node)
        return self._kept(node, made if name is None else made.alias(name))

    def _aggregate(self, node: exp.Expr) -> str:
        """The column of an aggregate in an expression: one that is there already, or its own."""
        made = self.reader.read(node)
        for known, aggregate in self.found.items():
            if replace(aggregate, output=None) == made:
                return known
        return self._kept(node, made)

    def _kept(self, node: exp.Expr, made: Aggregate) -> str:
        if self.found.setdefault(made.name, made) != made:
            rule = f'two result columns have one name: got "{made.name}" twice'
            raise self.scope.refused(node, rule, "rename one with AS.")
        self.scope.say(node, made.name, made.canonical)
        return made.name


def plain_name(node: exp.Column) -> str:
    """The window column that is meant: Spark writes `window.start`."""
    word, table = node.name.lower(), node.table.lower()
    if table in ("window", "session_window") and word in _PARTS:
        return _PARTS[word]
    return _SAME.get(word, word if word in WINDOW_COLUMNS else node.name)


def _own_name(node: exp.Expr, expression: Expression) -> str:
    return plain_name(node) if isinstance(node, exp.Column) else expression.text


def column(name: str) -> Expression:
    """A result column as an expression."""
    return Expression(exp.column(exp.to_identifier(name, quoted=True)).sql(dialect="spark"))


def _named(name: str, at: exp.Expr) -> exp.Expr:
    found = exp.column(exp.to_identifier(name, quoted=True))
    found.meta.update(at.meta)
    return found


def _tree(expression: Expression, at: exp.Expr) -> exp.Expr:
    tree = tree_of(expression.text).copy()
    tree.meta.update(at.meta)
    return tree
