"""The figures that frames must reach, from what was measured."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from benchmarks.papers import frames_in_order, frames_spark
from benchmarks.papers.frame_buffers import Eager, Multi
from benchmarks.papers.frames_point import Kept, Point
from benchmarks.parts import Check

SHARE, RETAINED = 0.2, 100_000
SWEEPS = ("share", "delay", "length", "retained")


def checks(kept: Kept) -> list[Check]:
    """The worst point of each kind; all frame lengths and delays count."""
    points = [each for each in kept.points if isinstance(each, Point)]
    held = [
        each
        for each in points
        if each.case in SWEEPS
        and (each.shape["share"], each.shape["retained"]) == (SHARE, RETAINED)
    ]
    on_spark = [each for each in points if each.case == "spark"]
    return [
        *_worst("multi by eager, 100,000 retained, 20 % late", 20, held, by_eager),
        *(each for size in frames_in_order.BATCHES for each in _in_order(points, size)),
        *_worst(
            "in order, by a pass that takes rows one by one",
            0.2,
            [each for each in points if frames_in_order.STEPS in each.seconds],
            lambda each: each.ratio(frames_in_order.OURS, frames_in_order.STEPS),
        ),
        *_worst(
            "Spark, by SQL window functions",
            2,
            [each for each in on_spark if frames_spark.SQL in each.seconds],
            lambda each: each.ratio(frames_spark.OURS, frames_spark.SQL),
        ),
        *_by_threshold(on_spark),
    ]


def _in_order(points: Sequence[Point], size: int) -> Iterator[Check]:
    """Of rows that are pushed so many at a time."""
    yield from _worst(
        f"in order, batches of {size:,}, by a bare pass",
        0.2,
        [each for each in points if each.case == "in-order" and each.shape.get("batch") == size],
        lambda each: each.ratio(frames_in_order.OURS, frames_in_order.BARE),
    )


def by_eager(point: Point) -> float:
    return point.ratio(Multi.name, Eager.name)


def _worst(
    work: str, must: float, points: Sequence[Point], of: Callable[[Point], float]
) -> Iterator[Check]:
    if points:
        worst = min(points, key=of)
        yield Check(work, must, of(worst), name(worst))


def _by_threshold(points: Sequence[Point]) -> Iterator[Check]:
    threshold = [each for each in points if each.x == "threshold"]
    others = [each for each in points if frames_spark.SQL not in each.seconds]
    if threshold:
        best = threshold[0].best(frames_spark.OURS)
        yield from _worst(
            "Spark, delta and aggregate, by threshold",
            0.5,
            others,
            lambda each: best / each.best(frames_spark.OURS),
        )


def name(point: Point) -> str:
    return f"{point.case}, {point.variant}, {point.x}"
