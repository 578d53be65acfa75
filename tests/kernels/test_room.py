"""Results written behind those that were told before."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from panewise.kernels.room import FEW, SHARING, SOME, Room

WINDOW = pa.struct([("start", pa.timestamp("us")), ("end", pa.timestamp("us"))])
KINDS = [pa.int64(), pa.float64()]
named = st.lists(st.text(max_size=5), min_size=1, max_size=6)


def told(room: Room, names: np.ndarray, start: np.ndarray) -> list[pa.Array]:
    at = room.put(names, start, start + 7, [2 * start, start / 4])
    return [column.slice(at, len(names)) for column in room.columns]


def expected(texts: list[str], names: np.ndarray, start: np.ndarray) -> list[pa.Array]:
    bounds = [pa.array(ticks).cast(pa.timestamp("us")) for ticks in (start, start + 7)]
    windows = pa.StructArray.from_arrays(bounds, fields=list(WINDOW))
    ids = pa.array(texts, pa.string()).take(pa.array(names))
    return [ids, windows, pa.array(2 * start), pa.array(start / 4)]


@given(named, st.lists(st.integers(0, 5), max_size=20), st.integers(-5, 5))
def test_what_is_put_is_told(texts: list[str], picks: list[int], first: int) -> None:
    names = np.array([pick % len(texts) for pick in picks], np.int64)
    start = np.arange(first, first + len(names))
    got = told(Room(pa.array(texts, pa.string()), WINDOW, KINDS), names, start)
    for column, wanted in zip(got, expected(texts, names, start), strict=True):
        column.validate(full=True)
        assert column.equals(wanted)


@pytest.mark.parametrize("texts", [["a", "bc", "def", ""], ["abc"], [""]])
@pytest.mark.parametrize("count", [100, FEW, SOME])
def test_what_was_told_stays_when_the_room_is_full(texts: list[str], count: int) -> None:
    room = Room(pa.array(texts, pa.string()), WINDOW, KINDS)
    count = min(count, room.most)
    times = range(2 * SHARING * max(count, FEW) // count)
    picks = [np.arange(at, at + count) % len(texts) for at in times]
    kept = [told(room, names, names + at) for at, names in enumerate(picks)]
    for at, (names, got) in enumerate(zip(picks, kept, strict=True)):
        for column, wanted in zip(got, expected(texts, names, names + at), strict=True):
            assert column.equals(wanted)


def test_one_name_is_written_once() -> None:
    room = Room(pa.array(["abc"]), WINDOW)
    places = set()
    for _ in range(2 * SHARING):
        room.put(*[np.zeros(FEW, np.int64)] * 3)
        places.add(room.columns[0].buffers()[2].address)
    assert len(places) == 1


@given(st.lists(st.lists(st.booleans(), max_size=20), max_size=10))
def test_truths_stay_when_others_follow_in_their_byte(several: list[list[bool]]) -> None:
    room = Room(pa.array(["a"]), WINDOW, [pa.bool_()])
    told = []
    for truths in several:
        none = np.zeros(len(truths), np.int64)
        at = room.put(none, none, none, [np.array(truths, np.bool_)])
        told.append(room.columns[2].slice(at, len(truths)))
    assert [column.to_pylist() for column in told] == several
