"""The slicing experiment as tables, as markdown and as pictures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.table import Table

from benchmarks.papers.factor_windows_report import Grid
from benchmarks.papers.general_slicing_checks import checks
from benchmarks.papers.general_slicing_picture import draw
from benchmarks.papers.general_slicing_point import Kept, Point
from benchmarks.papers.general_slicing_sides import BARE, OURS
from benchmarks.report import QUIET

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


def tables(kept: Kept) -> list[Table]:
    """For a terminal."""
    return [grid.rich() for grid in _grids(kept)]


def write(kept: Kept, markdown: Path) -> None:
    """The markdown page and, next to it, the pictures it shows."""
    lines = [
        *("# General stream slicing", ""),
        "Best run of each side by processor time, run in turn in one process on one core, in",
        "batches of 65,536 rows.",
        "*of bare*: our speed by that of a compiled loop that adds the same rows to one array of",
        "panes and answers no window. Rates are rows per second of event time.",
        "",
    ]
    for grid in _grids(kept):
        lines += grid.markdown()
    pictures = draw(kept, markdown)
    lines += [f"![{picture.stem}]({picture.name})\n" for picture in pictures]
    found = sorted({each.machine for each in kept.points})
    lines += [f"Measured with {machine}." for machine in found]
    markdown.write_text("\n".join(lines).rstrip() + "\n")


def _grids(kept: Kept) -> Iterator[Grid]:
    rows = [check.cells() for check in checks(kept)]
    if rows:
        yield Grid("Must reach", ["work", "must", "found", "holds", "where"], rows)
    for case, title in TITLES.items():
        for variant in kept.variants(case):
            yield _speeds(f"{title}: {variant}", kept.of(case, variant))
    for variant in kept.variants("memory"):
        yield _memory(f"Bytes held, windows of {variant}", kept.of("memory", variant))
    for variant in kept.variants("latency"):
        yield _latency(f"Output latency, µs per window: {variant}", kept.of("latency", variant))
    yield from _warnings(kept.points)


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


def _warnings(points: Sequence[Point]) -> Iterator[Grid]:
    """What makes some of the figures doubtful; none is no table."""
    rows = [[_name(each), each.results] for each in points if "DIFFERENT" in each.results]
    for case in dict.fromkeys(each.case for each in points):
        others = [each.others for each in points if each.case == case]
        loud = sum(each > QUIET for each in others)
        if loud:
            told = f"{loud} of {len(others)} points: others used up to {max(others):.1f} cores"
            rows.append([case, f"DISTURBED, {told}"])
    if rows:
        yield Grid("To be looked at", ["point", "what"], rows)


def _name(point: Point) -> str:
    return f"{point.case}, {point.variant}, {_x(point)}"


def _x(point: Point) -> str:
    return point.x if isinstance(point.x, str) else f"{point.x:,g}"
