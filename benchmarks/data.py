"""Input: device readings made once and kept as parquet.

Idea: every device alternates between active and silent phases, so sessions really close.  A row is
a uniform draw from all active time laid end to end, which spreads rows over devices and phases in
one vectorised step.  Files are in order of arrival: time plus up to `JITTER` seconds.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

ROWS_PER_SECOND = 1000
"""Kept constant, so that a smaller input is a shorter one and not a sparser one."""
ACTIVE, SILENT = (20.0, 120.0), (10.0, 60.0)
JITTER = 2.0
FILES = 8
EPOCH = 1_704_067_200  # 2024-01-01 00:00 UTC


def ensure(rows: int, keys: int, root: Path) -> Path:
    """The folder of an input; made if it is not there yet."""
    folder = root / f"rows{rows}-keys{keys}"
    if not folder.exists():
        part = folder.with_suffix(".part")  # an interrupted run must not look like an input
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        _write(_table(rows, keys), part)
        part.rename(folder)
    return folder


def _table(rows: int, keys: int) -> pa.Table:
    rng = np.random.default_rng(rows + keys)
    device, seconds = _events(rng, rows, keys, rows / ROWS_PER_SECOND)
    arrival = np.argsort(seconds + rng.uniform(0, JITTER, rows))
    device, seconds = device[arrival], seconds[arrival]
    value = 20 + 5 * np.sin(seconds / 100 + device) + rng.normal(0, 2, rows)
    ticks = ((EPOCH + seconds) * 1_000_000).astype(np.int64)
    return pa.table(
        {
            "ts": pa.array(ticks).cast(pa.timestamp("us", "UTC")),
            "device": device,
            "value": value.round(2),
        }
    )


def _events(
    rng: np.random.Generator, rows: int, keys: int, duration: float
) -> tuple[np.ndarray, np.ndarray]:
    cycle = (sum(ACTIVE) + sum(SILENT)) / 2
    cycles = int(1.3 * duration / cycle) + 8
    active = rng.uniform(*ACTIVE, (keys, cycles))
    silent = rng.uniform(*SILENT, (keys, cycles))
    # devices begin at different points of their first cycle
    ends = np.cumsum(active + silent, axis=1) - silent - rng.uniform(0, cycle, (keys, 1))
    starts = np.clip(ends - active, 0, duration)
    ends = np.clip(ends, 0, duration)
    laid = np.cumsum((ends - starts).ravel())
    drawn = np.sort(rng.uniform(0, laid[-1], rows))
    phase = np.searchsorted(laid, drawn)
    return phase // cycles, ends.ravel()[phase] - (laid[phase] - drawn)


def _write(table: pa.Table, folder: Path) -> None:
    size = -(-len(table) // FILES)
    for number in range(FILES):
        pq.write_table(table.slice(number * size, size), folder / f"{number}.parquet")
