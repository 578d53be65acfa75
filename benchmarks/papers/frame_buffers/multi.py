"""The multi buffer: the library's own functions, called for one row at a time.

What is told is more than the single buffer tells: every frame that a row changed is read, and not
only the frame of the row.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from benchmarks.papers.frame_buffers.clock import MOMENT, lap, nanoseconds
from benchmarks.papers.frame_buffers.fed import Buffer, Fed, Frames
from benchmarks.papers.frame_buffers.single import ADD, CONTENT, EVICT, SCOPE
from panewise.kernels.frames.blocks import NONE, WIDTH, Blocks, insert, insert_all, listed
from panewise.kernels.frames.numbered import FRESH
from panewise.kernels.frames.repair import drop_closed, frames_in, repair
from panewise.kernels.frames.verdict import GROWS, OPENS


@njit(cache=True)
def content(rows, until, values, marks, row):  # type: ignore[no-untyped-def]
    """Read the frames of a region; the sum of the one that has the row."""
    told = total = 0
    has = False
    for i in range(until):
        x = rows[i]
        if marks[x] != GROWS:
            told += total if has else 0
            total, has = 0, False
            if marks[x] == OPENS:
                total, has = values[x], x == row
        else:
            total += values[x]
            has |= x == row
    return told + (total if has else 0)


@njit
def run(  # type: ignore[no-untyped-def]
    chains, used, fed_times, fed_values, low, times, sequence, values, marks, parameters,
    retained, clocked, spent,
):  # fmt: skip
    """Every row from `low` on; the sum of all told, and how many rows were cut anew."""
    moment = np.zeros(MOMENT, np.int64)
    rows, were = np.empty(len(times), np.int64), np.empty(len(times), np.int8)
    ends, closings = np.empty(1, np.int64), np.empty(1, np.int64)
    near = np.empty(WIDTH, values.dtype)
    codes = np.zeros(len(times), np.int64)
    newest, told, again = times[:low].max(), 0, 0
    since = nanoseconds(moment)
    for row in range(low, len(fed_times)):
        times[row], values[row], marks[row] = fed_times[row], fed_values[row], FRESH
        used = insert(chains, used, times, sequence, 0, row)
        newest = max(newest, times[row])
        since = lap(clocked, moment, spent, ADD, since)
        repair(
            chains, times, sequence, values, marks, codes, row, row + 1, parameters, near, rows,
            were, ends, closings,
        )  # fmt: skip
        again += ends[0]
        since = lap(clocked, moment, spent, SCOPE, since)
        told += content(rows, ends[0], values, marks, row)
        since = lap(clocked, moment, spent, CONTENT, since)
        drop_closed(chains, times, marks, newest - retained)
        since = lap(clocked, moment, spent, EVICT, since)
    return told, again


class Multi(Buffer):
    """Rows in blocks, with what became of each."""

    name = "multi"

    def __init__(self, fed: Fed) -> None:
        self._fed, self._told = fed, 0
        held, count = fed.held, len(fed.times)
        self._times, self._values = fed.times.copy(), fed.values.copy()
        self._sequence = np.arange(count)
        self._marks = np.full(count, FRESH, np.int8)
        blocks = self._blocks = Blocks()
        # a full block is cut in halves, so new blocks are as many as halves can be filled
        blocks.grow(1, 2 * count)
        codes = np.zeros(count, np.int64)
        blocks.used = insert_all(blocks.chains, 0, self._times, self._sequence, codes, 0, held)
        room = [np.empty(count, kind) for kind in (np.int64, np.int8, np.int64, np.int64)]
        repair(
            blocks.chains, self._times, self._sequence, self._values, self._marks, codes, 0, held,
            fed.parameters, np.empty(WIDTH, self._values.dtype), *room,
        )  # fmt: skip

    @staticmethod
    def steps(retained: int) -> float:
        return 1

    def feed(self, clocked: bool, spent: np.ndarray) -> None:
        fed = self._fed
        self._told, self.again = run(
            self._blocks.chains, self._blocks.used, fed.times, fed.values,
            fed.held, self._times, self._sequence, self._values, self._marks, fed.parameters,
            fed.retained, clocked, spent,
        )  # fmt: skip

    def frames(self) -> Frames:
        rows = np.empty(len(self._times), np.int64)
        rows = rows[: listed(self._blocks.chains, rows)]
        out = np.empty((6, len(rows)), np.int64)
        count = frames_in(
            self._times, np.zeros(len(self._times), np.int64), rows, self._marks[rows],
            np.array([len(rows)]), np.full(1, NONE), True, 1, self._fed.parameters, out,
        )  # fmt: skip
        return Frames(out[2:, :count], self._told)
