"""The cases: windows and keys.  Both sides follow from them: see `streaming_sides`."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.data import ROWS_PER_SECOND
from benchmarks.spark.cases import TUMBLING_20, Gap, Span
from benchmarks.spark.streaming_input import Input

ROWS, BATCHES, WARM = 5_000_000, 5, 1
"""1,000 s of event time in a batch, as dense as the input of batch; the first is for warming up."""
HEAVY = 200_000
"""Rows where every event makes a result for each of 60 windows."""
LARGE = 2_500_000
"""Rows of a large batch, which counts for more than what Spark does for a batch of any size."""
ONE = (Span(20, 20),)
FIVE = tuple(Span(size, size) for size in (20, 30, 60, 90, 120))
SLIDING = (Span(60, 1),)
SESSION = (Gap(5),)
MIX = (Span(20, 20), Span(60, 60), Span(60, 10), Gap(5))
SMALLEST = "tumbling-1-1k"
"""What more windows and more keys are compared with."""
KEYS = {"10": 10, "1k": 1000, "100k": 100_000}


@dataclass(frozen=True)
class Case:
    """Windows over one stream: the sum of a value by device."""

    name: str
    title: str
    keys: int
    windows: tuple[Span | Gap, ...]
    rows: int = ROWS
    first: bool = False
    """Whether a figure that must be reached needs it; those are measured first."""
    rate: int = ROWS_PER_SECOND
    """Rows a second of event time."""
    batches: int = BATCHES
    beside: str = ""
    """Another case, which ours runs in turn with this one, because a figure compares them."""

    def input(self, rows: int | None, batches: int | None) -> Input:
        rows = min(self.rows, rows or self.rows)
        return Input(rows, self.keys, batches or self.batches, rows / self.rate)

    def small(self) -> Input:
        """What results are compared on."""
        return Input(30_000, min(self.keys, 500), 3, 700.0)


def cases() -> list[Case]:
    """Every case; first those that must reach something."""
    found = []
    for label, keys in KEYS.items():
        for name, title, windows in (
            ("tumbling-1", "one tumbling window of 20 s", ONE),
            ("tumbling-5", "5 tumbling windows of 20 to 120 s", FIVE),
            ("tumbling-20", "20 tumbling windows of 20 to 210 s", tuple(TUMBLING_20)),
            ("sliding", "sliding 60 s by 1 s", SLIDING),
            ("mix", "2 tumbling windows, sliding 60 s by 10 s, sessions", MIX),
        ):
            heavy = name == "sliding" and keys > 1000
            first = label == "1k" and name in ("tumbling-1", "tumbling-20", "sliding")
            first |= label == "100k" and name == "tumbling-1"
            rows = HEAVY if heavy else ROWS
            full = f"{name}-{label}"
            beside = SMALLEST if full in ("tumbling-20-1k", "tumbling-1-100k") else ""
            found.append(Case(full, title, keys, windows, rows, first, beside=beside))
    found.append(Case("session-10k", "sessions with a gap of 5 s", 10_000, SESSION, first=True))
    title = "one tumbling window of 20 s, batches of 2.5 M rows"
    found.append(Case("tumbling-1-1k-large", title, 1000, ONE, 3 * LARGE, True, batches=3))
    # as many rows for each key and window as with 1,000 keys
    title = "one tumbling window of 20 s, 100,000 rows/s"
    dense = 100 * ROWS_PER_SECOND
    name = "tumbling-1-100k-dense"
    found.append(Case(name, title, 100_000, ONE, first=True, rate=dense, beside=SMALLEST))
    return sorted(found, key=lambda case: (not case.first, len(case.windows)))
