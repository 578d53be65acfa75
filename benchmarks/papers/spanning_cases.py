"""The source's figures: event size, heights, overlap, and the map of who is best where."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from benchmarks.papers.spanning_baselines import AGGREGATES, TECHNIQUES, Technique
from benchmarks.papers.spanning_baselines.slicing import se_ml_slicing
from benchmarks.papers.spanning_baselines.techniques import slices
from benchmarks.papers.spanning_flights import flights
from benchmarks.papers.spanning_point import Point
from benchmarks.papers.spanning_sides import Shape, measured
from benchmarks.papers.spanning_stream import Stream

Case = Callable[["Scale"], Iterator[Point]]


@dataclass(frozen=True)
class Scale:
    """How large the experiment is."""

    events: int = 2_000_000
    means: Sequence[int] = (10, 50, 100, 500, 1000, 5000, 10_000)
    ranges: Sequence[int] = (10, 100, 1000, 10_000)
    heights: Sequence[int] = (1, 2, 5, 7, 10, 15, 20)
    overlaps: Sequence[float] = (5, 50, 500, 5.5, 50.5)
    """Windows of so many steps; those of half steps are cut into two slices for each step."""
    panes: Sequence[float] = (0.1, 1, 10, 100, 500, 1000)
    """Event sizes of the map, in steps."""
    steps: Sequence[float] = (1, 5, 20, 100, 500)
    """Window sizes of the map, in steps."""
    repeat: int = 5

    @classmethod
    def quick(cls) -> Scale:
        return cls(50_000, (10, 500), (100,), (1, 5), (5, 5.5), (1, 100), (1, 5), 2)


def sizes(scale: Scale) -> Iterator[Point]:
    """Event size against ranges, five steps to a window (figures 10 and 11)."""
    for size in scale.ranges:
        for mean in scale.means:
            for aggregate in AGGREGATES:
                yield _point(scale, "size", f"range {size:,}, {aggregate}", mean, size, size // 5)


def heights(scale: Scale) -> Iterator[Point]:
    """Levels of multi-level slices (figures 11 and 13)."""
    for mean in (500, 5000):
        for size in (50, 5000):
            for height in scale.heights:
                technique = Technique(
                    f"SE-ML-Slicing({height})" if height > 1 else "SE-Slicing",
                    partial(se_ml_slicing, height=height),
                    True,
                    partial(slices, height),
                )
                shape = Shape(size, size // 5, "count", mean)
                given = Stream(scale.events, mean).given(shape.size, shape.slide)
                variant = f"events of {mean:,}, range {size:,}, count"
                yield measured("height", variant, height, shape, given, scale.repeat, [technique])


def overlaps(scale: Scale) -> Iterator[Point]:
    """How far windows overlap, also with a rest (figures 12 and 13)."""
    for mean in (500, 5000):
        for overlap in scale.overlaps:
            slide = 20
            for aggregate in AGGREGATES:
                variant = f"events of {mean:,}, {aggregate}"
                size = int(overlap * slide)
                yield _point(scale, "overlap", variant, overlap, size, slide, mean)


def best_where(scale: Scale) -> Iterator[Point]:
    """Event size by window size, both in steps (figure 15)."""
    slide = 10
    for aggregate in AGGREGATES:
        for steps in scale.steps:
            for panes in scale.panes:
                mean, size = max(1, round(panes * slide)), int(steps * slide)
                variant = f"windows of {steps:g} steps, {aggregate}"
                yield _point(scale, "map", variant, panes, size, slide, mean)


def in_the_air(scale: Scale) -> Iterator[Point]:
    """Real events: how many aircraft are in the air (in place of figure 14's phone calls)."""
    given = flights()
    mean = float((given["end"] - given["start"]).mean())
    for minutes in (5, 15, 60, 240, 1440):
        shape = Shape(5 * minutes, minutes, "count", mean)
        found = Stream.over(given, shape.size, shape.slide)
        variant = "flights of 2013, windows of five steps, count"
        yield measured("flights", variant, minutes, shape, found, scale.repeat)


def _point(
    scale: Scale, case: str, variant: str, x: float, size: int, slide: int, mean: int | None = None
) -> Point:
    mean = int(x) if mean is None else mean
    shape = Shape(size, slide, variant.rpartition(" ")[2], mean)
    given = Stream(scale.events, mean).given(size, slide)
    return measured(case, variant, x, shape, given, scale.repeat, list(TECHNIQUES.values()))
