"""Composition: the same windows however the cells are cut, and little held between pushes."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import panewise as pw
from panewise.aggregates.extremes import MaxPartial
from panewise.aggregates.sum import SumPartial
from panewise.kernels import compose
from panewise.kernels.cells import Cells
from panewise.kernels.compose import Composer, Piece, Program
from panewise.optimizer import pane_edges
from panewise.query import Query
from panewise.testing import oracle, windows
from panewise.windows import Window

Event = tuple[int, int, int]  # time, key, value
Results = dict[tuple, tuple]

events = st.lists(
    st.tuples(st.integers(-30, 60), st.integers(0, 2), st.integers(-9, 9)), max_size=30
)


@dataclass(frozen=True)
class Asked(Program):
    """A program that remembers the windows behind its numbers."""

    asked: tuple[Window, ...]


def program(of: Sequence[Window], *, counts_values: bool = False) -> Asked:
    partials = (SumPartial("x"), MaxPartial("x"))
    numbered = tuple((i, window.demand()) for i, window in enumerate(of))
    return Asked(numbered, pane_edges(of), partials, counts_values, checked=True, asked=tuple(of))


def cells_of(given: Iterable[Event], of: Asked) -> list[tuple[int, Event]]:
    """One cell per event, as `(pane, event)` by pane; within a pane in the order given."""
    paned = [(of.panes.pane_of(e[0]), e) for e in given]
    return sorted(((compose.NEVER if p is None else p, e) for p, e in paned), key=lambda c: c[0])


def push(composer: Composer, rows: Sequence[tuple[int, Event]], values: bool) -> Iterator[Piece]:
    times, keys, xs = (
        np.array(column, np.int64) for column in zip(*(e for _, e in rows), strict=True)
    )
    yield from composer.push(
        Cells(
            code=composer.keys.encode(pa.table({"k": keys})),
            pane=np.array([pane for pane, _ in rows], np.int64),
            first=times,
            last=times,
            partials=[pa.array(xs), pa.array(xs)],
            values=[pa.array(xs)] if values else [],
            weights=np.ones(len(rows), np.int64),
        )
    )


def results(composer: Composer, pieces: Iterable[Piece], of: Asked) -> Iterator[tuple]:
    for piece in pieces:
        columns = [composer.keys.take(piece.code)[0], *map(pa.array, (piece.start, piece.end))]
        rows = [column.to_pylist() for column in [*columns, *piece.partials]]
        medians = _medians(piece) if of.counts_values else [None] * len(piece.start)
        for key, start, end, total, top, median in zip(*rows, medians, strict=True):
            yield (of.asked[piece.window].window_id, start, end, key), (total, top, median)


def _medians(piece: Piece) -> list:
    tallies = piece.ranked_values(0).tallies(piece.lo, piece.hi)
    return [m for _, tally in tallies for m in pw.median("x").lower_tally(tally).to_pylist()]


def composed(given: Sequence[Event], of: Asked, cuts: Iterable[int] = ()) -> Results:
    """Results of pushing the cells in parts, each reported once."""
    composer = Composer(of, pa.schema([("k", pa.int64())]))
    rows = cells_of(given, of)
    bounds = [0, *sorted(c for c in set(cuts) if 0 < c < len(rows)), len(rows)]
    found: list[tuple] = []
    for lo, hi in pairwise(bounds):
        if lo < hi:
            pieces = push(composer, rows[lo:hi], of.counts_values)
            found += results(composer, pieces, of)
    found += results(composer, composer.flush(), of)
    assert len(found) == len(dict(found)), "a window was reported twice"
    assert composer.held == 0
    return dict(found)


def defined(given: Sequence[Event], of: Asked) -> Results:
    query = Query("t", ("k",), of.asked, (pw.sum("x"), pw.max("x"), pw.median("x")))
    rows = oracle(query, [{"t": t, "k": k, "x": x} for t, k, x in given])
    return {
        (r["window_id"], *r["window"], r["k"]): (
            r["sum(x)"],
            r["max(x)"],
            r["median(x)"] if of.counts_values else None,
        )
        for r in rows
    }


@pytest.mark.parametrize("counts_values", [False, True], ids=["partials", "value counts"])
def test_every_cutting_gives_the_windows_of_the_definition(counts_values: bool) -> None:
    @given(events, windows(), st.lists(st.integers(1, 30), max_size=6))
    def check(given: list[Event], of: list[Window], cuts: list[int]) -> None:
        what = program(of, counts_values=counts_values)
        assert composed(given, what, cuts) == defined(given, what)

    check()


def test_cells_of_one_pane_come_in_any_order() -> None:
    # gap 3, panes of 3:   1 . . 4 5     4 - 1 <= 3, so all is one session, though 5 comes before 4
    #                    |0    |3    |
    what = program([pw.session(3), pw.tumbling(3)])
    for cuts in ([], [2]):
        got = composed([(1, 0, 1), (5, 0, 1), (4, 0, 1)], what, cuts)
        assert got["session(3)", 1, 8, 0] == (3, 1, None)


def test_tiny_pieces_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    given = [(t, t % 2, t) for t in range(-20, 40, 3)]
    what = program([pw.sliding(40, 1), pw.cumulating(2, 10), pw.session(4)])
    whole = composed(given, what, [7])
    monkeypatch.setattr(compose, "MOST_RESULTS", 1)
    assert composed(given, what, [7]) == whole


def test_a_piece_reports_a_bounded_number_of_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compose, "MOST_RESULTS", 100)
    what = program([pw.sliding(1000, 1)])
    composer = Composer(what, pa.schema([("k", pa.int64())]))
    list(push(composer, cells_of([(0, 0, 1), (5000, 0, 1)], what), False))
    sizes = [len(piece.start) for piece in composer.flush()]
    assert sum(sizes) == 1000 and max(sizes) <= 100


def held(of: Asked, ticks: Iterable[int], every: int = 100) -> list[int]:
    """Cells kept after each push of a single key that has one cell per tick."""
    composer = Composer(of, pa.schema([("k", pa.int64())]))
    rows = cells_of([(t, 0, 1) for t in ticks], of)
    kept = []
    for at in range(0, len(rows), every):
        list(push(composer, rows[at : at + every], of.counts_values))
        kept.append(composer.held)
    return kept


def test_a_day_beside_seconds_holds_few_cells() -> None:
    # one tick is a second
    what = program([pw.tumbling(86_400), pw.sliding(20, 10), pw.tumbling(1)])
    assert max(held(what, range(5000))) <= 8


def test_an_open_session_is_one_cell() -> None:
    assert max(held(program([pw.session(5)]), range(2000))) == 1


def test_overlapping_windows_hold_one_slide_per_cell() -> None:
    # 10 slides of 60 in 600: the panes of 1 beside it are merged to 60
    what = program([pw.sliding(600, 60), pw.tumbling(1)])
    assert max(held(what, range(5000))) <= 12


def test_values_are_held_while_a_window_reads_them() -> None:
    what = program([pw.sliding(20, 10)], counts_values=True)
    assert max(held(what, range(1000))) <= 20


def test_keys_without_cells_are_forgotten() -> None:
    what = program([pw.tumbling(1)])
    composer = Composer(what, pa.schema([("k", pa.int64())]))
    for t in range(5):
        keys = range(1000 * t, 1000 * (t + 1))
        pieces = push(composer, cells_of([(t, k, k) for k in keys], what), False)
        reported = dict(results(composer, pieces, what))
        before = range(1000 * (t - 1), 1000 * t) if t else []
        assert {key[3]: value[0] for key, value in reported.items()} == {k: k for k in before}
    assert len(composer.keys) <= 2 * composer.held + 1024


def test_an_overflowing_sum_is_an_error() -> None:
    with pytest.raises(OverflowError, match="BIGINT"):
        composed([(0, 0, 2**62), (5, 0, 2**62)], program([pw.tumbling(10), pw.tumbling(5)]))
