"""Calls: events with a start and an end, which arrive when they are over.

As in the measurements of events with a duration: lengths are exponential, a few calls end as they
begin, and busy towers have many times the calls of quiet ones.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from panewise.model.duration import MINUTE
from panewise.samples.arrival import Disorder, at_least_one, positive
from panewise.samples.readings import START

MISSED = 0.02
"""The share of calls that take no time."""
PRICE = 0.09
"""Of a minute that has begun."""


def calls(
    rows: int = 100_000,
    *,
    keys: int = 10,
    every: str = "10 seconds",
    length: str = "3 minutes",
    disorder: Disorder | None = None,
    seed: int = 7,
) -> pa.Table:
    """Calls `began, ended, tower, cost` in order of arrival; a tower has one `every` so often.

    >>> table = calls(1000, keys=3)
    >>> table.num_rows, table.column_names
    (1000, ['began', 'ended', 'tower', 'cost'])
    """
    at_least_one("the number of rows", rows)
    at_least_one("the number of keys", keys)
    rng = np.random.default_rng(seed)
    span = positive("the time between calls", every) * -(-rows // keys)
    lasted = rng.exponential(positive("the mean length of calls", length), rows)
    lasted = np.where(rng.random(rows) < MISSED, 0, lasted).astype(np.int64)
    began = np.sort(rng.integers(0, span, rows)) + START
    weight = 1 / np.sqrt(np.arange(1, keys + 1))
    tower = rng.choice(keys, rows, p=weight / weight.sum())
    width = max(2, len(str(keys - 1)))
    names = pa.array([f"tower-{number:0{width}d}" for number in range(keys)])
    moment = pa.timestamp("us", "UTC")
    table = pa.table(
        {
            "began": pa.array(began).cast(moment),
            "ended": pa.array(began + lasted).cast(moment),
            "tower": names.take(pa.array(tower)),
            "cost": (-(-lasted // MINUTE) * PRICE).round(2),
        }
    )
    return table.take(pa.array((disorder or Disorder()).order(began + lasted, rng)))
