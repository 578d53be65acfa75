"""Periodic tiers: what is held between pushes, and how much is reported at once."""

from collections.abc import Iterable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

import panewise as pw
from panewise.kernels import periodic, tier
from panewise.windows import Window
from tests.kernels.playing import Event, Player, composed

events = st.lists(st.tuples(st.integers(-30, 60), st.integers(0, 1), st.just(1)), max_size=20)


def held(of: Sequence[Window], ticks: Iterable[int], every: int = 100, **options: bool) -> int:
    """The most cells kept after a push of a single key that has one cell per tick."""
    player, rows, most = Player(of, **options), [(t, 0, 1) for t in ticks], 0
    for at in range(0, len(rows), every):
        batch = rows[at : at + every]
        player.push(batch, batch[-1][0])
        most = max(most, player.composer.held)
    return most


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cells are merged into those held as soon as they are a few."""
    monkeypatch.setattr(tier, "ENOUGH", 4)


def test_a_day_beside_seconds_holds_few_cells(hasty: None) -> None:
    # one tick is a second
    assert held([pw.tumbling(86_400), pw.sliding(20, 10), pw.tumbling(1)], range(5000)) <= 30


def test_overlapping_windows_hold_one_slide_per_cell(hasty: None) -> None:
    # 10 slides of 60 in 600: the panes of 1 beside it are merged to 60
    assert held([pw.sliding(600, 60), pw.tumbling(1)], range(5000)) <= 30


def test_batches_of_one_pane_become_one_cell() -> None:
    # 60 batches in each slide; ten slides are read, and those of an eleventh wait
    assert held([pw.sliding(600, 60)], range(3000), every=1) <= 15 + 60


def test_values_are_held_while_a_window_reads_them() -> None:
    assert held([pw.sliding(20, 10)], range(1000), counts_values=True) <= 30


def test_cells_between_windows_are_not_held(hasty: None) -> None:
    assert held([pw.sliding(2, 500, allow_gaps=True)], range(1000)) <= 2


def test_cells_wait_until_they_are_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tier, "ENOUGH", 10)
    player = Player([pw.tumbling(1000)])
    player.push([(0, 0, 1)], 0)
    sizes = []
    for t in range(1, 30):
        player.push([(t, 0, 1)], t)
        sizes.append(player.composer.held)
    assert max(sizes) == 11 and sizes[10] == 1  # one that is held, and ten that wait
    assert [told.row[2] for told in player.flush()] == [30]


def test_tiny_pieces_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    given = [(t, t % 2, t) for t in range(-20, 40, 3)]
    of = [pw.sliding(40, 1), pw.cumulating(2, 10), pw.session(4), pw.band(3, 20)]
    _, whole = composed(of, given, [7])
    monkeypatch.setattr(periodic, "MOST_RESULTS", 1)
    assert composed(of, given, [7])[1] == whole


def test_a_piece_reports_a_bounded_number_of_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(periodic, "MOST_RESULTS", 100)
    player = Player([pw.sliding(1000, 1)])
    player.push([(0, 0, 1), (5000, 0, 1)], 0)
    sizes = [len(piece) for piece in player.composer.flush()]
    assert sum(sizes) == 2000 and max(sizes) <= 100


@given(events, st.lists(st.integers(1, 20), max_size=4))
def test_windows_of_every_length_in_one_tier_or_in_many(given: list[Event], at: list[int]) -> None:
    of = [pw.sliding(size, 2) for size in (2, 3, 9, 17, 40)]
    whole = composed(of, given, at)[1]
    for apart in (False, True):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(periodic, "length_class", lambda size, apart=apart: size if apart else 0)
            assert composed(of, given, at)[1] == whole


def test_a_late_row_makes_a_window_new_or_revises_it() -> None:
    #        0 ----- 10 ----- 20 ----- 30
    # first              12        25
    # late      3        13               [0, 10) is new, [10, 20) is revised
    player = Player([pw.tumbling(10)], revising=True)
    told = player.push([(12, 0, 1), (25, 0, 1)], 25, 0)
    assert [(t.row[:3], t.revision) for t in told] == [((10, 20, 1), 0)]
    told = player.push([(3, 0, 5), (13, 0, 5)], 25, 0)
    assert [(t.row[:3], t.revision) for t in told] == [((0, 10, 5), 0), ((10, 20, 6), 1)]
    told = player.push([(4, 0, 1)], 25, 0)
    assert [(t.row[:3], t.revision) for t in told] == [((0, 10, 6), 1)]


def test_a_late_row_changes_only_the_steps_that_hold_it() -> None:
    # cumulating by 4 to 12:   [0, 4)  [0, 8)  [0, 12)     late at 5
    player = Player([pw.cumulating(4, 12)], revising=True)
    player.push([(1, 0, 1), (20, 0, 1)], 20, 0)
    told = player.push([(5, 0, 1)], 20, 0)
    assert [(t.row[:3], t.revision) for t in told] == [((0, 8, 2), 1), ((0, 12, 2), 1)]


def test_nothing_is_told_of_a_window_that_did_not_change() -> None:
    player = Player([pw.tumbling(10)], revising=True)
    player.push([(1, 0, 1), (1, 1, 1), (25, 0, 1)], 25, 0)
    (told,) = player.push([(2, 1, 1)], 25, 0)
    assert told.name == ("tumbling(10)", 1, 0, 10)
