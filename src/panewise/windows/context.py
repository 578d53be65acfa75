"""What every window type is: its context class, its sizes, and what it asks of the panes.

Idea: a type says *which edges it needs* and nothing about engines.  Context-free types are periodic
families of intervals; sessions only ask that no pane be wider than their gap.  Optimizer and
kernels work on these two statements, so a new type that can make one needs no new engine code.
"""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import Enum
from typing import ClassVar, Self

from panewise.errors import QueryError
from panewise.model import Duration, RowCount, Size, format_ticks, parse_size


class Context(Enum):
    """The classes of general stream slicing (Traub et al., 2021)."""

    FREE = "context free"
    FORWARD_FREE = "forward context free"
    FORWARD_AWARE = "forward context aware"


@dataclass(frozen=True, slots=True)
class Family:
    """All intervals `[o + k*slide, o + k*slide + j*step)` for `j*step` up to `size`.

    `step == size` for tumbling and sliding windows; a smaller step makes cumulating ones.  `once`
    keeps only `k = 0`.

    >>> Family(size=6, slide=4).edges()
    ((4, 0), (4, 2))
    """

    size: int
    slide: int
    step: int = 0
    origin: int = 0
    once: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "step", self.step or self.size)

    @property
    def overlap(self) -> int:
        """How many windows one event can be in."""
        nested = self.size // self.step
        return nested if self.once else -(-self.size // self.slide) * nested

    def edges(self) -> tuple[tuple[int, int], ...]:
        """The starts and ends of all intervals, as `(period, phase)` progressions."""
        if self.step < self.size:  # cumulating: slide == size, and step divides it
            return ((self.step, self.origin % self.step),)
        phases = {self.origin % self.slide, (self.origin + self.size) % self.slide}
        return tuple((self.slide, phase) for phase in sorted(phases))

    def fixed_edges(self) -> tuple[int, ...]:
        """The edges of a family that happens once."""
        return (self.origin, *(self.origin + e for e in range(self.step, self.size + 1, self.step)))


@dataclass(frozen=True, slots=True)
class PaneWidth:
    """A demand for panes no wider than this, at any alignment."""

    ticks: int


@dataclass(frozen=True, kw_only=True)
class Window(ABC):
    """A window type with its parameters. Frozen: `.named()` returns a copy."""

    kind: ClassVar[str]
    context: ClassVar[Context]
    name: str | None = None

    def named(self, name: str) -> Self:
        """The same window under a name of the user's choice."""
        if not isinstance(name, str) or not name:
            raise QueryError(f"a window name is non-empty text: got {name!r}.")
        return dataclasses.replace(self, name=name)

    @property
    def window_id(self) -> str:
        """The name given, or the canonical spelling."""
        return self.name or self.canonical

    @property
    @abstractmethod
    def canonical(self) -> str:
        """A spelling that two equal windows share, such as `tumbling(20m)`."""

    @abstractmethod
    def sizes(self) -> dict[str, Size]:
        """Every size parameter by its name."""

    @abstractmethod
    def demand(self) -> Family | PaneWidth:
        """What this window needs of the panes it is computed from."""

    @classmethod
    @abstractmethod
    def examples(cls) -> tuple[Window, ...]:
        """Instances on small integer measures, for the suites that run over every type."""


_registry: dict[str, type[Window]] = {}


def register(cls: type[Window]) -> type[Window]:
    """Make a window type known to the conformance suite and to `registered()`."""
    _registry[cls.kind] = cls
    return cls


def registered() -> dict[str, type[Window]]:
    """Every window type by its kind."""
    return dict(_registry)


def ticks(size: Size) -> int:
    """The integer behind a time or plain size."""
    if isinstance(size, RowCount):
        raise QueryError(
            f"this window type counts time or a measure: got {size}.",
            hint="give a duration or an integer.",
        )
    return size.ticks if isinstance(size, Duration) else size


def positive(kind: str, **given: object) -> dict[str, Size]:
    """Read the sizes of one window, refusing what is not positive or mixes units."""
    sizes = {name: parse_size(value) for name, value in given.items()}
    for name, size in sizes.items():
        if isinstance(size, RowCount):
            continue
        if ticks(size) <= 0:
            raise QueryError(
                f"{kind}: {name} must be positive: got {name}={show(size)}.",
                hint=f"give a {name} greater than zero.",
            )
    if len({type(size) for size in sizes.values()}) > 1:
        listed = ", ".join(f"{name}={show(size)}" for name, size in sizes.items())
        raise QueryError(
            f"{kind}: all sizes of one window count the same thing: got {listed}.",
            hint="use durations everywhere, or plain integers everywhere.",
        )
    for name, size in sizes.items():
        if isinstance(size, RowCount):
            raise QueryError(
                f"{kind}: sizes count time or an integer measure: got {name}={size}.",
                hint="give a duration such as '5m', or an integer for an integer time column.",
            )
    return sizes


def origin_like(kind: str, size: Size, origin: object) -> Size:
    """Read an origin, which may be zero or negative but must count what `size` counts."""
    offset = parse_size(origin)
    if offset == 0 and isinstance(size, Duration):
        return Duration(0)
    if type(offset) is not type(size):
        raise QueryError(
            f"{kind}: origin counts what the size counts: got origin={show(offset)} beside "
            f"size={show(size)}.",
            hint="give the origin in the unit of the size.",
        )
    return offset


def show(size: Size) -> str:
    """A size as a user would write it."""
    return format_ticks(size.ticks) if isinstance(size, Duration) else str(size)


def spelled(kind: str, *sizes: Size, origin: Size) -> str:
    """`kind(size, ...)`, with the origin only where it matters."""
    parts = [show(size) for size in sizes]
    if ticks(origin):
        parts.append(f"origin={show(origin)}")
    return f"{kind}({', '.join(parts)})"
