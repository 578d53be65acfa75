"""Types of columns as Spark spells them: `ts TIMESTAMP, device STRING`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from panewise.errors import SchemaError

if TYPE_CHECKING:
    import pyarrow as pa

_COLUMN = re.compile(r"\s*(?:`([^`]+)`|(\w+))\s*:?\s+(\w+(?:\s*\([\d\s,]+\))?)\s*(?:,|$)")
_SAME = {
    "integer": "int",
    "long": "bigint",
    "short": "smallint",
    "byte": "tinyint",
    "real": "float",
}


def arrow_schema(text: str) -> dict[str, pa.DataType]:
    """The Arrow type of every column.

    >>> arrow_schema("ts TIMESTAMP, `a name` DECIMAL(10, 2)")
    {'ts': TimestampType(timestamp[us, tz=UTC]), 'a name': Decimal128Type(decimal128(10, 2))}
    """
    from panewise.model.sql_types import arrow_type

    found: dict[str, pa.DataType] = {}
    position = 0
    while position < len(text):
        column = _COLUMN.match(text, position)
        if column is None:
            raise SchemaError(
                f'a schema lists columns with their types: got "{text[position:].strip()}".',
                hint='write --schema "ts TIMESTAMP, device STRING, temp DOUBLE".',
            )
        kind = re.sub(r"\s+", "", column[3].lower())
        found[column[1] or column[2]] = arrow_type(_SAME.get(kind, kind))
        position = column.end()
    return found
