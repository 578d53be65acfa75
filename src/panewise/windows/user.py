"""User-defined windows: one pure function over the rows of a key.

Idea: subclass, name the columns the window reads, and write `scan`.  Engines call it with rows in
order and a watermark; `panewise.testing.check_window` tries it on many rows and cuts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from panewise.windows.context import Context, Scan, Window
from panewise.windows.scan import Scanned, ScannedRows


@dataclass(frozen=True)
class UserWindow(Window):
    """Base of windows that users write.  Here, a window per order, which closes on payment:

    >>> import numpy as np, pyarrow as pa
    >>> from panewise.windows import END, Closed
    >>> class Order(UserWindow):
    ...     kind = "order"
    ...     reads = ("status",)
    ...     def scan(self, context, rows, watermark):
    ...         ends = [int(paid) + 1 for paid in np.flatnonzero(rows["status"] == "paid")]
    ...         if watermark == END and len(rows) not in [0, *ends[-1:]]:
    ...             ends.append(len(rows))  # never paid
    ...         starts, ticks = [0, *ends], rows.ticks
    ...         closed = [
    ...             Closed(lo, hi, ticks[lo], ticks[hi - 1] + rows.tick)
    ...             for lo, hi in zip(starts, ends)
    ...         ]
    ...         return Scanned(closed, context, needed=starts[-1])
    >>> rows = ScannedRows(np.array([1, 4, 6]), {"status": pa.array(["new", "paid", "new"])})
    >>> scanned = Order().scan(None, rows, watermark=7)
    >>> [(int(c.start), int(c.end)) for c in scanned.closed], scanned.needed
    ([(1, 5)], 2)

    Parameters are the fields of a frozen dataclass: `@dataclass(frozen=True)` above the class.
    """

    kind: ClassVar[str]
    context: ClassVar[Context] = Context.FORWARD_FREE
    reads: ClassVar[tuple[str, ...]] = ()
    """The columns that `scan` looks at."""
    overlaps: ClassVar[bool] = False
    """Whether one row may be in several windows."""

    def scan(self, context: Any, rows: ScannedRows, watermark: int) -> Scanned:
        """The windows that are finished now that every row before `watermark` has been given.

        `context` is None at first, then what the last call returned.  `rows` begins with those that
        the last call still needed.  At `END` no more rows come: close what is open.
        """
        raise NotImplementedError(f"{type(self).__name__} does not define scan.")

    def columns(self) -> tuple[str, ...]:
        return tuple(self.reads)

    def demand(self) -> Scan:
        return Scan(self)
