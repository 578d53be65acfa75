"""The techniques by name, and about what each costs: a technique that would take minutes on all
events takes fewer of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from benchmarks.papers.spanning_baselines.buckets import aggregate_buckets, tuple_buckets
from benchmarks.papers.spanning_baselines.slicing import se_ml_slicing, se_slicing
from benchmarks.papers.spanning_baselines.stream import Aggregate, Input, Output
from benchmarks.papers.spanning_baselines.sweeping import sweeping

HEIGHTS = (5, 10, 20)


@dataclass(frozen=True)
class Technique:
    """A way to answer, whether it is the source's own, and its steps for each event."""

    name: str
    run: Callable[[Input, Aggregate], Output]
    own: bool
    steps: Callable[[float, int, int], float]
    """By event length, size and slide, at one event for each tick."""


def slices(height: int, length: float, size: int, slide: int) -> float:
    each = 2 if size % slide else 1
    releases = height * (each * size / slide + (height - 1) / 2) / slide
    return 1 + each * length / slide / height + releases


def _buckets(length: float, size: int, slide: int) -> float:
    return (length + size) / slide


TECHNIQUES = {
    each.name: each
    for each in [
        Technique("tuple buckets", tuple_buckets, False, _buckets),
        Technique("aggregate buckets", aggregate_buckets, False, _buckets),
        Technique("sweeping", sweeping, False, lambda length, size, slide: 20.0),
        Technique("SE-Slicing", se_slicing, True, partial(slices, 1)),
        *(
            Technique(
                f"SE-ML-Slicing({height})",
                partial(se_ml_slicing, height=height),
                True,
                partial(slices, height),
            )
            for height in HEIGHTS
        ),
    ]
}
