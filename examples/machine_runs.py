"""Machine runs on Spark: when does a plane work without a longer break, and when is it behind?

A run is a session: flights of one plane that leave within eight hours of each other. A streak is a
frame: flights in a row that left more than an hour late. Only flights from New York are known.
"""

from __future__ import annotations

from typing import Any

from flights import flights

import panewise as pw
from panewise.spark import session


def main() -> None:
    spark = session("local[2]", spark_sql_shuffle_partitions=2, spark_sql_session_timeZone="UTC")
    spark.sparkContext.setLogLevel("ERROR")
    events = spark.createDataFrame(flights().select(["left", "plane", "late", "flown"]))
    plan = pw.plan(
        time="left",
        by=["plane"],
        windows=[
            pw.session("8 hours").named("run"),
            pw.threshold_frame("late > 60", min_rows=3).named("streak"),
        ],
        aggregates=[
            pw.count().alias("flights"),
            pw.sum("flown").alias("minutes"),
            pw.max("late").alias("worst"),
        ],
    )
    july = events.where("left >= '2013-07-01' AND left < '2013-08-01'")
    told = plan.run(july).where("flights >= 3").toArrow().to_pylist()
    spark.stop()

    runs = [row for row in told if row["window_id"] == "run"]
    print(f"{len(runs)} runs of three flights or more; the longest:")
    for row in sorted(runs, key=lambda row: (-row["flights"], row["plane"]))[:3]:
        print(f"{begun(row)}, {row['minutes'] / 60:.1f} hours in the air")
    streaks = [row for row in told if row["window_id"] == "streak"]
    print(f"\n{len(streaks)} streaks of late flights; the longest:")
    for row in sorted(streaks, key=lambda row: (-row["flights"], -row["worst"], row["plane"]))[:3]:
        print(f"{begun(row)}, up to {row['worst']:.0f} minutes late")


def begun(row: dict[str, Any]) -> str:
    begin = row["window"]["start"]
    return f"  {row['plane']}  from {begin:%d %b %H:%M}  {row['flights']} flights"


if __name__ == "__main__":
    main()
