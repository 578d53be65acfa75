"""Constants of a query as Python values: numbers, text, sizes and lists."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from sqlglot import exp

from panewise.errors import QueryError
from panewise.model import Duration, rows
from panewise.sql.places import refusal, relayed

UNITS = ("microsecond", "millisecond", "second", "minute", "hour", "day", "week")


def value_of(text: str, node: exp.Expr) -> Any:
    """The Python value of a constant: a decimal fraction is a float, and with BD a Decimal."""
    match node:
        case exp.Literal():
            return str(node.this) if node.is_string else _number(str(node.this))
        case exp.Neg():
            return -_signed(text, node)
        case exp.Paren():
            return value_of(text, node.this)
        case exp.Boolean():
            return bool(node.this)
        case exp.Null():
            return None
        case exp.Interval():
            return _interval(text, node)
        case exp.Array() | exp.Tuple():
            return tuple(value_of(text, item) for item in node.expressions)
        case exp.Cast() if isinstance(node.this, exp.Literal):
            return _typed(text, node)
        case exp.Anonymous() if called(node) == "ARRAY":
            return tuple(value_of(text, item) for item in node.expressions)
        case exp.Anonymous() if called(node) == "ROWS" and len(node.expressions) == 1:
            try:
                return rows(value_of(text, node.expressions[0]))
            except QueryError as problem:
                raise relayed(text, node, problem) from None
    raise refusal(
        text,
        node,
        "this must be a constant",
        "write a number, text such as '5 minutes', ROWS(1000) or ARRAY(1, 2).",
    )


def called(node: exp.Expr) -> str | None:
    """The name of a call, in upper case."""
    return str(node.name).upper() if isinstance(node, exp.Anonymous) else None


def unit_of(node: exp.Expr) -> str | None:
    """`minute` of `TUMBLING(minute, 20)`."""
    if not isinstance(node, exp.Column) or node.table or node.this.quoted:
        return None
    word = node.name.lower().removesuffix("s")
    return word if word in UNITS else None


def _number(written: str) -> int | float:
    try:
        return int(written)
    except ValueError:
        return float(written)


def _signed(text: str, node: exp.Neg) -> Any:
    number = value_of(text, node.this)
    if isinstance(number, int | float | Decimal) and not isinstance(number, bool):
        return number
    raise refusal(text, node, "a minus stands before a number", "write '-5 minutes' as text.")


def _interval(text: str, node: exp.Interval) -> Duration:
    unit = node.args.get("unit")
    amount = node.this.name if isinstance(node.this, exp.Literal) else None
    try:
        if amount is None or (unit is not None and not isinstance(unit, exp.Var)):
            raise QueryError(
                "an interval is a number and a unit", hint="write INTERVAL '5' MINUTE."
            )
        return Duration.parse(f"{amount} {unit.name}" if unit is not None else amount)
    except QueryError as problem:
        raise relayed(text, node, problem) from None


def _typed(text: str, node: exp.Cast) -> Any:
    """`0.5BD`, `2D`, `TIMESTAMP '2024-01-01'`."""
    kind, written = node.to.this, node.this.name
    if kind == exp.DType.DECIMAL:
        return Decimal(written)
    if kind in (exp.DType.DOUBLE, exp.DType.FLOAT):
        return float(written)
    if kind in exp.DataType.INTEGER_TYPES:
        return int(written)
    if kind in exp.DataType.TEMPORAL_TYPES:
        return written
    raise refusal(text, node, "this must be a plain constant", "leave out the type.")
