"""Results as files: parquet as they are; csv and json lines with moments as text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

_ROWS = 10_000
"""Rows of json that are made at once."""


def write(table: pa.Table, where: Path, format: str) -> None:
    """One file of a table."""
    if format == "parquet":
        import pyarrow.parquet as pq

        pq.write_table(table, where)
        return
    with where.open("wb") as out:
        write_to(table, out, format)


def write_to(table: pa.Table, out: IO[bytes], format: str) -> None:
    """A table as csv or json lines."""
    if format == "csv":
        from pyarrow import csv

        csv.write_csv(flat(table), out)
        return
    for batch in table.to_batches(max_chunksize=_ROWS):
        lines = [json.dumps(row, default=_plain, ensure_ascii=False) for row in batch.to_pylist()]
        out.write(("\n".join(lines) + "\n").encode() if lines else b"")


def flat(table: pa.Table) -> pa.Table:
    """The same with what csv can hold: `window` becomes `window_start, window_end`, lists text."""
    import pyarrow as pa

    columns: dict[str, Any] = {}
    for name, column in zip(table.column_names, table.columns, strict=True):
        if pa.types.is_struct(column.type):
            inner = pa.table({name: column}).flatten()
            columns |= {
                f"{name}_{field.name}": inner.column(number)
                for number, field in enumerate(column.type)
            }
        elif pa.types.is_nested(column.type) or pa.types.is_binary(column.type):
            columns[name] = pa.array(
                [None if v is None else json.dumps(v, default=_plain) for v in column.to_pylist()],
                pa.string(),
            )
        else:
            columns[name] = column
    found = pa.table(columns)
    again = any(pa.types.is_nested(field.type) for field in found.schema)
    return flat(found) if again else found


def _plain(value: Any) -> Any:
    """What JSON has no word for."""
    if hasattr(value, "isoformat"):
        return value.isoformat()
    if isinstance(value, bytes):
        return value.hex()
    return str(value)
