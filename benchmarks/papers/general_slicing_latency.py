"""Seconds from a watermark to the window that it ends (the paper's figure 16).

Idea: sliding windows as long as all slices that are held, so that each step of the watermark by one
slice ends one window of that many slices.  A row is pushed before each step, outside of the clock:
what the eager store does for it then is part of throughput.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from statistics import median
from typing import Any

import numpy as np
import pyarrow as pa

import panewise as pw
from benchmarks.papers.general_slicing_point import Point
from benchmarks.papers.general_slicing_scale import Scale
from benchmarks.papers.general_slicing_sides import machine, operator, plan
from benchmarks.papers.general_slicing_stream import EPOCH, SECOND
from panewise.kernels.columns import ALL_VALID, Numbers
from panewise.kernels.fold import two_stacks
from panewise.kernels.monoids import SUM
from panewise.kernels.tree import Tree

STORES = ("lazy", "eager")
STEPS = 200
SLICE = SECOND // 1000
NEVER = 10_000 * SECOND


def latency(scale: Scale) -> Iterator[Point]:
    """Both stores at 100 to 100,000 slices; `idle` is a step that ends no window."""
    for slices in scale.slices:
        yield _point("operator", slices, {store: _steps(store, slices) for store in STORES})
        yield _point("store", slices, {store: _alone(store, slices) for store in STORES})


def _point(variant: str, slices: int, seconds: dict[str, list[float]]) -> Point:
    if variant == "operator":
        seconds["idle"] = _idle()
    # the middle and not the best: a window's latency is what a reader waits for
    middle = {name: [median(each)] for name, each in seconds.items()}
    return Point("latency", variant, slices, 1, middle, machine=machine())


def _steps(store: str, slices: int) -> list[float]:
    running = _filled(store, slices)
    seconds = []
    for step in range(STEPS):
        end = EPOCH + (slices + step) * SLICE
        running.push(_rows(end, 1))
        began = time.perf_counter()
        found = running.advance(_at(end))
        seconds.append(time.perf_counter() - began)
        assert len(found) == 1, f"a step must end one window, not {len(found)}"
    return seconds


def _alone(store: str, slices: int) -> list[float]:
    """Combining one window by itself, without what the operator does around it."""
    column = Numbers(np.arange(slices + STEPS, dtype=np.int64), ALL_VALID, pa.int64())
    tree = Tree.over(column, SUM) if store == "eager" else None
    out, present = np.empty(1, np.int64), np.empty(1, np.bool_)
    seconds = []
    for step in range(STEPS):
        lo, hi = np.array([step]), np.array([step + slices])
        began = time.perf_counter()
        if tree is not None:
            tree.read(lo, hi, out, present)
        else:
            two_stacks(column.values, column.valid, lo, hi, SUM, out, present)
        seconds.append(time.perf_counter() - began)
        assert out[0] == column.values[step : step + slices].sum()
    return seconds[1:]


def _idle() -> list[float]:
    """Steps that are too short to end a window."""
    running = _filled("lazy", 100)
    seconds = []
    for step in range(1, STEPS):
        began = time.perf_counter()
        running.advance(_at(EPOCH + 100 * SLICE - STEPS + step))
        seconds.append(time.perf_counter() - began)
    return seconds


def _filled(store: str, slices: int) -> Any:
    """One row in every slice; the watermark just before the end of the first full window."""
    length = f"{slices * SLICE} us"
    planned = plan([pw.sliding(length, f"{SLICE} us")], pw.sum("value"))
    running = operator(planned, NEVER, store)
    running.push(_rows(EPOCH, slices))
    running.advance(_at(EPOCH + slices * SLICE - STEPS))
    return running


def _rows(begin: int, count: int) -> dict[str, np.ndarray]:
    ticks = begin + SLICE * np.arange(count)
    return {"ts": ticks.view("M8[us]"), "value": np.ones(count, np.int64)}


def _at(tick: int) -> np.datetime64:
    return np.datetime64(tick, "us")
