"""Plan nodes, and what they say about themselves."""

from panewise.plan.edges import Edges
from panewise.plan.plan import Alternative, Plan
from panewise.plan.rings import RingPlan
from panewise.plan.shared import SharedPlan
from panewise.plan.statistics import Statistics
from panewise.plan.technique import Technique
from panewise.plan.tree import Node, Placement, Shape, Tree, Way

__all__ = [
    "Alternative",
    "Edges",
    "Node",
    "Placement",
    "Plan",
    "RingPlan",
    "Shape",
    "SharedPlan",
    "Statistics",
    "Technique",
    "Tree",
    "Way",
]
