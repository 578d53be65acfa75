"""Results as a table, as markdown and as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from rich.table import Table

# Okabe and Ito's colours, told apart by colour-blind readers too
FEW, MANY, LIMIT = "#0072B2", "#E69F00", "#000000"
HEADS = [
    *("case", "keys", "rows", "Spark s", "ours s", "ratio", "must", "met", "results"),
    *("Spark MB", "ours MB", "others"),
]
QUIET = 0.3
"""Cores that other processes may use before a time is marked as disturbed."""


@dataclass(frozen=True)
class Result:
    """What one case gave; the JSON holds these."""

    name: str
    title: str
    keys: int
    rows: int
    must: float
    results: str
    spark_seconds: list[float]
    ours_seconds: list[float]
    spark_mb: float
    ours_mb: float
    others: float
    machine: str

    @property
    def ratio(self) -> float:
        return min(self.spark_seconds) / min(self.ours_seconds)

    @property
    def met(self) -> bool:
        return self.ratio >= self.must

    def cells(self) -> tuple[str, ...]:
        return (
            self.title,
            f"{self.keys:,}",
            f"{self.rows / 1e6:g} M",
            f"{min(self.spark_seconds):.2f}",
            f"{min(self.ours_seconds):.2f}",
            f"{self.ratio:.1f}",
            f"{self.must:g}",
            "yes" if self.met else "NO",
            self.results,
            f"{self.spark_mb:,.0f}",
            f"{self.ours_mb:,.0f}",
            f"{self.others:.1f}" + (" DISTURBED" if self.others > QUIET else ""),
        )


def table(results: Sequence[Result]) -> Table:
    """For a terminal."""
    shown = Table(*HEADS, title="Spark's own windows and Panewise, best run of each")
    for column in shown.columns[1:]:
        column.no_wrap = True
    for result in results:
        good = result.met and "DIFFERENT" not in result.results
        shown.add_row(*result.cells(), style=None if good else "bold red")
    return shown


def write(results: Sequence[Result], markdown: Path) -> None:
    """The markdown page and, next to it, the picture it shows."""
    picture = markdown.with_suffix(".png")
    draw(results, picture)
    rows = [HEADS, ["---"] * len(HEADS), *(result.cells() for result in results)]
    lines = [
        "# Benchmark results",
        "",
        "Best run of each side, run in turn in one session. Ratio: Spark's seconds by ours.",
        "Others: cores that other processes used meanwhile; a disturbed row is to be run again.",
        "",
        *(f"| {' | '.join(row)} |" for row in rows),
        "",
        f"![Ratios]({picture.name})",
        "",
        *(f"Measured with {machine}." for machine in sorted({r.machine for r in results})),
    ]
    markdown.write_text("\n".join(lines) + "\n")


def draw(results: Sequence[Result], picture: Path) -> None:
    """Ratios as bars on a logarithmic scale, with the figure each must reach."""
    figure, axes = plt.subplots(figsize=(9, 1.2 + 0.38 * len(results)), layout="constrained")
    names = [f"{r.title}\n{r.keys:,} keys, {r.rows / 1e6:g} M rows" for r in results]
    colours = [FEW if r.keys < 1000 else MANY for r in results]
    places = range(len(results))
    # bars begin at 1, equal speed, so that a slower case points to the left
    axes.barh(places, [r.ratio - 1 for r in results], left=1, color=colours, height=0.7)
    axes.scatter([r.must for r in results], places, marker="|", s=160, color=LIMIT, zorder=3)
    for place, result in zip(places, results, strict=True):
        beyond = max(result.ratio, result.must, 1) * 1.07
        text = f"{result.ratio:.1f}×" + (" disturbed" if result.others > QUIET else "")
        axes.text(beyond, place, text, va="center", fontsize=9)
    axes.set_xscale("log")
    axes.set_xlim(
        min(0.8, *(r.ratio for r in results)) * 0.9,
        max(max(r.ratio, r.must) for r in results) * 1.6 + 1,
    )
    axes.set_yticks(places, names, fontsize=8)
    axes.invert_yaxis()
    ticks = [t for t in (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100) if axes.get_xlim()[0] <= t]
    ticks = [t for t in ticks if t <= axes.get_xlim()[1]]
    axes.set_xticks(ticks, [f"{t:g}×" for t in ticks])
    axes.minorticks_off()
    axes.axvline(1, color=LIMIT, linewidth=0.8)
    axes.set_xlabel("times as fast as Spark's own query (mark: the figure to reach)")
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(picture, dpi=150)
    plt.close(figure)
