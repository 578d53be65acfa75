"""`panewise run`: a query over events."""

from __future__ import annotations

from typing import Annotated

import typer

from panewise.cli.options import (
    Format,
    Inline,
    Inputs,
    Master,
    Overwrite,
    QueryFile,
    Schema,
    Settings,
    Strategy,
    pairs,
    query_text,
)
from panewise.errors import QueryError


def run(
    query: QueryFile = None,
    inline: Inline = None,
    input: Inputs = None,
    output: Annotated[
        str,
        typer.Option(
            "--output", "-o", help="A file, a folder, or - for standard output.", show_default=False
        ),
    ] = "-",
    format: Format = None,
    option: Settings = None,
    schema: Schema = None,
    to: Annotated[
        str | None,
        typer.Option("--to", "-t", help="Format of the output: parquet, csv, json, or Spark's."),
    ] = None,
    overwrite: Overwrite = False,
    strategy: Strategy = "auto",
    spark: Annotated[
        bool, typer.Option("--spark", help="Run on Spark also what could be run in process.")
    ] = False,
    master: Master = None,
    conf: Annotated[
        list[str] | None, typer.Option("--conf", help="name=value, a setting of Spark's session.")
    ] = None,
    stream: Annotated[
        bool, typer.Option("--stream", help="Read a stream: answers come as windows close.")
    ] = False,
    checkpoint: Annotated[
        str | None, typer.Option(help="Where a stream keeps its state; it goes on from there.")
    ] = None,
    trigger: Annotated[
        str, typer.Option(help='How often: "10 seconds", or available-now to stop at the end.')
    ] = "available-now",
    delay: Annotated[str | None, typer.Option(help="How late rows of a stream may be.")] = None,
    lateness: Annotated[
        str | None, typer.Option(help="How long after that they revise what was told.")
    ] = None,
) -> None:
    """Run a query over events, in process or on Spark.

    Files of parquet, csv and json lines are read in process, on all cores and without Java. Other
    formats, remote paths, --option, --stream, --spark and --master run on Spark. Several statements
    in one query share their work, and each answer has a folder of its own in --output.

    An output appears when it is complete; one that is there is kept unless --overwrite is given.

    \b
    panewise run query.sql --input readings.parquet --output out/
    panewise run query.sql -i readings.csv -o answers.csv
    cat readings.jsonl | panewise run query.sql -i - -f json > answers.csv
    panewise run query.sql -i s3a://bucket/readings/ -f parquet -o s3a://bucket/out --master yarn
    panewise run query.sql -i readings/ -o out/ --stream --checkpoint state/ --delay "1 minute"
    """
    from panewise.cli.inputs import sources
    from panewise.cli.results import Output
    from panewise.cli.work import Work
    from panewise.sql import parse

    statements = parse(query_text(query, inline))
    settings = pairs(option, "--option")
    forced = spark or stream or master is not None
    by_name = forced or format is not None
    found = sources(input or [], statements, format, settings, schema, by_name=by_name)
    paths = tuple(source.path for source in found.values() if source.path is not None)
    target = Output(output, to, overwrite, paths)
    work = Work(statements, found, target, strategy)
    if stream:
        from panewise.cli.run_stream import Streaming, run_stream

        how = Streaming(checkpoint, trigger, delay, lateness)
        run_stream(work, how, master, pairs(conf, "--conf"))
        return
    refuse_streaming(checkpoint=checkpoint, delay=delay, lateness=lateness)
    target.check(len(statements))
    if forced or target.needs_spark or any(source.needs_spark for source in found.values()):
        from panewise.cli.run_spark import run_spark

        run_spark(work, master, pairs(conf, "--conf"))
    else:
        from panewise.cli.run_here import run_here

        run_here(work)


def refuse_streaming(**given: object) -> None:
    """Options that mean nothing without --stream."""
    for name, value in given.items():
        if value is not None:
            raise QueryError(f"--{name} is for streams.", hint="give --stream, or leave it out.")
