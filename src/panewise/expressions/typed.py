"""Types in text: what a cast may make, and literals that name their type.

A moment is taken only where the text alone says which one it is: `TIMESTAMP '2024-01-01 00:00:00'`
is another in every time zone of a session.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from functools import lru_cache
from typing import TypeGuard

import pyarrow as pa
from sqlglot import exp

_DType = exp.DType
_TYPES: dict[exp.DType, pa.DataType] = {
    _DType.TINYINT: pa.int8(),
    _DType.SMALLINT: pa.int16(),
    _DType.INT: pa.int32(),
    _DType.BIGINT: pa.int64(),
    _DType.FLOAT: pa.float32(),
    _DType.DOUBLE: pa.float64(),
    _DType.BOOLEAN: pa.bool_(),
}
_ZONED, _UNZONED = pa.timestamp("us", "UTC"), pa.timestamp("us")
_WRITTEN: dict[exp.DType, pa.DataType] = {
    _DType.DATE: pa.date32(),
    _DType.TIMESTAMPTZ: _ZONED,
    _DType.TIMESTAMPLTZ: _ZONED,
    _DType.TIMESTAMPNTZ: _UNZONED,
}
"""Types of literals only."""
_MOST_DIGITS = 38
_DAY = r"\d{4}-\d\d-\d\d"
_TIME = r"[ T]\d\d:\d\d:\d\d(\.\d{1,6})?"
_SHAPES = {
    pa.date32(): re.compile(_DAY),
    _ZONED: re.compile(rf"{_DAY}{_TIME}(Z|[+-]\d\d:\d\d)"),
    _UNZONED: re.compile(rf"{_DAY}({_TIME})?"),
}
_EXAMPLES = {
    pa.date32(): "DATE '2024-01-31'",
    _ZONED: "TIMESTAMP '2024-01-31 12:00:00Z', or TIMESTAMP_NTZ without a zone",
    _UNZONED: "TIMESTAMP_NTZ '2024-01-31 12:00:00'",
}
_NUMBER = re.compile(r"-?\d+(\.\d*)?|-?\.\d+")
_CASTS = "cast makes TINYINT, SMALLINT, INT, BIGINT, FLOAT, DOUBLE, BOOLEAN and DECIMAL(p, s)"


def is_typed_literal(node: exp.Expr | None) -> TypeGuard[exp.Cast]:
    """Whether this is text with a type: `DATE '2024-01-31'`."""
    return isinstance(node, exp.Cast) and isinstance(node.this, exp.Literal) and node.this.is_string


def problem(node: exp.Cast) -> tuple[str, str] | None:
    """What is wrong with a cast or a typed literal, and what to write."""
    if node.args.get("safe"):
        return "an expression holds no try_cast", "cast where CASE WHEN says that it can be done."
    kind = type_of(node)
    if kind is None:
        return f"{_CASTS}: got {node.args['to'].sql(dialect='spark')}", "make the column before."
    if not is_typed_literal(node):
        if kind in _SHAPES:
            return (
                f"{_CASTS}: got {node.args['to'].sql(dialect='spark')}",
                "make the column before.",
            )
        return None
    written = node.this.this
    if kind in _SHAPES:
        wrong = _SHAPES[kind].fullmatch(written) is None or _moment(written) is None
        return ("this is no literal of its type", f"write {_EXAMPLES[kind]}.") if wrong else None
    if not pa.types.is_decimal(kind) or _NUMBER.fullmatch(written) is None:
        return "cast takes numbers and truths: got text", "write the number without quotes."
    if Decimal(written) != _exact(written, kind):
        return f"{written} has more digits than {node.args['to'].sql(dialect='spark')}", "write BD."
    return None


def type_of(node: exp.Cast) -> pa.DataType | None:
    """The type that a cast makes, or a literal has; None if there is no such type here."""
    to = node.args["to"]
    if not isinstance(to, exp.DataType) or not isinstance(to.this, exp.DType):
        return None
    if to.this is not _DType.DECIMAL:
        return None if to.expressions else (_TYPES | _WRITTEN).get(to.this)
    digits = [parameter.name for parameter in to.expressions]
    if len(digits) != 2 or not all(map(str.isdecimal, digits)):  # of DECIMAL, nobody knows them
        return None
    precision, scale = map(int, digits)
    fits = 1 <= precision <= _MOST_DIGITS and scale <= precision
    return pa.decimal128(precision, scale) if fits else None


def typed_literal(node: exp.Cast) -> pa.Scalar:
    """The value of a literal that names its type."""
    return _value(node.this.this, type_of(node))


@lru_cache(maxsize=64)
def _value(written: str, kind: pa.DataType) -> pa.Scalar:
    if pa.types.is_decimal(kind):
        return pa.scalar(_exact(written, kind), kind)
    moment = _moment(written)
    assert moment is not None, "refused when it was read"
    if pa.types.is_date(kind):
        return pa.scalar(moment.date(), kind)
    since = moment - datetime(1970, 1, 1, tzinfo=UTC if moment.tzinfo else None)
    return pa.scalar(since // timedelta(microseconds=1), pa.int64()).cast(kind)


def _moment(written: str) -> datetime | None:
    try:
        day, moment = date.fromisoformat(written[:10]), datetime.fromisoformat(written)
    except ValueError:
        return None
    return moment if day.year else None


def _exact(written: str, kind: pa.Decimal128Type) -> Decimal | None:
    try:
        found: Decimal | None = pa.scalar(Decimal(written), kind).as_py()
    except pa.ArrowInvalid:
        return None
    return found
