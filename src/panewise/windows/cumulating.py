"""Cumulating windows: from one start, ever longer, until the size is reached."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from panewise.errors import QueryError
from panewise.model import Size
from panewise.windows import context
from panewise.windows.context import Context, Family, Window


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
        return context.spelled(self.kind, self.step, self.size, origin=self.origin)

    def sizes(self) -> dict[str, Size]:
        return {"step": self.step, "size": self.size, "origin": self.origin}

    def demand(self) -> Family:
        size, step = context.ticks(self.size), context.ticks(self.step)
        return Family(size, size, step=step, origin=context.ticks(self.origin))

    @classmethod
    def examples(cls) -> tuple[Window, ...]:
        return (cumulating(3, 12), cumulating(5, 5), cumulating(2, 10, origin=1))


def cumulating(step: object, size: object, *, origin: object = 0) -> Cumulating:
    """Windows that restart every `size` and grow by `step`."""
    read = context.positive("cumulating", step=step, size=size)
    if context.ticks(read["size"]) % context.ticks(read["step"]):
        raise QueryError(
            f"cumulating: size must be a multiple of step: got step={context.show(read['step'])}, "
            f"size={context.show(read['size'])}.",
            hint="choose a step that divides the size.",
        )
    at = context.origin_like("cumulating", read["size"], origin)
    return Cumulating(step=read["step"], size=read["size"], origin=at)
