"""Plan nodes, and what they say about themselves."""

from panewise.plan.edges import Edges
from panewise.plan.plan import Composition, Placement, Plan

__all__ = ["Composition", "Edges", "Placement", "Plan"]
