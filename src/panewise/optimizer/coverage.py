"""Window coverage: when one window can be computed from the results of another.

Idea: an instance of the child is the union of those instances of the parent that lie within it.
Both are periodic, so divisibility of sizes, slides and origins decides.  Two relations: under
PARTITIONED the instances read are disjoint, which serves every aggregate; under COVERED they may
overlap, which serves idempotent aggregates alone.

Written r, s, o for size, slide and origin, 1 for the child and 2 for the parent.

Invariant: a relation that holds is transitive, and only duplicates hold both ways.
Cost: a few integer divisions per pair.

References: Wu et al., "Factor Windows", theorems 1, 3 and 4, repaired: coverage also
needs `r1 >= r2`, equal origins modulo `s2` and a parent without gaps, and equal sizes are allowed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import Enum

from panewise.aggregates.algebra import Properties
from panewise.windows import Family


def is_plain(family: Family) -> bool:
    """Whether all intervals have one size and recur for ever.

    Cumulating windows and bands neither give nor take here: they are left to the search over edge
    sets, which treats all families alike.
    """
    return family.step == family.size and not family.once


def covered_by(child: Family, parent: Family) -> bool:
    """Whether every instance of the child is a union of instances of the parent.

    >>> covered_by(Family(10, 2), Family(8, 2))
    True
    >>> covered_by(Family(12, 2), Family(8, 3)), covered_by(Family(8, 2), Family(10, 2))
    (False, False)

    A parent with gaps would lose events between its instances, so it only lends whole ones:

    >>> covered_by(Family(11, 8), Family(3, 4)), covered_by(Family(3, 8), Family(3, 4))
    (False, True)
    """
    slide, size = parent.slide, parent.size
    return (
        child.slide % slide == 0
        and child.size >= size
        and (child.size - size) % slide == 0
        and (child.origin - parent.origin) % slide == 0
        and (slide <= size or child.size == size)
        and is_plain(child)
        and is_plain(parent)
    )


def partitioned_by(child: Family, parent: Family) -> bool:
    """Whether every instance of the child is a disjoint union of *all* parent instances within it.

    That takes a tumbling parent, or a child whose every instance is one of the parent's.

    >>> partitioned_by(Family(30, 20), Family(10, 10)), partitioned_by(Family(10, 2), Family(8, 2))
    (True, False)
    >>> partitioned_by(Family(10, 4), Family(10, 2))
    True
    """
    slide = parent.slide
    return (
        child.slide % slide == 0
        and (slide == parent.size or child.size == parent.size)
        and covered_by(child, parent)
    )


def multiplier(child: Family, parent: Family) -> int:
    """How many instances of the parent lie within one of the child, if it is covered.

    >>> multiplier(Family(20, 2), Family(8, 2))
    7
    """
    return 1 + (child.size - parent.size) // parent.slide


def minimal_multiplier(child: Family, parent: Family) -> int:
    """The fewest instances of the parent whose union is one of the child, if it is covered.

    The first must begin with the child and the last must end with it; between them each begins as
    late as the end of the one before allows.

    >>> minimal_multiplier(Family(20, 2), Family(8, 2))
    3
    """
    longer = child.size - parent.size
    return 1 - (-longer // stride(parent)) if longer else 1


def stride(parent: Family) -> int:
    """How far apart the instances of a minimal cover begin; 0 where every step leaves a gap.

    A child that begins at `a` reads the instances that begin at `a`, `a + stride`, `a + 2*stride`
    and so on, short of `a + r1 - r2`, and the one that begins there and ends with the child.

    >>> stride(Family(8, 2)), stride(Family(7, 2)), stride(Family(3, 4))
    (8, 6, 0)
    """
    return parent.slide * (parent.size // parent.slide)


class Relation(Enum):
    """Which instances of a parent a child may read.

    >>> Relation.COVERED.reads(Family(20, 2), Family(8, 2))
    3
    """

    PARTITIONED = "partitioned by"
    COVERED = "covered by"

    @classmethod
    def serving(cls, aggregates: Iterable[Properties]) -> Relation:
        """The widest relation that is right for all aggregates computed along one edge.

        >>> Relation.serving([Properties(idempotent=True), Properties()])
        <Relation.PARTITIONED: 'partitioned by'>
        """
        return cls.COVERED if all(p.idempotent for p in aggregates) else cls.PARTITIONED

    # Functions behind properties: a search asks thousands of times and looks them up once.

    @property
    def holds(self) -> Callable[[Family, Family], bool]:
        """Whether a child can be computed from a parent."""
        return covered_by if self is Relation.COVERED else partitioned_by

    @property
    def reads(self) -> Callable[[Family, Family], int]:
        """How many instances of a parent one instance of a child reads, if it holds."""
        return minimal_multiplier if self is Relation.COVERED else multiplier
