"""Trend across levels: what is compared, and at which pace.

Idea: at an instant at which two neighbouring levels of granules report, the finer one is compared
with the coarser.  Sums and counts grow with the range, so the coarser one's is scaled to the range
of the finer: what it would have at the pace of the coarser.
"""

from __future__ import annotations

from dataclasses import dataclass

from panewise.aggregates.count import Count
from panewise.aggregates.sum import Sum
from panewise.errors import QueryError, SchemaError, nearest
from panewise.query.query import Query
from panewise.windows import Level, sizes

COLUMNS = ("value", "base", "difference")


@dataclass(frozen=True)
class Trend:
    """One aggregate of a query, from level to level."""

    query: Query
    of: str

    def __post_init__(self) -> None:
        names = [a.name for a in self.query.aggregates]
        if self.of not in names:
            raise QueryError(
                f'a trend is of an aggregate of the plan: got "{self.of}".',
                hint=nearest(self.of, names),
            )
        if not any(self.levels()):
            raise QueryError(
                "a trend compares levels: the plan has no granules of time or of a measure.",
                hint='add pw.granules(("1 minute", "1 second"), ("10 minutes", "1 minute")).',
            )
        taken = {"window_id", "window", "level", *self.query.by} & set(COLUMNS)
        if taken:
            raise QueryError(
                f'two result columns have one name: got "{taken.pop()}" twice.',
                hint='rename one with withColumnRenamed("...").',
            )

    def levels(self) -> list[Level]:
        """The levels that have a coarser one."""
        known = [w for w in self.query.windows if isinstance(w, Level) and not w.numbered]
        names = {(w.window_id, w.level) for w in known}
        return [w for w in known if (w.window_id, w.level + 1) in names]

    def scale(self, level: Level) -> float:
        """What the coarser level's value is multiplied with."""
        (aggregate,) = (a for a in self.query.aggregates if a.name == self.of)
        if not isinstance(aggregate, Sum | Count):
            return 1.0
        return sizes.units(level.range) / sizes.units(level.levels[level.level + 1][0])


def no_number(of: str, kind: str) -> SchemaError:
    """What is said of an aggregate that has no difference."""
    return SchemaError(
        f'a trend is of numbers: "{of}" is {kind}.', hint="take a mean, a count or the like."
    )


def checked_factor(factor: object) -> float:
    """A positive number."""
    if isinstance(factor, bool) or not isinstance(factor, int | float) or not factor > 0:
        raise QueryError(f"factor is a positive number: got {factor!r}.", hint="write factor=3.")
    return float(factor)
