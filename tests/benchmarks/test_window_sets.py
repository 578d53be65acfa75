"""The window sets of the factor-windows experiment are those of Algorithm 6."""

import random

import pytest

window_sets = pytest.importorskip("benchmarks.papers.window_sets")

TUMBLING = {seed * times for seed in (2, 5, 10) for times in range(2, 51)}
HOPPING = {seed * times for seed in (5, 10, 20) for times in range(2, 51)}
DENSE = [setup for setup in window_sets.setups() if not setup.sparse]


def test_every_published_row_has_a_setup():
    assert sorted(setup.name for setup in DENSE) == sorted(window_sets.PUBLISHED)


@pytest.mark.parametrize("setup", window_sets.setups(), ids=lambda setup: setup.name)
@pytest.mark.parametrize("number", range(10))
def test_a_set_has_its_size_and_no_window_twice(setup, number):
    found = setup.window_set(number)
    assert len(found) == len(set(found)) == setup.size


@pytest.mark.parametrize("setup", DENSE, ids=lambda setup: setup.name)
def test_windows_are_multiples_of_a_seed_and_never_the_seed_itself(setup):
    for size, slide in setup.window_set(1):
        assert slide in (TUMBLING if setup.tumbling else HOPPING)
        assert size == (slide if setup.tumbling else 2 * slide)


def test_sequential_sets_begin_at_twice_the_seed_and_leave_none_out():
    for number in range(10):
        slides = [slide for _, slide in window_sets.Setup("S", 20, False).window_set(number)]
        seed = slides[0] // 2
        assert seed in window_sets.SEED_SLIDES
        assert slides == [times * seed for times in range(2, 22)]


def test_a_set_is_the_same_every_time_and_another_for_another_number():
    setup = window_sets.Setup("R", 10, True)
    assert setup.window_set(3) == setup.window_set(3)
    assert len({setup.window_set(number) for number in range(10)}) == 10


def test_more_windows_than_there_are_is_refused():
    with pytest.raises(ValueError, match="99 windows"):
        window_sets.random_gen(random.Random(1), 100, False)
    with pytest.raises(ValueError, match="49 windows"):
        window_sets.sequential_gen(random.Random(1), 50, True)
