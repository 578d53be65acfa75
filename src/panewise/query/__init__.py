"""What the user asked for, frozen and validated."""

from panewise.query.merge import Merged, Part, merge
from panewise.query.query import Query

__all__ = ["Merged", "Part", "Query", "merge"]
