"""The cases of granules in process.

All sides of a case run in turn in one process, and the best of several counts; where two sides
answer the same question, their rows are compared first.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

import panewise as pw
from benchmarks.measure import alternate
from benchmarks.papers.general_slicing_point import Point
from benchmarks.papers.general_slicing_sides import machine
from benchmarks.papers.granule_buckets import SlidingBuckets, Told

Level = tuple[str, str]
LEVELS: tuple[Level, ...] = (
    ("1m", "1s"),
    ("10m", "1m"),
    ("1h", "5m"),
    ("1d", "30m"),
    ("7d", "6h"),
)
TOPS = {1: "10m", 10: "100m", 100: "1000m"}
"""The widest range, ten times and a hundred times it, with as many granules."""
RATE, BATCHES = 200, (20_000, 200_000)
RATES = (20, 200, 2_000, 20_000)
SECOND = 1_000_000
BEGIN = 1_714_521_600 * SECOND
KEYS = 10
GRANULES, SEPARATE, BUCKETS = "granules", "separate operators", "separate windows"
FINEST = "finest level alone"


@dataclass(frozen=True)
class Scale:
    """How much is measured."""

    rows: int = 4_000_000
    repeat: int = 5

    @classmethod
    def quick(cls) -> Scale:
        return cls(400_000, 3)


def stream(rows: int, rate: int = RATE) -> pa.Table:
    """Rows in order of time, at a steady rate of all keys together."""
    rng = np.random.default_rng(7)
    ticks = BEGIN + np.sort(rng.integers(0, rows * SECOND // rate, rows))
    return pa.table(
        {
            "t": ticks.astype("datetime64[us]"),
            "k": rng.integers(0, KEYS, rows),
            "x": rng.integers(0, 1000, rows),
        }
    )


def plan(windows: Sequence[object], keyed: bool) -> pw.Plan:
    made = pw.plan(
        time="t",
        by=["k"] if keyed else [],
        windows=windows,  # type: ignore[arg-type]
        aggregates=[pw.sum("x"), pw.count()],
    )
    assert isinstance(made, pw.Plan)
    return made


def horizons(levels: Sequence[Level]) -> list[object]:
    """The levels as one construct; one level alone is a sliding window."""
    return [pw.granules(*levels)] if len(levels) > 1 else [pw.sliding(*levels[0])]


def over_levels(scale: Scale) -> Iterator[Point]:
    """Cost over the number of levels, with and without keys, in small and in large batches."""
    rows = stream(scale.rows)
    for keyed, batch in itertools.product((False, True), BATCHES):
        plans = {n: plan(horizons(LEVELS[:n]), keyed) for n in (1, 3, 5)}
        runs = {n: lambda one=one, b=batch: fed([one], rows, b) for n, one in plans.items()}
        yield from _points("levels", f"{_keys(keyed)}, batches of {batch:,}", runs, scale)


def over_ranges(scale: Scale) -> Iterator[Point]:
    """Cost over the widest range, whose granules grow with it."""
    rows = stream(scale.rows)
    for keyed in (False, True):
        plans = {
            times: plan(horizons([("1m", "1s"), (top, f"{int(top[:-1]) // 10}m")]), keyed)
            for times, top in TOPS.items()
        }
        runs = {times: lambda one=one: fed([one], rows) for times, one in plans.items()}
        yield from _points("range", _keys(keyed), runs, scale)


def over_rates(scale: Scale) -> Iterator[Point]:
    """Cost of a row over the arrival rate: the same rows in less time."""
    five = plan(horizons(LEVELS), keyed=False)
    streams = {rate: stream(scale.rows, rate) for rate in RATES}
    runs = {rate: lambda one=one: fed([five], one) for rate, one in streams.items()}
    yield from _points("rate", _keys(False), runs, scale)


def five_apart(scale: Scale) -> Iterator[Point]:
    """Five levels against five sliding windows: as engines have them that know one window at a
    time, and in five operators of ours.

    The finest level alone says how far the latter can be: each of them shares panes among its own
    windows already, and no chain costs less than the dearest of them.
    """
    rows = stream(scale.rows)
    part = rows.slice(0, min(len(rows), 50_000))
    for keyed, batch in itertools.product((False, True), BATCHES):
        five = plan(horizons(LEVELS), keyed)
        others = [plan([pw.sliding(*level)], keyed) for level in LEVELS]
        ours = _told([five], part)
        found = {SEPARATE: _told(others, part), BUCKETS: _in_buckets(part, keyed)}
        differ = [side for side, told in found.items() if told != ours]
        sides = {
            GRANULES: lambda five=five, b=batch: fed([five], rows, b),
            FINEST: lambda finest=others[0], b=batch: fed([finest], rows, b),
            BUCKETS: lambda keyed=keyed, b=batch: buckets(rows, keyed, b),
            SEPARATE: lambda others=others, b=batch: fed(others, rows, b),
        }
        seconds, busy = timed(sides, scale)
        variant = f"{_keys(keyed)}, batches of {batch:,}"
        yield Point(
            *("separate", variant, len(LEVELS), len(rows), seconds),
            results=f"DIFFERENT: {', '.join(differ)}" if differ else "equal",
            others=busy,
            machine=machine(),
        )


def _points(
    case: str, variant: str, runs: dict[int, Callable[[], object]], scale: Scale
) -> Iterator[Point]:
    """One point for each place, all of which run in turn."""
    seconds, busy = timed({str(x): run for x, run in runs.items()}, scale)
    for x in runs:
        own = {GRANULES: seconds[str(x)]}
        yield Point(case, variant, x, scale.rows, own, others=busy, machine=machine())


def timed(
    sides: dict[str, Callable[[], object]], scale: Scale
) -> tuple[dict[str, list[float]], float]:
    """Seconds of each run of each side, and how busy the machine was with others."""
    for run in sides.values():
        run()  # compiled loops
    timings = alternate(sides, scale.repeat, lambda timing, turn, most: turn < most)
    busy = max(timing.others for timing in timings.values())
    return {name: timing.seconds for name, timing in timings.items()}, busy


def fed(plans: Sequence[pw.Plan], rows: pa.Table, batch: int = BATCHES[0]) -> list[pw.Operator]:
    """Every plan in an operator of its own, fed batch by batch."""
    operators = [pw.Operator(each) for each in plans]
    for first in range(0, len(rows), batch):
        for op in operators:
            op.push(rows.slice(first, batch))
    return operators


def buckets(
    rows: pa.Table, keyed: bool, batch: int = BATCHES[0], *, whole: bool = False
) -> list[Told]:
    """What every level's own buckets tell, fed batch by batch; the `whole` with open windows."""
    ticks, key, values = (np.asarray(rows[name].cast(pa.int64())) for name in ("t", "k", "x"))
    key, keys = (key, KEYS) if keyed else (np.zeros(len(rows), np.int64), 1)
    windows = [pw.sliding(*level) for level in LEVELS]
    apart = [SlidingBuckets(each.size.ticks, each.slide.ticks, keys) for each in windows]
    told = []
    for first in range(0, len(rows), batch):
        here = slice(first, first + batch)
        told += [each.push(ticks[here], key[here], values[here]) for each in apart]
    return told + [each.flush() for each in apart] if whole else told


def _told(plans: Sequence[pw.Plan], rows: pa.Table) -> list[tuple[str, ...]]:
    """The rows of all plans, whichever of them told which."""
    found = []
    for each in plans:
        columns = ["window", *each.query.by, "sum(x)", "count()"]
        table = each.run(rows).select(columns)
        found += [tuple(map(str, row.values())) for row in table.to_pylist()]
    return sorted(found)


def _in_buckets(rows: pa.Table, keyed: bool) -> list[tuple[str, ...]]:
    """The rows that buckets tell, as those of plans look."""
    found = []
    for told in buckets(rows, keyed, whole=True):
        bounds = (edge.astype("datetime64[us]").tolist() for edge in (told.start, told.end))
        for start, end, key, *sums in zip(*bounds, told.key, told.total, told.count, strict=True):
            window = {"start": start, "end": end}
            found.append(tuple(map(str, (window, *([key] if keyed else []), *sums))))
    return sorted(found)


def _keys(keyed: bool) -> str:
    return f"{KEYS} keys" if keyed else "no keys"
