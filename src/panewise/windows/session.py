"""Sessions: runs of events that follow each other within a gap."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from panewise.model import Size
from panewise.windows import context, sizes
from panewise.windows.context import Context, PaneWidth, Window


@context.register
@dataclass(frozen=True)
class Session(Window):
    """Events at most `gap` apart share a session; its window is `[first, last + gap)`.

    Rows inside one pane no wider than the gap always share a session, so sessions are merged from
    panes that remember their first and last time.

    >>> session("10 minutes").window_id
    'session(10m)'
    """

    kind: ClassVar[str] = "session"
    context: ClassVar[Context] = Context.FORWARD_FREE
    gap: Size

    @property
    def canonical(self) -> str:
        return f"{self.kind}({sizes.show(self.gap)})"

    def sizes(self) -> dict[str, Size]:
        return {"gap": self.gap}

    def demand(self) -> PaneWidth:
        return PaneWidth(sizes.units(self.gap))

    @classmethod
    def examples(cls) -> tuple[Window, ...]:
        return (session(3), session(1), session(25))


def session(gap: object) -> Session:
    """Sessions that close after `gap` without an event.

    >>> import panewise as pw
    >>> events = {"t": [1, 3, 12, 14], "x": [5, 1, 2, 7]}
    >>> window = pw.session(4)
    >>> told = pw.aggregate(events, time="t", windows=[window], aggregates=[pw.sum("x")])
    >>> for row in told.to_pylist():
    ...     print(row["window"], row["sum(x)"])
    {'start': 1, 'end': 7} 6
    {'start': 12, 'end': 18} 9
    """
    return Session(gap=sizes.extent("session", gap=gap)["gap"])
