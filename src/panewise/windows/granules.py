"""Granules: one stream at many horizons, each with a slide of its own.

Idea: levels `(range, slide)` with growing ranges, the finest first, as one construct.  Each level
is a window of its own for engines, a periodic family; together they share a name, and results say
which level they are of.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

from panewise.errors import QueryError
from panewise.model import RowCount, Size, rows
from panewise.windows import context, sizes
from panewise.windows.context import Context, Family, RowFamily, Window, check_name

_EXAMPLE = 'granules(("1 minute", "1 second"), ("10 minutes", "1 minute"))'
Levels = tuple[tuple[Size, Size], ...]


@context.register
@dataclass(frozen=True)
class Level(Window):
    """One level of granules: `[origin + k*slide, origin + k*slide + range)`.

    >>> fine, coarse = granules((4, 1), (8, 2)).windows()
    >>> coarse.window_id, coarse.level, coarse.demand().size
    ('granules(4/1, 8/2)', 1, 8)
    """

    kind: ClassVar[str] = "granules"
    context: ClassVar[Context] = Context.FREE
    levels: Levels
    number: int
    origin: Size

    @property
    def range(self) -> Size:
        """How far back the level looks."""
        return self.levels[self.number][0]

    @property
    def slide(self) -> Size:
        """How often it reports."""
        return self.levels[self.number][1]

    @property
    def level(self) -> int:
        return self.number

    @property
    def canonical(self) -> str:
        return spelled(self.levels, self.origin)

    def sizes(self) -> dict[str, Size]:
        return {"range": self.range, "slide": self.slide, "origin": self.origin}

    def demand(self) -> Family | RowFamily:
        return sizes.family(self.range, self.slide, self.origin)

    @classmethod
    def examples(cls) -> tuple[Window, ...]:
        """A level of each of several schemes: those of one scheme share its name."""
        schemes = (
            granules((2, 1), (8, 2), (16, 4)),
            granules((3, 3), (12, 4)),
            granules((5, 1), (10, 5), (40, 10), origin=3),
            granules((rows(1), rows(1)), (rows(4), rows(2))),
        )
        return tuple(scheme.windows()[at] for scheme, at in zip(schemes, (1, 0, 2, 1), strict=True))


@dataclass(frozen=True)
class Granules:
    """Nested sliding windows over growing horizons, by one name; see `granules`.

    >>> granules(("1 minute", "1 second"), ("10 minutes", "1 minute")).window_id
    'granules(1m/1s, 10m/1m)'
    """

    levels: Levels
    origin: Size
    weights: tuple[float, ...] = ()
    """What a value counts in each ring, the part of a level that the finer ones do not reach."""
    name: str | None = None

    def named(self, name: str) -> Granules:
        """The same levels under a name of the user's choice."""
        return dataclasses.replace(self, name=check_name(name))

    @property
    def window_id(self) -> str:
        """The name given, or the canonical spelling."""
        weights = [f"weights=[{', '.join(f'{w:g}' for w in self.weights)}]"] if self.weights else []
        return self.name or spelled(self.levels, self.origin, *weights)

    def windows(self) -> tuple[Level, ...]:
        """The levels, the finest first."""
        return tuple(
            Level(levels=self.levels, number=number, origin=self.origin, name=self.name)
            for number in range(len(self.levels))
        )


def granules(*levels: object, origin: object = 0, weights: object = None) -> Granules:
    """Levels `(range, slide)`, the finest first: every `slide`, the events of the last `range`.

    Ranges grow, slides do not shrink, and each range is a multiple of its slide.  Sizes are
    durations, integers of the measure, or `rows(n)`.  A level's windows are those of
    `sliding(range, slide)`; results have a column `level`, 0 for the finest.

    `weights` age values: those of the finest level's range count `weights[0]` times, those that
    only the next one reaches `weights[1]` times, and so on.

    >>> import panewise as pw
    >>> events = {"t": [1, 3, 12, 14], "x": [5, 1, 2, 7]}
    >>> levels = pw.granules((4, 2), (8, 4))
    >>> told = pw.aggregate(events, time="t", windows=[levels], aggregates=[pw.sum("x")])
    >>> [(row["level"], row["sum(x)"]) for row in told.to_pylist() if row["window"]["end"] == 16]
    [(0, 9), (1, 9)]
    """
    if len(levels) < 2:
        raise QueryError(
            f"granules takes at least two levels: got {_given(levels)}.",
            hint=f'write {_EXAMPLE}, or sliding("1 minute", "1 second") for one.',
        )
    read = _read(levels)
    for number, (wide, slide) in enumerate(read):
        if sizes.units(wide) % sizes.units(slide):
            raise QueryError(
                f"granules: a range is a multiple of its slide: got {_shown(read[number])} at "
                f"level {number}.",
                hint="choose a slide that divides the range.",
            )
    for number, (fine, coarse) in enumerate(pairwise(read), 1):
        _check_order(number, fine, coarse)
    at = sizes.origin_like("granules", read[0][0], origin)
    aged = () if weights is None else _weights(weights, len(read))
    if aged and isinstance(read[0][0], RowCount):
        raise QueryError(
            "granules: weights are for levels of time or of an integer measure: got levels of "
            "rows.",
            hint="give sizes as durations or integers.",
        )
    return Granules(levels=read, origin=at, weights=aged)


def spelled(levels: Levels, origin: Size, *more: str) -> str:
    """`granules(range/slide, ...)`, with the origin only where it matters."""
    return sizes.spelled(Level.kind, *map(_shown, levels), *more, origin=origin)


def _weights(given: object, count: int) -> tuple[float, ...]:
    listed = list(given) if isinstance(given, Iterable) and not isinstance(given, str) else []
    numbers = [w for w in listed if isinstance(w, int | float) and not isinstance(w, bool)]
    if len(listed) != count or len(numbers) != count or not all(map(math.isfinite, numbers)):
        raise QueryError(
            f"granules: weights are as many numbers as levels, {count}: got {given!r}.",
            hint="write weights=[1.0, 0.5, 0.25].",
        )
    return tuple(map(float, numbers))


def _read(levels: Iterable[object]) -> Levels:
    """All sizes, which must be positive and count the same thing."""
    given: dict[str, object] = {}
    for number, level in enumerate(levels):
        if not isinstance(level, tuple | list) or len(level) != 2:
            raise QueryError(
                f"granules: a level is a range and a slide: got {level!r}.",
                hint=f"write {_EXAMPLE}.",
            )
        given[f"range of level {number}"], given[f"slide of level {number}"] = level
    read = list(sizes.positive("granules", **given).values())
    return tuple(zip(read[::2], read[1::2], strict=True))


def _check_order(number: int, fine: tuple[Size, Size], coarse: tuple[Size, Size]) -> None:
    if sizes.units(fine[0]) >= sizes.units(coarse[0]):
        raise QueryError(
            f"granules: ranges grow from level to level: got {_shown(coarse)} at level {number}, "
            f"after {_shown(fine)}.",
            hint="list the levels from the shortest range to the longest.",
        )
    if sizes.units(fine[1]) > sizes.units(coarse[1]):
        raise QueryError(
            f"granules: slides do not shrink from level to level: got {_shown(coarse)} at level "
            f"{number}, after {_shown(fine)}.",
            hint="give a longer range a slide that is at least as long.",
        )


def _shown(level: tuple[Size, Size]) -> str:
    return f"{sizes.show(level[0])}/{sizes.show(level[1])}"


def _given(levels: tuple[object, ...]) -> str:
    return f"only {levels[0]!r}" if levels else "none"
