"""`panewise plot`: results over time."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from panewise.cli.options import Format, Overwrite, pairs
from panewise.errors import FileError, SchemaError, nearest

ENDINGS = (".png", ".svg", ".pdf")
DOTS = 130
"""Dots per inch of a PNG."""


def plot(
    results: Annotated[str, typer.Argument(help="Answers of a query: a file or a folder.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="A picture: .png, .svg or .pdf.")
    ] = Path("results.png"),
    column: Annotated[
        str | None, typer.Option("--column", "-c", help="What to draw; the first number if not.")
    ] = None,
    by: Annotated[
        list[str] | None, typer.Option("--by", help="A key; found by itself if not given.")
    ] = None,
    where: Annotated[
        list[str] | None, typer.Option("--where", "-w", help="name=value, rows to draw.")
    ] = None,
    format: Format = None,
    overwrite: Overwrite = False,
) -> None:
    """Draw results over time: a line for each window, a panel for each of the first six keys.

    Results have the columns window_id and window, or window_start and window_end. Needs matplotlib:
    pip install 'panewise[plots]'.

    \b
    panewise plot out/
    panewise plot out/ --column mean --where device=device-03 --output device.svg
    """
    from panewise.cli.inputs import Source
    from panewise.files.output import placed, refuse
    from panewise.viz.results import draw

    if output.suffix.lower() not in ENDINGS:
        raise FileError(
            f'a picture ends in {", ".join(ENDINGS)}: got "{output}".', hint="write -o results.png."
        )
    source = Source(results, format, {}, None)
    source.check()
    refuse(output, overwrite=overwrite, inputs=[p for p in (source.path,) if p is not None])
    table = _kept(source.read(("window_start", "window_end")), pairs(where, "--where"))
    figure = draw(table, column=column, by=by or None)
    with placed(output, overwrite=overwrite) as part:
        figure.savefig(part, format=output.suffix[1:].lower(), dpi=DOTS)
    typer.echo(f"picture in {output}", err=True)


def _kept(rows: Any, wanted: dict[str, str]) -> Any:
    """A table of the rows in which columns, as text, are what is wanted."""
    import pyarrow as pa
    import pyarrow.compute as pc

    table = rows if isinstance(rows, pa.Table) else rows.to_table()
    for name, value in wanted.items():
        if name not in table.column_names:
            raise SchemaError(f'no column "{name}".', hint=nearest(name, table.column_names))
        table = table.filter(pc.equal(table[name].cast(pa.string()), value))
    return table
