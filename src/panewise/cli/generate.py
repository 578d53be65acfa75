"""`panewise generate`: made-up events."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class Shape(StrEnum):
    READINGS = "readings"
    CALLS = "calls"


def generate(
    shape: Annotated[Shape, typer.Argument(help="What to make.")] = Shape.READINGS,
    output: Annotated[
        str, typer.Option("--output", "-o", help="A file, or - for standard output.")
    ] = "-",
    rows: Annotated[int, typer.Option(help="How many.")] = 100_000,
    keys: Annotated[int, typer.Option(help="Devices, or towers.")] = 10,
    every: Annotated[
        str, typer.Option(help="Time from one event of a key to the next, on average.")
    ] = "10 seconds",
    length: Annotated[str, typer.Option(help="How long calls are, on average.")] = "3 minutes",
    late: Annotated[float, typer.Option(help="The share of rows that come late.")] = 0.0,
    delay: Annotated[str, typer.Option(help="How late they come at most.")] = "5 minutes",
    seed: Annotated[int, typer.Option(help="The same seed makes the same events.", min=0)] = 7,
    format: Annotated[
        str | None, typer.Option("--format", "-f", help="parquet, csv or json, one object a line.")
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the file.")] = False,
) -> None:
    """Make events to try things with: readings of devices, or calls that begin and end.

    Readings are `ts, device, temp`; calls `began, ended, tower, cost`. Rows are in order of
    arrival, which is the order of time but for those that are late; calls arrive when they end.

    \b
    panewise generate readings --rows 1000000 --keys 50 --output readings.parquet
    panewise generate readings --late 0.05 --delay "10 minutes" --output late.csv
    panewise generate calls --length "40 minutes" --output calls.parquet
    panewise generate readings --rows 5
    """
    from panewise.cli.tables import put
    from panewise.samples import calls, readings
    from panewise.samples.arrival import Disorder

    disorder = Disorder(late, delay)
    if shape is Shape.READINGS:
        table = readings(rows, keys=keys, every=every, disorder=disorder, seed=seed)
    else:
        table = calls(rows, keys=keys, every=every, length=length, disorder=disorder, seed=seed)
    put(table, output, format, overwrite=overwrite)
    if output != "-":
        typer.echo(f"{rows:,} {shape} in {Path(output)}", err=True)
