"""Aggregates: the library's by their names, and by those that Spark and standard SQL have."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from sqlglot import exp

from panewise import aggregates as a
from panewise.aggregates import Aggregate
from panewise.aggregates.order import ArgMax, ArgMin, First, Last
from panewise.aggregates.spanning import WeightedSum
from panewise.errors import nearest
from panewise.expressions import Expression
from panewise.sql.calls import Call
from panewise.sql.scope import Scope
from panewise.sql.source import quoted
from panewise.sql.values import value_of

Make = Callable[..., Any]
COLUMNS = ("column", "by")
"""Parameters that are columns, or expressions over them."""
WRAPPED = (exp.Filter, exp.IgnoreNulls, exp.RespectNulls, exp.WithinGroup, exp.Window)
"""What may stand around a call."""
_SCALAR = ("ABS", "COALESCE", "ISNAN", "LENGTH", "LOWER", "UPPER")


def _deviation(function: Make, ddof: int) -> Make:
    def made(column: str) -> Aggregate:
        aggregate: Aggregate = function(column, ddof=ddof)
        return aggregate

    return made


def weighted_sum(column: str) -> WeightedSum:
    """A sum in which each event counts by the share of it that is inside the window."""
    return WeightedSum(column=column)


OURS: dict[str, Make] = {
    name.upper(): getattr(a, name)
    for name in a.__all__
    if name[0].islower() and name != "registered"
}
KNOWN: dict[str, Make] = {
    **OURS,
    "WEIGHTED_SUM": weighted_sum,
    "AVG": a.mean,
    "STDDEV_SAMP": a.stddev,
    "STDDEV_POP": _deviation(a.stddev, 0),
    "VAR_SAMP": a.variance,
    "VAR_POP": _deviation(a.variance, 0),
    "MIN_BY": a.argmin,
    "MAX_BY": a.argmax,
    "FIRST_VALUE": a.first,
    "LAST_VALUE": a.last,
    "COLLECT_LIST": a.collect,
    "ARRAY_AGG": a.collect,
    "STRING_AGG": a.concat,
    "LISTAGG": a.concat,
    "PERCENTILE": a.quantile,
    "PERCENTILE_CONT": a.quantile,
    "APPROX_PERCENTILE": a.approx_quantile,
    "PERCENTILE_APPROX": a.approx_quantile,
}


@dataclass(frozen=True)
class Aggregates:
    """Reads aggregates; those of users by the names they are registered under."""

    scope: Scope
    users: Mapping[str, Make]
    in_frame: bool = False
    """Whether it is the aggregate of a frame, whose column is an expression."""

    @property
    def known(self) -> dict[str, Make]:
        return {**KNOWN, **{name.upper(): make for name, make in self.users.items()}}

    def is_aggregate(self, node: exp.Expr) -> bool:
        """Whether a node is a call of an aggregate, or is meant to be one."""
        return isinstance(node, (exp.Anonymous, *WRAPPED))

    def read(self, node: exp.Expr) -> Aggregate:
        """The aggregate of a call."""
        match node:
            case exp.Filter():
                return self._filtered(node)
            case exp.IgnoreNulls() | exp.RespectNulls():
                return self._nulls(node)
            case exp.WithinGroup():
                return self._within(node)
            case exp.Window():
                hint = "windows stand in GROUP BY, for example TUMBLING('5 minutes')."
                raise self.scope.refused(node, "OVER is not for windows of events", hint)
        if not isinstance(node, exp.Anonymous):
            raise self.scope.refused(node, "this must be an aggregate", "write SUM(x).")
        call = Call.of(self.scope.text, node)
        first = call.arguments[0] if call.arguments else None
        if call.name == "COUNT" and _counts_rows(call.arguments):
            return a.count()
        if isinstance(first, exp.Distinct):
            return self._distinct(call, first)
        make = self.known.get(call.name)
        if make is None:
            rule = f"no aggregate or function is called {node.name}"
            near = difflib.get_close_matches(call.name, self.known, n=1, cutoff=0.5)
            raise self.scope.refused(node, rule, nearest(call.name, near or [*OURS, *_SCALAR]))
        made = call.make(make, partial(self._argument, call.name))
        if not isinstance(made, Aggregate):
            rule = f"{node.name} is registered as an aggregate and makes {made!r}"
            raise self.scope.refused(node, rule, "register a class of aggregates.")
        return made

    def _argument(self, name: str, parameter: str, node: exp.Expr) -> Any:
        if parameter in COLUMNS:
            if isinstance(node, exp.Star):
                raise self.scope.refused(node, f"{name} takes a column: got *", "write COUNT(*).")
            return self._column(node)
        if isinstance(node, exp.Column) and name in (user.upper() for user in self.users):
            return self.scope.plain(node)
        return value_of(self.scope.text, node)

    def _column(self, node: exp.Expr) -> str:
        return self.scope.expression(node).text if self.in_frame else self.scope.column(node)

    def _distinct(self, call: Call, distinct: exp.Distinct) -> Aggregate:
        if call.name not in ("COUNT", "APPROX_COUNT_DISTINCT") or len(distinct.expressions) != 1:
            rule = f"DISTINCT is for COUNT of one column: got {call.name}"
            raise self.scope.refused(call.node, rule, "write COUNT(DISTINCT x).")
        return a.count_distinct(self._column(distinct.expressions[0]))

    def _nulls(self, node: exp.Expr) -> Aggregate:
        made = self.read(node.this)
        if isinstance(made, First | Last):
            return replace(made, ignore_nulls=isinstance(node, exp.IgnoreNulls))
        rule = f"{made.canonical} leaves nulls out anyway"
        raise self.scope.refused(node, rule, "IGNORE NULLS is for FIRST and LAST.")

    def _within(self, node: exp.Expr) -> Aggregate:
        """`PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY x)`."""
        call = Call.of(self.scope.text, node.this)
        order = node.expression.expressions if isinstance(node.expression, exp.Order) else []
        if call.name != "PERCENTILE_CONT" or len(order) != 1 or order[0].args.get("desc"):
            rule = "WITHIN GROUP is for PERCENTILE_CONT, with one ascending order"
            hint = "write PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY x), or QUANTILE(x, 0.9)."
            raise self.scope.refused(node, rule, hint)
        whole = replace(call, arguments=(order[0].this, *call.arguments))
        made: Aggregate = whole.make(a.quantile, partial(self._argument, call.name))
        return made

    def _filtered(self, node: exp.Filter) -> Aggregate:
        """The aggregate of a column that is null where the filter does not hold."""
        made = self.read(node.this)
        kept = self.scope.expression(node.expression.this)
        if isinstance(made, First | Last) and not made.ignore_nulls:
            rule = f"{made.kind_name.upper()} takes nulls, so a filter cannot make some"
            raise self.scope.refused(node, rule, "write FIRST(x) IGNORE NULLS, or use WHERE.")
        if not made.columns():
            if made != a.count():
                rule = f"{made.canonical} reads no column that could be filtered"
                raise self.scope.refused(node, rule, "use WHERE.")
            return a.count(self._only(kept, "1"))
        field = "by" if isinstance(made, ArgMin | ArgMax) else "column"
        read = getattr(made, field)
        value = self.scope.made[read].text if read in self.scope.made else quoted(read)
        return replace(made, **{field: self._only(kept, value)})

    def _only(self, kept: Expression, value: str) -> str:
        return self.scope.make(Expression(f"CASE WHEN {kept.text} THEN {value} END"))


def _counts_rows(arguments: tuple[exp.Expr, ...]) -> bool:
    if len(arguments) != 1:
        return False
    return isinstance(arguments[0], exp.Star) or (
        isinstance(arguments[0], exp.Literal) and not arguments[0].is_string
    )
