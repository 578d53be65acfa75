"""What a window that reads rows is given and gives back.

Idea: an engine hands the rows of one key over in order, in as many pieces as it likes, and keeps
between two calls only a small context and the rows that the window still needs.  So `scan` is a
pure function, and state, restart and lateness are the engine's business.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from panewise.errors import QueryError, nearest
from panewise.windows.context import Window

END = 2**63 - 1
"""The watermark after which no row comes."""

_PLAIN = (type(None), bool, int, float, str)


@dataclass(frozen=True)
class ScannedRows:
    """Rows of one key, in `(time, sequence)` order.

    >>> rows = ScannedRows(np.array([1, 4]), {"status": pa.array(["new", "paid"])})
    >>> rows["status"] == "paid"
    array([False,  True])
    >>> len(rows.slice(1, 2)), rows.slice(1, 2).ticks
    (1, array([4]))
    """

    ticks: np.ndarray
    columns: Mapping[str, pa.Array] = field(default_factory=dict)
    tick: int = 1
    """The distance of neighbouring times: a day of microseconds for dates."""

    def arrow(self, column: str) -> pa.Array:
        """A column as it came."""
        try:
            return self.columns[column]
        except KeyError:
            raise QueryError(
                f'a window reads the columns it names in `reads`: got "{column}".',
                hint=nearest(column, self.columns),
            ) from None

    def __getitem__(self, column: str) -> np.ndarray:
        """A column as NumPy has it: text as objects, integers with nulls as floats."""
        values = self.arrow(column)
        if pa.types.is_null(values.type):
            return np.full(len(values), None, object)
        return values.to_numpy(zero_copy_only=False)

    def __len__(self) -> int:
        return len(self.ticks)

    def slice(self, lo: int, hi: int) -> ScannedRows:
        """The rows `[lo, hi)`."""
        cut = {name: column.slice(lo, max(hi - lo, 0)) for name, column in self.columns.items()}
        return ScannedRows(self.ticks[lo:hi], cut, self.tick)


@dataclass(frozen=True, slots=True)
class Closed:
    """One finished window: its rows `[lo, hi)` among those given, and `[start, end)` in ticks.

    >>> Closed(lo=0, hi=2, start=10, end=20).end
    20
    """

    lo: int
    hi: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Scanned:
    """What a call found out: finished windows, what to remember, and from where rows are needed.

    >>> Scanned([Closed(lo=0, hi=2, start=10, end=20)], context=None, needed=2).needed
    2
    """

    closed: Sequence[Closed]
    context: Any
    needed: int


def checked(window: Window, scanned: object, rows: ScannedRows) -> Scanned:
    """The answer of a user's `scan`, or an error that names the type and what is wrong with it."""
    if not isinstance(scanned, Scanned):
        raise _wrong(window, f"it must return Scanned: got {scanned!r}")
    before: Closed | None = None
    for closed in scanned.closed:
        _check_closed(window, closed, before, len(rows))
        before = closed
    if not _whole(scanned.needed) or not 0 <= scanned.needed <= len(rows):
        raise _wrong(
            window, f"`needed` is a position in 0..{len(rows)}: got needed={scanned.needed!r}"
        )
    for strange in _strange(scanned.context):
        raise _wrong(
            window,
            "`context` is made of None, bool, int, float, str, list and dict with text keys: got "
            f"{strange!r} ({type(strange).__name__})",
        )
    return scanned


def _check_closed(window: Window, closed: object, before: Closed | None, count: int) -> None:
    if not isinstance(closed, Closed):
        raise _wrong(window, f"`closed` lists Closed: got {closed!r}")
    numbers = (closed.lo, closed.hi, closed.start, closed.end)
    if not all(map(_whole, numbers)):
        raise _wrong(window, f"positions and times are integers: got {closed}")
    if not 0 <= closed.lo < closed.hi <= count:
        raise _wrong(window, f"a window has at least one of the {count} rows given: got {closed}")
    if max(abs(int(closed.start)), abs(int(closed.end))) > 2**62:
        raise _wrong(window, f"times fit 62 bits: got {closed}")
    if closed.start >= closed.end:
        raise _wrong(window, f"a window ends after it starts: got {closed}")
    if before is None:
        return
    pair = f"got {before}, {closed}"
    if closed.lo < before.lo or closed.hi < before.hi:
        raise _wrong(window, f"windows are listed in the order of their rows: {pair}")
    if closed.lo < before.hi and not getattr(window, "overlaps", False):
        raise _wrong(window, f"windows share no row unless `overlaps` is True: {pair}")


def _whole(number: object) -> bool:
    return isinstance(number, int | np.integer) and not isinstance(number, bool)


def _strange(value: object) -> Iterator[object]:
    """The parts of a context that JSON would not give back as they were."""
    if type(value) is list:
        for item in value:
            yield from _strange(item)
    elif type(value) is dict:
        yield from (key for key in value if type(key) is not str)
        for item in value.values():
            yield from _strange(item)
    elif type(value) not in _PLAIN:
        yield value


def _wrong(window: Window, what: str) -> QueryError:
    return QueryError(
        f"{type(window).__name__}.scan: {what}.",
        hint="panewise.testing.check_window(...) tries a window on many rows.",
    )
