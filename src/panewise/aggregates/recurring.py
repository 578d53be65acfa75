"""Recurring items: values that are present at every horizon."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import pyarrow as pa

from panewise.aggregates.algebra import Scope
from panewise.aggregates.value_counts import Tally, TallyAggregate
from panewise.errors import QueryError

MOST = 10_000
"""Different values that one ring may hold, if nothing else is said."""


@dataclass(frozen=True)
class Recurring(TallyAggregate):
    """Values present in every ring of a level's range; see `recurring`.

    Over a single window, which is one ring, these are its different values.
    """

    kind_name: ClassVar[str] = "recurring"
    counts: bool = False
    most: int = MOST

    def arguments(self) -> tuple[object, ...]:
        named = [("counts", self.counts, False), ("most", self.most, MOST)]
        return (self.column, *(f"{name}={given}" for name, given, usual in named if given != usual))

    def result_type(self, scope: Scope) -> str:
        item = scope.types[self.column]
        return f"array<struct<item:{item},count:bigint>>" if self.counts else f"array<{item}>"

    def lower_tally(self, tally: Tally) -> pa.Array:
        offsets = pa.array(tally.offsets, pa.int32())
        if not self.counts:
            return pa.ListArray.from_arrays(offsets, tally.values)
        counted = [tally.values, pa.array(tally.weights)]
        told = pa.StructArray.from_arrays(counted, names=["item", "count"])
        return pa.ListArray.from_arrays(offsets, told)


def recurring(column: str, *, counts: bool = False, most: int = MOST) -> Recurring:
    """Values that are in every ring of granules: in the finest level's range, and in what each
    level reaches beyond the one before; in ascending order.

    With `counts` each has its count over the whole range, and the most frequent is first.  Without,
    a ring is a bitmap: it costs less, and holds less.  A ring with more than `most` different
    values is an error.

    >>> import panewise as pw
    >>> def told(asked):
    ...     plan = pw.plan(time="t", windows=[pw.granules((4, 2), (8, 4))], aggregates=[asked])
    ...     rows = plan.run({"t": [1, 3, 5, 6], "item": ["a", "b", "a", "c"]}).to_pylist()
    ...     return [row[asked.name] for row in rows if row["window"] == {"start": 0, "end": 8}]
    >>> told(pw.recurring("item")), told(pw.recurring("item", counts=True))
    ([['a']], [[{'item': 'a', 'count': 2}]])
    """
    if not isinstance(counts, bool):
        raise QueryError(
            f"recurring: counts is true or false: got {counts!r}.", hint="write counts=True."
        )
    if isinstance(most, bool) or not isinstance(most, int) or most <= 0:
        raise QueryError(
            f"recurring: most is a positive integer: got {most!r}.", hint="write most=1000."
        )
    return Recurring(column=column, counts=counts, most=most)


def too_many(aggregate: Recurring) -> str:
    """What is said where items are of too great a variety."""
    return (
        f"{aggregate.canonical}: a ring holds more than {aggregate.most:,} different values. "
        "Hint: raise most=, or ask for coarser items."
    )
