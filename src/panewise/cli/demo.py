"""`panewise demo`: twenty windows over made-up readings, from events to a picture."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from panewise.cli.options import Master, Overwrite

if TYPE_CHECKING:
    import pyarrow as pa

REPEAT = 2
DEVICE = "device-07"
MINUTE = "tumbling(1m)"
SHOWN = (MINUTE, "sliding(30m, 5m)", "sliding(3h, 15m)")


def demo(
    rows: Annotated[int, typer.Option(help="How many readings to make.", min=1000)] = 300_000,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="A folder for readings, windows and a picture."),
    ] = None,
    spark: Annotated[
        bool, typer.Option("--spark", help="On Spark, against Spark's own window functions.")
    ] = False,
    master: Master = None,
    overwrite: Overwrite = False,
) -> None:
    """See twenty windows over made-up readings: the plan, some rows, a picture, and the time.

    \b
    panewise demo
    panewise demo --output out/
    panewise demo --spark --rows 3000000
    """
    from panewise.api import plan_query
    from panewise.cli.progress import working
    from panewise.cli.racing import race_here, race_on_spark
    from panewise.files.output import refuse
    from panewise.samples import readings
    from panewise.samples.arrival import Disorder
    from panewise.showcase.windows import query

    if output is not None:
        refuse(output, overwrite=overwrite)
    with working("making readings"):
        events = readings(rows, keys=50, disorder=Disorder(0.02))
    plan = plan_query(query())
    _heading("The plan: readings are cut into panes once, and all windows share them")
    typer.echo(plan.explain())
    with working("all windows of all readings"):
        results = plan.run(events)
    typer.echo(
        f"\n{rows:,} readings in, {len(results):,} rows of {len(query().windows)} windows out"
    )
    _show_device(results)
    if output is not None:
        _write(events, results, output, overwrite)
    _heading("The time")
    if spark or master is not None:
        race_on_spark(query(), events, master, REPEAT)
    else:
        race_here(query(), events, REPEAT)


def _heading(text: str) -> None:
    typer.secho(f"\n{text}\n", bold=True)


def _show_device(results: pa.Table) -> None:
    """Of every window the last one that holds a minute in the middle, in which there was a row."""
    import pyarrow as pa
    import pyarrow.compute as pc

    from panewise.cli.shown import show

    ours = results.filter(pc.equal(results["device"], DEVICE))
    start, end = (pc.struct_field(ours["window"], name) for name in ("start", "end"))
    minutes = pc.unique(start.filter(pc.equal(ours["window_id"], MINUTE))).sort()
    middle = minutes[len(minutes) // 2]
    found = ours.filter(pc.and_(pc.less_equal(start, middle), pc.greater(end, middle)))
    _heading(f"{DEVICE} at {middle.as_py():%d %B %H:%M}")
    latest = {row["window_id"]: row for row in found.to_pylist()}
    show(pa.Table.from_pylist([_shortened(row) for row in latest.values()]))


def _shortened(row: dict[str, Any]) -> dict[str, Any]:
    """A row that fits on a line."""
    start, end = (f"{row['window'][edge]:%d %b %H:%M}" for edge in ("start", "end"))
    told = {name: row[name] for name in ("rows", "mean", "max")}
    return {"window": row["window_id"], "from": start, "to": end, **told}


def _write(events: pa.Table, results: pa.Table, output: Path, overwrite: bool) -> None:
    from panewise.errors import QueryError
    from panewise.files.output import placed
    from panewise.files.writing import write

    with placed(output, overwrite=overwrite) as part:
        part.mkdir()
        write(events, part / "readings.parquet", "parquet")
        write(results, part / "windows.parquet", "parquet")
        try:
            _draw(results).savefig(part / "device.png", dpi=130)
        except QueryError as problem:  # matplotlib is not installed
            typer.echo(f"no picture: {problem}", err=True)
    typer.echo(f"readings, windows and a picture of {DEVICE} in {output}")


def _draw(results: pa.Table) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    from panewise.viz.results import draw

    few = pc.is_in(results["window_id"], pa.array(SHOWN))
    ours = pc.equal(results["device"], DEVICE)
    return draw(results.filter(pc.and_(few, ours)), column="mean", by=["device"])
