"""A Spark session for the length of a command, which says nothing that is no error."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

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
    with working("starting Spark"):
        from panewise.spark.session import is_running, session

        ours = not is_running()
        spark = session(master or LOCAL, app="panewise", **{**_CONF, **conf})
    try:
        yield spark
    finally:
        if ours:
            spark.stop()
