"""The factor-windows experiment as a picture: boosts, and how well they were foreseen."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.axis import Axis

from benchmarks.figures import save
from benchmarks.papers.trial import SHARED, Trial, pairs, pearson
from benchmarks.papers.window_sets import PUBLISHED, setups

# Okabe and Ito's colours, told apart by colour-blind readers too
COLOURS = {"coverage": "#0072B2", "factor": "#E69F00", "edges": "#009E73", "auto": "#000000"}
MARKS = {"coverage": "o", "factor": "s", "edges": "^", "auto": "D"}
TICKS = (0.2, 0.5, 1, 2, 5, 10, 20, 50, 100)


def draw(trials: Sequence[Trial], picture: Path) -> Path:
    figure, (above, below) = plt.subplots(
        2, 1, figsize=(11, 11), height_ratios=[1, 1], layout="constrained"
    )
    _boosts(trials, above)
    _foreseen([trial for trial in trials if trial.copy_of is None], below)
    return save(figure, picture)


def _boosts(trials: Sequence[Trial], axes: Axes) -> None:
    """Mean as a mark and a line up to the greatest; the source's marks are hollow."""
    measured = {trial.setup for trial in trials}
    names = [setup.name for setup in setups() if setup.name in measured]
    for place, name in enumerate(names):
        for step, strategy in enumerate(SHARED):
            found = [t.boost(strategy) for t in trials if t.setup == name]
            x = place + 0.2 * (step - 1.5)
            _mark(axes, x, fmean(found), max(found), strategy, hollow=False)
            if strategy in ("coverage", "factor"):
                mean, most = getattr(PUBLISHED[name], strategy)
                _mark(axes, x + 0.08, mean, most, strategy, hollow=True)
    for strategy in SHARED:
        axes.plot([], [], MARKS[strategy], color=COLOURS[strategy], label=strategy)
    axes.plot([], [], "o", color="grey", markerfacecolor="none", label="source (Trill, one core)")
    axes.legend(ncols=5, fontsize=8, loc="upper left", frameon=False)
    axes.set_xticks(range(len(names)), names, rotation=35, ha="right", fontsize=8)
    axes.set_yscale("log")
    _logarithmic(axes.yaxis)
    axes.axhline(1, color="grey", linewidth=0.8)
    axes.set_ylabel("times as fast as independent evaluation\n(mark: mean, line: up to the max)")
    axes.spines[["top", "right"]].set_visible(False)


def _mark(axes: Axes, x: float, mean: float, most: float, strategy: str, *, hollow: bool) -> None:
    colour = COLOURS[strategy]
    axes.plot([x, x], [mean, most], color=colour, linewidth=0.8, linestyle=":" if hollow else "-")
    filled = "none" if hollow else colour
    axes.plot([x], [mean], MARKS[strategy], color=colour, markerfacecolor=filled, markersize=5)


def _foreseen(trials: Sequence[Trial], axes: Axes) -> None:
    for strategy in SHARED:
        axes.scatter(
            [t.predicted(strategy) for t in trials],
            [t.measured(strategy) for t in trials],
            marker=MARKS[strategy],
            color=COLOURS[strategy],
            s=18,
            alpha=0.6,
            label=strategy,
        )
    found = pairs(trials)
    ends = [min(min(pair) for pair in found), max(max(pair) for pair in found)]
    axes.plot(ends, ends, color="grey", linewidth=0.8, label="as predicted")
    axes.legend(fontsize=8, frameon=False)
    axes.set(xscale="log", yscale="log")
    _logarithmic(axes.xaxis)
    _logarithmic(axes.yaxis)
    axes.set_xlabel("predicted speed-up over the independent plan")
    axes.set_ylabel("measured speed-up")
    axes.set_title(f"Pearson r = {pearson(found):.3f} over {len(found)} plans", fontsize=10)
    axes.spines[["top", "right"]].set_visible(False)


def _logarithmic(axis: Axis) -> None:
    """Ticks of whole ratios, only where there are marks."""
    low, high = axis.get_view_interval()
    ticks = [tick for tick in TICKS if low <= tick <= high]
    axis.set_ticks(ticks, labels=[f"{tick:g}×" for tick in ticks])
    axis.set_ticks([], minor=True)
