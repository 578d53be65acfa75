"""The spanning-events experiment as tables, and the map as a picture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import matplotlib.pyplot as plt

from benchmarks.figures import save
from benchmarks.papers.spanning_checks import checks, ratio
from benchmarks.papers.spanning_point import Kept, Point
from benchmarks.papers.spanning_sides import OURS
from benchmarks.parts import Grid, Part, doubtful

TITLES = {
    "size": "Event size, five steps to a window, M events/s",
    "height": "Levels of multi-level slices, M events/s",
    "overlap": "Windows of so many steps, M events/s",
    "map": "Event size in steps, M events/s",
    "flights": "Aircraft in the air, step in minutes, M events/s",
    "calls": "Calls on Spark, M events/s",
    "share": "Share of late events, operator, M events/s",
    "depth": "How late events are at most, operator, M events/s",
}
# Okabe and Ito's colours, told apart by colour-blind readers too
COLOURS = {
    "difference": "#0072B2",
    "dyadic": "#009E73",
    "SE-Slicing": "#E69F00",
    "SE-ML-Slicing": "#D55E00",
    "sweeping": "#CC79A7",
    "aggregate buckets": "#56B4E9",
    "tuple buckets": "#999999",
}


def read(path: Path) -> Part | None:
    """What was measured so far."""
    kept = Kept.read(path)
    return part(kept) if kept.points else None


def part(kept: Kept) -> Part:
    return Part(
        "Spanning events",
        [
            "Best run of each side, run in turn in one process on one core. *of own*: our speed by",
            "that of the best of the source's own techniques. Techniques that need very many steps",
            "take the first events only, and their time is counted for all.",
        ],
        kept.points,
        checks(kept),
        list(_grids(kept)),
        lambda page: _map(kept, page),
    )


def _map(kept: Kept, page: Path) -> list[Path]:
    points = [each for each in kept.of("map") if isinstance(each, Point)]
    return [draw(points, page.with_name(f"{page.stem}-map.svg"))] if points else []


def _grids(kept: Kept) -> Iterator[Grid]:
    for case, title in TITLES.items():
        for variant in kept.variants(case):
            points = [each for each in kept.of(case, variant) if isinstance(each, Point)]
            yield _speeds(f"{title}: {variant}", points)
    yield from doubtful(kept.points, _name)


def _speeds(title: str, points: Sequence[Point]) -> Grid:
    sides = list(dict.fromkeys(name for each in points for name in each.seconds))
    told = list(dict.fromkeys(name for each in points for name in each.told))
    heads = ["", *sides, "of own", "chosen", *told, "CPU ns", "bytes", "results"]
    rows = []
    for each in points:
        cpu = each.cpu.get(OURS)
        held = {name: size for name, size in each.bytes.items() if size}
        rows.append(
            [
                f"{each.x:,g}",
                *(f"{each.speed(s) / 1e6:.3g}" if s in each.seconds else "–" for s in sides),
                f"{ratio(each):.2f}" if each.own else "",
                each.chosen,
                *(f"{each.told[name]:,.3g}" for name in told),
                f"{min(cpu) / each.rows * 1e9:.1f}" if cpu else "",
                ", ".join(f"{name} {size:,}" for name, size in held.items()),
                each.results,
            ]
        )
    return Grid(title, heads, rows)


def draw(points: Sequence[Point], picture: Path) -> Path:
    """Event size by window size, in steps: who is best, and our speed by the best of the source."""
    aggregates = list(dict.fromkeys(_aggregate(each) for each in points))
    size = (5 * len(aggregates), 4.2)
    figure, panels = plt.subplots(1, len(aggregates), figsize=size, layout="constrained")
    shown: dict[str, str] = {}
    several = [panels] if len(aggregates) == 1 else panels
    for axes, aggregate in zip(several, aggregates, strict=True):
        own = [each for each in points if _aggregate(each) == aggregate]
        across = sorted({float(each.x) for each in own})
        up = sorted({_steps(each) for each in own})
        for each in own:
            best = each.best_of(list(each.seconds))
            name = each.chosen if best == OURS else best.partition("(")[0]
            colour = shown[name] = COLOURS.get(name, "#000000")
            at = across.index(float(each.x)), up.index(_steps(each))
            axes.add_patch(plt.Rectangle(at, 1, 1, color=colour, alpha=0.6, linewidth=0))
            middle = (at[0] + 0.5, at[1] + 0.5)
            axes.annotate(f"{ratio(each):.1f}×", middle, ha="center", va="center", fontsize=8)
        axes.set_xlim(0, len(across))
        axes.set_ylim(0, len(up))
        axes.set_xticks([i + 0.5 for i in range(len(across))], [f"{x:g}" for x in across])
        axes.set_yticks([i + 0.5 for i in range(len(up))], [f"{y:g}" for y in up])
        axes.set(xlabel="event size, steps", ylabel="window size, steps", title=aggregate)
    handles = [plt.Rectangle((0, 0), 1, 1, color=c, alpha=0.6) for c in shown.values()]
    figure.legend(handles, list(shown), loc="outside lower center", ncols=5, fontsize=8)
    return save(figure, picture)


def _aggregate(point: Point) -> str:
    return point.variant.rpartition(" ")[2]


def _steps(point: Point) -> float:
    return point.shape["size"] / point.shape["slide"]


def _name(point: Point) -> str:
    return f"{point.case}, {point.variant}, {point.x:g}"
