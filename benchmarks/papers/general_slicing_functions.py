"""Rows a second by aggregate function, on windows of time and of rows (the paper's figure 18)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import panewise as pw
from benchmarks.papers.general_slicing_compare import by_time, compared, compared_rows
from benchmarks.papers.general_slicing_point import Point
from benchmarks.papers.general_slicing_scale import Scale, lengths, pair, tumbling
from benchmarks.papers.general_slicing_stream import SECOND, Stream

FUNCTIONS: dict[str, Callable[[], Any]] = {
    "count": lambda: pw.count("value"),
    "sum": lambda: pw.sum("value"),
    "mean": lambda: pw.mean("value"),
    "stddev": lambda: pw.stddev("value"),
    "geometric_mean": lambda: pw.geometric_mean("value"),
    "min": lambda: pw.min("value"),
    "max": lambda: pw.max("value"),
    "min_count": lambda: pw.min_count("value"),
    "max_count": lambda: pw.max_count("value"),
    "argmin": lambda: pw.argmin("ts", "value"),
    "argmax": lambda: pw.argmax("ts", "value"),
    "first": lambda: pw.first("value"),
    "last": lambda: pw.last("value"),
    "m4": lambda: pw.m4("value"),
    "median": lambda: pw.median("value"),
    "quantile 0.9": lambda: pw.quantile("value", 0.9),
    "count_distinct": lambda: pw.count_distinct("value"),
    "collect": lambda: pw.collect("value"),
}
"""The paper's (those of Tangwongsan et al., median, 90th percentile), and what we have beside."""
COUNT = 20


def functions(scale: Scale) -> Iterator[Point]:
    """20 windows, 20 % late rows."""
    stream = Stream(scale.low_rate, scale.seconds // 2, late=0.2)
    sizes = lengths(COUNT)
    rows = [scale.low_rate * size // SECOND for size in sizes]
    kinds = {
        "windows of time": (
            tumbling(sizes),
            partial(compared, stream, tumbling(sizes), by_time(sizes)),
        ),
        "windows of rows": (
            [pw.tumbling(pw.rows(size)) for size in rows],
            partial(compared_rows, stream, rows),
        ),
    }
    for kind, (windows, checked) in kinds.items():
        for name, aggregate in FUNCTIONS.items():
            sides = pair(stream, windows, aggregate())
            results = checked(aggregate=name)
            variant = f"{kind}, {stream.name}"
            yield scale.timed("functions", name, stream, sides, variant=variant, results=results)
