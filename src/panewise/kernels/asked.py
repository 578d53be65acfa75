"""The windows that are asked for, by what they ask for.

Idea: there may be a thousand of them, and more than one program for the same ones: what follows
from the windows alone is made once.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from panewise.kernels.families import Families
from panewise.kernels.ranges import NEVER
from panewise.plan import Edges
from panewise.windows import Demand, Family, PaneWidth, RowFamily, Scan


@dataclass(frozen=True)
class Asked:
    """A window by its number; windows of rows begin with the rows at or after `since`."""

    number: int
    demand: Demand
    since: int = NEVER


class AskedWindows(tuple[Asked, ...]):
    """All windows of a program."""

    @cached_property
    def by_length(self) -> list[Families]:
        """Periodic ones whose sizes are within a thousand times of each other."""
        alike: dict[int, list[tuple[int, Family]]] = {}
        for window in self:
            if isinstance(window.demand, Family):
                same = alike.setdefault(length_class(window.demand.size), [])
                same.append((window.number, window.demand))
        return [Families(same) for same in alike.values()]

    @cached_property
    def periodic(self) -> Families:
        """All periodic ones."""
        return Families([each for same in self.by_length for each in same.numbered])

    @cached_property
    def sessions(self) -> list[Asked]:
        """Those that ask for narrow panes."""
        return [w for w in self if isinstance(w.demand, PaneWidth)]

    @cached_property
    def counted(self) -> list[Asked]:
        """Those that count rows."""
        return [w for w in self if isinstance(w.demand, RowFamily)]

    @cached_property
    def scanned(self) -> list[Asked]:
        """Those that a scan finds."""
        return [w for w in self if isinstance(w.demand, Scan)]

    def ready(self, panes: Edges) -> AskedWindows:
        """Itself, with all this made, to be answered by these panes."""
        for families in (self.periodic, *self.by_length):
            _ = families.gaps, families.need_all_of(panes)
        _ = self.sessions, self.counted, self.scanned
        return self


def length_class(size: int) -> int:
    """Microseconds from half a second to nine minutes share one, then up to six days, and so on."""
    return (size.bit_length() + 1) // 10
