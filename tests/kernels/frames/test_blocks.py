"""Blocks: rows of many keys in order, whatever order they come in."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from panewise.kernels.frames.blocks import NONE, WIDTH, Blocks, drop_first, insert_all, listed

KEYS = 3
quick = settings(max_examples=40, deadline=None)


class Kept:
    """Blocks beside a list that is sorted."""

    def __init__(self) -> None:
        self.blocks = Blocks()
        self.blocks.grow(KEYS, 0)
        self.ticks, self.sequence, self.codes = (np.empty(0, np.int64) for _ in range(3))
        self.rows: list[list[int]] = [[] for _ in range(KEYS)]

    def insert(self, ticks: Any, sequence: Any, codes: Any) -> None:
        low = len(self.ticks)
        self.ticks = np.append(self.ticks, ticks).astype(np.int64)
        self.sequence = np.append(self.sequence, sequence).astype(np.int64)
        self.codes = np.append(self.codes, codes).astype(np.int64)
        self.blocks.grow(KEYS, len(ticks))
        self.blocks.used = insert_all(
            self.blocks.chains, self.blocks.used, self.ticks, self.sequence,
            self.codes, low, len(self.ticks),
        )  # fmt: skip
        for row in range(low, len(self.ticks)):
            self.rows[self.codes[row]].append(row)
        for rows in self.rows:
            rows.sort(key=lambda row: (self.ticks[row], self.sequence[row], row))

    def drop(self, key: int, count: int) -> None:
        drop_first(self.blocks.chains, key, count)
        del self.rows[key][:count]

    def check(self) -> None:
        expected = [row for rows in self.rows for row in rows]
        out = np.empty(len(self.ticks), np.int64)
        assert out[: listed(self.blocks.chains, out)].tolist() == expected
        head, tail, _, sizes, following, previous = self.blocks.chains
        for key in range(KEYS):
            block, before = head[key], NONE
            assert (head[key] == NONE) == (tail[key] == NONE) == (not self.rows[key])
            while block != NONE:
                assert previous[block] == before and 0 < sizes[block] <= WIDTH
                block, before = following[block], block
            assert tail[key] == before


pushes = st.lists(
    st.lists(
        st.tuples(st.integers(0, 12), st.integers(0, 3), st.integers(0, KEYS - 1)), max_size=300
    ),
    max_size=5,
)


@quick
@given(pushes=pushes, drops=st.lists(st.integers(0, 200), min_size=5, max_size=5))
def test_any_order_with_ties(pushes: list[Any], drops: list[int]) -> None:
    kept = Kept()
    for push, drop in zip(pushes, drops, strict=False):
        if push:
            kept.insert(*zip(*push, strict=True))
        kept.check()
        for key, rows in enumerate(kept.rows):
            kept.drop(key, min(drop, len(rows)))
        if push:
            kept.check()


@pytest.mark.parametrize("step", [1, -1], ids=["forwards", "backwards"])
def test_thousands_of_one_key(step: int) -> None:
    kept = Kept()
    for low in range(0, 5_000, 500):
        ticks = np.arange(low, low + 500) * step
        kept.insert(ticks, np.zeros(500), np.ones(500))
    kept.check()


def test_rows_in_order_fill_their_blocks() -> None:
    kept = Kept()
    kept.insert(np.arange(10 * WIDTH), np.zeros(10 * WIDTH), np.zeros(10 * WIDTH))
    assert kept.blocks.used == 10


def test_a_full_block_is_cut_in_two() -> None:
    """A late row at its beginning, in its middle, just behind its middle, and before its last."""
    for at in (0, WIDTH // 2, WIDTH // 2 + 1, WIDTH - 1):
        kept = Kept()
        kept.insert(2 * np.arange(WIDTH), np.zeros(WIDTH), np.zeros(WIDTH))
        kept.insert([2 * at - 1], [0], [0])
        kept.check()
        assert kept.blocks.used == 2


def test_a_key_that_was_emptied_begins_again() -> None:
    kept = Kept()
    kept.insert(np.arange(WIDTH + 5), np.zeros(WIDTH + 5), np.zeros(WIDTH + 5))
    kept.drop(0, WIDTH + 5)
    kept.check()
    kept.insert([3, 1], [0, 0], [0, 0])
    kept.check()


def test_many_rows_that_each_cut_a_block() -> None:
    """Room is made before the loop, which cannot."""
    kept = Kept()
    full = 40 * WIDTH
    kept.insert(1_000 * np.arange(full), np.zeros(full), np.zeros(full))
    late = 1_000 * np.arange(0, full, WIDTH // 4) + 1
    for push in (late, late + 1, late + 2, np.repeat(late[:3], 500) + 3):
        kept.insert(push, np.zeros(len(push)), np.zeros(len(push)))
    kept.check()


def test_keys_that_are_kept_keep_their_rows() -> None:
    kept = Kept()
    kept.insert([5, 4, 3], [0, 0, 0], [0, 1, 2])
    kept.blocks.rename(np.array([0, 2]))
    out = np.empty(2, np.int64)
    assert out[: listed(kept.blocks.chains, out)].tolist() == [0, 2]
