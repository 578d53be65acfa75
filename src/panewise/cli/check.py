"""`panewise check`: whether a query can be run, without running it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from panewise.cli.options import Format, Inline, Inputs, QueryFile, Schema, query_text
from panewise.errors import FileError

if TYPE_CHECKING:
    from panewise.cli.inputs import Source
    from panewise.sql import Statement


def check(
    query: QueryFile = None,
    inline: Inline = None,
    input: Inputs = None,
    format: Format = None,
    schema: Schema = None,
) -> None:
    """Validate a query, without running it and without Spark.

    With --input or --schema, the columns that it reads are looked for there too.

    \b
    panewise check query.sql
    panewise check query.sql --input readings.parquet
    panewise check query.sql --schema "ts TIMESTAMP, device STRING, temp DOUBLE"
    """
    from panewise.cli.inputs import sources
    from panewise.files.schema import arrow_schema
    from panewise.sql import parse
    from panewise.sql.sharing import plans

    statements = parse(query_text(query, inline))
    plans(statements)
    if input:
        found = sources(input, statements, format, {}, schema)
        columns = {table: _columns(source) for table, source in found.items()}
    elif schema is not None:
        columns = {s.source: list(arrow_schema(schema)) for s in statements}
    else:
        columns = {}
    for statement in statements:
        if statement.source in columns:
            statement.check(columns[statement.source])
    typer.echo("\n".join(_line(statement) for statement in statements))


def _columns(source: Source) -> list[str]:
    from panewise.files.reading import column_names

    if source.path is None or source.needs_spark:
        raise FileError(
            f'the columns of "{source.where}" are not known without reading it.',
            hint="give files of parquet, csv or json, or --schema.",
        )
    return column_names(source.path, source.kind)


def _line(statement: Statement) -> str:
    """What was understood of a statement."""
    from panewise.cli.inputs import query_of

    query = query_of(statement)
    windows = ", ".join(dict.fromkeys(query.window_ids))
    by = f" by {', '.join(query.by)}" if query.by else ""
    return f"ok: {windows} over {statement.source}{by}"
