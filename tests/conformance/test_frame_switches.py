"""Frames whose buffer changes on the way are the frames of all rows, after every push."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from panewise.kernels.frames import retained, switching_tier
from panewise.operator import Operator
from panewise.query import Query
from panewise.testing import assert_same_rows, events, oracle
from panewise.windows import Window
from tests.conformance.streams import Reader, Rows, cuts, plain, plan_of, table
from tests.conformance.test_frames import FRAMES
from tests.conformance.test_operator import FEW, quick, schema


@st.composite
def streams(draw: Any) -> Any:
    """Rows by time, but for stretches of pushes whose rows come in any order."""
    rows = [row for row in draw(events(min_rows=8, max_rows=40)) if row["t"] is not None]
    rows.sort(key=lambda row: row["t"])
    pushes = []
    bounds = [0, *draw(cuts(len(rows))), *draw(cuts(len(rows))), len(rows)]
    for low, high in zip(sorted(bounds)[:-1], sorted(bounds)[1:], strict=True):
        pushes.append(rows[low:high])
    for at in draw(st.lists(st.integers(1, max(len(pushes) - 1, 1)), max_size=2)):
        if at < len(pushes):  # these rows change their turn
            pushes[at - 1], pushes[at] = pushes[at], pushes[at - 1]
    return pushes


class Followed:
    """An operator, the rows that it must have taken, and what a reader has."""

    def __init__(self, query: Query, delay: int, lateness: int, period: int | None) -> None:
        self._query, self._delay, self._lateness = query, delay, lateness
        self.op = Operator(plan_of(query), delay=delay, lateness=lateness, period=period)
        self._reader = Reader(query.by)
        self._accepted: Rows = []
        self._watermark: int | None = None

    def push(self, batch: Rows) -> None:
        self._accepted += [
            row
            for row in batch
            if self._watermark is None or row["t"] >= self._watermark - self._lateness
        ]
        self._reader.apply(plain([self.op.push(table(batch, schema()))]))
        if self._accepted:
            self._watermark = max(row["t"] for row in self._accepted) - self._delay

    def restart(self) -> None:
        self.op = Operator.restore(plan_of(self._query), self.op.snapshot())

    def check(self) -> None:
        if self._watermark is not None:
            self._equal(self._watermark)

    def flush(self) -> None:
        self._reader.apply(plain([self.op.flush()]))
        self._equal(None)

    def _equal(self, until: int | None) -> None:
        expected = oracle(self._query, self._accepted, until=until)
        assert_same_rows(self._reader.all(), expected, by=self._query.by, magnitude=1e3)


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """All ways that were gone; few rows are enough for a page, and to leave the multi buffer."""
    monkeypatch.setattr(switching_tier, "QUIET", 0)
    monkeypatch.setattr(switching_tier, "FEW", 3)
    monkeypatch.setattr(switching_tier, "PAGE", 4)
    monkeypatch.setattr(retained, "PAGE", 4)
    monkeypatch.setattr(retained, "_PARTS", 2)
    gone: set[str] = set()
    for name in ("_enter_buffer", "_leave_buffer"):
        original = getattr(switching_tier.SwitchingTier, name)

        def noted(self: Any, keys: int, name: str = name, original: Any = original) -> None:
            gone.add(name)
            original(self, keys)

        monkeypatch.setattr(switching_tier.SwitchingTier, name, noted)
    return gone


@pytest.mark.parametrize("by", [("k",), ()], ids=["keys", "no keys"])
@pytest.mark.parametrize("frame", FRAMES, ids=lambda w: w.window_id)
def test_a_buffer_that_changes(frame: Window, by: tuple[str, ...], seen: set[str]) -> None:
    query = Query("t", by, (frame,), FEW, "seq")

    @settings(quick, max_examples=60)
    @given(
        pushes=streams(),
        delay=st.sampled_from([0, 3]),
        lateness=st.sampled_from([4, 25, 10**18]),
        restarts=st.lists(st.booleans(), min_size=12, max_size=12),
    )
    def check(pushes: list[Rows], delay: int, lateness: int, restarts: list[bool]) -> None:
        followed = Followed(query, delay, lateness, None)
        for push, restart in zip(pushes, restarts, strict=False):
            followed.push(push)
            followed.check()
            if restart:
                followed.restart()
        followed.flush()

    check()
    assert seen == {"_enter_buffer", "_leave_buffer"}


def test_reports_every_period(seen: set[str]) -> None:
    """Rows that waited for a report are not late, though time has passed them."""
    query = Query("t", ("k",), tuple(FRAMES[::4]), FEW, "seq")

    @settings(quick, max_examples=60)
    @given(pushes=streams())
    def check(pushes: list[Rows]) -> None:
        followed = Followed(query, 0, 25, 10)
        for push in pushes:
            followed.push(push)
        followed.flush()

    check()
