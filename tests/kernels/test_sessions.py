"""Session tiers: open sessions are one cell, and late rows join them."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

import panewise as pw
from tests.kernels.playing import Player, Told, composed

times = st.lists(st.integers(-20, 40), min_size=1, max_size=15)


def shown(told: list[Told]) -> list[tuple]:
    return [(*t.row[:3], t.revision, t.retracted) for t in told]


def test_cells_of_one_pane_come_in_any_order() -> None:
    # gap 3, panes of 3:   1 . . 4 5     4 - 1 <= 3, so all is one session, though 5 comes before 4
    #                    |0    |3    |
    for cuts in ([], [2]):
        _, got = composed([pw.session(3), pw.tumbling(3)], [(1, 0, 1), (5, 0, 1), (4, 0, 1)], cuts)
        assert (("session(3)", 0, 1, 8), (1, 8, 3, 1, None, None)) in got


def test_an_open_session_is_one_cell() -> None:
    player = Player([pw.session(5)])
    for at in range(0, 2000, 100):
        player.push([(t, 0, 1) for t in range(at, at + 100)], at + 99)
        assert player.composer.held == 1


def test_a_session_is_told_when_nothing_can_join_it() -> None:
    # gap 4: a row at 9 would still join the one at 5
    player = Player([pw.session(4)])
    player.push([(5, 0, 1)], 5)
    assert player.push([], 9) == []
    assert shown(player.push([], 10)) == [(5, 9, 1, 0, False)]


@given(times, st.integers(1, 9))
def test_sessions_join_at_the_gap(given: list[int], gap: int) -> None:
    _, got = composed([pw.session(gap)], [(t, 0, 1) for t in given])
    ordered = sorted(given)
    cuts = [i for i, (a, b) in enumerate(pairwise(ordered), 1) if b - a > gap]
    expected = [ordered[lo:hi] for lo, hi in pairwise([0, *cuts, len(ordered)])]
    assert [row[:3] for _, row in got] == [(s[0], s[-1] + gap, len(s)) for s in expected]


def test_a_late_row_extends_a_session_which_is_another_then() -> None:
    player = Player([pw.session(2)], revising=True)
    player.push([(1, 0, 1), (20, 0, 1)], 20, 0)
    told = player.push([(3, 0, 1)], 20, 0)
    assert sorted(shown(told)) == [(1, 3, 1, 1, True), (1, 5, 2, 0, False)]


def test_a_late_row_joins_two_sessions() -> None:
    #   1 . . 4         gap 2: 2 joins both
    player = Player([pw.session(2)], revising=True)
    player.push([(1, 0, 1), (4, 0, 1), (20, 0, 1)], 20, 0)
    told = player.push([(2, 0, 5)], 20, 0)
    assert sorted(shown(told)) == [(1, 3, 1, 1, True), (1, 6, 7, 0, False), (4, 6, 1, 1, True)]


def test_a_late_row_inside_revises() -> None:
    player = Player([pw.session(4)], revising=True)
    player.push([(1, 0, 1), (4, 0, 1), (20, 0, 1)], 20, 0)
    assert shown(player.push([(2, 0, 5)], 20, 0)) == [(1, 8, 7, 1, False)]
    assert shown(player.push([(3, 0, 1)], 20, 0)) == [(1, 8, 8, 2, False)]


def test_a_late_row_opens_a_session_again() -> None:
    # gap 5: 6 + 5 < 12, so it was told; a late row at 10 keeps it open until 16
    player = Player([pw.session(5)], revising=True)
    player.push([(6, 0, 1), (12, 0, 1)], 12, 0)
    told = player.push([(10, 0, 1)], 12, 0)
    assert shown(told) == [(6, 11, 1, 1, True)]
    assert shown(player.flush()) == [(6, 17, 3, 0, False)]
