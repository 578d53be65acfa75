"""Cutting rows in order into frames.

Idea: strictly in this order, a row closes the open frame, or joins it, or opens one.  So the row
that closes a frame is never in it, and where it may, opens the next one in the same step.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from typing import Any

import numpy as np
import pyarrow as pa

from panewise.kernels.compiled import compiled
from panewise.kernels.frames.decimals import unscaled
from panewise.kernels.frames.forms import ALL, FLOATING, FORMS, REGISTERS, join, within
from panewise.windows.frames import Frame
from panewise.windows.sizes import units

SEEN, COUNT, START, FIRST_REGISTER = range(4)
"""A context: rows looked at, rows in the open frame (0: none is), its first time, registers."""
CONTEXT = FIRST_REGISTER + REGISTERS
_NO_LIMIT = 2**62
_LEAST, _MOST = -(2**63), 2**63 - 1
_FARTHEST = Fraction(sys.float_info.max)


@dataclass(frozen=True)
class Cutter:
    """What the loop must know of a frame."""

    form: int
    ahead: bool
    bound: Any
    min_rows: int
    max_rows: int
    min_duration: int
    max_duration: int
    to_closing: bool
    """Whether a frame lasts until the row that closes it."""

    @classmethod
    def of(cls, frame: Frame, scale: int, whole: bool) -> Cutter:
        """For values that are `10**scale` times too large, and integers if `whole`."""
        scheme = frame.scheme
        form = FORMS[scheme.form]
        return cls(
            form,
            scheme.ahead,
            _bound(Fraction(scheme.limit) * 10**scale, scheme.inclusive, whole),
            frame.min_rows,
            _NO_LIMIT if frame.max_rows is None else frame.max_rows,
            0 if frame.min_duration is None else units(frame.min_duration),
            _NO_LIMIT if frame.max_duration is None else units(frame.max_duration),
            frame.basis == "interval",
        )

    @property
    def parameters(self) -> tuple[Any, ...]:
        """As the loops take them."""
        return (
            self.form, self.ahead, self.bound, self.min_rows, self.max_rows,
            self.min_duration, self.max_duration, self.to_closing,
        )  # fmt: skip


def _bound(limit: Fraction, inclusive: bool, whole: bool) -> Any:
    """The largest value that is within the limit."""
    if whole:
        most = floor(limit) if inclusive else ceil(limit) - 1
        return np.int64(min(max(most, _LEAST), _MOST))
    near = np.float64(float(min(max(limit, -_FARTHEST), _FARTHEST)))
    exact = Fraction(float(near))
    beyond = exact > limit or (exact == limit and not inclusive)
    return np.nextafter(near, -np.inf) if beyond else near


def numbers_of(values: pa.Array, form: int) -> tuple[np.ndarray, int]:
    """Values as the loop takes them, 64-bit integers or floats, and the power of ten that they are
    too large by."""
    if pa.types.is_boolean(values.type):
        return np.asarray(values).astype(np.int64), 0
    if form in FLOATING or pa.types.is_floating(values.type):
        return np.asarray(values.cast(pa.float64(), safe=False)), 0
    if pa.types.is_decimal(values.type):
        return unscaled(values), values.type.scale
    return np.asarray(values.cast(pa.int64())), 0


GROWS, OPENS, OUTSIDE = range(3)
"""What becomes of a row: it joins the open frame, opens one, or is in none."""


@compiled
def step(parameters, kept, at, count, start, value, time):  # type: ignore[no-untyped-def]
    """What becomes of a row after `count` rows of an open frame (0: none is), -1 if a sum of
    integers goes around; and which half of `kept` has the registers then."""
    form, ahead, bound, _, max_rows, _, max_duration, _ = parameters
    other = REGISTERS - at
    if count > 0:
        fits = True
        if form == ALL:
            grows = value != 0
        else:
            fits = join(form, kept, at, count, value, other)
            if ahead:
                grows = not fits or within(form, kept, other, count + 1, bound)
            else:
                grows = within(form, kept, at, count, bound)
        if grows and count < max_rows and time - start <= max_duration:
            return (GROWS if fits else -1), other
    if form == ALL and value == 0:
        return OUTSIDE, at
    join(form, kept, at, 0, value, at)
    return OPENS, at


@compiled
def counts(parameters, rows, start, last, end):  # type: ignore[no-untyped-def]
    """Whether a frame with so many rows, that closes at `end`, is large enough to be told."""
    _, _, _, min_rows, _, min_duration, _, to_closing = parameters
    return rows >= min_rows and (end if to_closing else last) - start >= min_duration


@compiled
def put(out, n, code, start, end, lo, hi):  # type: ignore[no-untyped-def]
    """A window as `Found` has them."""
    out[0, n], out[1, n], out[2, n], out[3, n], out[4, n], out[5, n] = code, 0, start, end, lo, hi
    return n + 1


@compiled
def segment(  # type: ignore[no-untyped-def]
    first, last, values, runs, stops, tick, final, parameters, contexts, registers, needed, out
):
    """The frames that rows up to each key's stop close; -1 where a sum of integers went around.

    `first` and `last` are times of rows, or of the one cell that the rows of an open frame became.
    """
    kept = np.empty(2 * REGISTERS, values.dtype)  # registers of the frame, and with one more row
    n = 0
    for r in range(len(stops)):
        lo, stop = runs[r], stops[r]
        count, start = contexts[r, COUNT], contexts[r, START]
        for k in range(REGISTERS):
            kept[k] = registers[r, k]
        at = 0  # which half of `kept` is the frame's
        for i in range(runs[r] + contexts[r, SEEN], stop):
            became, at = step(parameters, kept, at, count, start, values[i], first[i])
            if became == GROWS:
                count += 1
                continue
            if became < 0:
                return -1
            if count > 0 and counts(parameters, count, start, last[i - 1], first[i]):
                n = put(out, n, r, start, first[i], lo, i)
            lo, start, count = i, first[i], 1 if became == OPENS else 0
        if final and count > 0:
            after = last[stop - 1] + tick
            if counts(parameters, count, start, last[stop - 1], after):
                n = put(out, n, r, start, after, lo, stop)
            count = 0
        if count == 0:
            lo, start = stop, 0
            kept[:] = 0
        needed[r] = lo
        contexts[r, SEEN] = stop - lo
        contexts[r, COUNT] = count
        contexts[r, START] = start
        for k in range(REGISTERS):
            registers[r, k] = kept[at + k]
    return n
