"""Trees of shared tables: what a plan is made of."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from panewise.plan.edges import Edges
from panewise.plan.technique import Technique
from panewise.windows import Family, PaneWidth, RowFamily, Scan


class Way(Enum):
    """How the nodes of a tree are computed."""

    LEVELS = "levels"
    """One expand and one group-by for each level of the tree."""
    KERNEL = "kernel"
    """One compiled pass over sorted panes; its cost does not grow with the overlap."""
    ROWS = "rows"
    """One compiled pass over rows in order, for windows or aggregates that depend on it."""
    SPANS = "spans"
    """Events with a duration, in slices by a technique."""


class Placement(Enum):
    """What travels to the worker of its key."""

    CELLS = "cells"
    """Rows are folded into cells where they are; only cells travel."""
    ROWS = "rows"
    """Rows travel before they are folded: one shuffle, where folding would save little."""


Shape = Edges | Family | PaneWidth | RowFamily | Scan
"""Panes, the instances of a window, sessions, or windows that rows in order decide."""


@dataclass(frozen=True)
class Node:
    """One table of a tree."""

    shape: Shape
    parent: int | None = None
    """The position of the node it reads; None reads the events."""
    window: int | None = None
    """The number of the window it answers; None for panes and factor windows."""
    minimal: bool = False
    """Whether it reads only as many overlapping instances of its parent as cover it."""
    rows: float = 0.0
    """How many rows it is expected to have."""
    cost: float = 0.0
    """What it is expected to cost: seconds on the machine that was calibrated."""


@dataclass(frozen=True)
class Tree:
    """Nodes, each after its parent, that answer some windows for some aggregates."""

    nodes: tuple[Node, ...]
    way: Way
    aggregates: tuple[int, ...]
    placement: Placement = Placement.CELLS
    technique: Technique | None = None
    """How events with a duration are put into slices."""

    @property
    def windows(self) -> tuple[int, ...]:
        """The numbers of the windows that this tree answers."""
        return tuple(node.window for node in self.nodes if node.window is not None)

    def depths(self) -> list[int]:
        """How many steps each node is from the events."""
        found: list[int] = []
        for node in self.nodes:
            found.append(1 if node.parent is None else found[node.parent] + 1)
        return found
