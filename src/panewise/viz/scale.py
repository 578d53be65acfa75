"""Where a tick lies in a picture, and which ticks an axis names."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time
from typing import Any

from panewise.model.duration import DAY, HOUR, MINUTE, SECOND

_STEPS = (
    *(n * SECOND for n in (1, 2, 5, 10, 15, 30)),
    *(n * MINUTE for n in (1, 2, 5, 10, 15, 30)),
    *(n * HOUR for n in (1, 2, 3, 6, 12)),
    *(n * DAY for n in (1, 2, 7, 14, 28, 91, 182, 365)),
)
"""Steps of an axis of time from a second on; below and above, and for numbers, 1, 2 and 5."""


@dataclass(frozen=True)
class Scale:
    """From ticks in `[low, high]` to pixels in `[left, right]`."""

    low: int
    high: int
    left: float
    right: float

    def __call__(self, tick: int) -> float:
        """The pixel of a tick; what lies outside is moved to the border."""
        share = (min(max(tick, self.low), self.high) - self.low) / max(self.high - self.low, 1)
        return self.left + share * (self.right - self.left)

    def holds(self, tick: int) -> bool:
        return self.low <= tick <= self.high

    def named(self, timed: bool, apart: float = 76.0) -> tuple[int, list[int]]:
        """The step of an axis and its ticks, about so many pixels from each other.

        >>> Scale(0, 100, 0.0, 800.0).named(timed=False)
        (10, [0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100])
        """
        most = max((self.right - self.left) / apart, 1.0)
        step = _step((self.high - self.low) / most, timed)
        first = -(-self.low // step) * step
        return step, list(range(first, self.high + 1, step))


def _step(least: float, timed: bool) -> int:
    if timed and least >= SECOND // 2:
        found = next((step for step in _STEPS if step >= least), None)
        if found is not None:
            return found
    decade = 1
    while decade * 5 < least:
        decade *= 10
    return next(decade * n for n in (1, 2, 5) if decade * n >= least)


def named_moment(moment: Any, step: int) -> str:
    """A tick in words, as fine as the step of its axis.

    >>> named_moment(datetime(2024, 5, 1, 8, 5), MINUTE), named_moment(date(2024, 5, 1), DAY)
    ('08:05', '1 May')

    Midnight is the day that begins:

    >>> [named_moment(datetime(2024, 5, 1, hour), 12 * HOUR) for hour in (0, 12)]
    ['1 May', '12:00']
    """
    midnight = isinstance(moment, datetime) and moment.time() == time() and step >= MINUTE
    if isinstance(moment, datetime) and step < DAY and not midnight:
        if step < SECOND:
            return f"{moment:%H:%M:%S.%f}".rstrip("0").rstrip(".")
        return f"{moment:%H:%M:%S}" if step < MINUTE else f"{moment:%H:%M}"
    if isinstance(moment, date):
        year = f" {moment.year}" if step >= 180 * DAY else ""
        return f"{moment.day} {moment:%b}{year}"
    return f"{moment:,}" if abs(moment) >= 10_000 else str(moment)
