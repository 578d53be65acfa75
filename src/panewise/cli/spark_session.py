"""A Spark session for the length of a command, which says nothing that is no error."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import IO, Any

from panewise.cli.exits import TRACE
from panewise.cli.progress import working

LOCAL = "local[*]"
_CONF = {
    # as in process: times without a zone are UTC's
    "spark.sql.session.timeZone": "UTC",
    "spark.log.level": "ERROR",
}


@contextmanager
def spark_session(master: str | None, conf: Mapping[str, str]) -> Iterator[Any]:
    """A session on a master, or the one that runs; stopped at the end if it was started here."""
    from panewise.spark.session import is_running, session

    ours = not is_running()
    with _hushed() as out, working("starting Spark", out):
        spark = session(master or LOCAL, app="panewise", **{**_CONF, **conf})
    try:
        yield spark
    finally:
        if ours:
            spark.stop()


@contextmanager
def _hushed() -> Iterator[IO[str]]:
    """Standard error for us alone: Java keeps the one it is started with, and logs there."""
    with os.fdopen(os.dup(2), "w") as ours:
        if os.environ.get(TRACE):
            yield ours
            return
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 2)
        os.close(nowhere)
        try:
            yield ours
        finally:
            os.dup2(ours.fileno(), 2)
