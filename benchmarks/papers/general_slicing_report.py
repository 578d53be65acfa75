"""The slicing experiment as tables and pictures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.papers.general_slicing_checks import checks
from benchmarks.papers.general_slicing_picture import draw
from benchmarks.papers.general_slicing_point import Kept, Point
from benchmarks.papers.general_slicing_sides import BARE, OURS
from benchmarks.parts import Grid, Part, doubtful

TITLES = {
    "in-order": "Concurrent windows in order, M rows/s",
    "constraints": "Concurrent windows with 20 % late rows and a session window, M rows/s",
    "share": "Share of late rows, 20 windows, M rows/s",
    "delay": "Delay of 20 % late rows in seconds, 20 windows, M rows/s",
    "functions": "Aggregate functions, 20 windows, 20 % late rows, M rows/s",
    "rows": "Windows of rows, 20 % late rows, M rows/s",
    "median": "Median over 20 windows, by different values, M rows/s",
    "keys": "Many keys, 20 windows of 1 to 20 s or 10 to 200 s, M rows/s",
}


def read(path: Path) -> Part | None:
    """What was measured so far."""
    kept = Kept.read(path)
    return part(kept) if kept.points else None


def part(kept: Kept) -> Part:
    return Part(
        "General stream slicing",
        [
            "Best run of each side by processor time, run in turn in one process on one core, in",
            "batches of 65,536 rows.",
            "*of bare*: our speed by that of a compiled loop that adds the same rows to one array",
            "of panes and answers no window. Rates are rows per second of event time.",
        ],
        kept.points,
        checks(kept),
        list(_grids(kept)),
        lambda page: draw(kept, page),
    )


def _grids(kept: Kept) -> Iterator[Grid]:
    for case, title in TITLES.items():
        for variant in kept.variants(case):
            yield _speeds(f"{title}: {variant}", kept.of(case, variant))
    for variant in kept.variants("memory"):
        yield _memory(f"Bytes held, windows of {variant}", kept.of("memory", variant))
    for variant in kept.variants("latency"):
        yield _latency(f"Output latency, µs per window: {variant}", kept.of("latency", variant))
    yield from doubtful(kept.points, _name)


def _speeds(title: str, points: Sequence[Point]) -> Grid:
    sides = list(dict.fromkeys(name for each in points for name in each.seconds))
    rivals = [name for name in sides if name not in (BARE, OURS)]
    heads = ["", BARE, OURS, "of bare", *rivals, "results"]
    rows = [
        [
            _x(each),
            *(_speed(each, side) for side in (BARE, OURS)),
            f"{each.ratio(OURS, BARE):.2f}" if OURS in each.seconds else "",
            *(_speed(each, side) for side in rivals),
            each.results,
        ]
        for each in points
    ]
    return Grid(title, heads, rows)


def _speed(point: Point, side: str) -> str:
    return f"{point.speed(side) / 1e6:.3g}" if side in point.seconds else "–"


def _memory(title: str, points: Sequence[Point]) -> Grid:
    sides = list(dict.fromkeys(name for each in points for name in each.bytes))
    rows = [
        [
            _x(each),
            f"{each.slices:,}",
            *(f"{each.bytes[side]:,}" for side in sides),
            f"{each.bytes['lazy'] / max(1, each.slices):,.0f}",
        ]
        for each in points
    ]
    return Grid(title, ["", "slices held", *sides, "lazy, per slice"], rows)


def _latency(title: str, points: Sequence[Point]) -> Grid:
    sides = list(points[0].seconds)
    rows = [
        [
            _x(each),
            *(f"{1e6 * each.best(side):,.1f}" for side in sides),
            f"{each.ratio('eager', 'lazy'):.1f}",
        ]
        for each in points
    ]
    return Grid(title, ["slices", *sides, "lazy by eager"], rows)


def _name(point: Point) -> str:
    return f"{point.case}, {point.variant}, {_x(point)}"


def _x(point: Point) -> str:
    return point.x if isinstance(point.x, str) else f"{point.x:,g}"
