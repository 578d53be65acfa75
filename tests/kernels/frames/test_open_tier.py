"""What is held of open frames, against the rows that they have."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import panewise as pw
from panewise.kernels.cells import Cells
from panewise.kernels.frames.open_tier import OpenFrameTier

pushes = st.lists(
    st.lists(st.tuples(st.integers(0, 3), st.integers(-1, 4)), max_size=8), min_size=1, max_size=4
)


def open_frames(rows: list[tuple[int, int]]) -> dict[int, list[int]]:
    """The numbers of the rows of each key's open frame."""
    frames: dict[int, list[int]] = {}
    for number, (key, value) in enumerate(rows):
        frames.setdefault(key, []).append(number)
        if value <= 0:
            frames[key] = []
    return {key: frame for key, frame in frames.items() if frame}


def held_after(
    several: list[list[tuple[int, int]]], order_by: str | None
) -> tuple[OpenFrameTier, list[int]]:
    """The tier, and the keys in the order of their numbers."""
    plan = pw.plan(
        time="t", by=["k"], windows=[pw.threshold_frame("x > 0")],
        aggregates=[pw.sum("x").alias("x")], order_by=order_by,
    )  # fmt: skip
    op, first = pw.Operator(plan), 0
    for rows in several:
        at = np.arange(first, first + len(rows))
        keys, values = np.array(rows, np.int64).reshape(-1, 2).T
        op.push({"t": at, "s": at, "k": pa.array(keys), "x": pa.array(values)})
        first += len(rows)
    op.advance(first)
    assert op._engine is not None
    (tier,) = op._engine.composer.row_tiers
    assert isinstance(tier, OpenFrameTier)
    return tier, op._engine.composer.keys.keys["k"].to_pylist()


def as_told(cells: Cells, keys: list[int]) -> dict[int, tuple[int, ...]]:
    assert cells.first is not None and cells.last is not None and cells.weights is not None
    columns = cells.first, cells.last, cells.weights, cells.sequence, cells.partials[0].arrow()
    found = [np.asarray(column).tolist() for column in columns]
    return dict(zip([keys[code] for code in cells.code], zip(*found, strict=True), strict=True))


def expected(rows: list[tuple[int, int]]) -> dict[int, tuple[int, ...]]:
    return {
        key: (frame[0], frame[-1], len(frame), frame[0], sum(rows[number][1] for number in frame))
        for key, frame in open_frames(rows).items()
    }


@pytest.mark.parametrize("order_by", [None, "s"])
@settings(max_examples=60, deadline=None)
@given(several=pushes)
def test_one_cell_has_what_the_rows_have(
    order_by: str | None, several: list[list[tuple[int, int]]]
) -> None:
    tier, keys = held_after(several, order_by)
    wanted = expected([row for rows in several for row in rows])
    assert tier.cells == len(wanted)
    assert [len(part) for part in tier.parts()] == ([len(wanted)] if wanted else [])
    for part in tier.parts():
        assert as_told(part, keys) == wanted


@settings(max_examples=60, deadline=None)
@given(several=pushes)
def test_keys_that_are_numbered_anew_keep_their_frames(
    several: list[list[tuple[int, int]]],
) -> None:
    tier, keys = held_after(several, None)
    wanted = expected([row for rows in several for row in rows])
    stays = np.array([key in wanted for key in keys], np.bool_)
    tier.rename(np.where(stays, np.cumsum(stays) - 1, -1))
    for part in tier.parts():
        assert as_told(part, [key for key in keys if key in wanted]) == wanted
