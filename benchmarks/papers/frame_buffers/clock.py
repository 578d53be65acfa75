"""A clock that compiled loops can read: the system's own, called without Python."""

from __future__ import annotations

import ctypes
import time

import numpy as np
from numba import njit

_clock_gettime = ctypes.CDLL(None).clock_gettime
_clock_gettime.argtypes = (ctypes.c_int, ctypes.c_void_p)
_clock_gettime.restype = ctypes.c_int
_MONOTONIC = time.CLOCK_MONOTONIC
MOMENT = 2
"""Integers that a moment takes: seconds and nanoseconds."""


@njit
def nanoseconds(moment):  # type: ignore[no-untyped-def]
    """Now; `moment` is room for the answer of the system."""
    _clock_gettime(_MONOTONIC, moment.ctypes.data)
    return moment[0] * 1_000_000_000 + moment[1]


@njit
def lap(clocked, moment, spent, phase, since):  # type: ignore[no-untyped-def]
    """Add the time since then to a phase; now."""
    if not clocked:
        return since
    now = nanoseconds(moment)
    spent[phase] += now - since
    return now


@njit
def _laps(times, spent):  # type: ignore[no-untyped-def]
    moment = np.zeros(MOMENT, np.int64)
    since = nanoseconds(moment)
    for _ in range(times):
        since = lap(True, moment, spent, 0, since)


def lap_cost(times: int = 200_000) -> float:
    """Nanoseconds that reading the clock itself adds to a phase, at best."""
    found = []
    for _ in range(5):
        spent = np.zeros(1, np.int64)
        _laps(times, spent)
        found.append(spent[0] / times)
    return min(found)
