"""What every window type is: its context class, its sizes, and what it asks of the panes.

Idea: a type says *which edges it needs* and nothing about engines.  Context-free types are periodic
families of intervals, over time or over the index of rows; sessions only ask that no pane be wider
than their gap; all others ask for the rows themselves.  Optimizer and kernels work on these four
statements, so a new type that can make one needs no new engine code.
"""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import Enum
from typing import ClassVar, Self

from panewise.errors import QueryError
from panewise.model import Size


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
        if self.size % self.slide == 0:  # a window ends where another one begins
            return ((self.slide, self.origin % self.slide),)
        phases = {self.origin % self.slide, (self.origin + self.size) % self.slide}
        return tuple((self.slide, phase) for phase in sorted(phases))

    def fixed_edges(self) -> tuple[int, ...]:
        """The edges of a family that happens once."""
        return (self.origin, *(self.origin + e for e in range(self.step, self.size + 1, self.step)))


@dataclass(frozen=True, slots=True)
class PaneWidth:
    """A demand for panes no wider than this, at any alignment."""

    ticks: int


@dataclass(frozen=True, slots=True)
class RowFamily:
    """A family over the index of rows, in `(time, sequence)` order within the key, from 0."""

    family: Family


@dataclass(frozen=True, slots=True)
class Scan:
    """Windows that only the rows themselves can tell."""

    window: Window


Demand = Family | PaneWidth | RowFamily | Scan
"""What a window needs: edges, narrow panes, or the rows in order (the last two)."""


@dataclass(frozen=True, kw_only=True)
class Window(ABC):
    """A window type with its parameters. Frozen: `.named()` returns a copy.

    A user's own periodic windows are a subclass that returns a `Family`, in microseconds for time:

    >>> from panewise.model.duration import HOUR
    >>> class Shift(Window):
    ...     kind, context = "shift", Context.FREE
    ...     def sizes(self):
    ...         return {"size": Duration(8 * HOUR)}
    ...     def demand(self):
    ...         return Family(size=8 * HOUR, slide=8 * HOUR, origin=6 * HOUR)
    >>> Shift().window_id
    'shift()'
    """

    kind: ClassVar[str]
    context: ClassVar[Context]
    name: str | None = None

    def named(self, name: str) -> Self:
        """The same window under a name of the user's choice."""
        return dataclasses.replace(self, name=check_name(name))

    @property
    def window_id(self) -> str:
        """The name given, or the canonical spelling."""
        return self.name or self.canonical

    @property
    def canonical(self) -> str:
        """A spelling that two equal windows share, such as `tumbling(20m)`."""
        given = [
            f"{f.name}={getattr(self, f.name)!r}"
            for f in dataclasses.fields(self)
            if f.name != "name" and getattr(self, f.name) != f.default
        ]
        return f"{self.kind}({', '.join(given)})"

    def sizes(self) -> dict[str, Size]:
        """Every size parameter by its name."""
        return {}

    @abstractmethod
    def demand(self) -> Demand:
        """What this window needs of the panes, or of the rows, that it is computed from."""

    def columns(self) -> tuple[str, ...]:
        """Input columns that the windows themselves depend on."""
        return ()

    @property
    def numbered(self) -> bool:
        """Whether its windows have a `window_no`."""
        return isinstance(self.demand(), RowFamily)

    @property
    def level(self) -> int | None:
        """Which level of granules it is, if it is one."""
        return None

    @property
    def identity(self) -> tuple[str | int, ...]:
        """What makes two windows the same to a reader of results."""
        level = () if self.level is None else (self.level,)
        return (self.window_id, self.canonical, *level)

    @classmethod
    def examples(cls) -> tuple[Window, ...]:
        """Instances on small integer measures, for the suites that run over every type."""
        return ()


def check_name(name: str) -> str:
    """A name as given, if it is one."""
    if not isinstance(name, str) or not name:
        raise QueryError(
            f"a window name is non-empty text: got {name!r}.", hint='write .named("hourly").'
        )
    return name


_registry: dict[str, type[Window]] = {}


def register(cls: type[Window]) -> type[Window]:
    """Make a window type known to the conformance suite and to `registered()`."""
    _registry[cls.kind] = cls
    return cls


def registered() -> dict[str, type[Window]]:
    """Every window type by its kind."""
    return dict(_registry)
