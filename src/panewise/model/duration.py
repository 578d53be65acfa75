"""Durations: sizes of windows as exact integers.

Idea: time is counted in microsecond ticks, any other measure in its own unit, rows in rows; a size
remembers which of the three it is, so that mixing them is an error and not a wrong answer.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import timedelta

from panewise.errors import DurationError, shown
from panewise.model.whole import whole

MICROSECOND = 1
MILLISECOND = 1_000
SECOND = 1_000_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR
WEEK = 7 * DAY

_UNITS = {
    MICROSECOND: ("us", "µs", "microsecond", "microseconds"),
    MILLISECOND: ("ms", "millisecond", "milliseconds"),
    SECOND: ("s", "sec", "secs", "second", "seconds"),
    MINUTE: ("m", "min", "mins", "minute", "minutes"),
    HOUR: ("h", "hour", "hours"),
    DAY: ("d", "day", "days"),
    WEEK: ("w", "week", "weeks"),
}
_TICKS = {name: ticks for ticks, names in _UNITS.items() for name in names}
_SHORT = ((DAY, "d"), (HOUR, "h"), (MINUTE, "m"), (SECOND, "s"), (MILLISECOND, "ms"), (1, "us"))
_CALENDAR = {"month", "months", "year", "years", "quarter", "quarters", "mo", "y"}
_TERM = re.compile(r"\s*([+-]?\d+(?:\.\d+)?)\s*([A-Za-zµ]+)\s*")
_BACK = re.compile(r"-(?:\d+[a-zµ]+){2,}")
_LIMIT = 2**62


@dataclass(frozen=True, slots=True)
class Duration:
    """A length of time in microseconds.

    >>> Duration.parse("1 hour 30 minutes")
    Duration(ticks=5400000000)
    >>> str(Duration.parse("90s"))
    '1m30s'
    """

    ticks: int

    @classmethod
    def parse(cls, value: object) -> Duration:
        """Read Spark's spelling, a short one, or a `timedelta`."""
        if isinstance(value, Duration):
            return value
        if isinstance(value, timedelta):
            return cls((value.days * 86_400 + value.seconds) * SECOND + value.microseconds)
        if isinstance(value, str):
            return cls(_parse_text(value))
        raise DurationError(
            f"a duration is text or a timedelta: got {value!r} ({type(value).__name__}).",
            hint='write "20 minutes", "20m" or timedelta(minutes=20).',
        )

    def __str__(self) -> str:
        return format_ticks(self.ticks)


@dataclass(frozen=True, slots=True)
class RowCount:
    """A number of rows, as a size."""

    count: int

    def __str__(self) -> str:
        return f"{self.count} rows"


Size = Duration | int | RowCount


def rows(count: int) -> RowCount:
    """A size counted in rows, in `(time, sequence)` order within the key.

    >>> str(rows(1000))
    '1000 rows'
    """
    read = whole(count)
    if read is None or read <= 0:
        raise DurationError(
            f"rows(n) takes a positive integer: got {count!r}.", hint="write rows(1000)."
        )
    return RowCount(read)


def parse_size(value: object) -> Size:
    """A size: time as text or `timedelta`, a number of the measure as `int`, or `rows(n)`."""
    if isinstance(value, RowCount):
        return value
    number = whole(value)
    if number is not None:
        return _bounded(number, value)
    return Duration.parse(value)


def format_ticks(ticks: int) -> str:
    """The shortest exact spelling of a duration.

    >>> [format_ticks(t) for t in (0, 1_200_000_000, 1_500_000, -60_000_000)]
    ['0s', '20m', '1s500ms', '-1m']
    """
    if ticks == 0:
        return "0s"
    if ticks < 0:
        return "-" + format_ticks(-ticks)
    parts = []
    for unit, name in _SHORT:
        count, ticks = divmod(ticks, unit)
        if count:
            parts.append(f"{count}{name}")
    return "".join(parts)


def _parse_text(text: str) -> int:
    body = text.strip().lower()
    if body.startswith("interval "):
        body = body[len("interval ") :]
    if _BACK.fullmatch(body):  # the minus is of the whole: "-1m30s" is ninety seconds back
        return -_parse_text(body[1:])
    total, position = 0, 0
    while position < len(body):
        term = _TERM.match(body, position)
        if term is None:
            raise _unreadable(text)
        number, unit = term.groups()
        if unit in _CALENDAR:
            raise DurationError(
                f'a window size has a fixed length: got "{text}", and {unit} varies.',
                hint='write it in days or weeks, for example "30 days".',
            )
        if unit not in _TICKS:
            raise _unreadable(text)
        total += _exact(number, _TICKS[unit], text)
        position = term.end()
    if position == 0:
        raise _unreadable(text)
    return _bounded(total, text)


def _exact(number: str, unit: int, text: str) -> int:
    whole, _, fraction = number.partition(".")
    scaled = int(whole + fraction) * unit
    ticks, rest = divmod(scaled, 10 ** len(fraction))
    if rest:
        raise DurationError(
            f'a duration is a whole number of microseconds: got "{text}".',
            hint="use a coarser fraction.",
        )
    return ticks


def _bounded(ticks: int, given: object) -> int:
    if abs(ticks) >= _LIMIT:
        raise DurationError(
            f"a size fits in 62 bits of ticks: got {shown(given)}.", hint="use a shorter duration."
        )
    return ticks


def _unreadable(text: str) -> DurationError:
    return DurationError(
        f'cannot read "{text}" as a duration.', hint='write "20 minutes", "20m" or "1 hour 30 min".'
    )
