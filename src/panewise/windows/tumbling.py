"""Tumbling windows: `[k*size, (k+1)*size)`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from panewise.model import Size, rows
from panewise.windows import context, sizes
from panewise.windows.context import Context, Family, RowFamily, Window


@context.register
@dataclass(frozen=True)
class Tumbling(Window):
    """Windows of one size, end to end.

    >>> tumbling("20 minutes").window_id
    'tumbling(20m)'
    >>> tumbling(rows(1000)).window_id
    'tumbling(1000 rows)'
    """

    kind: ClassVar[str] = "tumbling"
    context: ClassVar[Context] = Context.FREE
    size: Size
    origin: Size

    @property
    def canonical(self) -> str:
        return sizes.spelled(self.kind, self.size, origin=self.origin)

    def sizes(self) -> dict[str, Size]:
        return {"size": self.size, "origin": self.origin}

    def demand(self) -> Family | RowFamily:
        return sizes.family(self.size, self.size, self.origin)

    @classmethod
    def examples(cls) -> tuple[Window, ...]:
        timed = (tumbling(7), tumbling(5, origin=3), tumbling(1), tumbling(30, origin=-4))
        return (*timed, tumbling(rows(3)), tumbling(rows(1)), tumbling(rows(4), origin=rows(3)))


def tumbling(size: object, *, origin: object = 0) -> Tumbling:
    """Windows `[origin + k*size, origin + (k+1)*size)`.

    >>> import panewise as pw
    >>> events = {"t": [1, 3, 12, 14], "x": [5, 1, 2, 7]}
    >>> window = pw.tumbling(10)
    >>> told = pw.aggregate(events, time="t", windows=[window], aggregates=[pw.sum("x")])
    >>> for row in told.to_pylist():
    ...     print(row["window"], row["sum(x)"])
    {'start': 0, 'end': 10} 6
    {'start': 10, 'end': 20} 9
    """
    length = sizes.positive("tumbling", size=size)["size"]
    return Tumbling(size=length, origin=sizes.origin_like("tumbling", length, origin))
