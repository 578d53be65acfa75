"""Panes under construction: rows are added where they lie, in any of the ways."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from panewise.errors import ResultOverflow
from panewise.kernels import open_panes
from panewise.kernels.cells import Cells
from panewise.kernels.columns import ALL_VALID, Numbers
from panewise.kernels.grid import Lead
from panewise.kernels.open_panes import Batch, OpenPanes
from panewise.kernels.ranges import ALWAYS
from tests.kernels.building import numbers_of

WIDTH = 10
Row = tuple[int, int, int | None]  # time, key, value
row = st.tuples(st.integers(-30, 30), st.integers(0, 3), st.one_of(st.none(), st.integers(-9, 9)))
batches = st.lists(st.lists(row, min_size=1, max_size=10), min_size=1, max_size=4)
Name = tuple[int, int]  # key, pane


def made(*, times: bool = True, checked: bool = True) -> OpenPanes:
    return OpenPanes(["sum", "max"], checked=checked, times=times)


def add(panes: OpenPanes, rows: list[Row], *, keys: int | None = None, way: str = "keys") -> None:
    """Rows with keys, or of one key: by their places, or in order as stretches."""
    if way == "stretches":
        rows = sorted(rows, key=lambda r: r[0])
    ticks = np.array([t for t, _, _ in rows], np.int64)
    column = numbers_of([x for _, _, x in rows], pa.int64())
    code = np.array([k for _, k, _ in rows], np.int64) if way == "keys" else None
    first, last = int(ticks.min()) // WIDTH, int(ticks.max()) // WIDTH
    edges = np.arange(first, last + 1) * WIDTH
    lead = (
        None
        if way == "stretches"
        else Lead.to(edges, int(ticks.min()), int(ticks.max()), len(ticks))
    )
    if keys is None:
        keys = 1 if code is None else int(code.max()) + 1
    panes.add(Batch(code, ticks, [column, column]), keys, edges, lead)


def listed(cells: Cells | None) -> list[tuple]:
    if cells is None:
        return []
    columns = [cells.code.tolist(), cells.pane.tolist()]
    columns += [column.arrow().to_pylist() for column in cells.partials]
    columns += [each.tolist() for each in (cells.first, cells.last) if each is not None]
    return list(zip(*columns, strict=True))


def defined(rows: list[Row]) -> list[tuple]:
    groups: dict[Name, list[Row]] = {}
    for each in rows:
        groups.setdefault((each[1], each[0] // WIDTH * WIDTH), []).append(each)
    result = []
    for name, own in sorted(groups.items()):
        xs, times = [x for _, _, x in own if x is not None], [t for t, _, _ in own]
        values = (sum(xs), max(xs)) if xs else (None, None)
        result.append((*name, *values, min(times), max(times)))
    return result


@given(batches, st.booleans())
def test_cells_of_keys_are_those_of_the_definition(several: list[list[Row]], times: bool) -> None:
    panes, rows = made(times=times), [r for batch in several for r in batch]
    for batch in several:
        add(panes, batch)
    expected = [cell if times else cell[:4] for cell in defined(rows)]
    assert panes.count() == len(expected)
    assert listed(panes.drain()) == expected
    assert panes.drain() is None and panes.count() == 0 and panes.nbytes == 0


@given(batches, st.lists(st.sampled_from(["scattered", "stretches"]), min_size=4, max_size=4))
def test_cells_of_one_key_are_those_of_the_definition(
    several: list[list[Row]], ways: list[str]
) -> None:
    panes = made()
    given = [[(t, 0, x) for t, _, x in batch] for batch in several]
    for batch, way in zip(given, ways, strict=False):
        add(panes, batch, way=way)
    assert listed(panes.drain()) == defined([r for batch in given for r in batch])


@given(batches, st.integers(-4, 4), batches)
def test_a_part_is_drained_and_the_rest_goes_on(
    several: list[list[Row]], edge: int, more: list[list[Row]]
) -> None:
    panes, rows = made(), [r for batch in several for r in batch]
    for batch in several:
        add(panes, batch)
    before = edge * WIDTH
    assert listed(panes.drain(before)) == defined([r for r in rows if r[0] < before])
    rest = [r for r in rows if r[0] >= before]
    assert panes.count() == len(defined(rest))
    for batch in more:
        add(panes, batch)
    assert listed(panes.drain()) == defined(rest + [r for batch in more for r in batch])


@given(batches)
def test_nothing_is_before_the_earliest(several: list[list[Row]]) -> None:
    for times in (True, False):
        panes = made(times=times)
        assert panes.earliest() == ALWAYS
        for batch in several:
            add(panes, batch)
        first = min(t for batch in several for t, _, _ in batch)
        assert panes.earliest() == (first if times else first // WIDTH * WIDTH)


def test_more_keys_and_panes_move_no_value() -> None:
    panes, rows = made(), list[Row]()
    for keys in (1, 2, 7, 8, 100):
        batch = [(7 * k % (3 * keys), k, k) for k in range(keys)]
        add(panes, batch, keys=keys)
        rows += batch
    assert listed(panes.drain()) == defined(rows)


def test_slots_that_outnumber_rows_are_too_many() -> None:
    panes = made()
    most = open_panes.SMALL
    assert not panes.crowded(most, 1, 1) and panes.crowded(most + 1, 1, 1)
    rows = most // open_panes.DENSE + 1
    assert not panes.crowded(most + 1, 1, rows)
    add(panes, [(0, 0, 1)], keys=10)  # a pane and ten keys are there
    assert panes.crowded(1, most // 10, 1) and not panes.crowded(1, most // 10 - 1, 1)


@pytest.mark.parametrize("way", ["keys", "places", "stretches"])
def test_an_overflowing_sum_is_an_error_when_checked(way: str) -> None:
    half: Row = (1, 0, 2**62)
    panes, other = made(), made(checked=False)
    add(panes, [half], way=way)
    with pytest.raises(ResultOverflow, match="BIGINT"):
        add(panes, [half], way=way)
    for _ in range(2):
        add(other, [half], way=way)
    assert [cell[2] for cell in listed(other.drain())] == [-(2**63)]


@pytest.mark.parametrize("kind", ["int64", "float64"])
@pytest.mark.parametrize("times", [True, False])
def test_more_rows_of_one_key_than_are_looked_at_together(kind: str, times: bool) -> None:
    chance = np.random.default_rng(7)
    ticks = np.arange(10_000) // 20 - 250
    late = chance.random(len(ticks)) < 0.2
    ticks[late] -= chance.integers(0, 60, late.sum())
    values = chance.integers(-9, 9, len(ticks)).astype(kind)
    edges = np.arange(ticks.min() // WIDTH, ticks.max() // WIDTH + 1) * WIDTH
    panes = OpenPanes(["sum"], checked=True, times=times)
    lead = Lead.to(edges, int(ticks.min()), int(ticks.max()), len(ticks))
    panes.add(
        Batch(None, ticks, [Numbers(values, ALL_VALID, pa.array(values).type)]), 1, edges, lead
    )
    expected = []
    for pane in np.unique(ticks // WIDTH * WIDTH):
        mine = ticks // WIDTH * WIDTH == pane
        bounds = (ticks[mine].min(), ticks[mine].max()) if times else ()
        expected.append((0, pane, values[mine].sum(), *bounds))
    assert listed(panes.drain()) == expected
