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

SEEN, COUNT, START, LAST, FIRST_REGISTER = range(5)
"""A context: rows looked at, rows in the open frame (0: none is), its first time, the last time
that was looked at, registers."""
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
def step(form, ahead, bound, most, longest, a, b, count, lasts, value):  # type: ignore[no-untyped-def]
    """What becomes of a row after `count` rows of an open frame (0: none is), which with it would
    last so long, -1 if a sum of integers goes around; and the registers then."""
    if count > 0:
        if form == ALL:
            if value != 0 and count < most and lasts <= longest:
                return GROWS, a, b
        else:
            a2, b2, fits = join(form, a, b, count, value)
            if ahead:
                grows = not fits or within(form, a2, b2, count + 1, bound)
            else:
                grows = within(form, a, b, count, bound)
            if grows and count < most and lasts <= longest:
                return (GROWS if fits else -1), a2, b2
    if form == ALL and value == 0:
        return OUTSIDE, a, b
    a, b, _ = join(form, a, b, 0, value)
    return OPENS, a, b


@compiled
def counts(parameters, rows, start, last, end):  # type: ignore[no-untyped-def]
    """Whether a frame with so many rows, that closes at `end`, is large enough to be told."""
    _, _, _, min_rows, _, min_duration, _, to_closing = parameters
    return rows >= min_rows and (end if to_closing else last) - start >= min_duration


@compiled
def put(out, n, code, began, start, end, lo, hi):  # type: ignore[no-untyped-def]
    """A window as `Found` has them; in place of its number, whether it began before these rows."""
    out[0, n], out[1, n], out[2, n] = code, began, start
    out[3, n], out[4, n], out[5, n] = end, lo, hi
    return n + 1


@compiled
def segment(  # type: ignore[no-untyped-def]
    times, values, runs, stops, tick, final, parameters, contexts, registers, needed, out
):
    """The frames that rows up to each key's stop close; -1 where a sum of integers went around.

    Rows that were looked at before are given again, or not at all: then an open frame began
    before the rows.
    """
    form, ahead, bound, _, most, _, longest, _ = parameters
    n = 0
    for r in range(len(stops)):
        lo, stop = runs[r], stops[r]
        count, start, last = contexts[r, COUNT], contexts[r, START], contexts[r, LAST]
        began = 1 if count > 0 and contexts[r, SEEN] == 0 else 0
        a, b = registers[r, 0], registers[r, 1]
        for i in range(runs[r] + contexts[r, SEEN], stop):
            time = times[i]
            lasts = time - start
            became, a, b = step(form, ahead, bound, most, longest, a, b, count, lasts, values[i])
            if became == GROWS:
                count += 1
                last = time
                continue
            if became < 0:
                return -1
            if count > 0 and counts(parameters, count, start, last, time):
                n = put(out, n, r, began, start, time, lo, i)
            lo, start, count, began = i, time, 1 if became == OPENS else 0, 0
            last = time
        if final and count > 0:
            if counts(parameters, count, start, last, last + tick):
                n = put(out, n, r, began, start, last + tick, lo, stop)
            count = 0
        if count == 0:
            lo, start, last = stop, 0, 0
            a = b = values.dtype.type(0)
        needed[r] = lo
        contexts[r, SEEN], contexts[r, COUNT] = stop - lo, count
        contexts[r, START], contexts[r, LAST] = start, last
        registers[r, 0], registers[r, 1] = a, b
    return n
