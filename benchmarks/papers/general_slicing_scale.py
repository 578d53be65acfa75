"""How large the slicing experiment is, and the windows that its cases share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

import panewise as pw
from benchmarks.papers.general_slicing_point import Point
from benchmarks.papers.general_slicing_sides import (
    BARE,
    OURS,
    Side,
    bare,
    baseline,
    in_turn,
    machine,
    ours,
)
from benchmarks.papers.general_slicing_stream import SECOND, Stream
from benchmarks.papers.slicing_baselines import (
    AggregateBuckets,
    AggregateTree,
    TupleBuckets,
    TupleBuffer,
)

MOST_COPIES = 50_000_000
"""Values that tuple buckets may hold at a time; beyond, they are left out."""
Case = Callable[["Scale"], Iterator[Point]]


@dataclass(frozen=True)
class Scale:
    """Rates are rows per second of event time."""

    rate: int = 1_000_000
    low_rate: int = 100_000
    rival_rate: int = 20_000
    """A late row costs a tuple buffer a shift of all rows since, so its streams are thinner."""
    seconds: int = 40
    counts: Sequence[int] = (1, 10, 20, 100, 1000)
    keys: int = 100_000
    slices: Sequence[int] = (100, 1000, 10_000, 100_000)
    repeat: int = 7

    @classmethod
    def quick(cls) -> Scale:
        return cls(50_000, 20_000, 2000, 40, (1, 20, 100), 1000, (100, 1000), 3)

    def timed(
        self, case: str, x: float | str, stream: Stream, sides: dict[str, Side], **more: Any
    ) -> Point:
        """All sides in turn over one stream, which names the variant unless one is given."""
        turns = in_turn(sides, self.repeat)
        given = {"variant": stream.name, "others": turns.others, "machine": machine(), **more}
        return Point(case=case, x=x, rows=stream.rows, seconds=turns.seconds, **given)


def lengths(count: int) -> list[int]:
    """Ticks, equally spread over 1 to 20 seconds."""
    return [int(each) * SECOND // 1000 for each in np.linspace(1000, 20_000, count).round()]


def tumbling(sizes: Sequence[int]) -> list[pw.Window]:
    return [pw.tumbling(f"{size} us") for size in sizes]


def pair(stream: Stream, windows: Sequence[pw.Window], aggregate: Any) -> dict[str, Side]:
    """We, and what nobody can be faster than."""
    return {BARE: bare(stream), OURS: ours(stream, windows, aggregate)}


def stores(stream: Stream, windows: Sequence[pw.Window], aggregate: Any) -> dict[str, Side]:
    """Both stores, forced."""
    return {name: ours(stream, windows, aggregate, name) for name in ("lazy", "eager")}


def rivals(stream: Stream, sizes: Sequence[int]) -> dict[str, Side]:
    """Every technique of the paper's section 3, for sums."""
    techniques: dict[str, Any] = {
        "tuple buffer": TupleBuffer,
        "tuple buffer, merged": partial(TupleBuffer, merge=True),
        "aggregate tree": AggregateTree,
        "aggregate buckets": AggregateBuckets,
    }
    if stream.rate * sum(sizes) / SECOND <= MOST_COPIES:
        techniques["tuple buckets"] = TupleBuckets
    return {
        name: baseline(stream, partial(technique, sizes, stream.lag))
        for name, technique in techniques.items()
    }
