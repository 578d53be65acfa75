"""Slots for every key and pane: events are entered where they lie, in one pass.

Idea: where slots do not outnumber events by far, nothing is searched or sorted.  An event is
counted where it begins and where it ends; what is in a window is a difference of running sums, and
that tells which windows there are, too.  For min and max it goes into two blocks of 1, 2, 4, ...
panes; afterwards every block is handed down to its halves, so that each pane knows all its events.
Cost: two entries for each event and partial, and a few operations for each slot and level.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from panewise.aggregates import Partial, Rows
from panewise.aggregates.count import CountPartial
from panewise.aggregates.sum import SumPartial
from panewise.kernels.columns import ALL_VALID, Column, Numbers, column_of, joined
from panewise.kernels.compiled import compiled
from panewise.kernels.families import family_table
from panewise.kernels.spanning.accounts import Account, Blocks, Difference, run
from panewise.kernels.spanning.places import Places, locate, place_of
from panewise.kernels.spanning.store import Share
from panewise.kernels.survey import survey_spans
from panewise.plan import Edges
from panewise.plan.technique import Kind
from panewise.windows import Family

DENSE = 16
"""Slots for each event up to which it pays to have one for every key and pane."""
SMALL = 1 << 16
"""Slots that are always worth it."""
MOST = 1 << 27
BLOCK = 1 << 16
"""Events that are entered at a time."""


@dataclass(frozen=True)
class Spans:
    """Events by key, start and end, with their columns."""

    code: np.ndarray | None
    """None where there are no keys."""
    start: np.ndarray
    end: np.ndarray
    rows: Rows

    @classmethod
    def together(cls, parts: Sequence[Spans]) -> Spans:
        """All parts as one."""
        rows = [part.rows for part in parts]
        columns = {name: joined([each[name] for each in rows]) for name in rows[0].columns}
        whole = Rows(columns, joined([each.ticks for each in rows]), rows[0].sequence)
        code, start, end = (
            joined([getattr(part, name) for part in parts]) for name in ("code", "start", "end")
        )
        return cls(code, start, end, whole)


@dataclass(frozen=True)
class Extent:
    """Where events lie."""

    bounds: tuple[int, int]
    """The first and the last tick of all."""
    longest: int
    """Ticks of the longest event."""

    @classmethod
    def of(cls, parts: Sequence[Spans]) -> Extent:
        """Of all parts."""
        found = np.array([survey_spans(part.start, part.end) for part in parts])
        low, (high, longest) = found[:, 0].min(), found[:, 1:3].max(axis=0)
        return cls((int(low), int(high)), int(longest))


class Dense:
    """The windows of some events, from slots; a row of slots has one more than there are panes."""

    def __init__(
        self,
        places: Places,
        families: Sequence[tuple[int, Family]],
        keys: int,
        parts: Sequence[Spans],
        accounts: Mapping[Partial, Account],
        counting: bool,
    ) -> None:
        self._accounts = accounts
        self._places, self._keys = places, keys
        self._families = family_table(families)
        told = [account for account in accounts.values() if account.tells]
        slots = keys * (places.count + 1) + 1
        # what every event is in tells where there are any: they need not be counted for that
        room = slots if counting or not told else 0
        began, ended = np.zeros(room, np.int64), np.zeros(room, np.int64)
        for number, part in enumerate(parts):
            _enter(places, number, part, began, ended, list(accounts.values()))
        for account in accounts.values():
            account.settle()
        if room:
            run(began, ended)
        else:
            began = ended = told[0].presence()
        self._began, self._ended = began, ended

    @classmethod
    def of(
        cls,
        edges: Edges,
        families: Sequence[tuple[int, Family]],
        keys: int,
        parts: Sequence[Spans],
        extent: Extent,
        shares: Sequence[Share],
    ) -> Dense | None:
        """None where slots would outnumber the events by far, or none would be of use.

        Events come in parts, so that those who have them so need not put them together.
        """
        some = [share for share in shares if entering(share)]
        places = Places.between(edges, *extent.bounds) if some else None
        if places is None:
            return None
        slots = keys * (places.count + 1)
        if _crowded(slots, sum(len(part.start) for part in parts)):
            return None
        accounts = {}
        wanted = dict.fromkeys(p for share in some for p in share.partials)
        for partial in wanted:
            if partial != CountPartial():
                account = _account(partial, parts, slots, places.most(extent.longest))
                if account is None:
                    continue
                accounts[partial] = account
        return cls(places, families, keys, parts, accounts, CountPartial() in wanted)

    def has(self, share: Share) -> bool:
        """Whether all its partials were entered into slots."""
        return entering(share) and all(
            partial == CountPartial() or partial in self._accounts for partial in share.partials
        )

    def pieces(self, most: int) -> Iterator[Listed]:
        """All windows by family and key, or those of some keys at a time: about so many."""
        keys = max(1, most // max(1, self._room(1)))
        for first in range(0, self._keys, keys):
            listed = self._listed(first, min(first + keys, self._keys))
            if len(listed.counts):
                yield listed

    def every(self) -> Listed:
        """All windows."""
        return self._listed(0, self._keys)

    def columns(self, share: Share, listed: Listed) -> dict[Partial, Column]:
        """The partials of windows."""
        return {
            partial: Numbers(listed.counts, ALL_VALID, pa.int64())
            if partial == CountPartial()
            else self._accounts[partial].column(listed.lo, listed.hi)
            for partial in share.partials
        }

    def _room(self, keys: int) -> int:
        """No more windows than this."""
        ticks = (self._places.count // len(self._places.marks) + 2) * self._places.period
        return keys * sum(
            -(-size // step) * (1 if once else -(-(ticks + size) // slide) + 1)
            for _, size, slide, step, _, once in self._families.tolist()
        )

    def _listed(self, first: int, behind: int) -> Listed:
        room = np.empty((7, self._room(behind - first)), np.int64)  # unused pages cost nothing
        count = _list(
            self._places.count, first, behind, *self._places.numbers,
            self._families, self._began, self._ended, room,
        )  # fmt: skip
        number, key, start, end, counts, lo, hi = room[:, :count]
        return Listed((number, key, start, end), counts, lo, hi)


@dataclass(frozen=True)
class Listed:
    """Number, key, start and end of windows; how many events they have, if these were counted, and
    their slots."""

    windows: tuple[np.ndarray, ...]
    counts: np.ndarray
    lo: np.ndarray
    hi: np.ndarray


def _enter(
    places: Places,
    number: int,
    part: Spans,
    began: np.ndarray,
    ended: np.ndarray,
    accounts: list[Account],
) -> None:
    """Enter a part, some events at a time: where they lie is then at hand for every partial."""
    room = min(BLOCK, len(part.start))
    places_of = np.empty((2, room), np.int64)
    for low in range(0, len(part.start), BLOCK):
        block = slice(low, low + BLOCK)
        start, end = part.start[block], part.end[block]
        first, final = places_of[:, : len(start)]
        locate(start, end, *places.numbers, first, final)
        if part.code is not None:
            _shift(part.code[block], places.count + 1, first, final)
        if len(began):
            _count(first, final, began, ended)
        for account in accounts:
            account.enter(first, final, number, block)


def _crowded(slots: int, events: int) -> bool:
    return slots > min(MOST, max(DENSE * events, SMALL))


def entering(share: Share) -> bool:
    """Whether the technique is one of two entries for each event."""
    return share.technique.kind is Kind.DIFFERENCE or share.idempotent


def _account(partial: Partial, parts: Sequence[Spans], slots: int, most: int) -> Account | None:
    """Slots for a partial, for events of at most so many panes; None where it has to be a cell."""
    lifted = []
    for part in parts:
        column = column_of(partial.lift(part.rows), partial.monoid)
        if not isinstance(column, Numbers):
            return None
        lifted.append(column)
    if isinstance(partial, CountPartial | SumPartial):
        return Difference.of(lifted, slots)
    if partial.monoid not in Blocks.monoids:
        return None
    if _crowded(Blocks.levels(most) * slots, sum(map(len, lifted))):
        return None
    return Blocks.of(partial, lifted, most, slots)


@compiled
def _shift(code, stride, first, final):  # type: ignore[no-untyped-def]
    """From places to slots of keys."""
    for i in range(len(code)):
        first[i] += code[i] * stride
        final[i] += code[i] * stride


@compiled
def _count(first, final, began, ended):  # type: ignore[no-untyped-def]
    """Where events begin and where they end, one slot further on: running sums then tell what
    began before a slot."""
    for i in range(len(first)):
        began[first[i] + 1] += 1
        ended[final[i] + 1] += 1


@compiled
def _list(  # type: ignore[no-untyped-def]
    count, first, behind, origin, period, inverse, marks, base, families, began, ended, room
):
    """List the windows that have events, by family and key; how many."""
    stride, n = count + 1, 0
    low, high = origin, origin + (count // len(marks) + 2) * period
    for f in range(len(families)):
        number, size, slide, step, zero, once = families[f]
        for key in range(first, behind):
            row = key * stride
            k = 0 if once else (low - size - zero) // slide + 1
            while True:
                start = zero + k * slide
                if start >= high:
                    break
                a = _bound(start, low, high, count, origin, period, inverse, marks, base)
                end = start
                while end < start + size:
                    end += step
                    z = _bound(end, low, high, count, origin, period, inverse, marks, base)
                    there = began[row + z] - ended[row + a]
                    if there > 0:
                        room[0, n], room[1, n] = number, key
                        room[2, n], room[3, n] = start, end
                        room[4, n], room[5, n], room[6, n] = there, row + a, row + z
                        n += 1
                k += 1
                if once:
                    break
    return n


@compiled
def _bound(tick, low, high, count, origin, period, inverse, marks, base):  # type: ignore[no-untyped-def]
    """The slot of an edge, which may lie before or after all of them."""
    if tick <= low:
        return 0
    place = place_of(min(tick, high), origin, period, inverse, marks, base)
    return min(max(place, 0), count)
