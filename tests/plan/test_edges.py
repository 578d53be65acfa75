"""The union of edges by its definition: a progression that another one contains is left out."""

from hypothesis import given
from hypothesis import strategies as st

from panewise.plan import Edges

progression = st.tuples(st.integers(1, 60), st.integers(-40, 40))


def defined(progressions: list[tuple[int, int]]) -> list[tuple[int, int]]:
    kept: list[tuple[int, int]] = []
    for period, phase in sorted(set(progressions)):
        if not any(period % p == 0 and (phase - f) % p == 0 for p, f in kept):
            kept.append((period, phase))
    return kept


@given(st.lists(progression, max_size=8))
def test_few_progressions_of_any_length(progressions: list[tuple[int, int]]) -> None:
    assert list(Edges.union(progressions).progressions) == defined(progressions)


@given(st.lists(st.tuples(st.integers(20, 60), st.integers(0, 3)), min_size=30, max_size=60))
def test_many_progressions_of_similar_length(progressions: list[tuple[int, int]]) -> None:
    assert list(Edges.union(progressions).progressions) == defined(progressions)


def test_fixed_edges_that_a_progression_has() -> None:
    assert Edges.union([(10, 3)], [13, 14]).fixed == (14,)
