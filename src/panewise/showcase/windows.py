"""Twenty windows over readings: what a dashboard with many horizons asks."""

from __future__ import annotations

from panewise.aggregates import count, max, mean
from panewise.query import Query
from panewise.windows import Window, session, sliding, tumbling

TUMBLING = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 30)
"""Minutes."""
SLIDING = ((15, 1), (30, 1), (30, 5), (60, 5), (60, 10), (120, 10), (180, 15))
"""Minutes of size and slide."""
SESSION = 10


def windows() -> tuple[Window, ...]:
    """Twelve tumbling windows, seven sliding ones and sessions.

    >>> len(windows())
    20
    """
    return (
        *(tumbling(f"{size}m") for size in TUMBLING),
        *(sliding(f"{size}m", f"{slide}m") for size, slide in SLIDING),
        session(f"{SESSION}m"),
    )


def query() -> Query:
    """Readings, mean and highest value of each device, in all windows."""
    aggregates = (count().alias("rows"), mean("temp").alias("mean"), max("temp").alias("max"))
    return Query("ts", ("device",), windows(), aggregates)
