"""State from one engine into another: queries come and go, what is held stays.

Idea: edges of the old queries are edges of the new panes too, so their cells can be read on.  A
cell that a new edge cuts holds rows from before the new query, which reports nothing that begins
before it was added.
"""

from __future__ import annotations

from dataclasses import replace

from panewise.kernels.state import Layout, State
from panewise.operator.engine import Engine


def transplanted(old: Engine, new: Engine) -> Engine:
    """The new engine with all that the old one held and it can use."""
    old.settle()
    before, after = old.bound.layout(), new.bound.layout()
    composer, target = old.composer, new.composer
    target.keys, target.watermark = composer.keys, composer.watermark
    target.waiting = composer.waiting
    target.waiting.apply(lambda cells: after.adapted(cells, before))
    states = {t.identity: t.state() for t in (*composer.tiers, *composer.row_tiers)}
    for tier in (*target.tiers, *target.row_tiers):
        if tier.identity in states:
            tier.load(_adapted(states[tier.identity], after, before))
    return new


def _adapted(state: State, after: Layout, before: Layout) -> State:
    if state.cells is None:
        return state
    return replace(state, cells=after.adapted(state.cells, before))
