"""Sliding windows: `[k*slide, k*slide + size)`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from panewise.errors import QueryError
from panewise.model import Size
from panewise.windows import context
from panewise.windows.context import Context, Family, Window


@context.register
@dataclass(frozen=True)
class Sliding(Window):
    """Windows of one size, a slide apart; they overlap when the slide is the smaller.

    >>> sliding("1 hour", "5 minutes").window_id
    'sliding(1h, 5m)'
    """

    kind: ClassVar[str] = "sliding"
    context: ClassVar[Context] = Context.FREE
    size: Size
    slide: Size
    origin: Size

    @property
    def canonical(self) -> str:
        return context.spelled(self.kind, self.size, self.slide, origin=self.origin)

    def sizes(self) -> dict[str, Size]:
        return {"size": self.size, "slide": self.slide, "origin": self.origin}

    def demand(self) -> Family:
        size, slide = context.ticks(self.size), context.ticks(self.slide)
        return Family(size, slide, origin=context.ticks(self.origin))

    @classmethod
    def examples(cls) -> tuple[Window, ...]:
        return (
            sliding(10, 5),
            sliding(10, 3),
            sliding(12, 5, origin=2),
            sliding(40, 1),
            sliding(3, 7, allow_gaps=True),
        )


def sliding(
    size: object, slide: object, *, origin: object = 0, allow_gaps: bool = False
) -> Sliding:
    """Windows `[origin + k*slide, origin + k*slide + size)`."""
    read = context.positive("sliding", size=size, slide=slide)
    if context.ticks(read["slide"]) > context.ticks(read["size"]) and not allow_gaps:
        shown = context.show(read["slide"])
        raise QueryError(
            f"slide must not exceed size: got size={context.show(read['size'])}, slide={shown}, "
            "so events between windows would be lost.",
            hint=f'use tumbling("{shown}"), or pass allow_gaps=True.',
        )
    at = context.origin_like("sliding", read["size"], origin)
    return Sliding(size=read["size"], slide=read["slide"], origin=at)
