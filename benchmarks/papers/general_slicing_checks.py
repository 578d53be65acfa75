"""What the slicing experiment must reach, and whether it does."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from benchmarks.papers.general_slicing_point import Kept, Point
from benchmarks.papers.general_slicing_sides import BARE, BARE_KEYS, ONE, OURS
from benchmarks.parts import Check

FLAT = 0.7
"""The most windows have this share of the speed of one."""
SOON = 1e-4
"""Seconds per window that are still called microseconds."""
SAME = 1.05
"""Bytes that differ by no more than this factor do not depend on the rows."""


def checks(kept: Kept) -> list[Check]:
    """Of all that was measured so far."""
    return [
        *_concurrent(kept, "in-order", "windows in order, of the bare fold", 0.4),
        *_concurrent(kept, "constraints", "windows, 20 % late, sessions, of the bare fold", 0.25),
        *_least(kept.of("keys"), "many keys, of the bare fold", 0.1, BARE),
        *_least(kept.of("keys"), "many keys, of the bare fold by key", 0.1, BARE_KEYS),
        *_least(kept.of("median"), "median, times the tuple buffer", 5, "tuple buffer"),
        *_least(kept.of("rows"), "windows of rows, times the tuple buffer", 5, "tuple buffer"),
        *_latency(kept.of("latency")),
        *_memory(kept.of("memory", "time, over tuples")),
    ]


def _least(points: Sequence[Point], work: str, must: float, other: str) -> Iterator[Check]:
    """The worst ratio of all points that have the other side."""
    found = [each for each in points if OURS in each.seconds and other in each.seconds]
    if found:
        worst = min(found, key=lambda each: each.ratio(OURS, other))
        yield Check(work, must, worst.ratio(OURS, other), _where(worst))


def _concurrent(kept: Kept, case: str, work: str, must: float) -> Iterator[Check]:
    for variant in kept.variants(case):
        points = [each for each in kept.of(case, variant) if OURS in each.seconds]
        if not points or "aggregate buckets" in points[0].seconds:
            continue  # the thin stream of the rivals: batches hold seconds, and windows few rows
        yield from _least(points, f"{work}: {variant}", must, BARE)
        yield from _least(points, f"most windows of one, {case}: {variant}", FLAT, ONE)


def _latency(points: Sequence[Point]) -> Iterator[Check]:
    for variant in dict.fromkeys(each.variant for each in points):
        _, most = _ends([p for p in points if p.variant == variant], lambda each: float(each.x))
        eager, where = most.best("eager"), f"{variant}, {most.x:,.0f} slices"
        yield Check("latency, eager, µs per window", SOON * 1e6, eager * 1e6, where, least=False)
        yield Check("latency, lazy by eager", 50, most.ratio("eager", "lazy"), where)


def _memory(points: Sequence[Point]) -> Iterator[Check]:
    if points:
        fewest, most = _ends(points, lambda each: each.bytes["lazy"])
        growth = most.bytes["lazy"] / max(1, fewest.bytes["lazy"])
        each = most.bytes["lazy"] / max(1, most.slices)
        yield Check(
            "memory, time windows: most by fewest bytes, over tuples",
            SAME,
            growth,
            f"{each:,.0f} bytes per slice",
            least=False,
        )


def _ends(points: Sequence[Point], of: Callable[[Point], float]) -> tuple[Point, Point]:
    return min(points, key=of), max(points, key=of)


def _where(point: Point) -> str:
    at = f"{point.x:,g}" if isinstance(point.x, int | float) else point.x
    return f"{at} ({point.variant})"
