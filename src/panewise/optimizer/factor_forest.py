"""The cheapest forest with factor windows.

Idea: a window's cost depends on its own parent alone, so what a proposal changes is known without
running algorithm 1 again.  The search is greedy: it proposes the common divisors of all readers of
one parent and of every *pair* of windows, because that of many is often 1, and takes the proposal
that lowers the total most, as long as one does.

Invariant: every step lowers the total, so the result never costs more than `min_cost_forest`.
Cost: O(n²) for the pairs, then O(n) for each proposal kept, at most `64 + 4n`, half of them from
pairs; each of at most `n + 8` steps compares the savings of all of them.

References: Wu et al., "Factor Windows", algorithm 3, repaired: a factor window must lower the
total, not only the cost below its target.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement

from panewise.optimizer.coverage import Relation, is_plain
from panewise.optimizer.coverage_graph import Forest, min_cost_forest, raw_span
from panewise.optimizer.factor_windows import Key, cheapest_covering, common_divisor, key_of
from panewise.windows import Family

_MORE_STEPS = 8
LEAST_GAIN = 1e-3
"""Of the total. Less is below what any cost model is right about, and each window has overheads."""


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
        self.candidates: dict[Key, _Candidate] = {}
        self.known = {key_of(window) for window in windows if is_plain(window)}
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
            if key_of(window) in self.known or len(self.known) >= self.most:
                continue
            self.known.add(key_of(window))
            readers = [
                (i, reads(w, window)) for i, w in enumerate(self.windows) if holds(w, window)
            ]
            if readers:
                parent, own = self._cheapest_parent(window, len(self.windows))
                self.candidates[key_of(window)] = _Candidate(window, parent, own, readers)

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
            size = common_divisor(children)
            self._propose([Family(size, size, origin=children[0].origin % size)])
            if self.relation is Relation.COVERED:
                above = None if target is None else self.windows[target]
                factor = cheapest_covering(above, children, self.rate)
                self._propose([factor] if factor else [])

    def _accept(self, candidate: _Candidate) -> None:
        new, index = candidate.window, len(self.windows)
        del self.candidates[key_of(new)]
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


def _in_common(one: Family, other: Family, relation: Relation) -> Iterator[Key]:
    """The largest tumbling window below two windows, and the least that covers both."""
    apart = one.origin - other.origin
    size = math.gcd(one.size, one.slide, other.size, other.slide, apart)
    yield size, size, one.origin % size
    if relation is Relation.COVERED:
        slide = math.gcd(one.slide, other.slide, one.size - other.size, apart)
        rest = one.size % slide
        if rest and slide + rest <= min(one.size, other.size):
            yield slide + rest, slide, one.origin % slide
