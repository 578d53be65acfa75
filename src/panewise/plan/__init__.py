"""Plan nodes, and what they say about themselves."""

from panewise.plan.edges import Edges
from panewise.plan.plan import Composition, Plan

__all__ = ["Composition", "Edges", "Plan"]
