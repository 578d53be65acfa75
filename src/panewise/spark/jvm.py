"""How the JVM of a local session starts.

Idea: on a laptop one JVM is driver and executor, and the rows that go to Python are its garbage.
The collector that stops the tasks for it takes less of few cores than the one that works beside
them.  Programs that Hadoop or Spark starts, such as one for the mode of a file where `local_files`
does not spare it, are started the cheap way.
Invariant: a collector that the user chose, wherever that is said, is left alone.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

import pyspark

OPTIONS = "spark.driver.defaultJavaOptions"
"""Spark puts these before the options of the user."""
COLLECTOR = "-XX:+UseParallelGC"
ALWAYS = (
    "-Darrow.enable_unsafe_memory_access=true",
    "-Djdk.lang.Process.launchMechanism=VFORK",
)
_CHOSEN = re.compile(r"-XX:\+Use\w+GC\b")
_VARIABLES = ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "SPARK_SUBMIT_OPTS", "PYSPARK_SUBMIT_ARGS")


def java_options(given: Mapping[str, str]) -> dict[str, str]:
    """The setting for a session with these; a JVM with two collectors does not start."""
    told = [*given.values(), *(os.environ.get(name, "") for name in _VARIABLES), _of_spark()]
    chosen = any(_CHOSEN.search(text) for text in told)
    return {OPTIONS: " ".join(ALWAYS if chosen else (COLLECTOR, *ALWAYS))}


def _of_spark() -> str:
    """Spark's file of defaults, where there is one."""
    home = os.environ.get("SPARK_HOME", str(Path(pyspark.__file__).parent))
    folder = Path(os.environ.get("SPARK_CONF_DIR", Path(home, "conf")))
    try:
        return (folder / "spark-defaults.conf").read_text()
    except OSError:
        return ""
