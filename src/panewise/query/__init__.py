"""What the user asked for, frozen and validated."""

from panewise.query.asked import asked
from panewise.query.finish import Finish, Preparation
from panewise.query.merge import Merged, Part, merge
from panewise.query.query import Query
from panewise.query.rings import RingQuery, asks_for_rings

__all__ = [
    "Finish",
    "Merged",
    "Part",
    "Preparation",
    "Query",
    "RingQuery",
    "asked",
    "asks_for_rings",
    "merge",
]
