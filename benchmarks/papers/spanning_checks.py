"""The figures that spanning events must reach, from what was measured."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from benchmarks.papers.spanning_point import Kept, Point
from benchmarks.papers.spanning_sides import OURS
from benchmarks.parts import Check

LONG = 500
"""Panes of an event, from which on ours must be much faster."""


def ratio(point: Point) -> float:
    """Our speed by that of the best of the source's own techniques, in processor seconds: every
    side is one thread, and what others do on the machine counts least in them."""
    used = {name: min(each) for name, each in (point.cpu or point.seconds).items()}
    return min(used[name] for name in point.own) / used[OURS]


def checks(kept: Kept) -> list[Check]:
    found = [each for each in kept.points if isinstance(each, Point)]
    against = [each for each in found if each.own and OURS in each.seconds]
    every = list(_worst("never below the best of the source's", 0.9, against))
    at = [each for each in against if each.case == "map" and each.x == LONG]
    every += _worst(f"events of {LONG} panes, by the best of the source's", 3, at)
    every += _flat([each for each in found if each.case == "size"])
    for each in (each for each in found if each.case == "calls"):
        name = f"{each.variant}, {each.rows:,} calls"
        every.append(Check("Spark, by explode", 10, each.ratio(OURS, "explode"), name))
        memory = each.bytes["explode"] / max(1, each.bytes[OURS])
        every.append(Check("Spark, resident memory of explode by ours", 4, memory, name))
        heap = {side: each.told[f"{side}, heap in use MB"] for side in ("explode", OURS)}
        every.append(
            Check(
                "Spark, heap in use of explode by ours",
                4,
                heap["explode"] / max(1, heap[OURS]),
                name,
            )
        )
    return every


def _worst(work: str, must: float, points: Sequence[Point]) -> Iterator[Check]:
    if points:
        worst = min(points, key=ratio)
        yield Check(work, must, ratio(worst), _name(worst))


def _flat(points: Sequence[Point]) -> Iterator[Check]:
    """Long events against short ones, in every panel."""
    panels = {each.variant: {} for each in points}  # type: ignore[var-annotated]
    for each in points:
        panels[each.variant][each.x] = each.speed(OURS)
    shares = {name: at[5000] / at[50] for name, at in panels.items() if {50, 5000} <= at.keys()}
    if shares:
        worst = min(shares, key=lambda name: shares[name])
        yield Check("events of 5,000 ticks by those of 50", 0.7, shares[worst], worst)


def _name(point: Point) -> str:
    return f"{point.case}, {point.variant}, {point.x:g}"
