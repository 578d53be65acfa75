"""The slicing experiment as pictures: throughput, and what windows hold and wait for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import matplotlib.pyplot as plt
from matplotlib.axes import Axes

from benchmarks.figures import save
from benchmarks.papers.general_slicing_point import Kept, Point
from benchmarks.papers.general_slicing_sides import BARE, BARE_KEYS, ONE, OURS

# Okabe and Ito's colours, told apart by colour-blind readers too
STYLES = {
    OURS: ("#000000", "D"),
    ONE: ("#000000", "*"),
    "lazy": ("#000000", "o"),
    "eager": ("#009E73", "^"),
    BARE: ("#999999", ""),
    BARE_KEYS: ("#999999", "x"),
    "tuple buffer": ("#D55E00", "s"),
    "tuple buffer, merged": ("#E69F00", "s"),
    "aggregate tree": ("#CC79A7", "v"),
    "tuple buckets": ("#56B4E9", "P"),
    "aggregate buckets": ("#0072B2", "X"),
    "idle": ("#999999", "x"),
}
LINES = {
    "in-order": ("concurrent windows, in order", True),
    "constraints": ("concurrent windows, 20 % late, sessions", True),
    "share": ("share of late rows, 20 windows", False),
    "delay": ("delay of late rows, s, 20 windows", False),
    "rows": ("windows of rows, 20 % late", True),
    "median": ("different values, median, 20 windows", True),
}
"""Title of the horizontal axis, and whether it is logarithmic."""
WIDTH, HEIGHT, COLUMNS = 5.2, 3.6, 3


def draw(kept: Kept, page: Path) -> list[Path]:
    """Only pictures for which there is something to show."""
    pictures = []
    for name, panels in {
        "throughput": _throughput(kept),
        "functions": _functions(kept),
        "stores": _stores(kept),
    }.items():
        if panels:
            pictures.append(page.with_name(f"{page.stem}-{name}.svg"))
            _figure(panels, pictures[-1])
    return pictures


Panel = Callable[[Axes], None]


def _figure(panels: Sequence[Panel], picture: Path) -> None:
    columns = min(COLUMNS, len(panels))
    rows = -(-len(panels) // columns)
    size = (WIDTH * columns, HEIGHT * rows)
    figure, grid = plt.subplots(rows, columns, figsize=size, layout="constrained", squeeze=False)
    for axes, panel in zip(grid.flat, panels, strict=False):
        panel(axes)
        axes.spines[["top", "right"]].set_visible(False)
    for axes in list(grid.flat)[len(panels) :]:
        axes.set_visible(False)
    save(figure, picture)


def _throughput(kept: Kept) -> list[Panel]:
    def panel(case: str, variant: str) -> Panel:
        def show(axes: Axes) -> None:
            title, logarithmic = LINES[case]
            _lines(axes, kept.of(case, variant), lambda point, side: point.speed(side), "seconds")
            axes.set(yscale="log", xlabel=title, ylabel="rows per second")
            axes.set_title(variant, fontsize=9)
            if logarithmic:
                axes.set_xscale("log")

        return show

    return [panel(case, variant) for case in LINES for variant in kept.variants(case)]


def _stores(kept: Kept) -> list[Panel]:
    def memory(variant: str) -> Panel:
        def show(axes: Axes) -> None:
            _lines(axes, kept.of("memory", variant), lambda p, side: p.bytes[side], "bytes")
            axes.set(xscale="log", yscale="log", xlabel=variant.split(", over ")[1])
            axes.set_ylabel("bytes held")
            axes.set_title(f"windows of {variant}", fontsize=9)

        return show

    def latency(variant: str) -> Panel:
        def show(axes: Axes) -> None:
            _lines(axes, kept.of("latency", variant), lambda p, side: p.best(side), "seconds")
            axes.set(xscale="log", yscale="log", xlabel="slices", ylabel="seconds per window")
            axes.set_title(f"output latency, {variant}", fontsize=9)

        return show

    found = [memory(variant) for variant in kept.variants("memory")]
    return found + [latency(variant) for variant in kept.variants("latency")]


def _functions(kept: Kept) -> list[Panel]:
    def panel(variant: str) -> Panel:
        def show(axes: Axes) -> None:
            points = [each for each in kept.of("functions", variant) if OURS in each.seconds]
            names = [str(each.x) for each in points]
            axes.barh(names, [each.speed(OURS) for each in points], color=STYLES["eager"][0])
            axes.invert_yaxis()
            axes.set(xscale="log", xlabel="rows per second")
            axes.set_title(variant, fontsize=9)

        return show

    return [panel(variant) for variant in kept.variants("functions")]


def _lines(
    axes: Axes, points: Sequence[Point], of: Callable[[Point, str], float], table: str
) -> None:
    """A line for each side, over the points that have it."""
    sides = dict.fromkeys(side for each in points for side in getattr(each, table))
    for side in sides:
        mine = [each for each in points if side in getattr(each, table)]
        mine.sort(key=lambda each: float(each.x))
        colour, mark = STYLES[side]
        dotted = ":" if side in (BARE, BARE_KEYS, ONE, "lazy") else "-"
        x, y = [float(each.x) for each in mine], [of(each, side) for each in mine]
        axes.plot(x, y, color=colour, marker=mark, linestyle=dotted, markersize=5, label=side)
    axes.legend(fontsize=6, frameon=False)
