"""The worked examples of the spanning-events paper, cell by cell: slices of 5, windows of 15."""

import numpy as np
import pyarrow as pa

from panewise.aggregates import Partial
from panewise.aggregates.count import CountPartial
from panewise.aggregates.extremes import MaxPartial
from panewise.aggregates.sum import SumPartial
from panewise.kernels.cells import Cells
from panewise.kernels.columns import ALL_VALID, Numbers
from panewise.kernels.spanning.compose import Leveled, composed
from panewise.kernels.spanning.layout import SeSlicing
from panewise.plan import Edges

PANES = Edges(((5, 0),))


def numbers(values: list[int]) -> Numbers:
    return Numbers(np.array(values, np.int64), ALL_VALID, pa.int64())


def cells_of(levels: dict[int, dict[int, int]], partial: Partial) -> Leveled:
    """Cells of one key: by level, the value of each slice."""
    placed = [(lv, pane, v) for lv, found in sorted(levels.items()) for pane, v in found.items()]
    level, pane, value = (list(each) for each in zip(*placed, strict=True))
    count = numbers([1] * len(value))
    columns: list[Numbers] = [numbers(value), count]
    held = Cells(np.array(level, np.int64), np.array(pane, np.int64), list(columns))
    return Leveled(held, 1, count.values)


def window(levels: dict[int, dict[int, int]], partial: Partial, height: int, at: int) -> int:
    """What the window `[at, at + 15)` reads."""
    layout = SeSlicing(PANES, 0, 99, height)
    one = tuple(np.array([n], np.int64) for n in (0, 0, at, at + 15))
    found = composed(layout, cells_of(levels, partial), (partial, CountPartial()), one, True)[0]
    assert isinstance(found, Numbers)
    return int(found.values[0])


ENDING = [8, 19, 15, 18, 14, 12, 16]
GOING_ON = [25, 18, 12, 14, 11, 19, 16]
HIGHEST = [20, 63, 19, 33, 18, 47, 18]


def by_slice(values: list[int]) -> dict[int, int]:
    return {5 * i: v for i, v in enumerate(values)}


def test_events_that_end_in_the_window() -> None:
    assert window({0: by_slice(ENDING)}, SumPartial("x"), 1, 0) == 42


def test_the_highest_of_the_slices() -> None:
    assert window({0: by_slice(HIGHEST)}, MaxPartial("x"), 1, 0) == 63


def test_and_those_that_go_on_beyond_it() -> None:
    cells = {0: by_slice(ENDING), 1: by_slice(GOING_ON)}
    assert window(cells, SumPartial("x"), 1, 0) == 54


def test_levels_of_later_slices_reach_back() -> None:
    """Three levels: the window [50, 65) reads slices of 65 and 70, too."""
    ending = {0: {50: 10, 55: 14, 60: 20}, 1: {65: 3}, 2: {65: 4, 70: 4}}
    going = {3: {60: 7}, 4: {60: 5, 65: 4}, 5: {60: 10, 65: 3, 70: 7}}
    # what the window must leave out: going on within it, and levels that do not reach back
    beyond = {0: {65: 100}, 1: {70: 100}, 3: {50: 100, 55: 100, 65: 100}, 5: {75: 100}}
    cells = {lv: {**ending.get(lv, {}), **going.get(lv, {})} for lv in range(6)}
    for level, extra in beyond.items():
        cells[level] = dict(sorted({**cells[level], **extra}.items()))
    assert window(cells, SumPartial("x"), 3, 50) == 91


def written(height: int, start: int, end: int) -> set[tuple[int, int]]:
    """Level and slice of every cell of an event."""
    layout = SeSlicing(PANES, 0, 99, height)
    (found,) = layout.writes(np.array([start]), np.array([end - 1]))
    assert isinstance(found.level, np.ndarray)
    return set(zip(found.level.tolist(), found.tick.tolist(), strict=True))


def test_the_event_from_16_to_34() -> None:
    """It ends in [30, 35) and goes on in the three slices before."""
    assert written(1, 16, 34) == {(0, 30), (1, 15), (1, 20), (1, 25)}


def test_the_event_from_61_to_79_in_three_levels() -> None:
    """Level 3 of [75, 80) ends it; level 1 of [60, 65) has the slice that is left."""
    assert written(3, 61, 79) == {(2, 75), (3, 60)}


def test_an_event_that_ends_on_an_edge_is_not_in_the_slice_after() -> None:
    assert written(1, 3, 10) == {(0, 5), (1, 0)}
