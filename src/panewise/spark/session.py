"""A Spark session with settings that suit windowed aggregation."""

from __future__ import annotations

import os
import re
import socket
import sys
from collections.abc import Mapping
from typing import Any

import pyspark
from pyspark.errors import PySparkRuntimeError
from pyspark.sql import SparkSession

from panewise.spark.java import ensure_java
from panewise.spark.jvm import java_options
from panewise.spark.local_files import write_without_programs

ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
RENAMING = (
    "org.apache.spark.sql.execution.streaming.checkpointing.FileSystemBasedCheckpointFileManager"
)

DEFAULTS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    # The only state store that transformWithState accepts, and the one for state beyond the heap.
    "spark.sql.streaming.stateStore.providerClass": ROCKSDB,
    # Changes of the state are written, and not the whole of it with every batch.
    "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
    # A driver that dies while it writes the first offsets leaves a part of a file behind.  Spark
    # would refuse to start there again; that the state is of another query is found out by us.
    "spark.sql.streaming.verifyCheckpointDirectoryEmptyOnStart": "false",
    # Rows that go to Python in one piece: with Spark's 10,000, pieces take half of the time.
    "spark.sql.execution.arrow.maxRecordsPerBatch": "100000",
    # No limit by bytes: Spark adds up the buffers of a piece again for every row, which takes
    # longer than writing the row.
    "spark.sql.execution.arrow.maxBytesPerBatch": str(2**31 - 1),
    # Python workers keep the memory of arrays for the next ones: where the C library gives it back,
    # new memory takes longer to get than what is computed in it.  Elsewhere these mean nothing.
    "spark.executorEnv.MALLOC_MMAP_THRESHOLD_": str(2**25),
    "spark.executorEnv.MALLOC_TRIM_THRESHOLD_": str(2**28),
}


def session(
    master: str = "local[*]", *, app: str = "panewise", **conf: str | int | bool
) -> SparkSession:
    """The running session with `conf` applied, or else a new one on `master`.

    `conf` takes Spark's own names, with underscores where a keyword needs them:
    `session(spark_sql_session_timeZone="UTC")`, or `session(**{"spark.sql.session.timeZone":
    "UTC"})`. Where no Java 17+ is found, the runtime of the `jdk` extra is used.
    """
    given = {_conf_key(key): _conf_value(value) for key, value in conf.items()}
    builder: Any = SparkSession.builder
    if is_running():
        # Our defaults are for new sessions; someone else's keeps its own settings.
        return builder.config(map=given).getOrCreate()
    ensure_java()
    options = {**DEFAULTS, **_sockets(), **_local_defaults(master, given), **given}
    started: SparkSession = builder.master(master).appName(app).config(map=options).getOrCreate()
    if _local_cores(master) is not None:
        write_without_programs(started)
    return started


def is_running() -> bool:
    """Whether there is a session that `session` would return."""
    try:
        SparkSession.active()
    except PySparkRuntimeError:
        return False
    return True


def _sockets() -> dict[str, str]:
    """How a task talks to its Python worker.

    By TCP, a side that writes little waits up to 40 ms for the other to confirm what came before.
    """
    files = hasattr(socket, "AF_UNIX")
    return {"spark.python.unix.domain.socket.enabled": "true"} if files else {}


def _local_defaults(master: str, given: Mapping[str, str]) -> dict[str, str]:
    cores = _local_cores(master)
    if cores is None:
        return {}
    # Workers start "python3" from the PATH, which may lack pyarrow. Only here: on a cluster,
    # this interpreter's path means nothing to the other machines.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    return {
        "spark.driver.memory": "4g",
        # Spark's 200 is meant for clusters; here it is 200 tiny tasks.
        "spark.sql.shuffle.partitions": str(2 * cores),
        **java_options(given),
        **_renaming(),
    }


def _renaming() -> dict[str, str]:
    """How files of a checkpoint get their names.

    Spark's default asks the shell about links first, and a micro-batch renames several files.
    Releases before 4.3 may have the class elsewhere.
    """
    release = tuple(int(part) for part in pyspark.__version__.split(".")[:2])
    name = "spark.sql.streaming.checkpointFileManagerClass"
    return {name: RENAMING} if release >= (4, 3) else {}


def _local_cores(master: str) -> int | None:
    """How many cores a local master uses; None when the work is done elsewhere.

    >>> [_local_cores(master) for master in ("local", "local[3]", "local[4,2]", "yarn")]
    [1, 3, 4, None]
    """
    local = re.fullmatch(r"local(?:\[(\*|\d+)(?:,\s*\d+)?\])?", master)
    if local is None:
        return None
    return (os.cpu_count() or 1) if local[1] == "*" else int(local[1] or 1)


def _conf_key(key: str) -> str:
    return key if "." in key else key.replace("_", ".")


def _conf_value(value: str | int | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
