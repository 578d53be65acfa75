"""What granules hold: of a day by the second, over levels, and over recurring items."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pyarrow as pa

import panewise as pw
from benchmarks.papers.general_slicing_point import Point
from benchmarks.papers.general_slicing_sides import machine
from benchmarks.papers.multi_granular_cases import (
    GRANULES,
    LEVELS,
    Level,
    Scale,
    fed,
    horizons,
    plan,
    stream,
)
from benchmarks.papers.multi_granular_items import asked, items

DAY: tuple[Level, ...] = (("1m", "1s"), ("10m", "1m"), ("1d", "5m"))
A_DAY = "a day"
ITEM_LEVELS, VARIETY = (2, 3), (5, 10, 100)


def held(_: Scale) -> Iterator[Point]:
    """Cells and bytes after 25 hours, and of items after two, whatever the scale."""
    day = stream(90_000 * 4, rate=4)
    (op,) = fed([plan(horizons(DAY), False)], day)
    yield _point("sum and count", A_DAY, day, op)
    for count in range(1, len(LEVELS) + 1):
        for name, aggregate in (("sum", pw.sum("x")), ("regression", pw.regression("x"))):
            made = pw.plan(time="t", windows=horizons(LEVELS[:count]), aggregates=[aggregate])  # type: ignore[arg-type]
            yield _point(name, count, day, fed([made], day)[0])  # type: ignore[list-item]
    hours = stream(30_000, rate=4)
    for count, variety in itertools.product(ITEM_LEVELS, VARIETY):
        events = hours.append_column("item", items(len(hours), variety))
        for counts in (False, True):
            (op,) = fed([asked(count, counts=counts)], events, 1_000)
            how = "with counts" if counts else "alone"
            yield _point(f"{variety} recurring items {how}", count, hours, op)


def _point(variant: str, x: float | str, rows: pa.Table, op: pw.Operator) -> Point:
    stats = op.stats()
    return Point(
        *("memory", variant, x, len(rows)),
        bytes={GRANULES: stats.bytes},
        slices=stats.slices,
        machine=machine(),
    )
