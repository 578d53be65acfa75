"""Windows counted in rows: a late row shifts every edge behind it."""

from hypothesis import given
from hypothesis import strategies as st

import panewise as pw
from panewise.windows import Window
from tests.kernels.playing import Event, Player, Reader, Told, composed, defined, steps

events = st.lists(st.tuples(st.integers(0, 20), st.integers(0, 2), st.integers(-9, 9)), max_size=30)
cuts = st.lists(st.integers(1, 30), max_size=6)
sizes = st.integers(1, 6)
tumbling = st.builds(lambda n: pw.tumbling(pw.rows(n)), sizes)
sliding = st.builds(
    lambda size, slide, origin: pw.sliding(
        pw.rows(size), pw.rows(min(size, slide)), origin=pw.rows(origin) if origin else 0
    ),
    sizes, sizes, st.integers(0, 5),
)  # fmt: skip
gapped = st.builds(
    lambda size, more: pw.sliding(pw.rows(size), pw.rows(size + more), allow_gaps=True),
    st.integers(1, 3), st.integers(1, 3),
)  # fmt: skip
cumulating = st.builds(
    lambda step, parts: pw.cumulating(pw.rows(step), pw.rows(step * parts)),
    st.integers(1, 3), st.integers(2, 4),
)  # fmt: skip
gapless = st.one_of(tumbling, sliding, cumulating)


def several(windows: st.SearchStrategy[Window]) -> st.SearchStrategy[list[Window]]:
    return st.lists(windows, min_size=1, max_size=3, unique_by=lambda w: w.window_id)


def shown(told: list[Told]) -> list[tuple]:
    return [(t.name[2], *t.row[:3], t.revision) for t in told]


@given(events, several(st.one_of(gapless, gapped)), cuts, st.booleans())
def test_windows_of_rows_however_they_are_cut(
    given: list[Event], of: list[Window], at: list[int], counts_values: bool
) -> None:
    player, got = composed(of, given, at, counts_values=counts_values)
    assert got == defined(player, given)


def check_late(given: list[Event], of: list[Window], at: list[int], delay: int) -> None:
    player, reader, arrived = Player(of, revising=True, delay=delay), Reader(of), list[Event]()
    for batch, watermark, keep in steps(given, at, delay):
        arrived += batch
        reader.apply(player.push(batch, watermark, keep))
        assert reader.all() == defined(player, arrived, watermark)
    reader.apply(player.flush())
    assert reader.all() == defined(player, given)


@given(events, several(gapless), cuts, st.sampled_from([0, 5]))
def test_late_rows_shift_windows(
    given: list[Event], of: list[Window], at: list[int], delay: int
) -> None:
    check_late(given, of, at, delay)


@given(events, several(gapped), cuts, st.sampled_from([0, 5]))
def test_late_rows_shift_windows_with_gaps(
    given: list[Event], of: list[Window], at: list[int], delay: int
) -> None:
    check_late(given, of, at, delay)


def test_a_row_in_a_gap_may_be_shifted_into_a_window() -> None:
    # every third row:   10 .. .. 40 .. 60     late 15:   10 .. .. 30 .. ..
    #                    0        1                       0        1
    player = Player([pw.sliding(pw.rows(1), pw.rows(3), allow_gaps=True)], revising=True)
    told = player.push([(t, 0, t) for t in (10, 20, 30, 40, 50, 60)], 60, 0)
    assert shown(told) == [(0, 10, 11, 10, 0), (1, 40, 41, 40, 0)]
    told = player.push([(15, 0, 15)], 60, 0)
    assert shown(told) == [(1, 30, 31, 30, 1)]


def test_a_late_row_revises_all_windows_behind_it() -> None:
    player = Player([pw.tumbling(pw.rows(2))], revising=True)
    player.push([(t, 0, t) for t in (1, 3, 5, 7, 9)], 9, 0)
    told = player.push([(4, 0, 4)], 9, 0)
    # 1 3 | 4 5 | 7      the third window is not full before 9 has passed
    assert shown(told) == [(1, 4, 6, 9, 1)]


def test_a_window_is_final_when_its_rows_are() -> None:
    player = Player([pw.tumbling(pw.rows(2))])
    assert player.push([(1, 0, 1), (2, 0, 1), (2, 0, 1)], 2) == []  # another row at 1 may not come
    assert shown(player.push([], 3)) == [(0, 1, 3, 2, 0)]
    assert shown(player.flush()) == [(1, 2, 3, 1, 0)]


def test_rows_of_one_time_are_counted_as_they_came() -> None:
    player = Player([pw.tumbling(pw.rows(2))], delay=5)
    player.push([(5, 0, 1), (5, 0, 2)], 0)
    player.push([(5, 0, 4), (4, 0, 8)], 0)
    # 4:8 5:1 | 5:2 5:4
    assert shown(player.push([], 6)) == [(0, 4, 6, 9, 0), (1, 5, 6, 6, 0)]


def test_keys_are_counted_apart() -> None:
    player = Player([pw.tumbling(pw.rows(2))])
    player.push([(t, t % 2, t) for t in range(6)], 5)
    told = player.flush()
    assert sorted((t.name[1], t.name[2], t.row[2]) for t in told) == [(0, 1, 4), (1, 1, 5)]


def test_settled_rows_are_held_as_one_cell() -> None:
    player = Player([pw.tumbling(pw.rows(1000)), pw.sliding(pw.rows(1000), pw.rows(250))])
    for at in range(0, 5000, 100):
        player.push([(t, 0, 1) for t in range(at, at + 100)], at + 99)
        assert player.composer.held <= 6


def test_rows_that_late_ones_may_come_between_are_held_one_by_one() -> None:
    player = Player([pw.tumbling(pw.rows(1000))], revising=True)
    player.push([(t, 0, 1) for t in range(100)], 100, 60)
    assert player.composer.held == 1 + 40


def test_an_index_goes_on_after_its_rows_are_gone() -> None:
    player = Player([pw.tumbling(pw.rows(2))])
    player.push([(1, 0, 1), (2, 0, 1)], 3)
    assert player.composer.held == 0
    player.push([(5, 0, 1), (6, 0, 1)], 5)
    assert shown(player.push([], 7)) == [(1, 5, 7, 2, 0)]
