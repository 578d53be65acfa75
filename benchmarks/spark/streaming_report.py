"""Results of the streaming benchmark as tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks.data import ROWS_PER_SECOND
from benchmarks.parts import QUIET, Check, Grid, Part
from benchmarks.spark.streaming_cases import cases
from benchmarks.spark.streaming_outcome import RIVALS, SIDES, Kept, Outcome

Found = Mapping[str, Outcome]
OURS_ALONE = ("",)
SECONDS = {"p50 s": 0.5, "p95 s": 0.95, "worst s": 1.0}


@dataclass(frozen=True)
class Must:
    """A figure to reach, at least or at most, against each of Spark's sides."""

    work: str
    needs: str
    """The case."""
    figure: Callable[[str, Outcome], float | None]
    bound: float
    least: bool = True
    unit: str = ""
    against: tuple[str, ...] = RIVALS
    """What it can be said against; nothing, if it is a figure of ours alone."""

    def checks(self, found: Found) -> Iterator[Check]:
        """Against each side that it can be said against."""
        given = found.get(self.needs)
        for rival in self.against:
            figure = None if given is None else self.figure(rival, given)
            where = WHERE[rival] if rival else ""
            yield Check(self.work, self.bound, figure, where, self.least, self.unit)


WHERE = {"spark": "Spark in the same session", "defaults": "Spark as it comes"}


def _ratio(rival: str, case: Outcome) -> float:
    return case.ratio(rival)


def _cost(_: str, many: Outcome) -> float | None:
    by_one = many.compared()
    return None if by_one is None else 1 / by_one


def _state(rival: str, case: Outcome) -> float:
    return case.best("ours").state_bytes / case.best(rival).state_bytes


def _fall(_: str, many: Outcome) -> float | None:
    """Percent of the throughput that is lost."""
    by_few = many.compared()
    return None if by_few is None else 100 * (1 - by_few)


MUST = (
    Must("one tumbling window, 1,000 keys: times Spark's", "tumbling-1-1k", _ratio, 2),
    Must("the same, batches of 2.5 M rows: times Spark's", "tumbling-1-1k-large", _ratio, 2),
    Must("one tumbling window, 100,000 keys: times Spark's", "tumbling-1-100k", _ratio, 8),
    Must("20 tumbling windows, 1,000 keys: times 20 queries", "tumbling-20-1k", _ratio, 15),
    Must(
        "20 tumbling windows: times the cost of one of ours",
        "tumbling-20-1k",
        _cost,
        1.3,
        least=False,
        against=OURS_ALONE,
    ),
    Must("sliding 60 s by 1 s, 1,000 keys: times Spark's", "sliding-1k", _ratio, 10),
    Must("sessions, 10,000 keys: times session_window", "session-10k", _ratio, 3),
    Must(
        "state bytes, 20 windows: times Spark's",
        "tumbling-20-1k",
        _state,
        1 / 3,
        least=False,
        # the default store tells what it holds in memory: that is no size of files
        against=("spark",),
    ),
    Must(
        "throughput lost from 1,000 to 100,000 keys",
        "tumbling-1-100k",
        _fall,
        30,
        least=False,
        unit=" %",
        against=OURS_ALONE,
    ),
    Must(
        "the same with as many rows for each key",
        "tumbling-1-100k-dense",
        _fall,
        30,
        least=False,
        unit=" %",
        against=OURS_ALONE,
    ),
)


def read(path: Path) -> Part | None:
    """What was measured so far."""
    kept = Kept.read(path).outcomes
    found = {case.name: kept[case.name] for case in cases() if case.name in kept}
    return part(found) if found else None


def part(found: Found) -> Part:
    return Part(
        "Streaming: Panewise and Spark's own queries",
        _read_me(found),
        list(found.values()),
        [check for must in MUST for check in must.checks(found)],
        _grids(found),
    )


def _grids(found: Found) -> list[Grid]:
    return [
        Grid(
            "Rows per second after warm-up",
            [
                *("case", "keys", "rows", "Spark", "Spark as it comes", "ours", "ratio"),
                *("ratio as it comes", "queries", "runs", "results", "others"),
            ],
            [_speeds(case) for case in found.values()],
        ),
        Grid(
            "Batches, state and restart",
            ["case", "side", *SECONDS, "state MB", "memory MB", "entries", "recovery s"],
            [_details(case, side) for case in found.values() for side in SIDES],
        ),
    ]


def _speeds(case: Outcome) -> list[str]:
    ran = [case.queries[rival] for rival in RIVALS]
    scaled = f" ({' and '.join(map(str, ran))} ran, scaled)" if min(ran) < case.windows else ""
    disturbed = " DISTURBED" if case.others > QUIET else ""
    return [
        case.name,
        f"{case.keys:,}",
        f"{case.rows:,}",
        *(f"{case.rate(side):,.0f}" for side in SIDES),
        *(f"{case.ratio(rival):.2f}" for rival in RIVALS),
        f"{case.windows}{scaled}",
        ", ".join(str(len(case.runs[side])) for side in SIDES),
        case.results,
        f"{case.others:.2f}{disturbed}",
    ]


def _details(case: Outcome, side: str) -> list[str]:
    run = case.best(side)
    return [
        case.name,
        side,
        *(f"{run.percentile(share, case.warm):.2f}" for share in SECONDS.values()),
        f"{run.state_bytes / 2**20:.2f}",
        f"{run.memory_bytes / 2**20:.2f}",
        f"{run.state_rows:,.0f}",
        f"{run.recovery:.2f}",
    ]


def _read_me(found: Found) -> list[str]:
    """What the figures are of, and what they are not."""
    batches = {(len(case.best("ours").rows), case.warm) for case in found.values()}
    cut = " or ".join(f"{count} batches, {warm} for warming up" for count, warm in sorted(batches))
    late = {len(case.best("defaults").rows) for case in found.values()}
    fewer = " or ".join(str(count) for count in sorted(late))
    return [
        f"Input: {ROWS_PER_SECOND:,} rows a second of event time; {cut}. The dense case has 100",
        "times as many. Results were compared before, on a small input. How late rows may be is",
        "said to Spark's by `withWatermark`, to ours by `delay=`. Where a figure compares two",
        "cases of ours, both ran in turn.",
        "",
        "Spark's own queries, one for each window, are measured twice:",
        "",
        "- *in the same session* as ours, tuned for it: 2 shuffle partitions for 2 cores, state in",
        "  RocksDB, files without a program for each. This is the comparison of the two programs.",
        "- *as it comes*, with Spark's defaults: 200 shuffle partitions and the state store that",
        "  Spark has where none is set. On two cores this is 200 small tasks with their own files",
        "  for every batch, few rows or many: a cost that a setting takes away. Ours keeps the",
        f"  tuned session. This side runs once, {fewer} batches with those for warming up; of many",
        "  queries, 2 run and are scaled. The other sides count by their best run; one that takes",
        "  long runs twice at most: see *runs*, in the order of the speeds.",
        "",
        "State is what is held after the batch of a restart, as RocksDB's files. The default",
        "store only estimates what it has in memory,",
        "so that is not judged. Spark drops what a batch makes final with the next one, so it",
        "holds more the longer the time that a batch spans.",
    ]
