"""The granules experiment as tables, and what it must reach."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.papers.general_slicing_point import Kept, Point
from benchmarks.papers.multi_granular_cases import BUCKETS, GRANULES, SEPARATE
from benchmarks.papers.multi_granular_memory import A_DAY
from benchmarks.parts import Check, Grid, Part, doubtful

TITLES = {
    "levels": "Number of levels",
    "range": "Widest range, times ten minutes",
    "rate": "Rows per second of event time",
    "separate": "Five levels against five sliding windows, one by one and in five operators",
    "items": "Recurring items of three levels, from bitmaps and with counts",
    "spark": "Five levels on Spark against five queries",
}
SECONDS_OF_A_DAY = 86_400


def read(path: Path) -> Part | None:
    """What was measured so far."""
    kept = Kept.read(path)
    return part(kept) if kept.points else None


def part(kept: Kept) -> Part:
    return Part(
        "Multi-granular windows",
        [
            "Up to five levels, from a minute by the second to a week by six hours; sum and count.",
            "All sides run in turn, and the best run counts. *by first*: seconds by those of the",
            "first row of the table, or of the first side.",
        ],
        kept.points,
        list(checks(kept)),
        list(_grids(kept)),
    )


def checks(kept: Kept) -> Iterator[Check]:
    yield from _cost(kept, "levels", 5, "5 levels: times the cost of 1", 1.3)
    yield from _cost(kept, "range", 100, "a range 100 times as wide: times the cost", 1.1)
    for each in kept.of("separate"):
        for side, apart in ((BUCKETS, "sliding windows one by one"), (SEPARATE, "operators")):
            work = f"5 levels: times five {apart}"
            yield Check(work, 5, each.ratio(GRANULES, side), _name(each))
    for each in kept.of("spark"):
        (other,) = (side for side in each.seconds if side != GRANULES)
        work = "5 levels on Spark: times five window() queries"
        yield Check(work, 10, each.ratio(GRANULES, other), _name(each))
    for each in kept.of("memory"):
        if each.x == A_DAY:
            share = 100 * each.slices / SECONDS_OF_A_DAY
            where = f"{each.slices:,} cells after 25 hours"
            yield Check("cells of a day of 1 s panes", 1, share, where, least=False, unit=" %")


def _cost(kept: Kept, case: str, most: int, work: str, must: float) -> Iterator[Check]:
    for variant in kept.variants(case):
        at = {each.x: each.best(GRANULES) for each in kept.of(case, variant)}
        if {1, most} <= at.keys():
            yield Check(work, must, at[most] / at[1], variant, least=False)


def _grids(kept: Kept) -> Iterator[Grid]:
    for case, title in TITLES.items():
        for variant in kept.variants(case):
            yield _seconds(f"{title}: {variant}", kept.of(case, variant))
    if kept.of("memory"):
        yield _memory(kept.of("memory"))
    yield from doubtful(kept.points, _name)


def _seconds(title: str, points: Sequence[Point]) -> Grid:
    sides = list(points[0].seconds)
    first = points[0].best(sides[0])
    rows = [
        [
            f"{each.x:,g}",
            *(f"{each.best(side):.3f}" for side in sides),
            f"{each.speed(GRANULES) / 1e6:.3g}",
            f"{each.best(sides[-1]) / first:.2f}",
            each.results,
        ]
        for each in points
    ]
    heads = ["", *(f"{side}, s" for side in sides), "M rows/s", "by first", "results"]
    return Grid(title, heads, rows)


def _memory(points: Sequence[Point]) -> Grid:
    rows = [
        [
            str(each.x),
            each.variant,
            f"{each.slices:,}",
            f"{each.bytes[GRANULES]:,}",
        ]
        for each in points
    ]
    title = "Held after 25 hours; of recurring items after two"
    return Grid(title, ["levels", "of", "cells", "bytes"], rows)


def _name(point: Point) -> str:
    return f"{point.case}, {point.variant}, {point.x}"
