"""`panewise explain`: what a query would do, and what it is expected to cost."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from panewise.cli.options import Inline, Overwrite, QueryFile, Strategy, query_text


def explain(
    query: QueryFile = None,
    inline: Inline = None,
    json: Annotated[bool, typer.Option("--json", help="As JSON: one plan, or a list.")] = False,
    svg: Annotated[
        Path | None, typer.Option(help="Draw it there; of several plans, number.svg beside it.")
    ] = None,
    strategy: Strategy = "auto",
    overwrite: Overwrite = False,
) -> None:
    """Show the plan of a query: panes, windows, what each costs, and the plans that lost.

    Statements that can share their work have one plan.

    \b
    panewise explain query.sql
    panewise explain query.sql --json
    panewise explain query.sql --svg plan.svg
    """
    from panewise.sql import parse
    from panewise.sql.sharing import plans

    found = plans(parse(query_text(query, inline)), strategy)
    if svg is not None:
        _draw([plan.explain("svg") for _, plan in found], svg, overwrite)
        return
    told = [plan.explain("json" if json else "text") for _, plan in found]
    if len(found) == 1:
        typer.echo(told[0])
    elif json:
        typer.echo("[" + ",\n".join(told) + "]")
    else:
        for (numbers, _), text in zip(found, told, strict=True):
            listed = ", ".join(str(number + 1) for number in numbers)
            typer.echo(f"-- statement{'s' * (len(numbers) > 1)} {listed}\n{text}\n")


def _draw(pictures: list[str], file: Path, overwrite: bool) -> None:
    from panewise.files.output import placed

    for number, picture in enumerate(pictures, 1):
        name = file.name if len(pictures) == 1 else f"{file.stem}-{number}{file.suffix}"
        with placed(file.with_name(name), overwrite=overwrite) as part:
            part.write_text(picture, encoding="utf-8")
