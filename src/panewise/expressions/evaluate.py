"""Evaluation over Arrow arrays, node by node.

Idea: AND, OR, CASE and COALESCE look at a later operand only for rows that the earlier ones have
not decided, as Spark does; so `y <> 0 AND x / y > 1` divides by no zero.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

import pyarrow as pa
import pyarrow.compute as pc
from sqlglot import exp

from panewise.expressions import arithmetic, compare, functions, text
from panewise.expressions.casts import cast
from panewise.expressions.typed import is_typed_literal, type_of, typed_literal
from panewise.expressions.types import boolean, common_type, convert

_BINARY: dict[type[exp.Expr], Callable[[pa.Array, pa.Array], pa.Array]] = {
    exp.Add: arithmetic.add,
    exp.Sub: arithmetic.subtract,
    exp.Mul: arithmetic.multiply,
    exp.Div: arithmetic.divide,
    exp.Mod: arithmetic.remainder,
    exp.IntDiv: arithmetic.whole_quotient,
    exp.EQ: compare.equal,
    exp.NEQ: lambda a, b: pc.invert(compare.equal(a, b)),
    exp.LT: compare.less,
    exp.GT: lambda a, b: compare.less(b, a),
    exp.LTE: lambda a, b: pc.invert(compare.less(b, a)),
    exp.GTE: lambda a, b: pc.invert(compare.less(a, b)),
    exp.NullSafeEQ: compare.same,
}
_COMPARED = (exp.EQ, exp.NEQ, exp.LT, exp.GT, exp.LTE, exp.GTE)
_UNARY: dict[type[exp.Expr], Callable[[pa.Array], pa.Array]] = {
    exp.Neg: arithmetic.negate,
    exp.Abs: arithmetic.absolute,
    exp.Sqrt: functions.sqrt,
    exp.Floor: functions.floor,
    exp.Ceil: functions.ceil,
    exp.IsNan: compare.is_nan,
    exp.Lower: text.lower,
    exp.Upper: text.upper,
    exp.Length: text.length,
    exp.Not: lambda a: pc.invert(boolean("NOT", a)),
    exp.Paren: lambda a: a,
}


def evaluate(node: exp.Expr, columns: Mapping[str, pa.Array], length: int) -> pa.Array:
    """The value of a checked tree for each of `length` rows."""
    return _Rows(columns, length).value(node)


@dataclass(frozen=True)
class _Rows:
    """Some of the rows, with what to compute for them."""

    columns: Mapping[str, pa.Array]
    length: int

    def value(self, node: exp.Expr) -> pa.Array:
        kind = type(node)
        if kind in _BINARY:
            compared = kind in _COMPARED
            right = self._operand(node.expression, compared)
            # two literals are compared for every row
            left = self._operand(node.this, compared and not isinstance(right, pa.Scalar))
            return _BINARY[kind](
                _short(node.this, left, right), _short(node.expression, right, left)
            )
        if kind in _UNARY:
            return _UNARY[kind](self.value(node.this))
        return _OTHER[kind](self, node)

    def _operand(self, node: exp.Expr, compared: bool) -> pa.Array:
        """An array, or a literal that an array is compared with."""
        if compared and isinstance(node, exp.Literal):
            return literal(node.this, bool(node.args["is_string"]))
        if compared and is_typed_literal(node):
            return typed_literal(node)
        return self.value(node)

    def of(self, keep: pa.Array) -> _Rows:
        if pc.all(keep).as_py():
            return self
        kept = {name: column.filter(keep) for name, column in self.columns.items()}
        return _Rows(kept, pc.sum(keep).as_py() or 0)


def _short(node: exp.Expr, values: pa.Array, other: pa.Array) -> pa.Array:
    """An integer literal beside a decimal has only the digits it is written with, as in Spark."""
    number = node.this if isinstance(node, exp.Neg) else node
    if not isinstance(number, exp.Literal) or not pa.types.is_integer(values.type):
        return values
    return convert(values, pa.decimal128(len(number.this), 0)) if _decimal(other) else values


def _decimal(values: pa.Array) -> bool:
    return bool(pa.types.is_decimal(values.type))


def _column(rows: _Rows, node: exp.Expr) -> pa.Array:
    column = rows.columns[node.name]
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    return column.cast(pa.string()) if pa.types.is_large_string(column.type) else column


def _literal(rows: _Rows, node: exp.Expr) -> pa.Array:
    return _repeated(node.this, bool(node.args["is_string"]), rows.length)


@lru_cache(maxsize=64)
def _repeated(written: str, is_text: bool, length: int) -> pa.Array:
    """A literal for every row: batches are often of one length."""
    return pa.repeat(literal(written, is_text), length)


@lru_cache(maxsize=64)
def literal(written: str, is_text: bool) -> pa.Scalar:
    """A literal in the type Spark gives it.

    >>> [str(literal(written, False).type) for written in ("1", "3000000000", "1.5", "1e0")]
    ['int32', 'int64', 'decimal128(2, 1)', 'double']
    """
    if is_text:
        return pa.scalar(written, pa.string())
    if "e" in written.lower():
        return pa.scalar(float(written))
    if "." in written or int(written) >= 2**63:
        return pa.scalar(Decimal(written))
    return pa.scalar(int(written), pa.int32() if int(written) < 2**31 else pa.int64())


def _and(rows: _Rows, node: exp.Expr) -> pa.Array:
    left = boolean("AND", rows.value(node.this))
    right = _where(rows, pc.fill_null(left, True), "AND", node.expression)
    return pc.and_kleene(left, right)


def _or(rows: _Rows, node: exp.Expr) -> pa.Array:
    left = boolean("OR", rows.value(node.this))
    right = _where(rows, pc.invert(pc.fill_null(left, False)), "OR", node.expression)
    return pc.or_kleene(left, right)


def _where(rows: _Rows, open_: pa.Array, word: str, node: exp.Expr) -> pa.Array:
    """An operand for the rows that need it; null for the others."""
    found = boolean(word, rows.of(open_).value(node))
    return pc.replace_with_mask(pa.nulls(rows.length, pa.bool_()), open_, found)


def _in(rows: _Rows, node: exp.Expr) -> pa.Array:
    """Compared in the type that all of them fit in."""
    value, items = rows.value(node.this), [rows.value(item) for item in node.expressions]
    kind = common_type([value.type, *(item.type for item in items)])
    found = pa.repeat(pa.scalar(False), rows.length)
    for item in items:
        found = pc.or_kleene(found, compare.equal(convert(value, kind), convert(item, kind)))
    return found


def _between(rows: _Rows, node: exp.Expr) -> pa.Array:
    value = rows.value(node.this)
    low, high = rows.value(node.args["low"]), rows.value(node.args["high"])
    return pc.and_kleene(pc.invert(compare.less(value, low)), pc.invert(compare.less(high, value)))


def _like(rows: _Rows, node: exp.Expr) -> pa.Array:
    found = text.like(rows.value(node.this), node.expression.this)
    return pc.invert(found) if node.args.get("negate") else found


def _case(rows: _Rows, node: exp.Expr) -> pa.Array:
    tests = [branch.this for branch in node.args["ifs"]]
    if node.this is not None:
        tests = [exp.EQ(this=node.this, expression=test) for test in tests]
    values = [branch.args["true"] for branch in node.args["ifs"]]
    return _chosen(rows, tests, values, node.args.get("default"))


def _if(rows: _Rows, node: exp.Expr) -> pa.Array:
    return _chosen(rows, [node.this], [node.args["true"]], node.args["false"])


def _chosen(
    rows: _Rows, tests: list[exp.Expr], values: list[exp.Expr], default: exp.Expr | None
) -> pa.Array:
    """The value of the first test that is true, computed for the rows that reach it."""
    branches: list[tuple[pa.Array, pa.Array]] = []
    open_ = pa.repeat(pa.scalar(True), rows.length)
    for test, value in zip(tests, values, strict=True):
        taken = pc.and_(open_, pc.fill_null(_where(rows, open_, "CASE WHEN", test), False))
        branches.append((taken, rows.of(taken).value(value)))
        open_ = pc.and_(open_, pc.invert(taken))
    if default is not None:
        branches.append((open_, rows.of(open_).value(default)))
    return _merged(branches, rows.length)


def _nullif(rows: _Rows, node: exp.Expr) -> pa.Array:
    value, other = rows.value(node.this), rows.value(node.expression)
    same = compare.equal(
        _short(node.this, value, other), _short(node.expression, other, value)
    ).fill_null(False)
    return pc.if_else(same, pa.scalar(None, value.type), value)


def _greatest(rows: _Rows, node: exp.Expr) -> pa.Array:
    return _outermost(rows, node, lambda found, value: compare.less(found, value))


def _least(rows: _Rows, node: exp.Expr) -> pa.Array:
    return _outermost(rows, node, lambda found, value: compare.less(value, found))


def _outermost(
    rows: _Rows, node: exp.Expr, beyond: Callable[[pa.Array, pa.Array], pa.Array]
) -> pa.Array:
    """The one of several that lies beyond all others; nulls do not count."""
    values = [rows.value(part) for part in (node.this, *node.expressions)]
    kind = common_type([value.type for value in values])
    found, *others = (convert(value, kind) for value in values)
    for value in others:
        taken = pc.or_(found.is_null(), pc.fill_null(beyond(found, value), False))
        found = pc.if_else(taken, value, found)
    return found


def _round(rows: _Rows, node: exp.Expr) -> pa.Array:
    return functions.rounded(rows.value(node.this), places_of(node))


def places_of(node: exp.Expr) -> int:
    """How many places a ROUND keeps."""
    places = node.args.get("decimals")
    return 0 if places is None else int(places.sql())


def _cast(rows: _Rows, node: exp.Expr) -> pa.Array:
    if is_typed_literal(node):
        return pa.repeat(typed_literal(node), rows.length)
    assert isinstance(node, exp.Cast)
    return cast(rows.value(node.this), type_of(node))


def _coalesce(rows: _Rows, node: exp.Expr) -> pa.Array:
    branches: list[tuple[pa.Array, pa.Array]] = []
    open_ = pa.repeat(pa.scalar(True), rows.length)
    for part in (node.this, *node.expressions):
        found = rows.of(open_).value(part)
        taken = pc.replace_with_mask(open_, open_, found.is_valid())
        branches.append((taken, found.drop_null()))
        open_ = pc.and_(open_, pc.invert(taken))
    return _merged(branches, rows.length)


def _merged(branches: list[tuple[pa.Array, pa.Array]], length: int) -> pa.Array:
    """Values of separate rows brought together, in a type that holds them all."""
    kind = common_type([values.type for _, values in branches])
    merged = pa.nulls(length, kind)
    for taken, values in branches:
        if not pa.types.is_null(kind):
            merged = pc.replace_with_mask(merged, taken, convert(values, kind))
    return merged


_OTHER: dict[type[exp.Expr], Callable[[_Rows, exp.Expr], pa.Array]] = {
    exp.Column: _column,
    exp.Literal: _literal,
    exp.Boolean: lambda rows, node: pa.repeat(pa.scalar(bool(node.this)), rows.length),
    exp.Null: lambda rows, node: pa.nulls(rows.length),
    exp.And: _and,
    exp.Or: _or,
    exp.In: _in,
    exp.Between: _between,
    exp.Is: lambda rows, node: rows.value(node.this).is_null(),
    exp.Like: _like,
    exp.Case: _case,
    exp.If: _if,
    exp.Coalesce: _coalesce,
    exp.Nullif: _nullif,
    exp.Greatest: _greatest,
    exp.Least: _least,
    exp.Round: _round,
    exp.Cast: _cast,
    exp.TryCast: _cast,  # what sqlglot calls a CAST of Spark's
}
