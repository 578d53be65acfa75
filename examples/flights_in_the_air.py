"""How many planes from New York were in the air: events with a duration.

A flight counts in every hour that it touches, once; `concurrent()` is how many were in the air at
the same moment, which no count of departures tells.
"""

from __future__ import annotations

from flights import flights

import panewise as pw


def main() -> None:
    events = flights()
    plan = pw.plan(
        time=("left", "landed"),
        windows=[pw.tumbling("1 hour"), pw.tumbling("1 day")],
        aggregates=[pw.count().alias("flights"), pw.concurrent().alias("in_the_air")],
        statistics=pw.Statistics.given(rows=len(events), span="365 days", length="150 minutes"),
    )
    print(f"{len(events):,} flights")
    told = plan.run(events).to_pylist()

    print("\nThe busiest days:")
    days = [row for row in told if row["window_id"] == "tumbling(1d)"]
    for row in sorted(days, key=lambda row: -row["in_the_air"]["highest"])[:3]:
        show(row, "%d %b")

    print("\nA Monday in July, by the hour (UTC):")
    for row in sorted(told, key=lambda row: row["window"]["start"]):
        begin = row["window"]["start"]
        if (
            row["window_id"] == "tumbling(1h)"
            and f"{begin:%m-%d}" == "07-15"
            and begin.hour % 3 == 0
        ):
            show(row, "%H:%M")


def show(row: dict, form: str) -> None:
    air = row["in_the_air"]
    bar = "#" * (air["highest"] // 8)
    print(
        f"  {row['window']['start']:{form}}  {row['flights']:>5} flights, "
        f"{air['highest']:>3} at once, {air['mean']:>6.1f} on average  {bar}"
    )


if __name__ == "__main__":
    main()
