"""Blocks of rows in order: any order of arrival, and few blocks."""

import numpy as np
import pytest

from panewise.kernels.frames.blocks import WIDTH, Blocks, found, insert_all, listed

ROWS = 10 * WIDTH
rng = np.random.default_rng(7)
ORDERS = {
    "in order": np.arange(ROWS),
    "reversed": np.arange(ROWS)[::-1].copy(),
    "reversed after a full block": np.r_[:WIDTH, ROWS - 1 : WIDTH - 1 : -1],
    "shuffled": rng.permutation(ROWS),
    "ties": rng.integers(0, 50, ROWS),
}


def filled(ticks, first):
    """Blocks after two pushes."""
    blocks, numbers = Blocks(), np.arange(len(ticks))
    for low, high in ((0, first), (first, len(ticks))):
        blocks.grow(1, high - low)
        codes = np.zeros(high, np.int64)
        blocks.used = insert_all(blocks.chains, blocks.used, ticks, numbers, codes, low, high)
        assert blocks.used <= len(blocks.sizes)
    return blocks, numbers


@pytest.mark.parametrize("name", ORDERS)
def test_rows_are_in_order_in_few_blocks(name):
    ticks = ORDERS[name]
    blocks, numbers = filled(ticks, WIDTH)
    rows = np.empty(len(ticks), np.int64)
    assert listed(blocks.chains, rows) == len(ticks)
    assert np.array_equal(rows, np.lexsort((numbers, ticks)))
    assert blocks.used <= 2 * ROWS // WIDTH + 1


@pytest.mark.parametrize("name", ORDERS)
def test_every_row_is_found_where_it_is(name):
    ticks = ORDERS[name]
    blocks, numbers = filled(ticks, WIDTH)
    for row in numbers:
        block, at = found(blocks.chains, ticks, numbers, 0, row)
        assert blocks.ids[block, at] == row
