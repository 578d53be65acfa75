"""Rings: the part of a level of granules that finer levels do not reach.

Idea: at an instant at which a level reports, its range is the finest level's range and a ring for
each level from there up to it.  Rings share no event, and are periodic windows like others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from panewise.model import Size
from panewise.windows import sizes
from panewise.windows.context import Context, Family, Window
from panewise.windows.granules import Granules, Level, spelled


@dataclass(frozen=True)
class Ring(Window):
    """Ring `number` of a level: `[end - range, end - range of the ring before)`.

    >>> from panewise.windows import granules
    >>> [ring.demand().size for ring in rings(granules((4, 1), (16, 4)))]
    [4, 4, 12]
    """

    kind: ClassVar[str] = "ring"
    context: ClassVar[Context] = Context.FREE
    of: Level
    number: int

    @property
    def reach(self) -> int:
        """Ticks from its start to the end of the level's window."""
        return sizes.units(self.of.levels[self.number][0])

    @property
    def canonical(self) -> str:
        scheme = spelled(self.of.levels, self.of.origin)
        return f"ring {self.number} of level {self.of.level} of {scheme}"

    def sizes(self) -> dict[str, Size]:
        return self.of.sizes()

    def demand(self) -> Family:
        nearer = sizes.units(self.of.levels[self.number - 1][0]) if self.number else 0
        slide, origin = sizes.units(self.of.slide), sizes.units(self.of.origin)
        return Family(self.reach - nearer, slide, origin=(origin - self.reach) % slide)


def rings(scheme: Granules) -> list[Ring]:
    """The rings of every level, from the finest on."""
    return [Ring(of=level, number=n) for level in scheme.windows() for n in range(level.level + 1)]
