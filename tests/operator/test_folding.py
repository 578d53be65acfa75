"""What was folded, apart by the homes of its keys."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from panewise.kernels.cells import Cells
from panewise.kernels.columns import ALL_VALID, Numbers
from panewise.operator.folding import Folded

KEYS, VALUES, HOMES = 6, 4, 5
WORDS = [f"word {number}" for number in range(VALUES)]
cells = st.lists(st.tuples(st.integers(0, KEYS - 1), st.integers(0, VALUES - 1)), max_size=20)


def some(pairs: list[tuple[int, int]], *, valued: bool) -> Cells:
    """Cells of these keys and values; each holds its place."""
    place = np.arange(len(pairs))
    return Cells(
        code=np.array([key for key, _ in pairs], np.int64),
        pane=10 * place,
        partials=[Numbers(place.astype(np.float64), ALL_VALID, pa.float64())],
        value=np.array([value for _, value in pairs], np.int64) if valued else None,
    )


def listed(part: Folded, name: str) -> list[tuple[object, ...]]:
    """Cells with the keys and the values that they number."""
    own = getattr(part, name)
    if own is None:
        return []
    keys = part.keys["k"].to_pylist()
    words = part.values["w"].to_pylist() if own.value is not None else []
    values = [None] * len(own) if own.value is None else [words[value] for value in own.value]
    held = own.partials[0].values.tolist()
    return [
        (keys[code], pane, place, value)
        for code, pane, place, value in zip(own.code, own.pane, held, values, strict=True)
    ]


@pytest.mark.parametrize("valued", [False, True])
@given(
    folded=st.tuples(cells, cells),
    home=st.lists(st.integers(0, HOMES - 1), min_size=KEYS, max_size=KEYS),
)
def test_every_home_has_the_cells_of_its_keys(
    valued: bool, folded: tuple[list[tuple[int, int]], ...], home: list[int]
) -> None:
    first, second = (some(pairs, valued=valued) if pairs else None for pairs in folded)
    keys = pa.table({"k": [100 + key for key in range(KEYS)]})
    words = pa.table({"w": WORDS}) if valued else pa.table({})
    parts = Folded(first, second, keys, words).split(np.array(home), HOMES)
    assert len(parts) == HOMES
    for number, part in enumerate(parts):
        mine = [100 + key for key in range(KEYS) if home[key] == number]
        assert part.keys["k"].to_pylist() == mine
        counted = set()
        for name, pairs in zip(("cells", "rows"), folded, strict=True):
            expected = [
                (100 + key, 10 * place, place, WORDS[value] if valued else None)
                for place, (key, value) in enumerate(pairs)
                if home[key] == number
            ]
            counted |= {word for *_, word in expected}
            assert listed(part, name) == expected, "in the order in which they were"
        if valued:
            assert set(part.values["w"].to_pylist()) == counted, "and no others"


def test_without_keys_all_is_in_one_home() -> None:
    cells = some([(0, 0), (0, 1)], valued=False)
    one, other = Folded(cells, None, pa.table({}), pa.table({})).split(np.array([0]), 2)
    assert one.cells is not None and one.cells.pane.tolist() == [0, 10]
    assert other.cells is None and other.rows is None
