"""Sliding windows: `[k*slide, k*slide + size)`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from panewise.errors import QueryError
from panewise.model import RowCount, Size, rows
from panewise.windows import context, sizes
from panewise.windows.context import Context, Family, RowFamily, Window


@context.register
@dataclass(frozen=True)
class Sliding(Window):
    """Windows of one size, a slide apart; they overlap when the slide is the smaller.

    >>> sliding("1 hour", "5 minutes").window_id
    'sliding(1h, 5m)'
    >>> sliding(rows(4), rows(2)).window_id
    'sliding(4 rows, 2 rows)'
    """

    kind: ClassVar[str] = "sliding"
    context: ClassVar[Context] = Context.FREE
    size: Size
    slide: Size
    origin: Size

    @property
    def canonical(self) -> str:
        return sizes.spelled(self.kind, self.size, self.slide, origin=self.origin)

    def sizes(self) -> dict[str, Size]:
        return {"size": self.size, "slide": self.slide, "origin": self.origin}

    def demand(self) -> Family | RowFamily:
        return sizes.family(self.size, self.slide, self.origin)

    @classmethod
    def examples(cls) -> tuple[Window, ...]:
        return (
            sliding(10, 5),
            sliding(10, 3),
            sliding(12, 5, origin=2),
            sliding(40, 1),
            sliding(3, 7, allow_gaps=True),
            sliding(rows(4), rows(2)),
            sliding(rows(5), rows(3), origin=rows(1)),
            sliding(rows(1), rows(3), allow_gaps=True),
        )


def sliding(
    size: object, slide: object, *, origin: object = 0, allow_gaps: bool = False
) -> Sliding:
    """Windows `[origin + k*slide, origin + k*slide + size)`.

    >>> import panewise as pw
    >>> events = {"t": [1, 3, 12, 14], "x": [5, 1, 2, 7]}
    >>> window = pw.sliding(10, 5)
    >>> told = pw.aggregate(events, time="t", windows=[window], aggregates=[pw.sum("x")])
    >>> for row in told.to_pylist():
    ...     print(row["window"], row["sum(x)"])
    {'start': -5, 'end': 5} 6
    {'start': 0, 'end': 10} 6
    {'start': 5, 'end': 15} 9
    {'start': 10, 'end': 20} 9
    """
    read = sizes.positive("sliding", size=size, slide=slide)
    if sizes.units(read["slide"]) > sizes.units(read["size"]) and not allow_gaps:
        shown = sizes.show(read["slide"])
        raise QueryError(
            f"slide must not exceed size: got size={sizes.show(read['size'])}, slide={shown}, "
            "so events between windows would be lost.",
            hint=f"use tumbling({_written(read['slide'])}), or pass allow_gaps=True.",
        )
    at = sizes.origin_like("sliding", read["size"], origin)
    return Sliding(size=read["size"], slide=read["slide"], origin=at)


def _written(size: Size) -> str:
    """A size as Python text."""
    if isinstance(size, RowCount):
        return f"rows({size.count})"
    return str(size) if isinstance(size, int) else f'"{sizes.show(size)}"'
