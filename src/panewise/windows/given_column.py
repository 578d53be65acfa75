"""Columns of Spark's that frames look at in place of SQL text.

Idea: a Column has no name of its own, and two may be printed alike, as any two lambdas are.  So
each is known by which object it is, and stands in the events under a name that events do not have.
Invariant: names follow from the query alone, so that a stream that goes on finds its columns again.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Any

from panewise.expressions import Expression

_PLACE = re.compile(r",?Origin\(")
"""Where in a program an argument of a function of the user's was written, in Spark's spelling."""
_ARGUMENT = re.compile(r"columnnodeexpression\(UnresolvedAttribute\(List\(([^()]*)\),None,\w+\)\)")


@dataclass(frozen=True)
class GivenColumn:
    """A Column, by its spelling and by which object it is.

    >>> one = GivenColumn("(x + 1)", 7)
    >>> one.name, one.apart(1).name, one.apart(1).shown
    ("Column<'(x + 1)'>", "Column<'(x + 1)'> (2)", '`(x + 1)` (2)')
    """

    spelling: str
    number: int
    """Tells it from others of the spelling; those that are compared are all there at once."""
    copy: int = 0
    """How many others of the spelling the query has before it."""
    column: Any = field(default=None, compare=False, repr=False)

    @classmethod
    def of(cls, column: Any) -> GivenColumn:
        printed = str(column).removeprefix("Column<'").removesuffix("'>")
        return cls(_spelled(printed), id(column), column=column)

    @property
    def name(self) -> str:
        """What it is called inside."""
        return f"Column<'{self.spelling}'>{self._counted()}"

    @property
    def shown(self) -> str:
        """What it is called in the names of windows."""
        return _quoted(self.spelling) + self._counted()

    @property
    def value(self) -> Expression:
        """The column that it is inside, to be read by frames."""
        return Expression.parse(_quoted(self.name))

    def apart(self, copy: int) -> GivenColumn:
        """The same as a later one of its spelling."""
        return replace(self, copy=copy)

    def _counted(self) -> str:
        return f" ({self.copy + 1})" if self.copy else ""

    def __getstate__(self) -> dict[str, Any]:
        """Workers get rows that have the column, and cannot be sent the Column."""
        return {**self.__dict__, "column": None}


def is_column(given: object) -> bool:
    """Whether this is a Column of Spark's, which is not imported to find out."""
    return type(given).__name__ == "Column" and type(given).__module__.startswith("pyspark.")


def _spelled(printed: str) -> str:
    """What Spark prints, without what is another every time.

    >>> inside = "UnresolvedAttribute(List(x),None,false,Origin(None,Some(@5f61e5ca)))"
    >>> _spelled(f"f(columnnodeexpression({inside}))")
    'f(x)'
    """
    while place := _PLACE.search(printed):
        printed = printed[: place.start()] + printed[_closed(printed, place.end()) :]
    return _ARGUMENT.sub(r"\1", printed)


def _closed(text: str, start: int) -> int:
    """Behind the bracket that closes the one before `start`."""
    depth = 1
    for at in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if depth == 0:
            return at + 1
    return len(text)


def _quoted(name: str) -> str:
    return f"`{name.replace('`', '``')}`"
