"""Rows into cells: where they lie, or sorted first, as the definition has them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import panewise as pw
from panewise.aggregates import Rows
from panewise.errors import ResultOverflow
from panewise.kernels import open_panes
from panewise.kernels import slicer as slicer_module
from panewise.kernels.cells import Cells
from panewise.kernels.merging import one_run
from panewise.kernels.slicer import Slicer
from panewise.kernels.vocabulary import Vocabulary
from panewise.windows import Window
from tests.kernels.building import program

KEYS = 3
Row = tuple[int, int, int | None]  # time, key, value
value = st.one_of(st.integers(-9, 9), st.none())
row = st.tuples(st.integers(-30, 60), st.integers(0, KEYS - 1), value)
batches = st.lists(st.lists(row, min_size=1, max_size=10), min_size=1, max_size=4)
WINDOWS: Sequence[Window] = (pw.tumbling(7), pw.sliding(12, 5), pw.band(3, 20))


def made(of: Sequence[Window], *, times: bool = True, **options: Any) -> Slicer:
    counted = [("x", pa.int64())] if options.pop("counts", False) else []
    of_values = {"counts_values": True} if counted else {}
    vocabulary, at_once = Vocabulary(pa.schema(counted)), options.pop("at_once", 0)
    asked = program(of, **options, **of_values)
    return Slicer(asked, vocabulary, times=times, at_once=at_once)


def add(slicer: Slicer, batch: Sequence[Row], *, keyed: bool = True, first: int = 0) -> None:
    ticks = np.array([t for t, _, _ in batch], np.int64)
    code = np.array([k for _, k, _ in batch], np.int64) if keyed else None
    ascending = all(np.diff(ticks) >= 0)
    surveyed = int(ticks.min()), int(ticks.max()), ascending
    slicer.add(code, KEYS if keyed else 1, ticks, rows_of(batch, first), surveyed)


def rows_of(batch: Sequence[Row], first: int = 0) -> Rows:
    columns = {"x": pa.array([x for _, _, x in batch], pa.int64())}
    ticks = pa.array([t for t, _, _ in batch], pa.int64())
    return Rows(columns, ticks, pa.array(range(first, first + len(batch)), pa.int64()))


def listed(cells: Cells | None) -> list[tuple]:
    """Key, pane, sum, maximum, first and last time."""
    if cells is None:
        return []
    assert cells.first is not None and cells.last is not None
    partials = [column.arrow().to_pylist() for column in cells.partials]
    columns = [cells.code.tolist(), cells.pane.tolist(), *partials]
    return list(zip(*columns, cells.first.tolist(), cells.last.tolist(), strict=True))


def defined(slicer: Slicer, given: Sequence[Row]) -> list[tuple]:
    groups: dict[tuple[int, int], list[Row]] = {}
    for each in given:
        pane = slicer.program.panes.pane_of(each[0])
        groups.setdefault((each[1], -(2**62) if pane is None else pane), []).append(each)
    result = []
    for name, rows in sorted(groups.items()):
        xs = [x for _, _, x in rows if x is not None]
        times = [t for t, _, _ in rows]
        values = (sum(xs), max(xs)) if xs else (None, None)
        result.append((*name, *values, min(times), max(times)))
    return result


@pytest.fixture(params=["where they lie", "sorted"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "sorted":
        monkeypatch.setattr(open_panes.OpenPanes, "crowded", lambda *_: True)


@given(batches, st.sampled_from([0, 12, 1000]))
def test_cells_are_those_of_the_definition(
    way: None, several: list[list[Row]], at_once: int
) -> None:
    slicer = made(WINDOWS, at_once=at_once)
    for batch in several:
        add(slicer, batch)
    assert listed(slicer.drain()) == defined(slicer, [r for batch in several for r in batch])
    assert slicer.drain() is None


@given(batches, st.lists(st.booleans(), min_size=4, max_size=4))
def test_rows_are_sorted_in_some_pushes_only(several: list[list[Row]], apart: list[bool]) -> None:
    slicer = made(WINDOWS, at_once=1000)
    for batch, sort in zip(several, apart, strict=False):
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(open_panes.OpenPanes, "crowded", lambda *_, sort=sort: sort)
            add(slicer, batch)
    assert listed(slicer.drain()) == defined(slicer, [r for batch in several for r in batch])


@pytest.mark.parametrize(("crowded", "sorted_at_once"), [(1, True), (1000, False)])
def test_what_loops_cannot_hold_is_sorted_soon_where_a_key_has_many_rows(
    crowded: int, sorted_at_once: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slicer_module, "CROWDED", crowded)
    rows = [(t // 3, t % KEYS, t) for t in range(60)]
    slicer = made(WINDOWS, commutative=False, at_once=1000)
    for low in (0, 30):
        add(slicer, rows[low : low + 30], first=low)
        assert bool(slicer.parts()) is sorted_at_once
    whole = made(WINDOWS, commutative=False)
    add(whole, rows)
    assert listed(slicer.drain()) == listed(whole.drain())


@given(batches, st.lists(st.booleans(), min_size=4, max_size=4))
def test_rows_without_keys_in_order_or_not(
    way: None, several: list[list[Row]], ordered: list[bool]
) -> None:
    slicer = made(WINDOWS)
    given = [[(t, 0, x) for t, _, x in batch] for batch in several]
    for batch, in_order in zip(given, ordered, strict=False):
        add(slicer, sorted(batch, key=lambda r: r[0]) if in_order else batch, keyed=False)
    assert listed(slicer.drain()) == defined(slicer, [r for batch in given for r in batch])


@given(batches, st.integers(-35, 65))
def test_what_a_window_may_read_is_drained_first(several: list[list[Row]], watermark: int) -> None:
    slicer = made([pw.tumbling(7)], times=False)
    given = [r for batch in several for r in batch]
    for batch in several:
        add(slicer, batch)
    early, late = slicer.drain(watermark), slicer.drain()
    expected = [cell[:4] for cell in defined(slicer, given)]
    edge = slicer.program.panes.pane_of(watermark)
    assert edge is not None
    assert _plain(early) == [cell for cell in expected if cell[1] < edge]
    assert _plain(late) == [cell for cell in expected if cell[1] >= edge]


def _plain(cells: Cells | None) -> list[tuple]:
    if cells is None:
        return []
    partials = [column.arrow().to_pylist() for column in cells.partials]
    return list(zip(cells.code.tolist(), cells.pane.tolist(), *partials, strict=True))


@given(batches, st.integers(-35, 65))
def test_slices_go_on_after_a_part_was_drained(several: list[list[Row]], watermark: int) -> None:
    slicer, rows = made(WINDOWS), [r for batch in several for r in batch]
    for batch in several:
        add(slicer, batch)
    early = listed(slicer.drain(watermark))
    for batch in several:
        add(slicer, batch)
    late = listed(slicer.drain())
    assert {name[:2] for name in early} <= {name[:2] for name in late}
    whole = {name[:2]: name[2] for name in defined(slicer, rows * 2)}
    for cell in [*early, *late]:
        if cell[2] is not None:
            whole[cell[:2]] -= cell[2]
    assert set(whole.values()) <= {0, None}


def test_new_keys_come_while_panes_are_open() -> None:
    slicer = made([pw.tumbling(10)], times=False)
    expected = {}
    for keys in (1, 2, 5, 100, 1000):
        ticks = np.arange(keys) % 20
        rows = Rows({"x": pa.array(np.arange(keys))}, pa.array(ticks), pa.array(ticks))
        slicer.add(np.arange(keys), keys, ticks, rows, (0, int(ticks.max()), False))
        for key in range(keys):
            name = (key, key % 20 // 10 * 10)
            expected[name] = expected.get(name, 0) + key
    cells = slicer.drain()
    assert cells is not None
    names = list(zip(cells.code.tolist(), cells.pane.tolist(), strict=True))
    assert dict(zip(names, cells.partials[0].arrow().to_pylist(), strict=True)) == expected


def values_of(slicer: Slicer, cells: Cells) -> list[int | None]:
    assert cells.value is not None
    return slicer.vocabulary.table.take(cells.value)[0].to_pylist()


@given(batches)
def test_equal_values_of_a_pane_are_one_cell(way: None, several: list[list[Row]]) -> None:
    slicer = made([pw.tumbling(7)], counts=True)
    for batch in several:
        add(slicer, batch)
        cells = slicer.drain()
        assert cells is not None and cells.weights is not None
        counts: dict[tuple, int] = {}
        for t, key, x in batch:
            counts[key, t // 7 * 7, x] = counts.get((key, t // 7 * 7, x), 0) + 1
        values = values_of(slicer, cells)
        names = list(zip(cells.code.tolist(), cells.pane.tolist(), values, strict=True))
        assert dict(zip(names, cells.weights.tolist(), strict=True)) == counts
        assert len(names) == len(counts)
        keys = list(zip(cells.code, cells.pane, cells.value, strict=True))  # type: ignore[arg-type]
        assert keys == sorted(keys)


@given(batches, st.booleans())
def test_values_come_while_panes_are_open(way: None, several: list[list[Row]], keyed: bool) -> None:
    slicer = made([pw.tumbling(7)], counts=True)
    counts: dict[tuple, int] = {}
    for batch in several:
        add(slicer, batch, keyed=keyed)
        for t, key, x in batch:
            name = (key if keyed else 0, t // 7 * 7, x)
            counts[name] = counts.get(name, 0) + 1
    cells = slicer.drain()
    assert cells is not None and cells.weights is not None
    columns = [cells.code.tolist(), cells.pane.tolist(), values_of(slicer, cells)]
    names = list(zip(*columns, strict=True))
    assert len(names) == len(counts)
    assert dict(zip(names, cells.weights.tolist(), strict=True)) == counts
    sums = [None if x is None else x * n for (_, _, x), n in zip(names, cells.weights, strict=True)]
    assert cells.partials[0].arrow().to_pylist() == sums


@given(batches)
def test_rows_are_cells_of_their_own_in_order(several: list[list[Row]]) -> None:
    (batch, *_) = several
    slicer = made([pw.tumbling(7)])
    code, ticks = np.array([k for _, k, _ in batch]), np.array([t for t, _, _ in batch])
    sequence = list(range(len(batch)))[::-1]
    given = rows_of(batch)
    given = Rows(given.columns, given.ticks, pa.array(sequence))
    cells = slicer.rows(code, ticks, given, [pa.array(sequence)], np.array(sequence, np.int64))
    order = sorted(range(len(batch)), key=lambda i: (batch[i][0], sequence[i]))
    assert cells.pane.tolist() == [batch[i][0] for i in order]
    assert cells.code.tolist() == [batch[i][1] for i in order]
    assert cells.partials[0].arrow().to_pylist() == [batch[i][2] for i in order]
    assert cells.inputs[0].to_pylist() == [sequence[i] for i in order]


@pytest.mark.parametrize("keyed", [True, False])
@pytest.mark.parametrize("ordered", [True, False])
def test_an_overflowing_sum_is_an_error(way: None, keyed: bool, ordered: bool) -> None:
    given = [(1, 0, 2**62), (2, 0, 2**62)]
    slicer, other = made([pw.tumbling(10)]), made([pw.tumbling(10)], checked=False)
    with pytest.raises(ResultOverflow, match="BIGINT"):
        add(slicer, given if ordered else given[::-1], keyed=keyed)
    add(other, given, keyed=keyed)
    assert [cell[2] for cell in listed(other.drain())] == [-(2**63)]


def test_few_rows_over_a_long_time_need_little_memory() -> None:
    slicer = made([pw.tumbling(1)])
    add(slicer, [(-(10**17), 0, 1), (10**17, 1, 1)])
    assert slicer.open.nbytes < 10**6
    assert len(listed(slicer.drain())) == 2


@pytest.mark.parametrize("small", [0, open_panes.SMALL])
@given(several=batches)
def test_cells_may_tell_how_many_rows_are_behind_them(small: int, several: list[list[Row]]) -> None:
    slicer = made(WINDOWS, weighted=True)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(open_panes, "SMALL", small)
        patched.setattr(open_panes, "DENSE", 0 if small == 0 else open_panes.DENSE)
        for batch in several:
            add(slicer, batch)
        cells = slicer.drain()
    plain = made(WINDOWS)
    for batch in several:
        add(plain, batch)
    assert listed(cells) == listed(plain.drain())
    assert cells is not None and cells.weights is not None
    pane_of = slicer.grid.pane_of
    names = [(key, pane_of(t)) for batch in several for t, key, _ in batch]
    expected = [names.count(name) for name in sorted(set(names))]
    assert cells.weights.tolist() == expected


def sparse(rows: int) -> list[Row]:
    """Up to 150 rows whose keys and panes differ."""
    return [(7 * (i % 50), i % KEYS, i) for i in range(rows)]


@pytest.mark.parametrize("weighted", [False, True])
def test_rows_that_few_others_share_a_cell_with_are_not_sorted(
    monkeypatch: pytest.MonkeyPatch, weighted: bool
) -> None:
    monkeypatch.setattr(open_panes, "SMALL", 0)
    monkeypatch.setattr(open_panes, "DENSE", 0)  # no slots
    rows = sparse(30)
    slicer = made(WINDOWS, at_once=1 << 10, weighted=weighted)
    add(slicer, rows[:20])
    add(slicer, rows[20:], first=20)
    cells = slicer.scattered()
    assert cells is not None and slicer.drain() is None
    assert cells.code.tolist() == [k for _, k, _ in rows], "as they came"
    assert (cells.weights is None) is not weighted
    together = one_run(slicer.program, [cells], KEYS)
    assert listed(together) == defined(slicer, rows)
    assert together.weights is None or together.weights.sum() == len(rows)


def test_rows_that_share_cells_are_folded_where_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_panes, "SMALL", 0)
    monkeypatch.setattr(open_panes, "DENSE", 0)
    crowded, skewed = sparse(3000), [(0, 0, i) for i in range(30)] + sparse(5)
    for rows, cells in ((crowded, slicer_module.SPARSE), (skewed, 0)):
        monkeypatch.setattr(slicer_module, "SPARSE", cells)
        slicer = made(WINDOWS, at_once=1 << 20)
        add(slicer, rows)
        assert slicer.scattered() is None
        assert listed(slicer.drain()) == defined(slicer, rows)
