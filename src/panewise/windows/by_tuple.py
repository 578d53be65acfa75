"""Slide by tuple: every m-th row starts, or ends, a window of one length."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from panewise.errors import QueryError
from panewise.model import RowCount, Size, rows
from panewise.windows import context, sizes
from panewise.windows.context import Context, Scan, Window

Anchor = Literal["start", "end"]


@context.register
@dataclass(frozen=True)
class ByTuple(Window):
    """Windows of one size, placed by rows: a slide counted in rows, a size counted in time.

    With `anchor="start"` rows 0, m, 2m, ... of the key start `[ts, ts + size)`; with `"end"` rows
    m-1, 2m-1, ... end `[ts + tick - size, ts + tick)`.  Rows belong to a window by their time.

    >>> by_tuple(rows(10), "1 hour").window_id
    'by_tuple(10 rows, 1h)'
    >>> by_tuple(rows(10), "1 hour", anchor="end").window_id
    'by_tuple(10 rows, 1h, anchor=end)'

    References: Traub et al., 2021 (starts); Li et al., 2005 (the backward reading).
    """

    kind: ClassVar[str] = "by_tuple"
    slide: RowCount
    size: Size
    anchor: Anchor = "start"

    @property
    def context(self) -> Context:  # type: ignore[override]  # it depends on the anchor
        return Context.FORWARD_FREE if self.anchor == "start" else Context.FORWARD_AWARE

    @property
    def canonical(self) -> str:
        anchor = () if self.anchor == "start" else (f"anchor={self.anchor}",)
        return sizes.spelled(self.kind, self.slide, self.size, *anchor)

    @property
    def numbered(self) -> bool:
        return True

    def sizes(self) -> dict[str, Size]:
        return {"slide": self.slide, "size": self.size}

    def demand(self) -> Scan:
        return Scan(self)

    @classmethod
    def examples(cls) -> tuple[Window, ...]:
        return (
            by_tuple(rows(2), 5),
            by_tuple(rows(1), 12),
            by_tuple(rows(3), 1, anchor="end"),
            by_tuple(rows(2), 25, anchor="end"),
        )


def by_tuple(slide: object, size: object, *, anchor: str = "start") -> ByTuple:
    """A window of this size at every `rows(m)`-th row of the key.

    >>> import panewise as pw
    >>> events = {"t": [1, 3, 12, 14], "x": [5, 1, 2, 7]}
    >>> window = pw.by_tuple(pw.rows(2), 5)
    >>> told = pw.aggregate(events, time="t", windows=[window], aggregates=[pw.sum("x")])
    >>> for row in told.to_pylist():
    ...     print(row["window"], row["sum(x)"])
    {'start': 1, 'end': 6} 6
    {'start': 12, 'end': 17} 9
    """
    count = sizes.row_count("by_tuple", "slide", slide)
    length = sizes.extent("by_tuple", size=size)["size"]
    if anchor not in ("start", "end"):
        raise QueryError(
            f'by_tuple: anchor is "start" or "end": got anchor={anchor!r}.',
            hint='write anchor="end" for windows that reach back from a row.',
        )
    return ByTuple(slide=count, size=length, anchor=anchor)  # type: ignore[arg-type]
