"""Recurring items: values that are present at every horizon."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from panewise.aggregates.value_counts import TopK
from panewise.errors import QueryError

MOST = 10_000
"""Different values that one ring may hold, if nothing else is said."""


@dataclass(frozen=True)
class Recurring(TopK):
    """Values present in every ring of a level's range, with counts; see `recurring`."""

    kind_name: ClassVar[str] = "recurring"

    @property
    def most(self) -> int:
        """Different values that a ring may hold."""
        return self.k - 1

    def arguments(self) -> tuple[object, ...]:
        return (self.column,) if self.most == MOST else (self.column, f"most={self.most}")


def recurring(column: str, *, most: int = MOST) -> Recurring:
    """Values that are in every ring of granules: in the finest level's range, and in what each
    level reaches beyond the one before.  With counts over the whole range, most frequent first.

    A ring with more than `most` different values is an error.

    >>> import panewise as pw
    >>> plan = pw.plan(
    ...     time="t", windows=[pw.granules((4, 2), (8, 4))], aggregates=[pw.recurring("item")]
    ... )
    >>> told = plan.run({"t": [1, 3, 5, 6], "item": ["a", "b", "a", "c"]}).to_pylist()
    >>> [row["recurring(item)"] for row in told if row["window"] == {"start": 0, "end": 8}]
    [[{'item': 'a', 'count': 2}]]
    """
    if isinstance(most, bool) or not isinstance(most, int) or most <= 0:
        raise QueryError(
            f"recurring: most is a positive integer: got {most!r}.", hint="write most=1000."
        )
    return Recurring(column=column, k=most + 1)  # one more tells that there are too many


def too_many(aggregate: Recurring) -> str:
    """What is said where items are of too great a variety."""
    return (
        f"{aggregate.canonical}: a ring holds more than {aggregate.most:,} different values. "
        "Hint: raise most=, or count coarser items."
    )
