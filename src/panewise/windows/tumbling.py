"""Tumbling windows: `[k*size, (k+1)*size)`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from panewise.model import Size
from panewise.windows import context
from panewise.windows.context import Context, Family, Window


@context.register
@dataclass(frozen=True)
class Tumbling(Window):
    """Windows of one size, end to end.

    >>> tumbling("20 minutes").window_id
    'tumbling(20m)'
    """

    kind: ClassVar[str] = "tumbling"
    context: ClassVar[Context] = Context.FREE
    size: Size
    origin: Size

    @property
    def canonical(self) -> str:
        return context.spelled(self.kind, self.size, origin=self.origin)

    def sizes(self) -> dict[str, Size]:
        return {"size": self.size, "origin": self.origin}

    def demand(self) -> Family:
        size = context.ticks(self.size)
        return Family(size, size, origin=context.ticks(self.origin))

    @classmethod
    def examples(cls) -> tuple[Window, ...]:
        return (tumbling(7), tumbling(5, origin=3), tumbling(1), tumbling(30, origin=-4))


def tumbling(size: object, *, origin: object = 0) -> Tumbling:
    """Windows `[origin + k*size, origin + (k+1)*size)`."""
    length = context.positive("tumbling", size=size)["size"]
    return Tumbling(size=length, origin=context.origin_like("tumbling", length, origin))
