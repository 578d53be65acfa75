"""Cutting rows in order into frames.

Idea: a loop passes over the rows that surely join the open frame, and what becomes of the row where
it stops is looked at exactly.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types

from panewise.kernels.compiled import compiled, inlined_overload
from panewise.kernels.disjoint import NONE
from panewise.kernels.frames.cutter import FOREVER
from panewise.kernels.frames.forms import REGISTERS
from panewise.kernels.frames.stretch import outside, stretch
from panewise.kernels.frames.verdict import GROWS, OPENS, lasting, verdict
from panewise.kernels.ranges import gallop

SEEN, COUNT, START, LAST, FIRST_REGISTER = range(5)
"""A context: rows looked at, rows in the open frame (0: none is), its first time, the last time
that was looked at, registers."""
CONTEXT = FIRST_REGISTER + REGISTERS


def registers_of(context: Any, values: Any) -> Any:
    """The registers of a context, in the type of the values."""
    raise NotImplementedError("only loops keep numbers")


@inlined_overload(registers_of)
def _registers_of(context, values):  # type: ignore[no-untyped-def]
    if values.dtype == types.float64:
        return lambda context, values: context[FIRST_REGISTER:].view(np.float64)
    return lambda context, values: context[FIRST_REGISTER:]


@compiled
def counts(parameters, rows, start, last, end):  # type: ignore[no-untyped-def]
    """Whether a frame with so many rows, that closes at `end`, is large enough to be told."""
    _, _, _, min_rows, _, min_duration, _, to_closing = parameters
    return rows >= min_rows and lasting(start, end if to_closing else last) >= min_duration


@compiled
def put(out, n, code, number, start, end, lo, hi):  # type: ignore[no-untyped-def]
    """A window as `Found` has them."""
    out[0, n], out[1, n], out[2, n] = code, number, start
    out[3, n], out[4, n], out[5, n] = end, lo, hi
    return n + 1


@compiled
def cut_run(  # type: ignore[no-untyped-def]
    times,
    values,
    cut,
    code,
    seed,
    low,
    at,
    stop,
    tick,
    final,
    parameters,
    context,
    registers,
    out,
    n,
):
    """Cut the rows `[at, stop)` of a key, whose open frame began at the row `low`, or before: then
    `seed` is not negative, and stands in the place of the number.

    The number of windows that are put out then, -1 where a sum of integers went around; and where
    the open frame begins, or the end of the rows.
    """
    form, ahead, bound, _, most, _, longest, _ = parameters
    began = at
    count, start, last = context[COUNT], context[START], context[LAST]
    a, b = registers[0], registers[1]
    while at < stop:
        if count > 0:
            far = min(stop, at + most - count)
            if longest < FOREVER:
                far = gallop(times, at, far, start + np.int64(longest) + 1)
            before = at
            at, a, b = stretch(values, cut, began, at, far, form, ahead, bound, a, b, count)
            if at > before:
                count += at - before
                last = times[at - 1]
        else:
            at = outside(values, cut, at, stop)
        if at == stop:
            break
        time = times[at]
        became, a, b = verdict(
            values, cut, at, form, ahead, bound, most, longest, a, b, count, lasting(start, time)
        )
        if became == GROWS:
            count += 1
        elif became < 0:
            return -1, at
        else:
            if count > 0 and counts(parameters, count, start, last, time):
                n = put(out, n, code, seed, start, time, low, at)
            low, start, seed = at, time, NONE
            count = 1 if became == OPENS else 0
        last = time
        at += 1
    if final and count > 0:
        if counts(parameters, count, start, last, last + tick):
            n = put(out, n, code, seed, start, last + tick, low, stop)
        count = 0
    if count == 0:
        low, start, last = stop, 0, 0
        a = b = registers.dtype.type(0)
    context[COUNT], context[START], context[LAST] = count, start, last
    registers[0], registers[1] = a, b
    return n, low


@compiled
def segment(  # type: ignore[no-untyped-def]
    times, values, cut, runs, stops, tick, final, parameters, contexts, needed, out
):
    """The frames that rows up to each key's stop close; -1 where a sum of integers went around.

    Rows that were looked at before are given again.
    """
    n = 0
    for r in range(len(stops)):
        low = runs[r]
        n, needed[r] = cut_run(
            times, values, cut, r, NONE, low, low + contexts[r, SEEN], stops[r], tick, final,
            parameters, contexts[r], registers_of(contexts[r], values), out, n,
        )  # fmt: skip
        if n < 0:
            return n
        contexts[r, SEEN] = stops[r] - needed[r]
    return n


@compiled
def segment_new(  # type: ignore[no-untyped-def]
    times,
    values,
    cut,
    runs,
    sequence,
    first,
    tick,
    final,
    parameters,
    contexts,
    begun,
    out,
):
    """The frames that new rows close, and behind them those that are open, both by key; how many
    of each, -1 where a sum of integers went around.

    Of a frame that began before the rows, the number is its place among those that were open.
    Rows have a `sequence`, or count from `first`; that of the first row of a key's open frame is
    put in `begun`.
    """
    keys = len(runs) - 1
    lows, seeds = np.empty(keys, np.int64), np.empty(keys, np.int64)
    n = opened = 0
    for r in range(keys):
        seeds[r] = NONE
        if contexts[r, COUNT] > 0:
            seeds[r] = opened
            opened += 1
        n, lows[r] = cut_run(
            times, values, cut, r, seeds[r], runs[r], runs[r], runs[r + 1], tick, final, parameters,
            contexts[r], registers_of(contexts[r], values), out, n,
        )  # fmt: skip
        if n < 0:
            return n, 0
    m = n
    for r in range(keys):
        if contexts[r, COUNT] > 0:
            seed = seeds[r] if contexts[r, COUNT] > runs[r + 1] - lows[r] else NONE
            if seed == NONE:
                begun[r] = sequence[lows[r]] if len(sequence) > 0 else first + lows[r]
            m = put(out, m, r, seed, contexts[r, START], contexts[r, LAST], lows[r], runs[r + 1])
    return n, m - n
