"""Results of the streaming benchmark as tables and as markdown."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks.papers.factor_windows_report import Grid
from benchmarks.report import QUIET
from benchmarks.spark.streaming_outcome import Outcome

Found = Mapping[str, Outcome]
SIDES = ("spark", "ours")
SECONDS = {"p50 s": 0.5, "p95 s": 0.95, "worst s": 1.0}


@dataclass(frozen=True)
class Must:
    """A figure to reach: at least, or at most."""

    work: str
    needs: tuple[str, ...]
    figure: Callable[..., float]
    bound: float
    least: bool = True
    unit: str = ""

    def row(self, found: Found) -> list[str]:
        required = f"{'≥' if self.least else '≤'} {self.bound:.3g}{self.unit}"
        if not all(name in found for name in self.needs):
            return [self.work, required, "not measured", ""]
        measured = self.figure(*(found[name] for name in self.needs))
        holds = measured >= self.bound if self.least else measured <= self.bound
        return [self.work, required, f"{measured:.2f}{self.unit}", "yes" if holds else "NO"]


def _ratio(case: Outcome) -> float:
    return case.ratio


def _cost(many: Outcome, one: Outcome) -> float:
    return one.rate("ours") / many.rate("ours")


def _state(case: Outcome) -> float:
    return case.best("ours").sst_bytes / case.best("spark").sst_bytes


def _fall(few: Outcome, many: Outcome) -> float:
    """Percent of the throughput that is lost."""
    return 100 * (1 - many.rate("ours") / few.rate("ours"))


MUST = (
    Must("one tumbling window, 1,000 keys: times Spark's", ("tumbling-1-1k",), _ratio, 2),
    Must("one tumbling window, 100,000 keys: times Spark's", ("tumbling-1-100k",), _ratio, 8),
    Must("20 tumbling windows, 1,000 keys: times 20 queries", ("tumbling-20-1k",), _ratio, 15),
    Must(
        "20 tumbling windows: times the cost of one of ours",
        ("tumbling-20-1k", "tumbling-1-1k"),
        _cost,
        1.3,
        least=False,
    ),
    Must("sliding 60 s by 1 s, 1,000 keys: times Spark's", ("sliding-1k",), _ratio, 10),
    Must("sessions, 10,000 keys: times session_window", ("session-10k",), _ratio, 3),
    Must("state bytes, 20 windows: times Spark's", ("tumbling-20-1k",), _state, 1 / 3, least=False),
    Must(
        "throughput lost from 1,000 to 100,000 keys",
        ("tumbling-1-1k", "tumbling-1-100k"),
        _fall,
        30,
        least=False,
        unit=" %",
    ),
)


def tables(found: Found) -> list[Grid]:
    """What must be reached, and everything that was measured."""
    return [
        Grid("Must reach", ["work", "required", "measured", "holds"], [m.row(found) for m in MUST]),
        Grid(
            "Rows per second after warm-up",
            ["case", "keys", "rows", "Spark", "ours", "ratio", "queries", "results", "others"],
            [_speeds(case) for case in found.values()],
        ),
        Grid(
            "Batches, state and restart",
            ["case", "side", *SECONDS, "files MB", "memory MB", "entries", "recovery s"],
            [_details(case, side) for case in found.values() for side in SIDES],
        ),
    ]


def _speeds(case: Outcome) -> list[str]:
    scaled = "" if case.queries >= case.windows else f"{case.queries} ran, scaled"
    disturbed = " DISTURBED" if case.others > QUIET else ""
    return [
        case.name,
        f"{case.keys:,}",
        f"{case.rows:,}",
        f"{case.rate('spark'):,.0f}",
        f"{case.rate('ours'):,.0f}",
        f"{case.ratio:.2f}",
        f"{case.windows}" + (f" ({scaled})" if scaled else ""),
        case.results,
        f"{case.others:.2f}{disturbed}",
    ]


def _details(case: Outcome, side: str) -> list[str]:
    run = case.best(side)
    return [
        case.name,
        side,
        *(f"{run.percentile(share, case.warm):.2f}" for share in SECONDS.values()),
        f"{run.sst_bytes / 2**20:.2f}",
        f"{run.memory_bytes / 2**20:.2f}",
        f"{run.state_rows:,.0f}",
        f"{run.recovery:.2f}",
    ]


def write(found: Found, markdown: Path) -> None:
    """The markdown page."""
    lines = ["# Streaming: Panewise and Spark's own queries", ""]
    for grid in tables(found):
        lines += grid.markdown()
    lines += sorted({case.machine for case in found.values()})
    markdown.write_text("\n".join(lines) + "\n")
