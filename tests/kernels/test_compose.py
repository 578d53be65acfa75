"""Composition: the same windows however the cells are cut, and after every late row."""

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import panewise as pw
from panewise.kernels import asked, compose, tier
from panewise.kernels.asked import AskedWindows
from panewise.kernels.compose import scan_places
from panewise.testing import windows
from panewise.testing.generators import window_examples
from panewise.windows import Window
from tests.kernels.building import program
from tests.kernels.playing import Event, Player, Reader, composed, composer_of, defined, steps

events = st.lists(
    st.tuples(st.integers(-30, 60), st.integers(0, 2), st.integers(-9, 9)), max_size=30
)
cuts = st.lists(st.integers(1, 30), max_size=6)

OPTIONS: dict[str, dict[str, Any]] = {
    "partials": {},
    "eager": {"store": "eager"},
    "value counts": {"counts_values": True},
    "in order": {"commutative": False},
    # as every engine has it: cells of one value each would be combined out of order
    "in order, value counts": {"commutative": False, "counts_values": True, "mergeable": False},
}


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_every_cutting_gives_the_windows_of_the_definition(options: dict[str, Any]) -> None:
    @given(events, windows(), cuts)
    def check(given: list[Event], of: list[Window], at: list[int]) -> None:
        player, got = composed(of, given, at, **options)
        assert got == defined(player, given)

    check()


REVISING: list[dict[str, Any]] = [
    {},
    {"counts_values": True},
    {"commutative": False, "mergeable": False},
]


@pytest.mark.parametrize("window", window_examples(), ids=lambda w: w.window_id)
def test_late_rows_lead_to_what_the_definition_says(window: Window) -> None:
    @given(events, cuts, st.sampled_from([0, 10]), st.sampled_from(REVISING))
    def check(given: list[Event], at: list[int], delay: int, options: dict[str, Any]) -> None:
        player = Player([window], revising=True, delay=delay, **options)
        reader, arrived = Reader([window]), list[Event]()
        for batch, watermark, keep in steps(given, at, delay):
            arrived += batch
            reader.apply(player.push(batch, watermark, keep))
            assert reader.all() == defined(player, arrived, watermark)
        reader.apply(player.flush())
        assert reader.all() == defined(player, given)

    check()


def test_an_overflowing_sum_is_an_error() -> None:
    given = [(0, 0, 2**62), (5, 0, 2**62)]
    with pytest.raises(OverflowError, match="BIGINT"):
        composed([pw.tumbling(10), pw.tumbling(5)], given)
    _, got = composed([pw.tumbling(10)], given, checked=False)
    assert [row[2] for _, row in got] == [-(2**63)]


def test_keys_without_cells_are_forgotten() -> None:
    player = Player([pw.tumbling(1)])
    for t in range(5):
        keys = range(1000 * t, 1000 * (t + 1))
        told = player.push([(t, k, k) for k in keys], t)
        before = range(1000 * (t - 1), 1000 * t) if t else []
        assert {each.name[1]: each.row[2] for each in told} == {k: k for k in before}
    assert len(player.composer.keys) <= 2 * player.composer.held + 1024


@pytest.mark.parametrize("store", ["auto", "eager"])
@pytest.mark.parametrize("commutative", [True, False])
def test_values_without_cells_are_forgotten(
    store: str, commutative: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compose, "FEW_VALUES", 4)
    of = [pw.tumbling(4), pw.sliding(12, 4), pw.session(1), pw.tumbling(pw.rows(3))]
    player = Player(of, counts_values=True, store=store, commutative=commutative)
    given = [(t, t % 2, 100 * t) for t in range(200)]
    reader, most = Reader(of), 0
    for t, key, x in given:
        reader.apply(player.push([(t, key, x)], t))
        most = max(most, len(player.composer.values))
    reader.apply(player.flush())
    assert reader.all() == defined(player, given)
    assert most < 120


MANY = [(0, key, 1) for key in range(1500)]


def test_tiers_that_share_cells_number_their_keys_once(monkeypatch: pytest.MonkeyPatch) -> None:
    # three tiers that need the same panes; only the longest holds the many keys until 66, when
    # the others are given the cells of new keys, whose numbers then change
    monkeypatch.setattr(asked, "length_class", lambda size: size)
    player = Player([pw.tumbling(2), pw.sliding(8, 2), pw.sliding(64, 2)])
    assert len(player.composer.tiers) == 3
    player.push(MANY, 0)
    player.push([], 60)
    player.push([(66, -7, 5), (66, -8, 5)], 66)
    assert len(player.composer.keys) == 2
    got = Counter(told.name[:2] for told in player.flush())
    expected = {"tumbling(2)": 1, "sliding(8, 2)": 4, "sliding(64, 2)": 32}
    assert got == {(name, key): n for name, n in expected.items() for key in (-7, -8)}


@pytest.mark.parametrize(
    "window",
    [
        pw.tumbling(pw.rows(2)),
        pw.every(10, last=pw.rows(2)),
        pw.by_tuple(pw.rows(1), 5),
        pw.punctuation("y > 0"),
    ],
    ids=lambda w: w.window_id,
)
def test_windows_that_begin_later_know_no_key_yet(window: Window) -> None:
    # the second window begins with the rows at 65, so it never saw the keys that are forgotten
    player = Player([pw.tumbling(2), window])
    first, second = player.program.windows
    player.program = replace(
        player.program, windows=AskedWindows((first, replace(second, since=65)))
    )
    player.composer = composer_of(player.program)
    player.push(MANY, 0)
    player.push([(66, -7, 5)], 66)
    assert len(player.composer.keys) == 1
    got = {told.name[:2] for told in player.flush()}
    assert got == {("tumbling(2)", -7), (window.window_id, -7)}


def test_equal_values_do_not_make_a_revised_window_new(monkeypatch: pytest.MonkeyPatch) -> None:
    # the late row has the values of the first one: both become one cell
    monkeypatch.setattr(tier, "ENOUGH", 0)
    player = Player([pw.tumbling(10)], revising=True, counts_values=True)
    (told,) = player.push([(1, 0, 5), (15, 0, 5)], 12, -100)
    assert told.revision == 0
    for again in (1, 2, 3, 4):
        (told,) = player.push([(2, 0, 5)], 12, -100)
        assert (told.row[2], told.revision) == (5 * (again + 1), again)


def test_inputs_of_scanned_windows_lie_side_by_side() -> None:
    of = [pw.punctuation("y > 0"), pw.every(5, last=pw.rows(1)), pw.punctuation("y > x")]
    assert scan_places(program(of).windows.scanned) == [(0,), (), (1,)]


def test_nothing_pushed_is_nothing_told() -> None:
    player = Player([pw.tumbling(5), pw.session(3), pw.punctuation("y > 0")])
    assert player.push([], 10) == [] and player.flush() == []


def test_a_watermark_never_goes_back() -> None:
    player = Player([pw.tumbling(5)], revising=True)
    player.push([(12, 0, 1)], 10, 0)
    player.push([(1, 0, 1)], 3, 0)
    assert player.composer.watermark == 10


def test_ties_follow_the_sequence_and_not_the_push() -> None:
    player = Player([pw.tumbling(10)], commutative=False, mergeable=False, revising=True)
    player.push([(5, 0, 1), (12, 0, 9)], 10, 0)
    (told,) = player.push([(5, 0, 2), (4, 0, 3)], 10, 0)
    assert told.row[-1] == "3;1;2;"
    assert told.revision == 1
