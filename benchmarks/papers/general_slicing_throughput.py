"""Rows a second: concurrent windows in order and late, how late, windows of rows, many keys."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np

import panewise as pw
from benchmarks.papers.general_slicing_compare import by_time, compared, compared_rows
from benchmarks.papers.general_slicing_point import Point
from benchmarks.papers.general_slicing_scale import (
    Scale,
    lengths,
    pair,
    rivals,
    stores,
    tumbling,
)
from benchmarks.papers.general_slicing_sides import (
    BARE_KEYS,
    ONE,
    Side,
    bare_keys,
    baseline,
    ours,
)
from benchmarks.papers.general_slicing_stream import SECOND, Stream
from benchmarks.papers.slicing_baselines import RowTupleBuffer, TupleBuckets, TupleBuffer

LATE = 0.2
GAP = SECOND
SHARES = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
DELAYS = (0.25, 0.5, 1, 2, 4, 8)
DISTINCT = (37, 1000, 84_232)
"""Different values: the paper's machine data, ours, and the paper's football data."""
SHORT_ROWS = (1000, 20_000)


def in_order(scale: Scale) -> Iterator[Point]:
    """Concurrent tumbling windows over rows in order (the paper's figure 13)."""
    yield from _concurrent(scale, "in-order", Stream(scale.rate, scale.seconds), gap=0)


def constraints(scale: Scale) -> Iterator[Point]:
    """The same with 20 % late rows and a session window (figure 14).

    The other techniques answer the tumbling windows only, which favours them.
    """
    stream = Stream(scale.rate, scale.seconds, late=LATE, silences=True)
    yield from _concurrent(scale, "constraints", stream, gap=GAP)


def _concurrent(scale: Scale, case: str, whole: Stream, gap: int) -> Iterator[Point]:
    aggregate = pw.sum("value")
    # as many rows at both rates, so that beginning and end weigh as much
    longer = replace(whole, rate=scale.low_rate, seconds=whole.rows // scale.low_rate)
    streams = [whole, longer]
    streams = [replace(each, dtype=kind) for each in streams for kind in ("int64", "float64")]
    for stream in [*streams, thinner := replace(whole, rate=scale.rival_rate)]:
        for count in scale.counts:
            sizes = lengths(count)
            windows = _windows(sizes, gap)
            sides = pair(stream, windows, aggregate)
            if stream is thinner:
                sides |= stores(stream, windows, aggregate) | rivals(stream, sizes)
            elif count == max(scale.counts) > 1:  # in turn with many, whose speed it is compared to
                sides[ONE] = ours(stream, _windows(lengths(1), gap), aggregate)
            short = replace(stream, seconds=scale.seconds)
            results = compared(short, windows, by_time(sizes, gap))
            yield scale.timed(case, count, stream, sides, results=results)


def _windows(sizes: list[int], gap: int) -> list[pw.Window]:
    return tumbling(sizes) + ([pw.session(f"{gap} us")] if gap else [])


def order(scale: Scale) -> Iterator[Point]:
    """20 windows over more late rows, and over later ones (figure 17)."""
    sizes = lengths(20)
    windows = tumbling(sizes)
    for rate in (scale.rate, scale.rival_rate):
        base = Stream(rate, scale.seconds)
        shares = [("share", share, replace(base, late=share)) for share in SHARES]
        delays = [
            ("delay", delay, replace(base, late=LATE, delay=int(delay * SECOND)))
            for delay in DELAYS
        ]
        for case, x, stream in shares + delays:
            sides = pair(stream, windows, pw.sum("value"))
            if rate == scale.rival_rate:
                sides |= rivals(stream, sizes)
            results = compared(stream, windows, by_time(sizes))
            yield scale.timed(case, x, stream, sides, results=results)


def by_row_count(scale: Scale) -> Iterator[Point]:
    """Windows of rows with 20 % late rows, sums (figure 21).

    Long windows hold the rows of 1 to 20 s, as the windows of time do; short ones hold 1,000 to
    20,000 rows, so that a late row changes the index of rows in many windows that are still open.
    """
    for rate in (scale.rate, scale.rival_rate):
        stream = Stream(rate, scale.seconds, late=LATE)
        for kind, (least, most) in {"long": (rate, 20 * rate), "short": SHORT_ROWS}.items():
            for count in (each for each in scale.counts if each <= 100):
                sizes = [int(each) for each in np.linspace(least, most, count)]
                windows = [pw.tumbling(pw.rows(size)) for size in sizes]
                sides = pair(stream, windows, pw.sum("value"))
                if rate == scale.rival_rate:
                    sides |= _row_buffers(stream, sizes)
                results = compared_rows(stream, sizes)
                variant = f"{kind}, {stream.name}"
                yield scale.timed("rows", count, stream, sides, results=results, variant=variant)


def _row_buffers(stream: Stream, sizes: list[int]) -> dict[str, Side]:
    return {
        name: baseline(stream, partial(RowTupleBuffer, sizes, stream.lag, merge=merge))
        for name, merge in {"tuple buffer": False, "tuple buffer, merged": True}.items()
    }


def medians(scale: Scale) -> Iterator[Point]:
    """Medians over 20 windows, by the number of different values (figure 19)."""
    sizes = lengths(20)
    windows = tumbling(sizes)
    kinds = [
        ("in order", Stream(scale.low_rate, scale.seconds)),
        ("20 % late", Stream(scale.rival_rate, scale.seconds, late=LATE)),
    ]
    for kind, base in kinds:
        for distinct in DISTINCT:
            stream = replace(base, distinct=distinct)
            sides = pair(stream, windows, pw.median("value"))
            sides |= {
                "tuple buffer": _median(stream, partial(TupleBuffer, sizes)),
                "tuple buffer, merged": _median(stream, partial(TupleBuffer, sizes, merge=True)),
            }
            if stream.rate == scale.rival_rate:
                sides["tuple buckets"] = _median(stream, partial(TupleBuckets, sizes))
            results = compared(stream, windows, by_time(sizes), "median")
            variant = f"{kind}, {stream.name}"
            yield scale.timed("median", distinct, stream, sides, results=results, variant=variant)


def _median(stream: Stream, technique: partial) -> Side:
    return baseline(stream, partial(technique, delay=stream.lag, aggregate="median"))


def many_keys(scale: Scale) -> Iterator[Point]:
    """20 windows over many keys: some rows of a key in every pane, many, and hardly any."""
    short, long = lengths(20), [10 * SECOND * each for each in range(1, 21)]
    dense = Stream(scale.rate, scale.seconds, keys=scale.keys)
    sparse = replace(dense, rate=scale.rate // 40, seconds=10 * scale.seconds)
    kinds = {"1 to 20 s": (dense, short), "dense": (dense, long), "sparse": (sparse, long)}
    for kind, (whole, sizes) in kinds.items():
        for dtype in ("int64", "float64"):
            stream = replace(whole, dtype=dtype)
            sides = pair(stream, tumbling(sizes), pw.sum("value"))
            sides[BARE_KEYS] = bare_keys(stream, sizes[0])
            variant = f"{kind}, {stream.name}"
            yield scale.timed("keys", scale.keys, stream, sides, variant=variant)
