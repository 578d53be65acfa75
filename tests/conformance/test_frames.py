"""Frames in a stream: told as they are now, in every buffer, they are the oracle's so far."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from panewise import aggregates as agg
from panewise.operator import Operator
from panewise.query import Query
from panewise.testing import assert_same_rows, oracle
from panewise.testing.generators import window_examples
from panewise.windows import Frame, Window
from tests.conformance.streams import Reader, Rows, batches, plain, plan_of, table
from tests.conformance.test_operator import FEW, quick, schema, streams

FRAMES = [window for window in window_examples() if isinstance(window, Frame)]
BUFFERS = ("multi", "lazy", "eager")
restarts = st.lists(st.booleans(), min_size=7, max_size=7)


def query_of(*windows: Window) -> Query:
    return Query("t", ("k",), windows, (*FEW, agg.median("x")), "seq")


class Played:
    """An operator that is fed, and restored now and then, with the rows that it must have taken."""

    def __init__(self, query: Query, lateness: int, **more: Any) -> None:
        self._query, self._lateness = query, lateness
        self.op = Operator(plan_of(query), lateness=lateness, **more)
        self.accepted: Rows = []
        self.newest: int | None = None
        self._reader = Reader(("k",))

    def push(self, batch: Rows, *, restart: bool) -> Any:
        for row in batch:
            late = self.newest is not None and (row["t"] or 0) < self.newest - self._lateness
            if row["t"] is not None and not late:
                self.accepted.append(row)
        self.newest = max((row["t"] for row in self.accepted), default=None)
        told = self.op.push(table(batch, schema()))
        self._reader.apply(plain([told]))
        if restart:
            self.op = Operator.restore(plan_of(self._query), self.op.snapshot())
        return told

    def flush(self) -> Any:
        told = self.op.flush()
        self._reader.apply(plain([told]))
        return told

    def check(self, until: int | None = None) -> None:
        expected = oracle(self._query, self.accepted, until=until)
        assert_same_rows(self._reader.all(), expected, by=("k",), magnitude=1e3)


@pytest.mark.parametrize("buffer", BUFFERS)
@pytest.mark.parametrize("frame", FRAMES, ids=lambda w: w.window_id)
def test_as_they_are_now(frame: Window, buffer: str) -> None:
    query = query_of(frame)

    @settings(quick, max_examples=60)
    @given(stream=streams(), again=restarts, lateness=st.sampled_from([0, 6, 10**18]))
    def check(stream: Any, again: list[bool], lateness: int) -> None:
        played = Played(query, lateness, report="update", buffer=buffer)
        for batch, restart in zip(batches(*stream), again, strict=False):
            played.push(batch, restart=restart)
            played.check()
        assert played.flush().num_rows == 0

    check()


@pytest.mark.parametrize("buffer", ["lazy", "eager"])
@pytest.mark.parametrize("frame", FRAMES[::3], ids=lambda w: w.window_id)
def test_on_close(frame: Window, buffer: str) -> None:
    """The multi buffer is what streams with a lateness have unless another is asked for."""
    query = query_of(frame)

    @settings(quick, max_examples=60)
    @given(stream=streams(), again=restarts)
    def check(stream: Any, again: list[bool]) -> None:
        played = Played(query, 25, buffer=buffer)
        for batch, restart in zip(batches(*stream), again, strict=False):
            played.push(batch, restart=restart)
            if played.newest is not None:
                played.check(until=played.newest)
        played.flush()
        played.check()

    check()


@pytest.mark.parametrize("report", ["close", "update"])
def test_every_period(report: str) -> None:
    """Between two reports nothing is told; at each of them, what there is then."""
    query = query_of(*FRAMES[::4])
    period = 10

    @settings(quick, max_examples=60)
    @given(stream=streams(), again=restarts)
    def check(stream: Any, again: list[bool]) -> None:
        played = Played(query, 25, report=report, period=period)
        for batch, restart in zip(batches(*stream), again, strict=False):
            previous = played.newest
            told = played.push(batch, restart=restart)
            if played.newest is None:
                continue
            if previous is not None and played.newest // period == previous // period:
                assert told.num_rows == 0
            else:
                played.check(until=None if report == "update" else played.newest)
        played.flush()
        played.check()

    check()
