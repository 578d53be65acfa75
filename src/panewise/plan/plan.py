"""The plan: panes and how the windows are composed from them.

Idea: `slice -> compose -> lower`.  The optimizer fills in the choices with their reasons; an engine
carries them out.  A plan is a frozen value: it can be printed, compared and run again.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

from panewise.plan.edges import Edges
from panewise.query import Query


class Composition(Enum):
    """How panes become windows."""

    DIRECT = "direct"
    """Every pane is a window already."""
    EXPAND = "expand"
    """Each pane is copied into its windows, which one group-by combines."""
    KERNEL = "kernel"
    """A compiled pass over sorted panes; its cost does not grow with the overlap."""


class Placement(Enum):
    """What travels to the worker of its key."""

    CELLS = "cells"
    """Rows are folded into cells where they are; only cells travel."""
    ROWS = "rows"
    """Rows travel before they are folded: one shuffle, where folding would save little."""


@dataclass(frozen=True)
class Plan:
    """What will be computed, and why."""

    query: Query
    panes: Edges
    composition: Composition
    reason: str
    placement: Placement = Placement.CELLS

    def run(self, events: Any) -> Any:
        """The results as a lazy DataFrame; no job is started."""
        from panewise.spark.batch import run

        return run(self, events)

    def explain(self) -> str:
        """Panes, windows, and how each is computed."""
        from panewise.plan.explain import explain

        return explain(self)

    def __str__(self) -> str:
        return self.explain()
