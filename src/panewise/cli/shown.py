"""A table as a person reads it in a terminal."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

ROWS = 40
"""As many as a screen has."""


def show(table: pa.Table, title: str | None = None) -> None:
    """The first rows, and how many there are."""
    from rich.console import Console
    from rich.table import Table

    from panewise.files.writing import flat

    drawn = Table(title=title)
    rows = flat(table.slice(0, ROWS))
    for field in rows.schema:
        drawn.add_column(field.name, justify="right" if _is_number(field.type) else "left")
    for row in rows.to_pylist():
        drawn.add_row(*map(_text, row.values()))
    console = Console()
    console.print(drawn)
    if table.num_rows > ROWS:
        console.print(f"{ROWS} of {table.num_rows:,} rows; --output writes them all")


def _is_number(kind: pa.DataType) -> bool:
    import pyarrow as pa

    return bool(
        pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    )


def _text(value: Any) -> str:
    from rich.markup import escape

    if value is None:
        return "[dim]null[/dim]"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M:%S.%f}".removesuffix(".000000")
    return escape(str(value))
