"""Cumulating windows: from one start, ever longer, until the size is reached."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from panewise.errors import QueryError
from panewise.model import Size, rows
from panewise.windows import context, sizes
from panewise.windows.context import Context, Family, RowFamily, Window


@context.register
@dataclass(frozen=True)
class Cumulating(Window):
    """Windows `[k*size, k*size + j*step)` for every `j*step` up to `size`: "today so far".

    >>> cumulating("1 hour", "1 day").window_id
    'cumulating(1h, 1d)'
    """

    kind: ClassVar[str] = "cumulating"
    context: ClassVar[Context] = Context.FREE
    step: Size
    size: Size
    origin: Size

    @property
    def canonical(self) -> str:
        return sizes.spelled(self.kind, self.step, self.size, origin=self.origin)

    def sizes(self) -> dict[str, Size]:
        return {"step": self.step, "size": self.size, "origin": self.origin}

    def demand(self) -> Family | RowFamily:
        return sizes.family(self.size, self.size, self.origin, self.step)

    @classmethod
    def examples(cls) -> tuple[Window, ...]:
        timed = (cumulating(3, 12), cumulating(5, 5), cumulating(2, 10, origin=1))
        return (*timed, cumulating(rows(2), rows(6)), cumulating(rows(1), rows(3), origin=rows(2)))


def cumulating(step: object, size: object, *, origin: object = 0) -> Cumulating:
    """Windows that restart every `size` and grow by `step`.

    >>> import panewise as pw
    >>> events = {"t": [1, 3, 12, 14], "x": [5, 1, 2, 7]}
    >>> window = pw.cumulating(5, 10)
    >>> told = pw.aggregate(events, time="t", windows=[window], aggregates=[pw.sum("x")])
    >>> for row in told.to_pylist():
    ...     print(row["window"], row["sum(x)"])
    {'start': 0, 'end': 5} 6
    {'start': 0, 'end': 10} 6
    {'start': 10, 'end': 15} 9
    {'start': 10, 'end': 20} 9
    """
    read = sizes.positive("cumulating", step=step, size=size)
    if sizes.units(read["size"]) % sizes.units(read["step"]):
        raise QueryError(
            f"cumulating: size must be a multiple of step: got step={sizes.show(read['step'])}, "
            f"size={sizes.show(read['size'])}.",
            hint="choose a step that divides the size.",
        )
    at = sizes.origin_like("cumulating", read["size"], origin)
    return Cumulating(step=read["step"], size=read["size"], origin=at)
