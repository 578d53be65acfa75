"""Numbers of rows of integers against a dict."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from panewise.kernels.hashing import IntTable

whole = st.one_of(st.integers(-3, 3), st.integers(-(2**63), 2**63 - 1))
Row = tuple[int, ...]


def columns(rows: list[Row], width: int) -> list[np.ndarray]:
    return list(np.array(rows, np.int64).reshape(-1, width).T)


@st.composite
def batches(draw: st.DrawFn) -> tuple[int, list[list[Row]]]:
    width = draw(st.integers(1, 5))
    row = st.tuples(*[whole] * width)
    return width, draw(st.lists(st.lists(row, max_size=20), min_size=1, max_size=4))


@given(batches())
def test_rows_are_numbered_as_they_appear(case: tuple[int, list[list[Row]]]) -> None:
    width, several = case
    table, known = IntTable(width), dict[Row, int]()
    for rows in several:
        expected = [known.setdefault(row, len(known)) for row in rows]
        assert table.add(columns(rows, width)).tolist() == expected
        assert list(map(tuple, table.rows.tolist())) == list(known)
        assert len(table) == len(known)


@given(batches())
def test_a_row_is_found_if_it_was_added(case: tuple[int, list[list[Row]]]) -> None:
    width, (first, *others) = case
    table = IntTable(width)
    table.add(columns(first, width))
    known = {row: number for number, row in enumerate(dict.fromkeys(first))}
    for rows in [first, *others]:
        expected = [known.get(row, -1) for row in rows]
        assert table.find(columns(rows, width)).tolist() == expected
    assert len(table) == len(known)


def test_nothing_is_found_in_an_empty_table() -> None:
    assert IntTable(2).find([np.array([0, 1]), np.array([0, 1])]).tolist() == [-1, -1]


@pytest.mark.parametrize("width", [1, 4])
def test_a_table_grows_and_keeps_its_numbers(width: int) -> None:
    rows = np.arange(10_000 * width).reshape(-1, width)
    table = IntTable(width)
    for part in np.array_split(rows, 7):
        table.add(list(part.T))
    assert table.find(list(rows.T)).tolist() == list(range(len(rows)))
    assert table.add(list(rows[::-1].T)).tolist() == list(range(len(rows)))[::-1]


@pytest.mark.parametrize("place", range(3))
def test_rows_that_differ_in_one_place_are_different(place: int) -> None:
    rows = np.zeros((5000, 3), np.int64)
    rows[:, place] = np.arange(5000) << 32  # the low bits, which a slot is found by, are alike
    table = IntTable(3)
    assert table.add(list(rows.T)).tolist() == list(range(5000))


def test_equal_numbers_in_another_order_are_another_row() -> None:
    table = IntTable(2)
    assert table.add([np.array([1, 2, 1]), np.array([2, 1, 2])]).tolist() == [0, 1, 0]


@given(st.lists(st.tuples(whole, whole), unique=True, min_size=1, max_size=40), st.data())
def test_kept_rows_are_numbered_anew(rows: list[Row], data: st.DataObject) -> None:
    table = IntTable(2)
    table.add(columns(rows, 2))
    numbers = data.draw(st.lists(st.integers(0, len(rows) - 1), unique=True))
    table.keep(np.array(numbers, np.int64))
    kept = [rows[number] for number in numbers]
    expected = [kept.index(row) if row in kept else -1 for row in rows]
    assert table.find(columns(rows, 2)).tolist() == expected
    assert len(table) == len(kept)


def test_forgotten_rows_give_their_memory_back() -> None:
    table = IntTable(1)
    table.add([np.arange(100_000)])
    before = table.nbytes
    table.keep(np.array([5, 7]))
    assert table.rows.tolist() == [[5], [7]]
    assert table.nbytes < before / 100


@given(batches(), st.data())
def test_rows_that_are_known_to_be_new_are_found_as_others(
    case: tuple[int, list[list[Row]]], data: st.DataObject
) -> None:
    width, several = case
    table, known = IntTable(width), dict[Row, int]()
    for rows in several:
        fresh = [row for row in dict.fromkeys(rows) if row not in known]
        if data.draw(st.booleans()):
            table.append(columns(fresh, width))
        else:
            table.add(columns(fresh, width))
        known |= {row: len(known) + at for at, row in enumerate(fresh)}
        assert list(map(tuple, table.rows.tolist())) == list(known)
        if data.draw(st.booleans()):
            expected = [known[row] for row in rows]
            assert table.find(columns(rows, width)).tolist() == expected
            assert table.add(columns(rows, width)).tolist() == expected


def test_a_table_grows_for_rows_that_have_no_slots_yet() -> None:
    rows = np.arange(10_000).reshape(-1, 1)
    table = IntTable(1)
    for part in np.array_split(rows, 7):
        table.append(list(part.T))
    assert table.find(list(rows.T)).tolist() == list(range(len(rows)))
