"""Window sets of the factor-windows paper: Algorithm 6, and what was published for them.

Idea: every set has a generator of its own, seeded by its name, so that a set does not change with
the number of sets that are asked for.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

Window = tuple[int, int]
"""Range and slide, in seconds."""

SEED_SLIDES, SEED_RANGES = (5, 10, 20), (2, 5, 10)
MULTIPLIER = 50
SIZES = (5, 10, 15, 20)
SPARSE_SIZES = (3, 5, 10)
FEW_KEYS, MANY_KEYS = 100, 100_000


@dataclass(frozen=True)
class Published:
    """Mean and greatest throughput boost on Synthetic-10M: without and with factor windows."""

    coverage: tuple[float, float]
    factor: tuple[float, float]


# Tables I and III
PUBLISHED = {
    "R-5-tumbling": Published((1.21, 1.92), (1.85, 2.54)),
    "R-10-tumbling": Published((1.34, 1.77), (1.88, 3.38)),
    "R-15-tumbling": Published((1.55, 1.96), (2.97, 4.34)),
    "R-20-tumbling": Published((1.49, 2.29), (2.10, 4.83)),
    "R-5-hopping": Published((1.18, 1.82), (3.26, 4.29)),
    "R-10-hopping": Published((1.34, 1.71), (3.20, 6.15)),
    "R-15-hopping": Published((1.55, 1.95), (4.67, 6.59)),
    "R-20-hopping": Published((1.68, 2.20), (4.23, 7.65)),
    "S-5-tumbling": Published((1.63, 1.67), (4.28, 4.81)),
    "S-10-tumbling": Published((1.98, 2.05), (7.91, 9.38)),
    "S-15-tumbling": Published((2.43, 2.49), (11.29, 13.83)),
    "S-20-tumbling": Published((2.42, 2.53), (14.28, 16.82)),
    "S-5-hopping": Published((1.34, 1.48), (2.17, 2.81)),
    "S-10-hopping": Published((1.58, 1.73), (2.92, 3.79)),
    "S-15-hopping": Published((1.85, 2.09), (3.51, 4.68)),
    "S-20-hopping": Published((1.91, 2.15), (4.02, 5.32)),
}


@dataclass(frozen=True)
class Setup:
    """A row of the tables: `size` windows by RandomGen ("R") or SequentialGen ("S").

    >>> Setup("S", 5, tumbling=True).window_set(0)
    ((10, 10), (15, 15), (20, 20), (25, 25), (30, 30))
    """

    generator: str
    size: int
    tumbling: bool
    keys: int = FEW_KEYS

    @property
    def name(self) -> str:
        if self.sparse:
            return f"sparse-{self.size}"
        return f"{self.generator}-{self.size}-{'tumbling' if self.tumbling else 'hopping'}"

    @property
    def sparse(self) -> bool:
        return self.keys > FEW_KEYS

    def window_set(self, number: int, multiplier: int = MULTIPLIER) -> tuple[Window, ...]:
        """The set of this number; no window is in it twice."""
        rng = random.Random(f"{self.name}/{number}")
        drawn = random_gen if self.generator == "R" else sequential_gen
        return drawn(rng, self.size, self.tumbling, multiplier)


def setups(sizes: tuple[int, ...] = SIZES) -> list[Setup]:
    """The rows of Tables I and III with these sizes, then those with sparse keys."""
    dense = [Setup(g, n, kind) for g in "RS" for kind in (True, False) for n in sizes]
    return dense + [Setup("R", n, True, MANY_KEYS) for n in SPARSE_SIZES]


def random_gen(
    rng: random.Random, size: int, tumbling: bool, multiplier: int = MULTIPLIER
) -> tuple[Window, ...]:
    """RandomGen (Algorithm 6): for every window a seed, then a multiple of it, from twice on."""
    seeds = _seeds(tumbling)
    possible = {seed * times for seed in seeds for times in range(2, multiplier + 1)}
    if size > len(possible):
        raise ValueError(f"multiples up to {multiplier} give {len(possible)} windows: got {size=}")
    found: dict[int, None] = {}  # in order, each once
    while len(found) < size:
        found[rng.choice(seeds) * rng.randint(2, multiplier)] = None
    return tuple(_window(slide, tumbling) for slide in found)


def sequential_gen(
    rng: random.Random, size: int, tumbling: bool, multiplier: int = MULTIPLIER
) -> tuple[Window, ...]:
    """SequentialGen: one seed, then twice, three times, ... the seed."""
    if size >= multiplier:
        raise ValueError(f"multiples up to {multiplier} give {multiplier - 1} windows: got {size=}")
    return tuple(islice(_multiples(rng.choice(_seeds(tumbling)), tumbling), size))


def _multiples(seed: int, tumbling: bool) -> Iterator[Window]:
    times = 2
    while True:
        yield _window(times * seed, tumbling)
        times += 1


def _seeds(tumbling: bool) -> tuple[int, ...]:
    return SEED_RANGES if tumbling else SEED_SLIDES


def _window(slide: int, tumbling: bool) -> Window:
    return (slide if tumbling else 2 * slide, slide)
