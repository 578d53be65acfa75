"""Whether our operator's rows are those of the definition, on a thinner stream of the same kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

import panewise as pw
from benchmarks.papers.general_slicing_sides import answer
from benchmarks.papers.general_slicing_stream import Stream
from benchmarks.papers.slicing_baselines import Results, naive

THIN = 2000
"""Rows per second of event time: enough for every window to hold some."""
FOLDS: dict[str, naive.Fold] = {
    "count": len,
    "sum": np.sum,
    "mean": np.mean,
    "min": np.min,
    "max": np.max,
    "stddev": lambda values: np.std(values, ddof=1),
    "min_count": lambda values: np.count_nonzero(values == np.min(values)),
    "max_count": lambda values: np.count_nonzero(values == np.max(values)),
    "count_distinct": lambda values: len(np.unique(values)),
    "median": np.median,
}
Expected = Callable[[np.ndarray, np.ndarray, naive.Fold], Sequence[Results]]


def compared(
    stream: Stream,
    windows: Sequence[pw.Window],
    expected: Expected,
    aggregate: str = "sum",
    store: str = "auto",
) -> str:
    """In a word, for the tables."""
    if aggregate not in FOLDS:
        return "not compared"
    thin = replace(stream, rate=min(stream.rate, THIN))
    table = answer(thin, windows, getattr(pw, aggregate)("value"), thin.rows, store)
    columns = thin.columns()
    parts = expected(columns["ts"], columns["value"], FOLDS[aggregate])
    return "equal" if _same(table, parts) else "DIFFERENT"


def by_time(sizes: Sequence[int], gap: int = 0) -> Expected:
    """Tumbling windows of time, and sessions if there is a gap."""

    def expected(ticks: np.ndarray, values: np.ndarray, fold: naive.Fold) -> Sequence[Results]:
        found = [naive.by_time(ticks, values, sizes, fold)]
        return [*found, naive.sessions(ticks, values, gap, fold)] if gap else found

    return expected


def compared_rows(stream: Stream, sizes: Sequence[int], aggregate: str = "sum") -> str:
    """The same for tumbling windows of rows, as much shorter as the stream is thinner."""
    thinner = max(1, stream.rate // THIN)
    fewer = sorted({max(1, size // thinner) for size in sizes})
    windows = [pw.tumbling(pw.rows(size)) for size in fewer]

    def expected(ticks: np.ndarray, values: np.ndarray, fold: naive.Fold) -> Sequence[Results]:
        return [naive.by_rows(ticks, values, fewer, fold)]

    return compared(stream, windows, expected, aggregate)


def _same(table: pa.Table, parts: Sequence[Results]) -> bool:
    theirs = [np.concatenate(c) for c in zip(*(p[2:] for p in parts), strict=True)]
    ours = _columns(table)
    if len(ours[0]) != len(theirs[0]):
        return False
    ours, theirs = ([c[np.lexsort(side[::-1])] for c in side] for side in (ours, theirs))
    places = all(np.array_equal(a, b) for a, b in zip(ours[:2], theirs[:2], strict=True))
    return places and np.allclose(ours[2], theirs[2], rtol=1e-9, atol=0)


def _columns(table: pa.Table) -> list[np.ndarray]:
    """Start, end and value."""
    window = table["window"].combine_chunks()
    bounds: list[Any] = [window.field(name).cast(pa.int64()) for name in ("start", "end")]
    return [*(each.to_numpy() for each in bounds), table["value"].to_numpy()]
