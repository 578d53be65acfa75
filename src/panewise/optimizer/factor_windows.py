"""Factor windows: windows nobody asked for that make those asked for cheaper.

Idea: windows that cannot be read from each other may still have a parent in common, such as 10
seconds for 20 and 30.  It pays if its readers save more than it reads itself.  For a set of readers
the best tumbling factor window is as large as the greatest common divisor of all their sizes,
slides and distances between origins: every smaller one is read more often and costs no less.

References: Wu et al., "Factor Windows", algorithms 2, 4 and 5, repaired: slides count in the common
divisor, and benefits are steady rates.  Algorithm 3 is in `factor_forest.py`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import islice

from panewise.optimizer.coverage import Relation, stride
from panewise.optimizer.coverage_graph import raw_span
from panewise.windows import Family

_MOST_TRIALS = 1 << 16
_MOST_SLIDES = 4
_MOST_SIZES = 8


Key = tuple[int, int, int]


def key_of(window: Family) -> Key:
    """Equal for windows with the same instances."""
    return window.size, window.slide, window.origin % window.slide


def benefit(
    factor: Family,
    target: Family | None,
    children: Iterable[Family],
    relation: Relation = Relation.PARTITIONED,
    rate: float | Fraction = 1,
) -> Fraction:
    """What is saved per tick if the children read a factor window that reads their old parent.

    `target` is that parent, or None for raw events.

    >>> str(benefit(Family(10, 10), None, [Family(20, 20), Family(30, 30)]))
    '4/5'
    """
    saved = sum(
        (_reads(c, target, relation, rate) - relation.reads(c, factor)) / Fraction(c.slide)
        for c in children
    )
    return Fraction(saved - _reads(factor, target, relation, rate) / Fraction(factor.slide))


def _reads(
    child: Family, parent: Family | None, relation: Relation, rate: float | Fraction
) -> Fraction:
    if parent is None:
        return Fraction(rate) * raw_span(child)
    return Fraction(relation.reads(child, parent))


def is_beneficial(
    factor: Family,
    target: Family | None,
    children: Iterable[Family],
    relation: Relation = Relation.PARTITIONED,
    rate: float | Fraction = 1,
) -> bool:
    """Whether a factor window costs no more than it saves.

    A tie counts here, as in the paper's algorithm 4; `factor_forest` asks for a gain.

    >>> is_beneficial(Family(10, 10), None, [Family(100, 10)])
    True
    >>> is_beneficial(Family(10, 10), None, [Family(100, 100)])
    False
    """
    return benefit(factor, target, children, relation, rate) >= 0


def candidates_partitioned(target_range: int, children: Sequence[Family]) -> list[int]:
    """The sizes of all tumbling windows between a tumbling target and its children, largest first.

    For raw events the target's size is one tick.  The first candidate is the best; the others are
    for showing.  Beyond a ratio of 2**32 between the first and the target, those far from both
    are left out.

    >>> candidates_partitioned(1, [Family(20, 20), Family(30, 30)])
    [10, 5, 2]
    >>> candidates_partitioned(5, [Family(20, 20), Family(30, 30)])
    [10]
    """
    largest = common_divisor(children)
    ratio = largest // target_range
    if largest % target_range or ratio == 1:
        return []
    small = [k for k in range(1, min(math.isqrt(ratio), _MOST_TRIALS) + 1) if ratio % k == 0]
    ratios = {*small, *(ratio // k for k in small)} - {1}
    return [target_range * k for k in sorted(ratios, reverse=True)]


def common_divisor(children: Sequence[Family]) -> int:
    origin = children[0].origin
    return math.gcd(*(n for c in children for n in (c.size, c.slide, c.origin - origin)))


def best_partitioned_factor(
    target: Family | None, children: Sequence[Family], rate: float | Fraction = 1
) -> Family | None:
    """The tumbling factor window that helps most between a parent and its children, if one does.

    >>> best_partitioned_factor(None, [Family(20, 20), Family(30, 30)])
    Family(size=10, slide=10, step=10, origin=0, once=False)
    """
    size = common_divisor(children)
    factor = Family(size, size, origin=children[0].origin % size)
    if target is not None and (
        target.size == size or not Relation.PARTITIONED.holds(factor, target)
    ):
        return None
    return factor if is_beneficial(factor, target, children, rate=rate) else None


def best_covering_factor(
    target: Family | None, children: Sequence[Family], rate: float | Fraction = 1
) -> Family | None:
    """The factor window that helps most between a parent and children that it covers, if one does.

    Tried are the 4 largest slides that fit and the largest that divides the sizes, and for each at
    most 8 sizes: all, or the smallest, the largest and those around the size at which the factor
    window and its readers cost alike.  The number of ticks in a window does not matter.

    >>> best_covering_factor(None, [Family(12, 5), Family(22, 5)])
    Family(size=7, slide=5, step=7, origin=0, once=False)
    """
    best = cheapest_covering(target, children, float(rate))
    if best is None or benefit(best, target, children, Relation.COVERED, rate) <= 0:
        return None
    return best


def cheapest_covering(
    target: Family | None, children: Sequence[Family], rate: float
) -> Family | None:
    reads = Relation.COVERED.reads

    def cost(factor: Family) -> float:
        own = reads(factor, target) if target else rate * factor.size
        return own / factor.slide + sum(reads(child, factor) / child.slide for child in children)

    return min(_covering_candidates(target, children, rate), key=cost, default=None)


def _covering_candidates(
    target: Family | None, children: Sequence[Family], rate: float
) -> Iterator[Family]:
    first = children[0]
    # sizes that differ by a multiple of the slide, so that first and last instance fit
    coarsest = math.gcd(
        *(n for c in children for n in (c.slide, c.size - first.size, c.origin - first.origin))
    )
    smallest = min(child.size for child in children)
    load = sum(child.size / child.slide for child in children)
    unit, floor = (target.slide, target.size) if target else (1, 1)
    step = (stride(target) or math.inf) if target else (1 / rate if rate else math.inf)
    taken = {key_of(child) for child in (target, *children) if child}
    even = math.gcd(coarsest, first.size)  # the largest slide with which it could tumble
    slides = [*_largest_divisors(coarsest, unit), *([even] if even % unit == 0 else [])]
    for slide in dict.fromkeys(slides):
        # a factor window reads size/step, its readers read load/size: least where both are alike
        balance = min(float(smallest), math.sqrt(load * slide * step))
        for size in _sizes(max(slide, floor), slide, smallest, balance):
            factor = Family(size, slide, origin=first.origin % slide)
            # with gaps it is of use to readers of its own size alone
            whole = slide <= size or all(child.size == size for child in children)
            if whole and key_of(factor) not in taken:
                yield factor


def _largest_divisors(number: int, unit: int) -> list[int]:
    """The largest divisors that are multiples of the unit, without factorising large numbers."""
    ratio = number // unit
    parts = (k for k in range(1, min(ratio, 64) + 1) if ratio % k == 0)
    return [number // k for k in islice(parts, _MOST_SLIDES)]


def _sizes(least: int, slide: int, largest: int, balance: float) -> list[int]:
    lowest = least + (largest - least) % slide
    if lowest > largest:
        return [largest]  # readers with gaps: only their own size is left
    steps = (largest - lowest) // slide
    if steps < _MOST_SIZES:
        return list(range(lowest, largest + 1, slide))
    near = max(0, int(balance - lowest) // slide)
    tried = {0, near // 2, near, near + 1, 2 * near, steps}
    return [lowest + slide * k for k in sorted(tried) if k <= steps]
