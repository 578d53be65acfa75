"""Fixed band: one window at a given place."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import ClassVar

from panewise.errors import QueryError
from panewise.model import Duration, Size
from panewise.windows import context, sizes
from panewise.windows.context import Context, Family, Window

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@context.register
@dataclass(frozen=True)
class Band(Window):
    """The one window `[start, start + size)`.

    >>> band("2024-01-01 06:00", "2 hours").window_id
    'band(2024-01-01T06:00:00, 2h)'
    """

    kind: ClassVar[str] = "band"
    context: ClassVar[Context] = Context.FREE
    start: Size
    size: Size

    @property
    def canonical(self) -> str:
        if isinstance(self.start, Duration):
            at = (
                (_EPOCH + timedelta(microseconds=self.start.ticks)).replace(tzinfo=None).isoformat()
            )
        else:
            at = str(self.start)
        return f"{self.kind}({at}, {sizes.show(self.size)})"

    def sizes(self) -> dict[str, Size]:
        return {"start": self.start, "size": self.size}

    def demand(self) -> Family:
        size = sizes.units(self.size)
        return Family(size, size, origin=sizes.units(self.start), once=True)

    @classmethod
    def examples(cls) -> tuple[Window, ...]:
        return (band(10, 25), band(-5, 5))


def band(start: object, size: object) -> Band:
    """One window. `start` is a datetime, ISO text, or an integer of the measure; naive is UTC.

    >>> import panewise as pw
    >>> events = {"t": [1, 3, 12, 14], "x": [5, 1, 2, 7]}
    >>> window = pw.band(3, 10)
    >>> told = pw.aggregate(events, time="t", windows=[window], aggregates=[pw.sum("x")])
    >>> for row in told.to_pylist():
    ...     print(row["window"], row["sum(x)"])
    {'start': 3, 'end': 13} 3
    """
    length = sizes.extent("band", size=size)["size"]
    counted: Size
    if isinstance(start, str | date):
        counted = _since_epoch(start)
    elif isinstance(start, int) and not isinstance(start, bool):
        counted = start
    else:
        raise QueryError(
            f"band: start is a datetime, ISO text or an integer: got {start!r}.",
            hint='write band("2024-01-01 06:00", "2 hours").',
        )
    if type(counted) is not type(length):
        raise QueryError(
            f"band: start and size count the same thing: got start={start!r}, size={size!r}.",
            hint="give a date with a duration, or two integers.",
        )
    return Band(start=counted, size=length)


def _since_epoch(start: str | date) -> Duration:
    try:
        at = datetime.fromisoformat(start) if isinstance(start, str) else start
    except ValueError:
        raise QueryError(
            f'band: cannot read start="{start}" as a date and time.',
            hint='write it as "2024-01-01 06:00:00".',
        ) from None
    if not isinstance(at, datetime):
        at = datetime(at.year, at.month, at.day)
    if at.tzinfo is None:
        at = at.replace(tzinfo=UTC)
    return Duration.parse(at - _EPOCH)
