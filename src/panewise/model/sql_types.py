"""SQL spellings of Arrow types and back: what a Scope needs to know of plain arrays."""

from __future__ import annotations

import re

import pyarrow as pa

from panewise.errors import SchemaError

_ARROW = {
    "tinyint": pa.int8(),
    "smallint": pa.int16(),
    "int": pa.int32(),
    "bigint": pa.int64(),
    "float": pa.float32(),
    "double": pa.float64(),
    "boolean": pa.bool_(),
    "string": pa.string(),
    "binary": pa.binary(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us", tz="UTC"),
    "timestamp_ntz": pa.timestamp("us"),
}
_SQL = {arrow: sql for sql, arrow in _ARROW.items()}
_DECIMAL = re.compile(r"decimal\((\d+),\s*(\d+)\)")


def arrow_type(sql: str) -> pa.DataType:
    """The Arrow type that carries a SQL type.

    >>> arrow_type("decimal(10,2)")
    Decimal128Type(decimal128(10, 2))
    """
    decimal = _DECIMAL.fullmatch(sql)
    if decimal:
        return pa.decimal128(int(decimal[1]), int(decimal[2]))
    try:
        return _ARROW[sql]
    except KeyError:
        raise SchemaError(f"no Arrow type is known for {sql.upper()}.") from None


def sql_type(arrow: pa.DataType) -> str:
    """The SQL spelling of an Arrow type.

    >>> sql_type(pa.int64()), sql_type(pa.timestamp("us"))
    ('bigint', 'timestamp_ntz')
    """
    if pa.types.is_decimal(arrow):
        return f"decimal({arrow.precision},{arrow.scale})"
    if pa.types.is_timestamp(arrow):
        return "timestamp_ntz" if arrow.tz is None else "timestamp"
    try:
        return _SQL[arrow]
    except KeyError:
        raise SchemaError(f"no SQL type is known for {arrow}.") from None
