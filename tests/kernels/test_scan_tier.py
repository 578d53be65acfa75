"""Scan tiers: late rows are put in their place, and what differs is told."""

import pytest

import panewise as pw
from panewise.windows import Window
from tests.kernels.playing import Player, Told


def shown(told: list[Told]) -> list[tuple]:
    return sorted((*t.name[2:], t.row[2], t.revision, t.retracted) for t in told)


def test_a_late_mark_splits_a_window() -> None:
    # marks are positive:   -1 .. -3 | 5         late 2 between
    player = Player([pw.punctuation("y > 0")], revising=True)
    told = player.push([(1, 0, -1), (3, 0, -3), (5, 0, 5), (9, 0, -9)], 9, 0)
    assert shown(told) == [(1, 5, -4, 0, False)]
    told = player.push([(2, 0, 2)], 9, 0)
    assert shown(told) == [(1, 2, -1, 0, False), (1, 5, -4, 1, True), (2, 5, -1, 0, False)]


def test_of_two_marks_at_one_time_the_windows_are_told_apart() -> None:
    # 5 | 5 | 5 | 9: two windows [5, 5) of no length
    player = Player([pw.punctuation("y > 0")], revising=True)
    told = player.push([(5, 0, 1), (5, 0, 2), (5, 0, 4), (9, 0, 8)], 9, 0)
    assert shown(told) == [(5, 5, 1, 0, False), (5, 5, 2, 0, False)]
    told = player.push([(5, 0, 16)], 9, 0)
    assert shown(told) == [(5, 5, 4, 0, False)]


def test_a_window_of_every_is_revised_by_rows_that_end_it_later() -> None:
    # at 100, the last five rows:   10     then 5 10     then 5 10 50
    player = Player([pw.every(100, last=pw.rows(5))], revising=True)
    assert shown(player.push([(10, 0, 1), (101, 0, 7)], 101, 0)) == [(1, 1, 0, False)]
    assert shown(player.push([(5, 0, 2)], 101, 0)) == [(1, 3, 1, False)]
    assert player.push([(180, 0, 3)], 180, 30) == []  # the window may still change
    assert shown(player.push([(50, 0, 4)], 180, 30)) == [(1, 7, 2, False)]


def test_a_late_row_moves_the_starts_behind_it() -> None:
    # every second row starts [t, t + 3):   1 . 5 .       late 2:   1 . 3 . 7
    player = Player([pw.by_tuple(pw.rows(2), 3)], revising=True)
    told = player.push([(t, 0, t) for t in (1, 3, 5, 7, 20)], 20, 0)
    assert shown(told) == [(0, 4, 0, False), (1, 12, 0, False)]
    told = player.push([(2, 0, 2)], 20, 0)
    # [1, 4) has 1 2 3, [3, 6) has 3 5, and 7 starts one too
    assert shown(told) == [(0, 6, 1, False), (1, 8, 1, False), (2, 7, 0, False)]


def test_what_did_not_change_is_not_told_again() -> None:
    player = Player([pw.every(10, last=pw.rows(1))], revising=True)
    player.push([(1, 0, 1), (5, 0, 5), (15, 0, 15), (30, 0, 30)], 30, 0)
    assert player.push([(2, 0, 2)], 30, 0) == []


@pytest.mark.parametrize(
    ("window", "most"),
    [
        (pw.punctuation("y < 0"), 1),
        (pw.every(10, last=pw.rows(4)), 4),
        (pw.by_tuple(pw.rows(3), 5), 5),
        (pw.by_tuple(pw.rows(3), 5, anchor="end"), 5),
    ],
    ids=lambda each: each.window_id if isinstance(each, Window) else "",
)
def test_few_rows_are_held(window: Window, most: int) -> None:
    player = Player([window])
    for at in range(0, 1000, 50):
        player.push([(t, 0, 1) for t in range(at, at + 50)], at + 49)
        assert player.composer.held <= most


def test_rows_before_the_query_began_do_not_count() -> None:
    player = Player([pw.punctuation("y > 9")])
    (tier,) = player.composer.row_tiers
    tier.since = 5  # type: ignore[attr-defined]
    player.push([(t, 0, 1) for t in (3, 4, 5, 6)], 6)
    assert shown(player.flush()) == [(5, 7, 2, 0, False)]
