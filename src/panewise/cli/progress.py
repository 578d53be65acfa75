"""Progress on standard error, and only where a person looks at it."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

_EVERY = 0.2


@contextmanager
def working(what: str, to: IO[str] | None = None) -> Iterator[None]:
    """A line that moves while the block runs."""
    out = to or sys.stderr
    if not out.isatty():
        yield
        return
    from rich.console import Console

    with Console(file=out).status(what):
        yield


@contextmanager
def counted(spark: Any, what: str) -> Iterator[None]:
    """A bar of the tasks that Spark has done while the block runs."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    from panewise.spark.jobs import Jobs

    jobs, over = Jobs(spark, what), threading.Event()
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed:.0f} of {task.total:.0f} tasks"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bars:
        bar = bars.add_task(what, total=1)

        def watch() -> None:
            while not over.wait(_EVERY):
                tasks = jobs.tasks()
                bars.update(bar, completed=tasks.done, total=max(tasks.known, 1))

        watcher = threading.Thread(target=watch, daemon=True)
        watcher.start()
        try:
            yield
        finally:
            over.set()
            watcher.join()
