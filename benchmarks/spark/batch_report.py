"""Batch on Spark: what was measured, as a table and a picture."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import matplotlib.pyplot as plt

from benchmarks.figures import save
from benchmarks.measure import today
from benchmarks.parts import QUIET, Check, Grid, Part
from benchmarks.spark.cases import cases

# Okabe and Ito's colours, told apart by colour-blind readers too
FEW, MANY, LIMIT = "#0072B2", "#E69F00", "#000000"
HEADS = [
    *("case", "keys", "rows", "Spark s", "ours s", "ratio", "must", "met", "results"),
    *("Spark MB", "ours MB", "others"),
]


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
    when: str = ""

    @property
    def ratio(self) -> float:
        return min(self.spark_seconds) / min(self.ours_seconds)

    def check(self) -> Check:
        best = f"{min(self.spark_seconds):.2f} s against {min(self.ours_seconds):.2f} s"
        disturbed = ", disturbed" if self.others > QUIET else ""
        where = f"{self.keys:,} keys, {self.rows / 1e6:g} M rows: {best}{disturbed}"
        return Check(f"{self.title}: times Spark's", self.must, self.ratio, where)

    def cells(self) -> tuple[str, ...]:
        return (
            self.title,
            f"{self.keys:,}",
            f"{self.rows / 1e6:g} M",
            f"{min(self.spark_seconds):.2f}",
            f"{min(self.ours_seconds):.2f}",
            f"{self.ratio:.1f}",
            f"{self.must:g}",
            "yes" if self.check().holds else "NO",
            self.results,
            f"{self.spark_mb:,.0f}",
            f"{self.ours_mb:,.0f}",
            f"{self.others:.1f}" + (" DISTURBED" if self.others > QUIET else ""),
        )


def load(kept: Path) -> list[Result]:
    """In the order of the cases."""
    if not kept.exists():
        return []
    found = {entry["name"]: Result(**entry) for entry in json.loads(kept.read_text())}
    return [found[case.name] for case in cases() if case.name in found]


def keep(result: Result, kept: Path) -> None:
    others = [each for each in load(kept) if each.name != result.name]
    kept.parent.mkdir(parents=True, exist_ok=True)
    told = [asdict(each) for each in [*others, replace(result, when=today())]]
    kept.write_text(json.dumps(told, indent=1) + "\n")


def read(path: Path) -> Part | None:
    """What was measured so far."""
    found = load(path)
    if not found:
        return None
    return Part(
        "Batch on Spark",
        [
            "Best run of each side, run in turn in one session. Ratio: Spark's seconds by ours.",
            "Others: cores that other processes used meanwhile; a disturbed row is to be run",
            "again.",
        ],
        found,
        [each.check() for each in found],
        [Grid("Spark's own windows and Panewise", HEADS, [each.cells() for each in found])],
        lambda page: [draw(found, page.with_suffix(".svg"))],
    )


def draw(results: Sequence[Result], picture: Path) -> Path:
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
    return save(figure, picture)
