"""Events with a duration in process, as a watermark passes.

Idea: cells depend on an event's own interval only, so events may come in any order.  An event is
known when it ends; the watermark says that all that ended before have come.  A window is told
`postpone` after its end, which is long enough for events that last no longer.  Those that do come
late for windows that were told, and revise them within the lateness.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from panewise.aggregates import Partial, Rows
from panewise.aggregates.count import CountPartial
from panewise.kernels.asked import AskedWindows
from panewise.kernels.columns import Column
from panewise.kernels.compose import FEW_KEYS, FEW_VALUES, Composer
from panewise.kernels.families import Families
from panewise.kernels.horizon import Horizon
from panewise.kernels.program import Piece, Program
from panewise.kernels.ranges import ALWAYS, NEVER
from panewise.kernels.revisions import Revisions
from panewise.kernels.spanning.answers import answers, layout_for
from panewise.kernels.spanning.busy import earliest_start, first_ends, united, windows
from panewise.kernels.spanning.compose import Leveled, busy_stretches, composed
from panewise.kernels.spanning.durations import Durations
from panewise.kernels.spanning.gather import spread_out
from panewise.kernels.spanning.held import Held
from panewise.kernels.spanning.lateness import LateShares
from panewise.kernels.spanning.layout import Layout, extent
from panewise.kernels.spanning.store import Share, shares
from panewise.operator.bound import Bound
from panewise.operator.columns import times_of
from panewise.operator.decisions import Stream
from panewise.operator.engine import Holding
from panewise.operator.spans import Spanned, check_until, spanned
from panewise.operator.versions import Events, Live
from panewise.optimizer.edges import pane_edges
from panewise.plan import Technique
from panewise.plan.technique import Kind
from panewise.windows import Family

Windows = tuple[np.ndarray, ...]
"""Number, key, start and end of each."""
COUNTED = Share(Technique(Kind.DIFFERENCE), False, ())
"""Which windows there are, and how many events each has."""


@dataclass
class SpanEngine:
    """The cells of all shares, and what was told of them."""

    bound: Bound
    techniques: Sequence[Technique]
    """One for each aggregate."""
    stream: Stream
    checked: bool = True

    def __post_init__(self) -> None:
        query = self.bound.query
        check_until(query, self.bound.types)
        self.panes = pane_edges(query.windows, many=True)
        demands = enumerate(window.demand() for window in query.windows)
        self.families = [(n, demand) for n, demand in demands if isinstance(demand, Family)]
        self.program = Program(
            AskedWindows(), self.panes, self.bound.partials, checked=self.checked
        )
        self.composer = Composer(self.program, self.bound.key_schema, self.bound.value_schema)
        self.held = [self._new(share) for share in self._shares()]
        self.live = Live(query) if query.revise is not None else None
        self.durations = Durations([family for _, family in self.families])
        self.revisions, self.late_shares = Revisions(), LateShares()
        self.released = NEVER
        """All windows that end by this were told."""
        self._horizon = Horizon(Families(self.families))

    @property
    def postpone(self) -> int:
        """How long after its end a window is told."""
        if self.stream.postpone is not None:
            return self.stream.postpone
        return self.durations.postponed(self.stream.completeness)

    @property
    def keep(self) -> int:
        """Windows that end by this do not change any more."""
        unbounded = self.released in (NEVER, ALWAYS)
        return self.released if unbounded else self.released - self.stream.lateness

    def accept(self, columns: Mapping[str, pa.Array], first: int, watermark: int) -> Spanned:
        """The events of a batch; those are late that some window could not be told with."""
        del first, watermark  # no event is before another, and windows say which are late
        found = spanned(columns, self.bound.query)
        return replace(found, late=int(self._reaches_back(found, self.keep).sum()))

    def ingest(self, found: Spanned) -> Events:
        """Number the keys of events that some window still takes."""
        by, events = self.bound.query.by, Events.of(found, np.zeros(len(found), np.int64))
        if self.live is None:  # a version in no window may replace one that is in some
            needed = found.last >= earliest_start(self.families, self.keep)
            events = events if needed.all() else events.take(np.flatnonzero(needed))
        if not by:
            return events
        keys = pa.table({name: events.columns[name] for name in by})
        events = replace(events, code=self.composer.keys.encode(keys))
        for each in self.held:
            each.make_room(len(self.composer.keys))
        return events

    def advance(self, events: Events | None, watermark: int) -> Iterator[Piece]:
        """What is due once the events are in, after what changed by them."""
        previous = self.released
        if events is not None and len(events):
            yield from self._put(events)
        if watermark != NEVER:
            waited = watermark if watermark == ALWAYS else watermark - self.postpone
            self.released = max(previous, waited)
        if self.released == previous or self.released < self._horizon.next_end:
            return
        counted = self.held[0].leveled()
        if counted is not None:
            busy = busy_stretches(self._layout(self.held[0]), counted)
            due = windows(busy, self.families, previous, self.released)
            expected = self.durations.late(self.postpone)
            yield from self._pieces(due, self._leveled(), late=np.full(len(due[0]), expected))
        self._forget()

    def go_on(self, released: int) -> None:
        """All windows up to here were told by another engine, whose state this one gets."""
        self.released = released
        if released != NEVER:
            self._horizon.advance(released, self.keep)

    def flush(self) -> Iterator[Piece]:
        """All windows that were not told yet."""
        yield from self.advance(None, ALWAYS)

    def holding(self) -> Holding:
        """What there is."""
        size = sum(each.nbytes for each in self.held) + self.composer.keys.nbytes
        live = 0 if self.live is None else len(self.live)
        size += 0 if self.live is None else self.live.nbytes
        keys = len(self.composer.keys) if self.bound.query.by else 0
        return Holding(sum(map(len, self.held)), live, keys, size)

    def _put(self, events: Events) -> Iterator[Piece]:
        """Take events in; the windows that were told and changed."""
        if self.live is None:
            changed = events
        else:
            events, replaced = self.live.put(events)
            changed = events.with_others(replaced)
        if not len(changed):
            return
        touched = self._told_before(changed)
        before, old = self._counts(touched), self._leveled() if len(touched[0]) else []
        self.durations.add(events.last - events.start + 1)
        if len(changed) > len(events):  # what a version left in the cells cannot be taken out
            assert self.live is not None and self.live.events is not None
            self._begin_anew()
            events = self.live.events
        self._write(events)
        if not len(touched[0]):
            return
        now = self._counts(touched)
        again = before > 0
        revision = np.zeros(len(now), np.int64)
        number, code, start, end = _taken(touched, again)
        revision[again] = self.revisions.next(number, code, start, end, end)
        late = self.late_shares.share(touched, before, now)
        there, gone = now > 0, (now == 0) & (before > 0)
        for mask, cells, retracted in ((gone, old, True), (there, self._leveled(), False)):
            more = {"revision": revision[mask], "late": late[mask]}
            for piece in self._pieces(_taken(touched, mask), cells, **more):
                yield replace(piece, retracted=retracted)

    def _told_before(self, events: Events) -> Windows:
        """The windows with these events that were told, and may still change."""
        if not self.stream.lateness or self.released == NEVER:
            return tuple(np.empty(0, np.int64) for _ in range(4))
        late = self._reaches_back(events, self.released)
        busy = united(events.code[late], events.start[late], events.last[late])
        return windows(busy, self.families, self.keep, self.released)

    def _reaches_back(self, events: Spanned | Events, moment: int) -> np.ndarray:
        """Which events are in a window that ends by this moment."""
        late = events.start < moment  # no window ends before its events begin
        late[late] = first_ends(events.start[late], events.last[late], self.families) <= moment
        return late

    def _write(self, events: Events) -> None:
        start, last = events.start, events.last
        ticks = times_of(start, pa.int64())
        rows = Rows(events.columns, ticks, pa.array(np.empty(0, np.int64)))
        bounds = int(start.min()), int(last.max())
        for each in self.held:
            layout = self._layout_of(each.share, *bounds)
            each.add(layout, events.code, rows, last)

    def _counts(self, found: Windows) -> np.ndarray:
        """How many events windows have."""
        cells = self.held[0].leveled()
        if cells is None or not len(found[0]):
            return np.zeros(len(found[0]), np.int64)
        layout = self._layout(self.held[0])
        only = replace(cells, cells=replace(cells.cells, partials=cells.cells.partials[-1:]))
        (counts,) = composed(layout, only, (CountPartial(),), found, self.checked)
        return np.asarray(counts.arrow())

    def _leveled(self) -> list[tuple[Held, Leveled]]:
        """The cells of all shares."""
        found = [(each, each.leveled()) for each in self.held]
        return [(each, cells) for each, cells in found if cells is not None]

    def _pieces(
        self, found: Windows, held: Sequence[tuple[Held, Leveled]], **more: np.ndarray
    ) -> Iterator[Piece]:
        """Windows with the columns of every share of partials."""
        if not len(found[0]):
            return
        columns: dict[Partial, Column] = {}
        counted: tuple[Layout, Leveled] | None = None
        for each, cells in held:
            layout = self._layout_of(each.share, *self._extent(each.share, cells, found))
            if each.share.counted:
                counted = layout, cells
                continue
            told = answers(each.share, layout, cells, found, self.checked)
            columns |= {partial: told[partial] for partial in each.share.partials}
        partials = [columns[p] for p in self.bound.partials]
        yield from spread_out(found, partials, counted, **more)

    def _extent(self, share: Share, cells: Leveled, found: Windows) -> tuple[int, int]:
        """The ticks between which slices are read."""
        low, high = extent(share.technique, self.panes, cells.cells.pane)
        return min(low, int(found[2].min())), max(high, int(found[3].max()))

    def _layout(self, held: Held) -> Layout:
        return self._layout_of(held.share, 0, 0)

    def _layout_of(self, share: Share, low: int, high: int) -> Layout:
        return layout_for(share, self.panes, low, high)

    def _forget(self) -> None:
        """Drop what no window asks for any more, and keys that have nothing left."""
        self._horizon.advance(self.released, self.keep)
        earliest, keys = earliest_start(self.families, self.keep), len(self.composer.keys)
        if earliest == ALWAYS:
            self._begin_anew()
        elif earliest != NEVER:
            for each in self.held:
                cells = each.leveled()
                if cells is not None:
                    high = max(earliest, int(cells.cells.pane.max()))
                    each.cut(self._layout_of(each.share, earliest, high), keys, earliest)
        if self.live is not None:
            self.live.cut(min(earliest, self.keep))
        self.revisions.forget(self.keep)
        self.late_shares.forget(self.keep)
        self._forget_keys()
        self._forget_values()

    def _forget_keys(self) -> None:
        count = len(self.composer.keys)
        if count <= FEW_KEYS or not self.bound.query.by:
            return
        live = [] if self.live is None else [self.live.codes()]
        used = np.unique(np.concatenate([*live, *(each.codes() for each in self.held)]))
        if 2 * len(used) > count:
            return
        renamed = self.composer.keys.keep(used)
        for each in (*self.held, self.revisions, self.late_shares, self.live):
            if each is not None:
                each.rename(renamed)

    def _forget_values(self) -> None:
        values, counting = self.composer.values, [h for h in self.held if h.share.counted]
        if len(values) <= max(2 * sum(map(len, counting)), FEW_VALUES):
            return
        renamed = values.keep(np.unique(np.concatenate([each.values() for each in counting])))
        for each in counting:
            each.rename_values(renamed)

    def _new(self, share: Share) -> Held:
        panes = self._layout_of(share, 0, 0).panes
        return Held(share, panes, self.checked, self.composer.values)

    def _begin_anew(self) -> None:
        """Without cells."""
        self.held = [self._new(each.share) for each in self.held]
        for each in self.held:
            each.make_room(len(self.composer.keys))

    def _shares(self) -> list[Share]:
        asked = {
            partial: technique
            for aggregate, technique in zip(
                self.bound.query.aggregates, self.techniques, strict=True
            )
            for partial in aggregate.partials(self.bound.scope)
        }
        kinds = zip(self.bound.partials, self.bound.layout().kinds, strict=True)
        found = shares(list(kinds), asked)
        # the first one tells which windows there are
        first = next((s for s in found if s.technique == COUNTED.technique and s.partials), COUNTED)
        return [first, *(share for share in found if share is not first)]


def _taken(found: Windows, mask: np.ndarray) -> Windows:
    return tuple(each[mask] for each in found)
