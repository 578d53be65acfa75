"""A query over a stream: it goes on from its checkpoint, and answers come as windows close."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from panewise.cli.inputs import STANDARD, Source, local
from panewise.cli.results import folders
from panewise.cli.run_spark import loading
from panewise.cli.spark_session import spark_session
from panewise.cli.work import Work
from panewise.errors import QueryError
from panewise.files.output import refuse, remove
from panewise.files.writing import write_to
from panewise.model import Duration

AT_ONCE = "available-now"
_EVERY = 0.3


@dataclass(frozen=True)
class Streaming:
    """What only streams are told."""

    checkpoint: str | None
    trigger: str
    delay: str | None
    lateness: str | None

    def triggered(self) -> dict[str, Any]:
        """When batches begin, as Spark is told."""
        if self.trigger in (AT_ONCE, "once"):
            return {"availableNow": True}
        return {"processingTime": f"{Duration.parse(self.trigger).ticks // 1000} milliseconds"}

    def asked(self) -> dict[str, Any]:
        """What a plan is told."""
        given = {"delay": self.delay, "lateness": self.lateness}
        return {name: value for name, value in given.items() if value is not None}


def run_stream(work: Work, how: Streaming, master: str | None, conf: Mapping[str, str]) -> None:
    """Until the input ends, or for ever."""
    trigger = how.triggered()
    _check(work, how)
    with spark_session(master, conf) as spark:
        tables = {name: _stream(spark, source) for name, source in work.sources.items()}
        answers = work.answers(tables, **how.asked())
        if work.target.overwrite and not work.target.is_remote:
            remove(Path(work.target.where))
        printer = _Printer()
        queries = _begin(work, how, answers, trigger, printer)
        try:
            _wait(queries, printer, live=not work.target.is_standard)
        except KeyboardInterrupt:
            typer.echo("stopped; the same command goes on from the checkpoint.", err=True)
        finally:
            for query in queries:
                query.stop()


def _check(work: Work, how: Streaming) -> None:
    """Refuse before Spark is started."""
    if how.delay is None:
        raise QueryError(
            "a stream needs --delay: how late rows may be.",
            hint='write --delay "10 seconds"; windows are told that long after they end.',
        )
    target = work.target
    if target.is_standard:
        target.check(len(work.statements))
        if target.format not in (None, "json"):
            raise QueryError(
                f"a stream goes to standard output as json lines: got {target.format}.",
                hint="leave --to out, or give --output a folder.",
            )
        return
    if how.checkpoint is None:
        raise QueryError(
            "a stream that is written to a folder needs --checkpoint.",
            hint="write --checkpoint state/: the stream goes on from there when it is run again.",
        )
    begun = "://" in how.checkpoint or Path(how.checkpoint).exists()
    if begun and target.overwrite:
        raise QueryError(
            f'the stream goes on from "{how.checkpoint}", and --overwrite would lose its answers.',
            hint="leave --overwrite out, or begin with another --checkpoint.",
        )
    if not begun and not target.is_remote:
        refuse(Path(target.where), overwrite=target.overwrite, inputs=target.inputs)


def _stream(spark: Any, source: Source) -> Any:
    if source.where == STANDARD:
        raise QueryError("standard input is no stream for Spark.", hint="give a folder of files.")
    if source.where is None and source.format is None:
        raise QueryError("there is no --input.", hint="give a folder of files, or --format kafka.")
    return loading(source).stream(spark)


def _begin(
    work: Work, how: Streaming, answers: Sequence[Any], trigger: dict[str, Any], printer: _Printer
) -> list[Any]:
    from panewise.spark.save import hand_over, save_stream

    if work.target.is_standard:
        state = None if how.checkpoint is None else _within(how.checkpoint, Path())
        return [hand_over(answers[0], printer, state, trigger)]
    found = []
    for folder, rows in zip(folders(Path(), len(answers)), answers, strict=True):
        where, state = (_within(root, folder) for root in (work.target.where, how.checkpoint))
        found.append(save_stream(rows, where, work.target.kind, state, trigger))
    return found


def _within(root: str | None, folder: Path) -> str:
    """A folder below an output or a checkpoint, as Spark is told."""
    assert root is not None
    return f"{root.rstrip('/')}/{folder}" if "://" in root else local(Path(root) / folder)


class _Printer:
    """Json lines on standard output, as long as somebody reads them."""

    def __init__(self) -> None:
        self.unread = False

    def __call__(self, table: Any) -> None:
        try:
            write_to(table, sys.stdout.buffer, "json")
            sys.stdout.flush()
        except BrokenPipeError:
            self.unread = True  # raised where we wait: here Spark would make it one of its own


def _wait(queries: Sequence[Any], printer: _Printer, *, live: bool) -> None:
    """Until all have ended, or one has failed, which raises its error."""
    if live and len(queries) == 1 and sys.stdout.isatty():
        from panewise.spark import follow

        follow(queries[0])
        return
    while any(query.isActive for query in queries):
        for query in queries:
            if not query.isActive:
                query.awaitTermination()
        if printer.unread:
            raise BrokenPipeError
        time.sleep(_EVERY)
    for query in queries:
        query.awaitTermination()
