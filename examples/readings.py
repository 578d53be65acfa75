"""Device readings with the faults of real ones.

Temperatures follow the day, each device in its own way; devices report at their own pace, fall
silent for hours, sometimes send nothing where a value should be, and some rows arrive late.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

DEVICES = 50
DAYS = 7
DAY = 86_400.0
START = 1_714_521_600  # 2024-05-01 00:00 UTC


def write(path: Path, seed: int = 7) -> int:
    """Write about three million readings in order of arrival; how many there are."""
    rng = np.random.default_rng(seed)
    parts = [_device(rng, number) for number in range(DEVICES)]
    device, seconds, temp = (np.concatenate(column) for column in zip(*parts, strict=True))
    # most rows arrive within a second or two, one in fifty minutes later
    delay = rng.exponential(1.0, len(seconds)) + (rng.random(len(seconds)) < 0.02) * 300.0
    arrival = np.argsort(seconds + delay)
    lost = rng.random(len(seconds)) < 0.01
    table = pa.table(
        {
            "ts": pa.array(((START + seconds) * 1e6).astype(np.int64)).cast(
                pa.timestamp("us", "UTC")
            ),
            "device": pa.array(device),
            "temp": pa.array(temp.round(1), mask=lost),
        }
    ).take(pa.array(arrival))
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")  # an interrupted run must not look like a finished one
    pq.write_table(table, part, row_group_size=250_000)
    part.rename(path)
    return len(table)


def _device(rng: np.random.Generator, number: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    interval = rng.uniform(5.0, 16.0)
    steps = rng.exponential(interval, int(DAYS * DAY / interval))
    seconds = np.cumsum(steps)
    seconds = seconds[(seconds < DAYS * DAY) & _on(rng, seconds)]
    peak, swing, base = rng.uniform(12, 17) * 3600, rng.uniform(3, 7), rng.uniform(12, 24)
    daily = swing * np.cos(2 * np.pi * (seconds - peak) / DAY)
    drift = np.interp(seconds, np.arange(DAYS + 1) * DAY, rng.normal(0, 1.5, DAYS + 1))
    temp = base + daily + drift + rng.normal(0, 0.6, len(seconds))
    return np.full(len(seconds), f"device-{number:02d}"), seconds, temp


def _on(rng: np.random.Generator, seconds: np.ndarray) -> np.ndarray:
    """False during about one silence a day, of half an hour to three hours."""
    on = np.ones(len(seconds), bool)
    for begin in rng.uniform(0, DAYS * DAY, DAYS):
        on &= (seconds < begin) | (seconds > begin + rng.uniform(1800, 10_800))
    return on
