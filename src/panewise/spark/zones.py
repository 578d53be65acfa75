"""The zone of moments: how their text is shown, not what they are.

Spark writes the session's zone into the Arrow type of every TIMESTAMP, and so it is in the types of
all that is kept.  A query may go on in a session with another one: what it reads is put into the
zone of now.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TypeVar

import pyarrow as pa

Rows = TypeVar("Rows", pa.Table, pa.RecordBatch)
_ZONE = re.compile(r"tz=[^\]]*")


def zone_of(types: pa.Schema) -> str:
    """The zone of the session that columns of these types come from; any, if none has one.

    >>> zone_of(pa.schema([("id", pa.int64()), ("ts", pa.timestamp("us", "Asia/Tokyo"))]))
    'Asia/Tokyo'
    """
    return next((zone for field in types for zone in _zones(field.type)), "UTC")


def in_zone(table: Rows, zone: str) -> Rows:
    """The same moments, in another zone.

    >>> table = pa.table({"ts": pa.array([0], pa.timestamp("us", "UTC"))})
    >>> in_zone(table, "Asia/Tokyo")["ts"][0].as_py().isoformat()
    '1970-01-01T09:00:00+09:00'
    """
    fields = [_field(field, zone) for field in table.schema]
    wanted = pa.schema(fields, table.schema.metadata)
    return table if wanted == table.schema else table.cast(wanted)


def zoneless(types: Mapping[str, str]) -> dict[str, str]:
    """Types as text, without what does not matter.

    >>> zoneless({"ts": "timestamp[us, tz=UTC]", "local": "timestamp[us]"})
    {'ts': 'timestamp[us, tz]', 'local': 'timestamp[us]'}
    """
    return {name: _ZONE.sub("tz", kind) for name, kind in types.items()}


def _zones(kind: pa.DataType) -> Iterator[str]:
    if pa.types.is_timestamp(kind) and kind.tz is not None:
        yield kind.tz
    for at in range(kind.num_fields):
        yield from _zones(kind.field(at).type)


def _moved(kind: pa.DataType, zone: str) -> pa.DataType:
    if pa.types.is_timestamp(kind) and kind.tz is not None:
        return pa.timestamp(kind.unit, zone)
    if pa.types.is_struct(kind):
        return pa.struct([_field(each, zone) for each in kind])
    if pa.types.is_list(kind):
        return pa.list_(_field(kind.value_field, zone))
    if pa.types.is_map(kind):
        return pa.map_(_field(kind.key_field, zone), _field(kind.item_field, zone))
    return kind


def _field(field: pa.Field, zone: str) -> pa.Field:
    return field.with_type(_moved(field.type, zone))
