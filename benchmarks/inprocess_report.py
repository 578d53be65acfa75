"""Results of the in-process benchmark: compared, as tables, as markdown and as a picture."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import pyarrow as pa

from benchmarks.papers.factor_windows_report import Grid
from benchmarks.report import QUIET

SHARED = 10.0
"""Times as fast as queries that share nothing."""
COLOURS = {
    "ours": "#000000",
    "DuckDB by hand": "#E69F00",
    "DuckDB": "#D55E00",
    "Polars by hand": "#56B4E9",
    "Polars": "#0072B2",
}


@dataclass(frozen=True)
class Outcome:
    """What one case gave; the JSON holds these."""

    name: str
    rows: int
    seconds: dict[str, list[float]]
    results: str
    windows: int
    """Rows of the answer."""
    others: float

    def best(self, side: str) -> float:
        return min(self.seconds[side])

    def ratio(self, side: str) -> float:
        """How many times as fast we are as a side."""
        return self.best(side) / self.best("ours")


Checksum = tuple[int, int, float, float]


def checksum(rows: pa.Table) -> Checksum:
    """Count, windows and values, whatever the order of the rows.

    Values are also summed with a weight from their window and key, so that right values in wrong
    windows show.
    """
    if "window" in rows.column_names:
        window = rows["window"].combine_chunks()
        bounds = {name: window.field(name).cast(pa.int64()) for name in ("start", "end")}
        rows = pa.table({**bounds, "device": rows["device"], "value": rows["value"]})
    start, end, device, value = (
        rows[name].to_numpy() for name in ("start", "end", "device", "value")
    )
    place = (start * 31 + end * 17 + device * 1009) % (2**31 - 1)
    weighted = float(np.dot(value, place % 1009))
    return len(rows), int(place.sum()), float(value.sum()), weighted


def agree(one: Checksum, other: Checksum) -> bool:
    """Whether two checksums are of the same rows."""
    return one[:2] == other[:2] and all(
        math.isclose(a, b, rel_tol=1e-9) for a, b in zip(one[2:], other[2:], strict=True)
    )


def tables(found: Sequence[Outcome]) -> list[Grid]:
    sides = list(found[0].seconds)
    seconds = [
        [
            each.name,
            f"{each.rows / 1e6:g} M",
            f"{each.windows:,}",
            *(f"{each.best(side):.3f}" for side in sides),
            each.results,
            f"{each.others:.1f}" + (" DISTURBED" if each.others > QUIET else ""),
        ]
        for each in found
    ]
    heads = ["case", "rows", "windows", *sides, "results", "others"]
    return [
        Grid("In process from one parquet file, best seconds", heads, seconds),
        Grid("Must reach", ["case", "times as fast as", "must", "found", "holds"], _checks(found)),
    ]


def _checks(found: Sequence[Outcome]) -> list[list[str]]:
    rows = []
    for each in found:
        for side in each.seconds:
            if side == "ours":
                continue
            must = 1.0 if side.endswith("by hand") else SHARED
            holds = "yes" if each.ratio(side) >= must else "NO"
            rows.append([each.name, side, f"≥ {must:g}", f"{each.ratio(side):.2f}", holds])
    return rows


def write(found: Sequence[Outcome], markdown: Path) -> None:
    """The markdown page and, next to it, the picture it shows."""
    picture = markdown.with_suffix(".png")
    _draw(found, picture)
    lines = ["# In process: Panewise, DuckDB and Polars", ""]
    for grid in tables(found):
        lines += grid.markdown()
    markdown.write_text("\n".join([*lines, f"![Seconds]({picture.name})"]) + "\n")


def _draw(found: Sequence[Outcome], picture: Path) -> None:
    figure, axes = plt.subplots(figsize=(9, 4.5), layout="constrained")
    sides = list(found[0].seconds)
    for step, side in enumerate(sides):
        places = [place + 0.16 * (step - 2) for place in range(len(found))]
        best = [each.best(side) for each in found]
        axes.bar(places, best, width=0.15, color=COLOURS[side], label=side)
        for place, seconds in zip(places, best, strict=True):
            axes.text(place, seconds * 1.05, f"{seconds:.2f}", ha="center", fontsize=7)
    axes.set_yscale("log")
    axes.set_ylabel("seconds")
    axes.set_xticks(range(len(found)), [each.name for each in found])
    axes.legend(fontsize=8, frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(picture, dpi=150)
    plt.close(figure)
