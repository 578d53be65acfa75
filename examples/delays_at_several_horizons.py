"""Delays at several horizons: is it late now, this morning, or all day?

Granules are nested sliding windows. The hour is compared with the six hours and these with the day
around it: where the finer one is far above the coarser one, delays are breaking out.
"""

from __future__ import annotations

import pyarrow.compute as pc
from flights import flights

import panewise as pw
from panewise.plan import Plan

HORIZONS = pw.granules(("1 hour", "30 minutes"), ("6 hours", "1 hour"), ("24 hours", "6 hours"))


def main() -> None:
    events = flights()
    events = events.filter(pc.equal(events["origin"], "JFK"))
    plan = pw.plan(
        time="left",
        windows=[HORIZONS],
        aggregates=[
            pw.mean("late").alias("late"),
            pw.count().alias("flights"),
            pw.slope("late").alias("slope"),
        ],
    )
    assert isinstance(plan, Plan)
    results = plan.run(events)
    print(
        f"{len(events):,} departures, {len(results):,} windows at {len(HORIZONS.levels)} horizons"
    )

    print("\nThe worst outbreaks, an hour against the six hours around it:")
    hours = {row["window"]["end"]: row for row in results.to_pylist() if row["level"] == 0}
    bursts = plan.bursts(results, "late", factor=2.0).to_pylist()
    busy = [
        burst
        for burst in bursts
        if burst["level"] == 0 and hours[burst["window"]["end"]]["flights"] >= 15
    ]
    for burst in sorted(busy, key=lambda burst: -burst["difference"])[:5]:
        hour = hours[burst["window"]["end"]]
        print(
            f"  until {hour['window']['end']:%d %b %H:%M}  {hour['flights']} flights, "
            f"{burst['value']:.0f} minutes late instead of {burst['base']:.0f}, "
            f"and {3600 * hour['slope']:+.0f} an hour"
        )


if __name__ == "__main__":
    main()
