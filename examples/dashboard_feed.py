"""A dashboard feed: many windows over one stream, told as they become final or change.

Batches of flights arrive by the minute of landing, as a feed brings them; so rows are out of order
by their departure. Twenty-four windows of every carrier share the same panes.
"""

from __future__ import annotations

from collections import Counter

import pyarrow as pa
import pyarrow.compute as pc
from flights import flights

import panewise as pw

MINUTES = (5, 10, 15, 20, 30, 45, 60, 90, 120, 180, 240, 360)
BATCH = 50


def main() -> None:
    plan = pw.plan(
        time="left",
        by=["carrier"],
        windows=[
            *(pw.tumbling(f"{m} min") for m in MINUTES),
            *(pw.sliding(f"{2 * m} min", f"{m} min") for m in MINUTES[:-2]),
            pw.cumulating("1 hour", "1 day").named("today so far"),
            pw.session("20 min").named("rush"),
        ],
        aggregates=[
            pw.count().alias("flights"),
            pw.mean("late").alias("late"),
            pw.max("late").alias("worst"),
        ],
    )
    feed = pw.Operator(plan, delay="3 hours", lateness="6 hours")
    board: dict[tuple, dict] = {}
    told = Counter[str]()
    for batch in batches():
        for row in feed.push(batch).to_pylist():
            key = row["window_id"], row["carrier"], row["window"]["start"], row["window"]["end"]
            again = "told again" if row["revision"] else "windows"
            told["taken back" if row["retracted"] else again] += 1
            board[key] = row
    stats = feed.stats()
    print(f"{stats.rows:,} flights, {len(plan.query.windows)} windows by carrier")
    print(
        f"until {feed.watermark:%d %b %H:%M}: " + ", ".join(f"{n:,} {w}" for w, n in told.items())
    )
    print(f"held: {stats.slices:,} slices; {stats.late_rows} rows came too late")

    print("\nToday so far, at the last full hour:")
    today = [row for (name, *_), row in board.items() if name == "today so far"]
    last = max(row["window"]["end"] for row in today)
    ours = [row for row in today if row["window"]["end"] == last]
    for row in sorted(ours, key=lambda row: -row["flights"])[:5]:
        print(f"  {row['carrier']}  {row['flights']:>4} flights, {row['late']:>5.1f} minutes late")


def batches() -> list[pa.RecordBatch]:
    """Two days of flights in the order in which they landed."""
    events = flights()
    two_days = pc.and_(
        pc.greater_equal(events["left"], pa.scalar("2013-07-15T00:00Z").cast(events["left"].type)),
        pc.less(events["left"], pa.scalar("2013-07-17T00:00Z").cast(events["left"].type)),
    )
    landed = events.filter(two_days).sort_by("landed").combine_chunks()
    return landed.to_batches(max_chunksize=BATCH)


if __name__ == "__main__":
    main()
