"""Device readings with the faults of real ones.

Temperatures follow the day, each device in its own way; devices report at their own pace, fall
silent for a while about once a day, and sometimes send nothing where a value should be.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from panewise.model.duration import DAY
from panewise.samples.arrival import Disorder, at_least_one, positive

START = 1_714_521_600_000_000  # 2024-05-01 00:00 UTC
LOST = 0.01
"""The share of readings without a value."""


def readings(
    rows: int = 100_000,
    *,
    keys: int = 10,
    every: str = "10 seconds",
    disorder: Disorder | None = None,
    seed: int = 7,
) -> pa.Table:
    """Readings `ts, device, temp` in order of arrival; a device sends one `every` so often.

    >>> table = readings(1000, keys=3)
    >>> table.num_rows, table.column_names
    (1000, ['ts', 'device', 'temp'])
    """
    at_least_one("the number of rows", rows)
    at_least_one("the number of keys", keys)
    rng = np.random.default_rng(seed)
    span = positive("the time between readings", every) * -(-rows // keys)
    devices = _devices(rng, rows, keys)
    parts = [_device(rng, count, span) for count in np.bincount(devices, minlength=keys)]
    ticks, temp = (np.concatenate(column) for column in zip(*parts, strict=True))
    arrival = (disorder or Disorder()).order(ticks, rng)
    width = max(2, len(str(keys - 1)))
    names = pa.array([f"device-{number:0{width}d}" for number in range(keys)])
    table = pa.table(
        {
            "ts": pa.array(ticks + START).cast(pa.timestamp("us", "UTC")),
            "device": names.take(pa.array(np.sort(devices))),
            "temp": pa.array(temp.round(1), mask=rng.random(rows) < LOST),
        }
    )
    return table.take(pa.array(arrival))


def _devices(rng: np.random.Generator, rows: int, keys: int) -> np.ndarray:
    """The device of each row: some send three times as often as others, and all send."""
    pace = rng.uniform(5.0, 16.0, keys)
    drawn = rng.choice(keys, rows, p=pace / pace.sum())
    drawn[: min(rows, keys)] = np.arange(min(rows, keys))
    return drawn


def _device(rng: np.random.Generator, count: int, span: int) -> tuple[np.ndarray, np.ndarray]:
    ticks = np.sort(_between_silences(rng, count, span)).astype(np.int64)
    days = span // DAY + 2
    peak, swing, base = rng.uniform(12, 17) / 24 * DAY, rng.uniform(3, 7), rng.uniform(12, 24)
    daily = swing * np.cos(2 * np.pi * (ticks - peak) / DAY)
    drift = np.interp(ticks, np.arange(days) * DAY, rng.normal(0, 1.5, days))
    return ticks, base + daily + drift + rng.normal(0, 0.6, count)


def _between_silences(rng: np.random.Generator, count: int, span: int) -> np.ndarray:
    """Times drawn from what is left when silences are cut out, each moved past those before it."""
    silences = max(1, span // DAY)
    lengths = rng.uniform(0.02, 0.12, silences) * (span / silences)
    left = span - lengths.sum()
    places = np.sort(rng.uniform(0, left, silences))
    drawn = rng.uniform(0, left, count)
    passed = np.concatenate([[0.0], np.cumsum(lengths)])
    return drawn + passed[np.searchsorted(places, drawn)]
