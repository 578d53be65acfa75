"""Results of the in-process benchmark: compared, as tables and a picture."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pyarrow as pa

from benchmarks.figures import save
from benchmarks.measure import today
from benchmarks.parts import QUIET, Check, Grid, Part

SHARED = 10.0
"""Times as fast as queries that share nothing."""
OURS, BY_ARROW = "ours", "ours, read by Arrow"
COLOURS = {
    OURS: "#000000",
    BY_ARROW: "#999999",
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
    machine: str = ""
    when: str = ""

    def best(self, side: str) -> float:
        return min(self.seconds[side])

    def ratio(self, side: str) -> float:
        """How many times as fast we are as a side."""
        return self.best(side) / self.best(OURS)


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


def load(kept: Path) -> dict[str, Outcome]:
    if not kept.exists():
        return {}
    return {each["name"]: Outcome(**each) for each in json.loads(kept.read_text())}


def keep(outcome: Outcome, kept: Path) -> None:
    found = load(kept) | {outcome.name: replace(outcome, when=today())}
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text(json.dumps([asdict(each) for each in found.values()], indent=1) + "\n")


def read(path: Path) -> Part | None:
    """What was measured so far."""
    found = list(load(path).values())
    if not found:
        return None
    return Part(
        "In process: Panewise, DuckDB and Polars",
        [
            "From one parquet file to a table, on all cores, in turn; the best run of each side",
            "counts. *By hand*: panes first, then windows composed of panes. Without these words:",
            "one query per window, as users write it. *Ours* is read by Polars, as every side but",
            "DuckDB's is, because it is installed here; *read by Arrow* is ours where it is not.",
        ],
        found,
        list(_checks(found)),
        [_seconds(found)],
        lambda page: [_draw(found, page.with_suffix(".svg"))],
    )


def _seconds(found: Sequence[Outcome]) -> Grid:
    sides = list(found[0].seconds)
    rows = [
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
    return Grid("Best seconds", ["case", "rows", "windows", *sides, "results", "others"], rows)


def _checks(found: Sequence[Outcome]) -> Iterator[Check]:
    for each in found:
        for side in each.seconds:
            if side not in (OURS, BY_ARROW):
                must = 1.0 if side.endswith("by hand") else SHARED
                where = f"{each.best(side):.2f} s against {each.best(OURS):.2f} s"
                yield Check(f"{each.name}: times {side}", must, each.ratio(side), where)


def _draw(found: Sequence[Outcome], picture: Path) -> Path:
    figure, axes = plt.subplots(figsize=(9, 4.5), layout="constrained")
    sides = list(found[0].seconds)
    for step, side in enumerate(sides):
        places = [place + 0.14 * (step - 2.5) for place in range(len(found))]
        best = [each.best(side) for each in found]
        axes.bar(places, best, width=0.13, color=COLOURS[side], label=side)
        for place, seconds in zip(places, best, strict=True):
            axes.text(place, seconds * 1.05, f"{seconds:.2f}", ha="center", fontsize=7)
    axes.set_yscale("log")
    axes.set_ylabel("seconds")
    axes.set_xticks(range(len(found)), [each.name for each in found])
    axes.legend(fontsize=8, frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    return save(figure, picture)
