"""Two sides timed and told, for `bench` and `demo`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import typer

from panewise.errors import OperatorError

if TYPE_CHECKING:
    from panewise.query import Query


def race_here(query: Query, events: Any, repeat: int, *, json: bool = False) -> None:
    """All windows by one plan against a plan for each, in process."""
    from panewise.showcase.race import alike, in_process

    sides = in_process(query, events)
    one, other = (run() for run in sides.values())
    _tell(query, sides, alike(query, one, other), repeat, json)


def race_on_spark(
    query: Query, events: Any, master: str | None, repeat: int, *, json: bool = False
) -> None:
    """Our plan against Spark's own functions."""
    from panewise.api import plan_query
    from panewise.cli.spark_session import spark_session
    from panewise.showcase.race import on_spark
    from panewise.spark.own_windows import differences, own_windows

    table = events.to_table() if hasattr(events, "to_table") else events
    with spark_session(master, {}) as session:
        frame = session.createDataFrame(table).cache()
        theirs = own_windows(query, frame)
        same = differences(query, plan_query(query).run(frame), theirs) == 0
        _tell(query, on_spark(query, frame), same, repeat, json)


def _tell(
    query: Query, sides: Mapping[str, Callable[[], Any]], same: bool, repeat: int, json: bool
) -> None:
    from panewise.cli.progress import working
    from panewise.showcase.race import race

    if not same:
        raise OperatorError("the two sides differ in their rows.", hint="please report it.")
    with working("timing both sides in turn"):
        laps = list(race(sides, repeat))
    best = {name: min(lap for side, lap in laps if side == name) for name in sides}
    first, second = best.values()
    if json:
        import json as format

        figures = {"windows": len(query.windows), "seconds": best, "ratio": second / first}
        typer.echo(format.dumps(figures))
        return
    typer.echo(f"{len(query.windows)} windows, best of {repeat} runs, equal rows on both sides")
    for name, lasted in best.items():
        typer.echo(f"  {name:<22} {lasted:8.3f} s")
    typer.echo(f"  {second / first:.1f} times as fast")
