"""What the user asked for, frozen and validated."""

from panewise.query.merge import Merged, Part, merge
from panewise.query.query import Query
from panewise.query.rings import RingQuery, asks_for_rings

__all__ = ["Merged", "Part", "Query", "RingQuery", "asks_for_rings", "merge"]
