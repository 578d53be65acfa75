"""`panewise bench`: what sharing is worth on this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from panewise.cli.options import Format, Inline, Inputs, Master, QueryFile, Schema, query_text
from panewise.errors import QueryError

if TYPE_CHECKING:
    from panewise.query import Query


def bench(
    query: QueryFile = None,
    inline: Inline = None,
    input: Inputs = None,
    format: Format = None,
    schema: Schema = None,
    rows: Annotated[
        int, typer.Option(help="How many readings to make, where there is no query.")
    ] = 1_000_000,
    keys: Annotated[int, typer.Option(help="Of how many devices.")] = 50,
    repeat: Annotated[int, typer.Option(help="Runs of each side; the best counts.", min=1)] = 3,
    spark: Annotated[
        bool, typer.Option("--spark", help="On Spark, against Spark's own window functions.")
    ] = False,
    master: Master = None,
    json: Annotated[bool, typer.Option("--json", help="Print figures as JSON.")] = False,
) -> None:
    """Time twenty windows, or your own query, with and without sharing.

    In process, all windows by one plan against a plan for each window. With --spark, against the
    same windows written with Spark's own functions. Sides run in turn after a run to warm up, and
    their rows are compared. The benchmarks against papers and other engines are in the repository.

    \b
    panewise bench
    panewise bench query.sql --input readings.parquet
    panewise bench --spark --rows 3000000
    """
    from panewise.cli.racing import race_here, race_on_spark

    if query is None and inline is None:
        from panewise.samples import readings
        from panewise.showcase.windows import query as twenty

        asked, events = twenty(), readings(rows, keys=keys)
    else:
        asked, events = _given(query_text(query, inline), input, format, schema)
    if spark or master is not None:
        race_on_spark(asked, events, master, repeat, json=json)
    else:
        race_here(asked, events, repeat, json=json)


def _given(
    text: str, input: list[str] | None, format: str | None, schema: str | None
) -> tuple[Query, Any]:
    from panewise.cli.inputs import sources, times
    from panewise.query import Query
    from panewise.sql import parse

    statements = parse(text)
    if len(statements) > 1 or not isinstance(statements[0].query, Query):
        raise QueryError("bench takes one statement, without weights.", hint="give one by one.")
    if statements[0].preparation:
        raise QueryError(
            "bench times windows, and no filters or expressions over events.",
            hint="write what is to be aggregated to a file first.",
        )
    ((table, source),) = sources(input or [], statements, format, {}, schema).items()
    return statements[0].query, source.read(times(statements, table))
