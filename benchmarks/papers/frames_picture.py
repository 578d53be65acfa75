"""The frames experiment as pictures: speed over what varies, and where the time goes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import matplotlib.pyplot as plt
from matplotlib.axes import Axes

from benchmarks.figures import save
from benchmarks.papers.frame_buffers import PHASES, Eager, InOrder, Lazy, Multi
from benchmarks.papers.frames_point import Kept, Point

# Okabe and Ito's colours, told apart by colour-blind readers too
STYLES = {
    InOrder.name: ("#999999", "x"),
    Lazy.name: ("#D55E00", "s"),
    Eager.name: ("#E69F00", "^"),
    Multi.name: ("#0072B2", "o"),
}
COLOURS = dict(zip(PHASES, ("#56B4E9", "#0072B2", "#009E73", "#CC79A7"), strict=True))
AXES = {
    "share": ("share of late rows", "linear"),
    "delay": ("rows that late ones are late by at most", "log"),
    "length": ("rows of a frame", "log"),
    "retained": ("retained rows", "log"),
}
WIDTH, HEIGHT = 4.4, 3.2
Panel = Callable[[Axes], None]


def draw(kept: Kept, page: Path) -> list[Path]:
    """Only pictures for which there is something to show."""
    schemes = list(dict.fromkeys(v for case in AXES for v in kept.variants(case)))
    if not schemes:
        return []
    speeds = [[_speeds(kept, case, scheme) for case in AXES] for scheme in schemes]
    phases = [[_phases(kept, scheme) for scheme in schemes]]
    pictures = []
    for name, panels in {"buffers": speeds, "phases": phases}.items():
        pictures.append(page.with_name(f"{page.stem}-{name}.svg"))
        _figure(panels, pictures[-1])
    return pictures


def _figure(panels: Sequence[Sequence[Panel]], picture: Path) -> None:
    rows, columns = len(panels), len(panels[0])
    size = (WIDTH * columns, HEIGHT * rows)
    figure, grid = plt.subplots(rows, columns, figsize=size, layout="constrained", squeeze=False)
    flat = [panel for row in panels for panel in row]
    for axes, panel in zip(grid.flat, flat, strict=True):
        panel(axes)
        axes.spines[["top", "right"]].set_visible(False)
    save(figure, picture)


def _speeds(kept: Kept, case: str, scheme: str) -> Panel:
    def show(axes: Axes) -> None:
        points = sorted(kept.of(case, scheme), key=lambda each: float(each.x))
        if not points:  # a run that has not come so far
            axes.set_visible(False)
            return
        for side, (colour, mark) in STYLES.items():
            mine = [each for each in points if side in each.seconds]
            x, y = [float(each.x) for each in mine], [each.speed(side) for each in mine]
            axes.plot(x, y, color=colour, marker=mark, markersize=5, label=side)
        label, spacing = AXES[case]
        axes.set(xlabel=label, xscale=spacing, yscale="log", ylabel="rows per second")
        axes.set_title(scheme, fontsize=9)
        axes.legend(fontsize=6, frameon=False)

    return show


def _phases(kept: Kept, scheme: str) -> Panel:
    """Where the most rows are retained: microseconds of each phase, side by side."""

    def show(axes: Axes) -> None:
        points = [each for each in kept.of("retained", scheme) if isinstance(each, Point)]
        axes.set_title(scheme, fontsize=9)
        if not points:
            return
        point = max(points, key=lambda each: float(each.x))
        for at, phase in enumerate(PHASES):
            places = [side + 0.2 * (at - 1.5) for side in range(len(STYLES))]
            shown = [point.phases[side][phase] / 1e3 for side in STYLES]
            axes.bar(places, shown, 0.2, color=COLOURS[phase], label=phase)
        axes.set_xticks(range(len(STYLES)), list(STYLES), fontsize=7)
        axes.set(yscale="log", ylabel=f"µs for a row, {float(point.x):,.0f} retained")
        axes.legend(fontsize=6, frameon=False)

    return show
