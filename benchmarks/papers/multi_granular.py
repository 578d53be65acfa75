"""Multi-granular windows: cost over levels, rate and range, memory, and separate sliding windows.

    python -m benchmarks.papers.multi_granular            # all cases
    python -m benchmarks.papers.multi_granular --quick    # a tenth of the rows
    python -m benchmarks.papers.multi_granular --only levels range memory

The source's Figures 5 to 8, and what it leaves out: the same levels as windows of their own, each
in an operator of its own that reads the stream, and on Spark as one `window()` query each.  All
sides of a case run in turn in one process, the best of several counts, and their rows are compared
first.  Five operators of ours can take at most five times as long as one that costs no more than
the dearest of them: each of them shares panes among its own windows already.
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pyarrow as pa

import panewise as pw
from benchmarks.measure import Timing, alternate

LEVELS = (("1m", "1s"), ("10m", "1m"), ("1h", "5m"), ("1d", "30m"), ("7d", "6h"))
TOPS = ("10m", "100m", "1000m")
"""The widest range, ten times and a hundred times it, with as many granules."""
RATE, BATCHES = 200, (20_000, 200_000)
SECOND = 1_000_000
BEGIN = 1_714_521_600 * SECOND
KEYS = 10


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


def horizons(levels: Sequence[tuple[str, str]]) -> list[object]:
    """The levels as one construct; one level alone is a sliding window."""
    return [pw.granules(*levels)] if len(levels) > 1 else [pw.sliding(*levels[0])]


def answered(
    plans: Sequence[pw.Plan], rows: pa.Table, batch: int = BATCHES[0]
) -> list[pw.Operator]:
    """Every plan in an operator of its own, fed batch by batch; what is told is counted."""
    operators = [pw.Operator(each) for each in plans]
    for first in range(0, len(rows), batch):
        for op in operators:
            op.push(rows.slice(first, batch))
    return operators


def told(plans: Sequence[pw.Plan], rows: pa.Table) -> list[tuple[object, ...]]:
    """The rows of all plans, whichever of them told which."""
    found = []
    for each in plans:
        table = each.run(rows)
        columns = ["window", *each.query.by, "sum(x)", "count()"]
        found += [tuple(map(str, row.values())) for row in table.select(columns).to_pylist()]
    return sorted(found)


def separate(levels: Sequence[tuple[str, str]], keyed: bool) -> list[pw.Plan]:
    return [plan([pw.sliding(*level)], keyed) for level in levels]


def timed(sides: dict[str, Callable[[], object]], repeat: int) -> dict[str, Timing]:
    for run in sides.values():
        run()  # compiled loops
    return alternate(sides, repeat, lambda timing, turn, most: turn < most)


def show(name: str, timings: dict[str, Timing], first: str) -> Iterator[str]:
    for side, timing in timings.items():
        ratio = timing.best / timings[first].best
        yield f"{name:<22}{side:<26}{timing.best:8.3f} s{ratio:8.2f} x{timing.others:8.1f}"


def levels(rows: pa.Table, repeat: int) -> Iterator[str]:
    """Cost over the number of levels, with and without keys, in small and in large batches."""
    for keyed, batch in itertools.product((False, True), BATCHES):
        plans = {n: plan(horizons(LEVELS[:n]), keyed) for n in (1, 3, 5)}
        sides = {
            f"{n} levels, by {batch:,}": lambda one=one, batch=batch: answered([one], rows, batch)
            for n, one in plans.items()
        }
        yield from show(f"levels, {_keys(keyed)}", timed(sides, repeat), next(iter(sides)))


def wide(rows: pa.Table, repeat: int) -> Iterator[str]:
    """Cost over the widest range, whose granules grow with it."""
    for keyed in (False, True):
        plans = {
            top: plan(horizons([("1m", "1s"), (top, f"{int(top[:-1]) // 10}m")]), keyed)
            for top in TOPS
        }
        sides = {top: lambda one=one: answered([one], rows) for top, one in plans.items()}
        yield from show(f"range, {_keys(keyed)}", timed(sides, repeat), TOPS[0])


def rates(rows: pa.Table, repeat: int) -> Iterator[str]:
    """Cost of a row over the arrival rate: the same rows in less time."""
    five = plan(horizons(LEVELS), keyed=False)
    streams = {f"{rate:,} rows/s": stream(len(rows), rate) for rate in (20, 200, 2_000, 20_000)}
    sides = {name: lambda one=one: answered([five], one) for name, one in streams.items()}
    yield from show("rate, no keys", timed(sides, repeat), next(iter(sides)))


def apart(rows: pa.Table, repeat: int) -> Iterator[str]:
    """Five levels against five operators, each with one sliding window of ours."""
    part = rows.slice(0, min(len(rows), 50_000))
    for keyed, batch in itertools.product((False, True), BATCHES):
        five, others = plan(horizons(LEVELS), keyed), separate(LEVELS, keyed)
        assert told([five], part) == told(others, part), "rows differ"
        both = {"granules": [five], "separate operators": others}
        sides = {
            f"{name}, by {batch:,}": lambda plans=plans, batch=batch: answered(plans, rows, batch)
            for name, plans in both.items()
        }
        yield from show(f"separate, {_keys(keyed)}", timed(sides, repeat), next(iter(sides)))


def memory(rows: pa.Table, repeat: int) -> Iterator[str]:
    """Cells and bytes held: of a day by the second, over levels, and over recurring items."""
    second = [("1m", "1s"), ("10m", "1m"), ("1d", "5m")]
    day = stream(90_000 * 4, rate=4)
    (op,) = answered([plan(horizons(second), False)], day)
    share = op.stats().slices / 86_400
    yield f"{'memory, a day':<22}{'sum and count':<26}{_held(op)}{share:8.2%} of a day of 1 s"
    for count in range(1, len(LEVELS) + 1):
        for name, aggregate in (("sum", pw.sum("x")), ("regression", pw.regression("x"))):
            made = pw.plan(time="t", windows=horizons(LEVELS[:count]), aggregates=[aggregate])  # type: ignore[arg-type]
            held = _held(answered([made], day)[0])  # type: ignore[list-item]
            yield f"{f'memory, {count} levels':<22}{name:<26}{held}"
    hours = stream(30_000, rate=4)
    for count, variety in itertools.product((2, 3), (5, 10, 100)):
        items = pa.array(np.arange(len(hours)) * 7919 % variety)
        asked = [pw.recurring("item")]
        made = pw.plan(time="t", windows=horizons(LEVELS[:count]), aggregates=asked)  # type: ignore[arg-type]
        op = pw.Operator(made)
        for first in range(0, len(hours), 1_000):
            op.push(hours.append_column("item", items).slice(first, 1_000))
        yield f"{f'memory, {count} levels':<22}{f'{variety} recurring items':<26}{_held(op)}"


def _held(op: pw.Operator) -> str:
    held = op.stats()
    return f"{held.slices:>8,} cells{held.bytes:>12,} bytes"


def spark(rows: pa.Table, repeat: int) -> Iterator[str]:
    """Five levels in one Spark batch against five `window()` queries."""
    from pyspark.sql import DataFrame
    from pyspark.sql import functions as F

    from benchmarks.spark.session import consume, start

    session = start()
    events = session.createDataFrame(rows.to_pandas()).repartition(4).localCheckpoint()
    five = plan(horizons(LEVELS), keyed=True)

    def windows(frame: DataFrame) -> list[DataFrame]:
        return [
            frame.groupBy(F.window("t", _long(size), _long(slide)), "k").agg(
                F.sum("x").alias("s"), F.count("*").alias("n")
            )
            for size, slide in LEVELS
        ]

    part = events.where("k = 3")
    ours = five.run(part).selectExpr("sum(`sum(x)`)", "sum(`count()`)", "count(*)").first()
    sums = [w.selectExpr("sum(s)", "sum(n)", "count(*)").first() for w in windows(part)]
    assert tuple(ours or ()) == tuple(np.sum(sums, axis=0)), "rows differ"
    sides = {
        "granules": lambda: consume(five.run(events)),
        "five window() queries": lambda: [consume(each) for each in windows(events)],
    }
    yield from show("Spark batch", timed(sides, min(repeat, 2)), "granules")
    session.stop()


def _long(size: str) -> str:
    """A size as Spark's `window()` reads it."""
    units = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}
    return f"{size[:-1]} {units[size[-1]]}"


def _keys(keyed: bool) -> str:
    return f"{KEYS} keys" if keyed else "no keys"


CASES: dict[str, Callable[[pa.Table, int], Iterator[str]]] = {
    "levels": levels,
    "range": wide,
    "rate": rates,
    "separate": apart,
    "memory": memory,
    "spark": spark,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=4_000_000)
    parser.add_argument("--quick", action="store_true", help="a tenth of the rows")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--only", nargs="+", choices=list(CASES), default=list(CASES))
    given = parser.parse_args()
    rows = stream(given.rows // 10 if given.quick else given.rows)
    print(
        f"{len(rows):,} rows; seconds are the best of {given.repeat}; the last column is how many"
    )
    print("cores others kept busy in the worst run")
    for name in given.only:
        for line in CASES[name](rows, given.repeat):
            print(line, flush=True)


if __name__ == "__main__":
    main()
