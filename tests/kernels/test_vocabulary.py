"""Vocabularies: values as numbers, and their ranks."""

import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from panewise.kernels.vocabulary import Vocabulary

SCHEMA = pa.schema([("x", pa.int64()), ("y", pa.string())])
Row = tuple[int | None, str | None]
row = st.tuples(
    st.one_of(st.none(), st.integers(-2, 2)), st.one_of(st.none(), st.sampled_from("ab"))
)
batches = st.lists(st.lists(row, min_size=1, max_size=10), min_size=1, max_size=4)


def table(rows: list[Row]) -> pa.Table:
    x, y = zip(*rows, strict=True)
    return pa.table({"x": pa.array(x, pa.int64()), "y": pa.array(y, pa.string())})


def back(vocabulary: Vocabulary, column: int, numbers: np.ndarray) -> list:
    """Values by way of their ranks."""
    ranks, values = vocabulary.ranks(column)
    return [values[rank].as_py() if rank >= 0 else None for rank in ranks[numbers].tolist()]


@given(batches)
def test_equal_combinations_have_one_number(several: list[list[Row]]) -> None:
    vocabulary, known = Vocabulary(SCHEMA), dict[Row, int]()
    for batch in several:
        numbers = vocabulary.encode(table(batch))
        assert numbers.tolist() == [known.setdefault(each, len(known)) for each in batch]
        for column in (0, 1):  # ranks follow a vocabulary that grows
            assert back(vocabulary, column, numbers) == [each[column] for each in batch]
    assert len(vocabulary) == len(known)


@given(batches)
def test_ranks_are_in_the_order_of_the_values(several: list[list[Row]]) -> None:
    vocabulary = Vocabulary(SCHEMA)
    rows = [each for batch in several for each in batch]
    vocabulary.encode(table(rows))
    for column in (0, 1):
        present = sorted({each[column] for each in rows if each[column] is not None})
        ranks, values = vocabulary.ranks(column)
        assert values.to_pylist() == present
        assert len(ranks) == len(vocabulary)


@given(batches, st.integers(0, 2**20))
def test_kept_values_are_numbered_anew(several: list[list[Row]], bits: int) -> None:
    vocabulary = Vocabulary(SCHEMA)
    rows = [each for batch in several for each in batch]
    old = vocabulary.encode(table(rows))
    vocabulary.ranks(0)  # which must not be taken for those of the values kept
    kept = np.array([n for n in range(len(vocabulary)) if bits >> n & 1], np.int64)
    renamed = vocabulary.keep(kept)
    stay = [(each, n) for each, n in zip(rows, old.tolist(), strict=True) if n in kept]
    assert len(vocabulary) == len(kept)
    if stay:
        new = vocabulary.encode(table([each for each, _ in stay]))
        assert new.tolist() == renamed[[n for _, n in stay]].tolist()
        assert back(vocabulary, 0, new) == [each[0] for each, _ in stay]
    assert len(vocabulary) == len(kept)


def test_as_many_values_as_before_are_ranked_anew() -> None:
    vocabulary = Vocabulary(pa.schema([("x", pa.int64())]))
    vocabulary.encode(pa.table({"x": [1, 2]}))
    assert vocabulary.ranks(0)[1].to_pylist() == [1, 2]
    vocabulary.keep(np.array([1]))
    vocabulary.encode(pa.table({"x": [9]}))
    assert vocabulary.ranks(0)[1].to_pylist() == [2, 9]


@pytest.mark.parametrize("kind", [pa.float64(), pa.float32()], ids=str)
def test_zeros_are_one_value_and_so_is_not_a_number(kind: pa.DataType) -> None:
    vocabulary = Vocabulary(pa.schema([("x", kind)]))
    column = pa.array([0.0, -0.0, math.nan, math.inf, math.nan]).cast(kind)
    assert vocabulary.encode(pa.table({"x": column})).tolist() == [0, 0, 1, 2, 1]
    ranks, values = vocabulary.ranks(0)
    assert ranks.tolist() == [0, 2, 1]
    assert values.type == kind and str(values.to_pylist()) == "[0.0, inf, nan]"


def test_nulls_alone_have_a_number_and_no_rank() -> None:
    vocabulary = Vocabulary(SCHEMA)
    assert vocabulary.encode(table([(None, None), (None, None)])).tolist() == [0, 0]
    ranks, values = vocabulary.ranks(0)
    assert ranks.tolist() == [-1] and len(values) == 0


def test_without_columns_there_are_no_values() -> None:
    vocabulary = Vocabulary(pa.schema([]))
    assert len(vocabulary) == 0 and vocabulary.nbytes == 0
