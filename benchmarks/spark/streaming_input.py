"""Input of streams: parquet files in order of arrival, as many for each micro-batch as cores.

Idea: the rows of a batch are dealt out to its files in turn, so every file spans the whole time of
its batch, as with the partitions of a queue.  Spark takes files by the time they were changed, so
that is set.  A run gets a folder of its own with links to the files, because what is left after a
stop is added to it.
"""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.data import EPOCH, JITTER, _events

FILES = 2
"""Files of a batch."""
SCHEMA = "ts timestamp, device bigint, value double"


@dataclass(frozen=True)
class Input:
    """Rows of some batches that span `seconds` of event time, and one more batch for a restart."""

    rows: int
    keys: int
    batches: int
    seconds: float

    def ensure(self, root: Path) -> Path:
        """The folder of all files; made if it is not there yet."""
        name = f"stream-rows{self.rows}-keys{self.keys}-in{self.batches}-over{self.seconds:g}"
        folder = root / name
        if not folder.exists():
            part = folder.with_name(f"{name}.part")  # an interrupted run must not look like one
            shutil.rmtree(part, ignore_errors=True)
            part.mkdir(parents=True)
            self._write(part)
            part.rename(folder)
        return folder

    def link(self, folder: Path, inbox: Path, batches: range) -> None:
        """Let these batches arrive in a folder."""
        inbox.mkdir(parents=True, exist_ok=True)
        for path in sorted(folder.glob("*.parquet")):
            if int(path.name.split("-")[0]) in batches:
                os.link(path, inbox / path.name)

    def table(self) -> pa.Table:
        """All rows in the order in which they arrive."""
        rng = np.random.default_rng(self.rows + self.keys)
        more = 1 + 1 / self.batches
        rows, seconds = int(self.rows * more), self.seconds * more
        device, at = _events(rng, rows, self.keys, seconds)
        arrival = np.argsort(at + rng.uniform(0, JITTER, rows))
        device, at = device[arrival], at[arrival]
        value = 20 + 5 * np.sin(at / 100 + device) + rng.normal(0, 2, rows)
        ticks = ((EPOCH + at) * 1_000_000).astype(np.int64)
        times = pa.array(ticks).cast(pa.timestamp("us", "UTC"))
        return pa.table({"ts": times, "device": device, "value": value.round(2)})

    def _write(self, folder: Path) -> None:
        table = self.table()
        size = -(-table.num_rows // (self.batches + 1))
        for batch in range(self.batches + 1):
            rows = table.slice(batch * size, size)
            for number in range(FILES):
                path = folder / f"{batch:03}-{number}.parquet"
                pq.write_table(rows.take(pa.array(range(number, rows.num_rows, FILES))), path)
                changed = EPOCH + batch * FILES + number
                os.utime(path, (changed, changed))
