"""Levels of granules as the optimizer plans them: each reads the cells of the level before."""

import pytest

import panewise as pw
from panewise.plan import Edges

LEVELS = (("1m", "1s"), ("10m", "1m"), ("1h", "5m"), ("1d", "30m"))
SECOND = 1_000_000


@pytest.mark.parametrize("strategy", ["tree", "factor"])
@pytest.mark.parametrize("construct", ["granules", "sliding windows"])
def test_each_level_reads_granules_of_the_one_before(strategy: str, construct: str) -> None:
    """1 s granules are merged to minutes, these to five minutes, these to half hours: any nested
    windows are such a chain, whether they were given as granules or one by one."""
    windows = [pw.granules(*LEVELS)] if construct == "granules" else _sliding()
    made = pw.plan(time="t", windows=windows, aggregates=[pw.sum("x")], strategy=strategy)  # type: ignore[arg-type]
    assert isinstance(made, pw.Plan)
    (tree,) = made.trees
    granules = {}
    for node in tree.nodes:
        if node.window is None:
            continue
        assert node.parent is not None, "no level reads the events"
        above = tree.nodes[node.parent]
        shape = above.shape
        (period,) = (
            {period for period, _ in shape.progressions}
            if isinstance(shape, Edges)
            else {shape.slide}
        )
        granules[node.window] = period // SECOND
    if strategy == "factor":
        assert granules == {0: 1, 1: 60, 2: 300, 3: 1_800}
    else:  # a group-by more may cost more than it saves
        assert granules[0] == 1 and min(granules[n] for n in (1, 2, 3)) == 60
    read = [node for node in tree.nodes if node.parent is None]
    assert len(read) == 1, "the events are read once"


def _sliding() -> list[object]:
    return [pw.sliding(*level) for level in LEVELS]
