"""Fraud-like bursts: many payments with one card in a few minutes, out of line with its day.

Payments are made up, with a few bursts hidden among them; the windows find them all. One plan
answers both questions, how much in ten minutes and how much in a day.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

import panewise as pw

CARDS, DAY, BURSTS = 2_000, 86_400, 6
START = 1_714_521_600  # 2024-05-01 00:00 UTC


def main() -> None:
    payments, hidden = make()
    plan = pw.plan(
        time="ts",
        by=["card"],
        windows=[pw.sliding("10 min", "1 min").named("burst"), pw.tumbling("1 day").named("day")],
        aggregates=[pw.count().alias("payments"), pw.sum("amount").alias("total")],
    )
    told = plan.run(payments).to_pylist()
    usual = {row["card"]: row for row in told if row["window_id"] == "day"}
    found: dict[int, dict] = {}
    for row in sorted(told, key=lambda row: row["payments"]):  # the worst ten minutes last
        others = usual[row["card"]]["payments"] - row["payments"]
        if row["window_id"] == "burst" and row["payments"] >= max(5, 2 * others):
            found[row["card"]] = row
    print(f"{len(payments):,} payments of {CARDS:,} cards, {len(told):,} windows")
    for card, row in sorted(found.items(), key=lambda each: each[1]["window"]["start"]):
        begin, end = row["window"]["start"], row["window"]["end"]
        print(
            f"  card {card:>4}  {begin:%H:%M} to {end:%H:%M}  {row['payments']:>2} payments, "
            f"{row['total'] / 100:>6,.2f} of {usual[card]['total'] / 100:>6,.2f} that day"
        )
    others = set(found) - hidden
    print(f"{len(hidden & set(found))} of {len(hidden)} hidden bursts, {len(others)} others")


def make() -> tuple[pa.Table, set[int]]:
    """A day of payments by the second, and the cards that were abused."""
    rng = np.random.default_rng(7)
    card = rng.integers(0, CARDS, 6_000)
    second = np.clip(rng.normal(14 * 3600, 4 * 3600, len(card)), 0, DAY - 1).astype(int)
    abused = rng.choice(CARDS, BURSTS, replace=False)
    for each in abused:
        begin = rng.integers(0, DAY - 600)
        many = rng.integers(9, 16)
        card = np.append(card, np.full(many, each))
        second = np.append(second, begin + rng.integers(0, 420, many))
    order = np.argsort(second, kind="stable")
    ts = pa.array((START + second[order]) * 1_000_000).cast(pa.timestamp("us", "UTC"))
    amount = (rng.lognormal(3.2, 0.8, len(order)) * 100).astype(int)
    return pa.table({"ts": ts, "card": card[order], "amount": amount}), {int(c) for c in abused}


if __name__ == "__main__":
    main()
