"""The commands, put together."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from panewise.cli import bench, check, demo, explain, generate, plot, run
from panewise.cli.exits import reported


class Commands(TyperGroup):
    """Commands whose errors are told to people, also in tests."""

    def invoke(self, ctx: Any) -> Any:
        with reported():
            return super().invoke(ctx)


app = typer.Typer(
    cls=Commands,
    name="panewise",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 done, 1 failed, 2 bad input, 130 interrupted, 141 broken pipe.",
)
app.command()(run.run)
app.command()(check.check)
app.command()(explain.explain)
app.command()(generate.generate)
app.command()(plot.plot)
app.command()(bench.bench)
app.command()(demo.demo)


def _version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        typer.echo(f"panewise {version('panewise')}")
        raise typer.Exit


@app.callback()
def panewise_(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Many windowed aggregates over one event stream, for little more than the price of one.

    \b
    panewise generate readings --output readings.parquet
    panewise run query.sql --input readings.parquet --output out/
    """
