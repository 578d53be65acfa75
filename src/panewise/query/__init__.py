"""What the user asked for, frozen and validated."""

from panewise.query.query import Query

__all__ = ["Query"]
