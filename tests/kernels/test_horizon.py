"""What a stream has passed of many families, against a list of all their windows."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from panewise.kernels.families import Families
from panewise.kernels.horizon import Horizon
from panewise.kernels.ranges import ALWAYS, NEVER, periodic_ranges
from panewise.windows import Family
from tests.kernels.families import families, instances, near

several = st.lists(families, min_size=1, max_size=4)
watermarks = st.lists(near, min_size=1, max_size=5).map(sorted)


@given(several, watermarks)
def test_families_are_due_when_a_window_ended_since_the_last_watermark(
    given: list[Family], stops: list[int]
) -> None:
    horizon = Horizon(Families(list(enumerate(given))))
    horizon.advance(stops[0], stops[0])
    for before, now in pairwise(stops):
        ended = [n for n, f in enumerate(given) if any(before < e <= now for _, e in instances(f))]
        assert np.flatnonzero(horizon.ends <= now).tolist() == ended
        horizon.advance(now, now)
        later = [end for f in given for _, end in instances(f) if end > now]
        assert horizon.next_end == min(later, default=ALWAYS)
    horizon.advance(ALWAYS, ALWAYS)
    assert horizon.next_end == ALWAYS


@given(st.lists(near, unique=True, min_size=1).map(sorted), several, watermarks)
def test_cells_are_needed_while_a_later_window_reads_them(
    panes: list[int], given: list[Family], stops: list[int]
) -> None:
    horizon = Horizon(Families(list(enumerate(given))))
    for keep in stops:
        later = [w for f in given for w in instances(f) if w[1] > keep]
        read = [any(start <= pane < end for start, end in later) for pane in panes]
        horizon.advance(keep, keep)
        assert horizon.needed(np.array(panes), keep).tolist() == read


def needed(family: Family, panes: list[int], keep: int) -> list[bool]:
    horizon = Horizon(Families([(0, family)]))
    horizon.advance(keep, keep)
    found: list[bool] = horizon.needed(np.array(panes), keep).tolist()
    return found


def test_nothing_is_needed_between_gaps() -> None:
    # size 3, slide 7    0 ### 3    7 ### 10
    # cells               1  3       8
    assert needed(Family(3, 7), [1, 3, 8], 2) == [True, False, True]
    assert needed(Family(3, 7), [1, 3, 8], 3) == [False, False, True]


def test_a_window_that_happens_once_is_kept_for_until_it_ends() -> None:
    once, panes = Family(5, 5, origin=10, once=True), [9, 10, 14, 15]
    assert needed(once, panes, 14) == [False, True, True, False]
    assert not any(needed(once, panes, 15))


def test_a_cumulating_window_keeps_its_first_step_to_the_end() -> None:
    # size 12 in steps of 4:   0 ####|####|#### 12
    cumulating, panes = Family(12, 12, step=4), [-1, 0, 5]
    assert needed(cumulating, panes, 8) == [False, True, True]
    assert not any(needed(cumulating, panes, 12))


@given(st.lists(near, unique=True, min_size=1).map(sorted), several, watermarks)
def test_windows_that_are_passed_are_found_at_once_or_not_at_all(
    panes: list[int], given: list[Family], stops: list[int]
) -> None:
    pane, runs = np.array(panes), np.array([0, len(panes)])
    at_once, apart = (Horizon(Families(list(enumerate(given)))) for _ in range(2))
    previous = NEVER
    for now in [*stops, ALWAYS]:
        bounds = np.array([previous]), np.array([now])
        expected = periodic_ranges(pane, runs, apart.families, *bounds)
        assert expected is not None
        found = at_once.passed(pane, previous, now, now)
        if found is None:
            assert len(expected) > len(given) and (at_once.ends == apart.ends).all()
            at_once.advance(now, now)
        else:
            assert [a.tolist() for a in found.arrays()] == [a.tolist() for a in expected.arrays()]
        apart.advance(now, now)
        assert (at_once.next_end, at_once.earliest) == (apart.next_end, apart.earliest)
        previous = now


@given(st.lists(near, unique=True, min_size=1).map(sorted), several, watermarks)
def test_windows_are_found_though_panes_that_nobody_needs_go(
    panes: list[int], given: list[Family], stops: list[int]
) -> None:
    horizon = Horizon(Families(list(enumerate(given))))
    pane, previous, gone = np.array(panes), NEVER, 0
    for now in stops:
        left = pane[gone:]
        bounds = np.array([previous]), np.array([now])
        expected = periodic_ranges(left, np.array([0, len(left)]), horizon.families, *bounds)
        found = horizon.passed(left, previous, now, now, gone)
        if found is None:
            horizon.advance(now, now)
        else:
            assert expected is not None
            assert [a.tolist() for a in found.arrays()] == [a.tolist() for a in expected.arrays()]
        previous = now
        if not horizon.gaps:
            gone = int(pane.searchsorted(horizon.earliest))
