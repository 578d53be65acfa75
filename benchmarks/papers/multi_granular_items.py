"""Recurring items: alone, as bitmaps, and with counts."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

import panewise as pw
from benchmarks.papers.general_slicing_point import Point
from benchmarks.papers.general_slicing_sides import machine
from benchmarks.papers.multi_granular_cases import (
    GRANULES,
    LEVELS,
    Scale,
    fed,
    horizons,
    stream,
    timed,
)

VARIETY = (10, 100, 1_000)
SHARE = 4
"""Of so many rows of other cases one is enough."""
COUNT = 3
COUNTED = "with counts"


def items(count: int, variety: int) -> pa.Array:
    """Texts, each as often as the others."""
    numbers = pa.array(np.arange(count) * 7919 % variety)
    return pc.binary_join_element_wise("item", numbers.cast(pa.string()), "-")


def asked(levels: int, *, counts: bool) -> pw.Plan:
    made = pw.plan(
        time="t",
        windows=horizons(LEVELS[:levels]),  # type: ignore[arg-type]
        aggregates=[pw.recurring("item", counts=counts).alias("found")],
    )
    return made  # type: ignore[return-value]  # an operator takes it as any other


def alone_and_counted(scale: Scale) -> Iterator[Point]:
    """Three levels, by how many different items there are."""
    rows = stream(scale.rows // SHARE)
    plans = {GRANULES: asked(COUNT, counts=False), COUNTED: asked(COUNT, counts=True)}
    for variety in VARIETY:
        events = rows.append_column("item", items(len(rows), variety))
        part = events.slice(0, 5_000)
        alone, counted = (plan.run(part)["found"].to_pylist() for plan in plans.values())
        same = alone == [sorted(each["item"] for each in found) for found in counted]
        sides = {side: lambda one=one, e=events: fed([one], e) for side, one in plans.items()}
        seconds, busy = timed(sides, scale)
        yield Point(
            *("items", f"{variety:,} items", COUNT, len(rows), seconds),
            results="equal" if same else "DIFFERENT",
            others=busy,
            machine=machine(),
        )
