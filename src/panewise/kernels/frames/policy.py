"""When frames are told, how their rows are kept in order, and when they are forgotten."""

from __future__ import annotations

from dataclasses import dataclass

BUFFERS = ("auto", "in_order", "lazy", "eager", "multi")
REPORTS = ("close", "update")


@dataclass(frozen=True, slots=True)
class Policy:
    """What a stream was asked to do with its frames."""

    updates: bool = False
    """Whether frames are told as they are now, open ones too, and not only once they are final."""
    period: int = 0
    """Ticks of event time between reports; 0 is every push."""
    buffer: str = "auto"
    evict: tuple[int, int] | None = None
    """`(X, Y)`: whenever a key has X closed frames, the first Y are forgotten."""

    @property
    def may_switch(self) -> bool:
        """Whether the buffer depends on how rows come: frames told on close, of any number."""
        return self.buffer == "auto" and not self.updates and self.evict is None

    def single(self, revising: bool) -> bool:
        """Whether rows are one buffer, which is cut anew as a whole when late ones come."""
        if self.buffer != "auto":
            return self.buffer != "multi"
        return not (revising or self.updates or self.evict)


ON_CLOSE = Policy()
"""Frames are told once, when they are final."""
