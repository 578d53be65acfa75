"""What a streaming query ships to its workers: values only, no DataFrame and no session."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import pyarrow as pa

from panewise.kernels.program import Program
from panewise.kernels.ranges import NEVER
from panewise.operator.bound import Bound
from panewise.operator.decisions import Stream
from panewise.operator.engine import Engine, program_of
from panewise.operator.registry import Registry
from panewise.operator.results import Results
from panewise.operator.ring_state import RingState
from panewise.operator.words import Words
from panewise.plan import Technique
from panewise.query import RingQuery
from panewise.windows import Window
from panewise.windows.context import Family


def window_name(window: Window) -> str:
    """What makes two windows the same to a reader of results, as text."""
    return json.dumps(window.identity)


def _length(window: Window) -> int | None:
    """The ticks from start to end, where they are the same for all of its windows."""
    demand = window.demand()
    return demand.size if isinstance(demand, Family) and demand.step == demand.size else None


@dataclass(frozen=True)
class Job:
    """A query, the types of its columns, and how late its rows may be."""

    registry: Registry
    types: pa.Schema
    stream: Stream
    buckets: int
    checked: bool
    """Whether integer overflow is an error, as in Spark's ANSI mode."""
    identity: str
    """Tells what a worker has in memory from what another query left there."""
    techniques: tuple[Technique, ...] = ()
    """For events with a duration, one for each aggregate."""
    rings: RingQuery | None = None
    """What is put together of the windows, where they are rings of granules."""
    item: pa.DataType | None = None
    """The type of items, where they alone are asked for."""

    @cached_property
    def bound(self) -> Bound:
        whole = self.registry.whole
        return Bound(whole, {field.name: field.type for field in self.types}).checked()

    @cached_property
    def program(self) -> Program:
        return self._program({})

    def _program(self, since: Mapping[str, int]) -> Program:
        windows = self.bound.query.windows
        moments = [since.get(window_name(window), NEVER) for window in windows]
        program = program_of(self.bound, self.registry, self.stream, since=moments)
        return replace(program, checked=self.checked, whole_panes=True)

    @property
    def counting(self) -> Program:
        """The same with the number of rows behind each cell."""
        return replace(self.program, weighted=True)

    def engine(self, since: Mapping[str, int]) -> Engine:
        """A new one for a bucket, which gets cells that were folded elsewhere; windows of rows
        count from these ticks on."""
        return Engine(self.bound, self._program(since), self.stream, in_place=False)

    def results(self) -> Results:
        revisions, sent_on = self.stream.revises, self.rings is None
        return Results(
            self.bound, self.registry, revisions=revisions, streamed=True, sent_on=sent_on
        )

    def ring_state(self) -> RingState | None:
        """A new one for a bucket, where its windows are rings."""
        if self.rings is None:
            return None
        words = None if self.item is None else Words(self.item)
        return RingState(self.rings, self.results().schema, words, revises=self.stream.revises)

    @property
    def homely(self) -> tuple[str, ...]:
        """The keys that say which bucket a row belongs to: words of one key stay together."""
        return self.bound.query.by if self.rings is None else self.rings.outer.by

    @property
    def schema(self) -> pa.Schema:
        """The columns of what is told."""
        rings = self.ring_state()
        return self.results().schema if rings is None else rings.schema

    @property
    def windows(self) -> dict[str, int | None]:
        """What windows are called in what is told, and the ticks that all of a name last."""
        if self.rings is not None:
            return {self.rings.scheme.window_id: None}
        lengths: dict[str, set[int | None]] = {}
        for asker in self.registry.askers:
            window = self.bound.query.windows[asker.window]
            lengths.setdefault(asker.window_id, set()).add(_length(window))
        return {name: each.pop() if len(each) == 1 else None for name, each in lengths.items()}

    def __getstate__(self) -> dict[str, object]:
        """Without what was made on the way, which workers make themselves."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}
