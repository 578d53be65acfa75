"""The frames experiment as tables and pictures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.papers.frame_buffers import PHASES, Multi
from benchmarks.papers.frames_checks import SWEEPS, by_eager, checks, name
from benchmarks.papers.frames_picture import draw
from benchmarks.papers.frames_point import Kept, Point
from benchmarks.parts import Grid, Part, doubtful

TITLES = {
    "share": "Share of late rows",
    "delay": "Rows that late ones are late by at most",
    "length": "Rows of a frame",
    "retained": "Retained rows",
    "operator": "Operator, rows of a batch, rows/s",
    "in-order": "Operator in order, M rows/s",
    "spark": "Frames on Spark, M rows/s",
}


def read(path: Path) -> Part | None:
    """What was measured so far."""
    kept = Kept.read(path)
    return part(kept) if kept.points else None


def part(kept: Kept) -> Part:
    return Part(
        "Frames",
        [
            "Best run of each side, run in turn in one process; all but Spark on one core. Buffers",
            "are fed row by row, and every row is a tick: *rows/s*, then microseconds of add,",
            "scope, content and evict for a row. Sides that look at very many rows at a tick take",
            "the first rows only, and their time is counted for all.",
        ],
        kept.points,
        checks(kept),
        list(_grids(kept)),
        lambda page: draw(kept, page),
    )


def _grids(kept: Kept) -> Iterator[Grid]:
    for case, title in TITLES.items():
        for variant in kept.variants(case):
            points = [each for each in kept.of(case, variant) if isinstance(each, Point)]
            make = _phases if case in SWEEPS else _speeds
            yield make(f"{title}: {variant}", points)
    yield from doubtful(kept.points, name)


def _phases(title: str, points: Sequence[Point]) -> Grid:
    rows = []
    for each in points:
        for side in each.seconds:
            ours = side == Multi.name
            rows.append(
                [
                    f"{each.x:,g}",
                    side,
                    f"{each.speed(side):,.0f}",
                    *(f"{each.phases[side][phase] / 1e3:,.3g}" for phase in PHASES),
                    f"{each.best(side) / each.rows * 1e6:,.3g}",
                    f"{by_eager(each):,.0f}×" if ours else "",
                    f"{each.told['rows cut anew for a row']:,.0f}" if ours else "",
                    each.results,
                ]
            )
    heads = ["", "buffer", "rows/s", *PHASES, "total µs", "by eager", "cut anew", "results"]
    return Grid(title, heads, rows)


def _speeds(title: str, points: Sequence[Point]) -> Grid:
    sides = list(dict.fromkeys(side for each in points for side in each.seconds))
    told = list(dict.fromkeys(what for each in points for what in each.told))
    unit = 1e6 if "M rows" in title else 1
    rows = []
    for each in points:
        ours = list(each.seconds)[-1] if each.case != "spark" else "ours"
        others = [side for side in each.seconds if side != ours]
        rows.append(
            [
                f"{each.x:,g}" if isinstance(each.x, int | float) else each.x,
                *(f"{each.speed(s) / unit:,.4g}" if s in each.seconds else "–" for s in sides),
                ", ".join(f"{each.ratio(ours, other):.2f} of {other}" for other in others),
                *(f"{each.told[what]:,.3g}" for what in told),
                each.results,
            ]
        )
    return Grid(title, ["", *sides, "ratio", *told, "results"], rows)
