"""Multi-measure windows: at regular times, the last few rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from panewise.model import RowCount, Size, rows
from panewise.windows import context, sizes
from panewise.windows.context import Context, Scan, Window


@context.register
@dataclass(frozen=True)
class Every(Window):
    """At every `origin + k*slide`, the last rows before it, as many as there are.

    A key without a new row since the time before reports nothing.  The window reaches from the
    first of these rows to the tick after the last; its number is `k`.

    >>> every("10 minutes", last=rows(100)).window_id
    'every(10m, last=100 rows)'
    """

    kind: ClassVar[str] = "every"
    context: ClassVar[Context] = Context.FORWARD_AWARE
    slide: Size
    last: RowCount
    origin: Size

    @property
    def canonical(self) -> str:
        return sizes.spelled(self.kind, self.slide, f"last={self.last}", origin=self.origin)

    @property
    def numbered(self) -> bool:
        return True

    def sizes(self) -> dict[str, Size]:
        return {"slide": self.slide, "last": self.last, "origin": self.origin}

    def demand(self) -> Scan:
        return Scan(self)

    @classmethod
    def examples(cls) -> tuple[Window, ...]:
        return (
            every(5, last=rows(3)),
            every(7, last=rows(1), origin=2),
            every(30, last=rows(20), origin=-4),
        )


def every(slide: object, *, last: object, origin: object = 0) -> Every:
    """The `last=rows(n)` rows with a time before `origin + k*slide`, for every `k`.

    >>> import panewise as pw
    >>> events = {"t": [1, 3, 12, 14], "x": [5, 1, 2, 7]}
    >>> window = pw.every(10, last=pw.rows(2))
    >>> told = pw.aggregate(events, time="t", windows=[window], aggregates=[pw.sum("x")])
    >>> for row in told.to_pylist():
    ...     print(row["window"], row["sum(x)"])
    {'start': 1, 'end': 4} 6
    {'start': 12, 'end': 15} 9
    """
    period = sizes.extent("every", slide=slide)["slide"]
    count = sizes.row_count("every", "last", last)
    return Every(slide=period, last=count, origin=sizes.origin_like("every", period, origin))
