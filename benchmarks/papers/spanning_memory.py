"""The memory that one side of the calls takes, alone in a process of its own.

A JVM takes heap freely up to its limit and never gives it back, so what is resident says little of
what a query needs.  Beside it stand what the session has resident before the query runs, and the
most that the heap still held right after a collection, which is what was in use.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.measure import Watch
from benchmarks.papers.spanning_calls import SIDES
from benchmarks.spark.session import consume, start

SETTLED = 1.0
"""Seconds that a new session is left alone before it is looked at."""
_AFTER = re.compile(r"\d+M->(\d+)M\(")


@dataclass(frozen=True)
class Memory:
    """Bytes of JVM and Python workers together, and of the heap of the JVM."""

    resident: int
    """The most while the query runs."""
    idle: int
    """Before it runs: the session alone, without Python workers."""
    heap: int
    """The most that was in use after a collection."""

    def parts(self) -> dict[str, int]:
        return {"idle": self.idle, "heap in use": self.heap}


def alone(side: str, where: Path, asked: list[str]) -> Memory:
    """What a side takes in a process of its own."""
    command = [sys.executable, "-m", __name__, side, str(where), *asked]
    told = subprocess.run(command, check=True, capture_output=True, text=True, env=os.environ)
    return Memory(**json.loads(told.stdout.splitlines()[-1]))


def in_use(log: str) -> int:
    """The most bytes after a collection, by the log of a JVM.

    >>> in_use("GC(0) Pause Young (Normal) 51M->7M(504M) 2ms\\nGC(1) Pause Young 62M->9M(504M)")
    9437184
    """
    return max((int(found[1]) << 20 for found in _AFTER.finditer(log)), default=0)


def main() -> None:
    side, where, *asked = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "gc.log"
        spark = start(spark_driver_extraJavaOptions=f"-Xlog:gc:file={log}")
        with Watch() as before:
            time.sleep(SETTLED)
        query = SIDES[side](spark.read.parquet(where), asked)
        with Watch() as watch:
            consume(query)
        resident, idle = (int(each.peak_mb * 2**20) for each in (watch, before))
        print(json.dumps(asdict(Memory(resident, idle, in_use(log.read_text())))))


if __name__ == "__main__":
    main()
