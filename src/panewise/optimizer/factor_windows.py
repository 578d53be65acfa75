"""Factor windows: windows nobody asked for that make those asked for cheaper.

Idea: windows that cannot be read from each other may still have a parent in common, such as 10
seconds for 20 and 30.  It pays if its readers save more than it reads itself.  For a set of readers
the best tumbling factor window is as large as the greatest common divisor of all their sizes,
slides and distances between origins: every smaller one is read more often and costs no less.

The search is greedy.  It proposes the common divisors of all readers of one parent and of every
*pair* of windows, because that of many is often 1, and takes the proposal that lowers the total
most, as long as one does.  Since a window's cost depends on its own parent alone, what a proposal
changes is known without running algorithm 1 again.

Invariant: every step lowers the total, so the result never costs more than `min_cost_forest`.
Cost: O(n²) for the pairs, then O(n) for each proposal kept, at most `64 + 4n`, half of them from
pairs; each of at most `n + 8` steps compares the savings of all of them.

References: Wu et al., "Factor Windows", algorithms 2 to 5, repaired: slides count in the
common divisor, benefits are steady rates, and a factor window must lower the total, not only the
cost below its target.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement, islice

from panewise.optimizer.coverage import Relation, is_plain, stride
from panewise.optimizer.coverage_graph import Forest, min_cost_forest, raw_span
from panewise.windows import Family

_MOST_TRIALS = 1 << 16
_MOST_SLIDES = 4
_MOST_SIZES = 8
_MORE_STEPS = 8
LEAST_GAIN = 1e-3
"""Of the total. Less is below what any cost model is right about, and each window has overheads."""


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
    largest = _common_divisor(children)
    ratio = largest // target_range
    if largest % target_range or ratio == 1:
        return []
    small = [k for k in range(1, min(math.isqrt(ratio), _MOST_TRIALS) + 1) if ratio % k == 0]
    ratios = {*small, *(ratio // k for k in small)} - {1}
    return [target_range * k for k in sorted(ratios, reverse=True)]


def _common_divisor(children: Sequence[Family]) -> int:
    origin = children[0].origin
    return math.gcd(*(n for c in children for n in (c.size, c.slide, c.origin - origin)))


def best_partitioned_factor(
    target: Family | None, children: Sequence[Family], rate: float | Fraction = 1
) -> Family | None:
    """The tumbling factor window that helps most between a parent and its children, if one does.

    >>> best_partitioned_factor(None, [Family(20, 20), Family(30, 30)])
    Family(size=10, slide=10, step=10, origin=0, once=False)
    """
    size = _common_divisor(children)
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
    best = _cheapest_covering(target, children, float(rate))
    if best is None or benefit(best, target, children, Relation.COVERED, rate) <= 0:
        return None
    return best


def _cheapest_covering(
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
    taken = {_key(child) for child in (target, *children) if child}
    even = math.gcd(coarsest, first.size)  # the largest slide with which it could tumble
    slides = [*_largest_divisors(coarsest, unit), *([even] if even % unit == 0 else [])]
    for slide in dict.fromkeys(slides):
        # a factor window reads size/step, its readers read load/size: least where both are alike
        balance = min(float(smallest), math.sqrt(load * slide * step))
        for size in _sizes(max(slide, floor), slide, smallest, balance):
            factor = Family(size, slide, origin=first.origin % slide)
            # with gaps it is of use to readers of its own size alone
            whole = slide <= size or all(child.size == size for child in children)
            if whole and _key(factor) not in taken:
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


def factor_forest(windows: Sequence[Family], relation: Relation, rate: float | Fraction) -> Forest:
    """The cheapest forest found with factor windows, which come last.

    >>> sizes = [Family(20, 20), Family(30, 30), Family(40, 40)]
    >>> forest = factor_forest(sizes, Relation.PARTITIONED, rate=1)
    >>> forest.windows[3], forest.parents, forest.factors
    (Family(size=10, slide=10, step=10, origin=0, once=False), (3, 3, 0, None), 1)
    """
    search = _Search(windows, relation, float(rate))
    search.run()
    return search.forest()


_Key = tuple[int, int, int]


def _key(window: Family) -> _Key:
    return window.size, window.slide, window.origin % window.slide


@dataclass(slots=True)
class _Candidate:
    """A window that could be added, where it would read and who could read it."""

    window: Family
    parent: int | None
    reads: float
    readers: list[tuple[int, int]]


class _Search:
    """Windows with their present parents and reads per instance, and the candidates."""

    def __init__(self, windows: Sequence[Family], relation: Relation, rate: float) -> None:
        start = min_cost_forest(windows, relation, rate)
        self.relation, self.rate, self.asked = relation, rate, len(windows)
        self.windows: list[Family] = list(windows)
        self.parents: list[int | None] = list(start.parents)
        self.reads = [self._reads(w, p) for w, p in zip(windows, start.parents, strict=True)]
        self.candidates: dict[_Key, _Candidate] = {}
        self.known = {_key(window) for window in windows if is_plain(window)}
        self.most = len(self.known) + 64 + 4 * len(windows)

    def run(self) -> None:
        """Accept the best candidate until none lowers the total, then drop what does not pay."""
        self._propose(_of_pairs(self.windows, self.relation, 32 + 2 * self.asked))
        self._propose_below([None, *self.parents])
        for _ in range(self.asked + _MORE_STEPS):
            best = max(self.candidates.values(), key=self._gain, default=None)
            if best is None or self._gain(best) <= LEAST_GAIN * self._total():
                break
            self._accept(best)
        self._drop_worthless()

    def forest(self) -> Forest:
        windows = tuple(self.windows)
        return Forest(windows, tuple(self.parents), len(windows) - self.asked)

    def _reads(self, window: Family, parent: int | None) -> float:
        if parent is None:
            return self.rate * raw_span(window)
        return self.relation.reads(window, self.windows[parent])

    def _total(self) -> float:
        pairs = zip(self.reads, self.windows, strict=True)
        return sum(reads / window.slide for reads, window in pairs if not window.once)

    def _gain(self, candidate: _Candidate) -> float:
        reads, windows = self.reads, self.windows
        saved = 0.0
        for reader, count in candidate.readers:
            if count < reads[reader]:
                saved += (reads[reader] - count) / windows[reader].slide
        return saved - candidate.reads / candidate.window.slide

    def _propose(self, windows: Iterable[Family]) -> None:
        holds, reads = self.relation.holds, self.relation.reads
        for window in windows:
            if _key(window) in self.known or len(self.known) >= self.most:
                continue
            self.known.add(_key(window))
            readers = [
                (i, reads(w, window)) for i, w in enumerate(self.windows) if holds(w, window)
            ]
            if readers:
                parent, own = self._cheapest_parent(window, len(self.windows))
                self.candidates[_key(window)] = _Candidate(window, parent, own, readers)

    def _cheapest_parent(
        self, window: Family, index: int, but: Container[int] = ()
    ) -> tuple[int | None, float]:
        holds, reads = self.relation.holds, self.relation.reads
        best: tuple[int | None, float] = (None, self._reads(window, None))
        for i, parent in enumerate(self.windows):
            if i in but or not holds(window, parent):
                continue
            # of duplicates only the first may be the parent, or they would read each other
            later = i >= index and parent.slide == window.slide and parent.size == window.size
            count = reads(window, parent)
            if count < best[1] and not later:
                best = (i, count)
        return best

    def _propose_below(self, targets: Iterable[int | None]) -> None:
        """What all present readers of one parent have in common."""
        for target in dict.fromkeys(targets):
            pairs = zip(self.windows, self.parents, strict=True)
            children = [w for w, parent in pairs if parent == target and is_plain(w)]
            if not children:
                continue
            size = _common_divisor(children)
            self._propose([Family(size, size, origin=children[0].origin % size)])
            if self.relation is Relation.COVERED:
                above = None if target is None else self.windows[target]
                factor = _cheapest_covering(above, children, self.rate)
                self._propose([factor] if factor else [])

    def _accept(self, candidate: _Candidate) -> None:
        new, index = candidate.window, len(self.windows)
        del self.candidates[_key(new)]
        self.windows.append(new)
        self.parents.append(candidate.parent)
        self.reads.append(candidate.reads)
        changed = [index, candidate.parent]
        for reader, count in candidate.readers:
            if count < self.reads[reader]:
                changed.append(self.parents[reader])
                self.parents[reader], self.reads[reader] = index, count
        self._relate(new, index)
        self._propose(_of_one(new, self.windows[:index], self.relation))
        self._propose_below(changed)

    def _relate(self, new: Family, index: int) -> None:
        """Tell the other candidates of a window that they could read or serve."""
        holds, reads = self.relation.holds, self.relation.reads
        for other in self.candidates.values():
            if holds(other.window, new):
                count = reads(other.window, new)
                if count < other.reads:
                    other.parent, other.reads = index, count
            elif holds(new, other.window):
                other.readers.append((index, reads(new, other.window)))

    def _drop_worthless(self) -> None:
        """Later factor windows may have taken the readers of earlier ones.

        The largest go first: they are readers of the smaller ones themselves.
        """
        dropped: set[int] = set()
        factors = range(self.asked, len(self.windows))
        for factor in sorted(factors, key=lambda i: self.windows[i].size, reverse=True):
            moves = {
                i: self._cheapest_parent(self.windows[i], i, {factor, *dropped})
                for i, parent in enumerate(self.parents)
                if parent == factor
            }
            extra = sum((m[1] - self.reads[i]) / self.windows[i].slide for i, m in moves.items())
            if extra <= self.reads[factor] / self.windows[factor].slide:
                dropped.add(factor)
                self.parents[factor] = None
                for i, move in moves.items():
                    self.parents[i], self.reads[i] = move
        self._remove(dropped)

    def _remove(self, dropped: set[int]) -> None:
        kept = [i for i in range(len(self.windows)) if i not in dropped]
        place: dict[int | None, int | None] = {old: new for new, old in enumerate(kept)}
        place[None] = None
        self.windows = [self.windows[i] for i in kept]
        self.parents = [place[self.parents[i]] for i in kept]
        self.reads = [self.reads[i] for i in kept]


def _of_pairs(windows: Sequence[Family], relation: Relation, most: int) -> list[Family]:
    """What pairs of windows have in common; of too many, what the most pairs have in common."""
    plain = [window for window in windows if is_plain(window)]
    found = Counter(
        key
        for one, other in combinations_with_replacement(plain, 2)
        for key in _in_common(one, other, relation)
    )
    return [Family(size, slide, origin=at) for (size, slide, at), _ in found.most_common(most)]


def _of_one(window: Family, others: Iterable[Family], relation: Relation) -> list[Family]:
    keys = {key for o in others if is_plain(o) for key in _in_common(window, o, relation)}
    return [Family(size, slide, origin=at) for size, slide, at in sorted(keys)]


def _in_common(one: Family, other: Family, relation: Relation) -> Iterator[_Key]:
    """The largest tumbling window below two windows, and the least that covers both."""
    apart = one.origin - other.origin
    size = math.gcd(one.size, one.slide, other.size, other.slide, apart)
    yield size, size, one.origin % size
    if relation is Relation.COVERED:
        slide = math.gcd(one.slide, other.slide, one.size - other.size, apart)
        rest = one.size % slide
        if rest and slide + rest <= min(one.size, other.size):
            yield slide + rest, slide, one.origin % slide
