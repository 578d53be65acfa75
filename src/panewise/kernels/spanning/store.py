"""Cells of events with a duration, for partials that share a technique."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from panewise.aggregates import Partial, Rows, ValueCounts
from panewise.aggregates.count import CountPartial
from panewise.aggregates.spanning import SHARE
from panewise.aggregates.sum import FloatSumPartial, SumPartial
from panewise.kernels.asked import AskedWindows
from panewise.kernels.cells import Cells
from panewise.kernels.columns import Numbers, taken
from panewise.kernels.program import Program
from panewise.kernels.slicer import Slicer
from panewise.kernels.spanning.compose import Leveled, companion
from panewise.kernels.spanning.layout import Layout
from panewise.kernels.survey import survey
from panewise.kernels.vocabulary import Vocabulary
from panewise.plan import Edges, Technique
from panewise.plan.technique import Kind


@dataclass(frozen=True)
class Share:
    """Partials that are written and read alike, with the counts that their differences need."""

    technique: Technique
    idempotent: bool
    partials: tuple[Partial, ...]
    counted: bool = False
    """Whether its cells are of one value each: these have counts, and no partials."""

    @property
    def carried(self) -> tuple[Partial, ...]:
        """The columns of its cells: the events of a cell come last."""
        if self.technique.kind is Kind.ENDPOINTS or self.counted:
            return (CountPartial(),)
        needed: list[Partial] = list(self.partials)
        if self.technique.kind is Kind.DIFFERENCE:
            needed += [count for p in self.partials if (count := companion(p)) is not None]
        return (*dict.fromkeys(p for p in needed if p != CountPartial()), CountPartial())


def shares(
    partials: Sequence[tuple[Partial, pa.DataType]], asked: dict[Partial, Technique]
) -> list[Share]:
    """Partials by technique.

    Floating sums are not taken apart, because what cancels would be lost: they go into blocks.
    """
    found: dict[tuple[Technique, bool], list[Partial]] = {}
    for partial, kind in partials:
        technique = asked[partial]
        if technique.kind is Kind.DIFFERENCE and not _subtracts(partial, kind):
            technique = Technique(Kind.DYADIC)
        idempotent = technique.kind is Kind.DYADIC and partial.properties.idempotent
        found.setdefault((technique, idempotent), []).append(partial)
    counting = [technique for p, technique in asked.items() if isinstance(p, ValueCounts)]
    return [
        *(Share(*key, tuple(members)) for key, members in found.items()),
        *(Share(technique, False, (), counted=True) for technique in counting[:1]),
    ]


def _subtracts(partial: Partial, kind: pa.DataType) -> bool:
    if isinstance(partial, FloatSumPartial) or pa.types.is_floating(kind):
        return False
    return isinstance(partial, CountPartial | SumPartial)


def slicer_for(share: Share, panes: Edges, checked: bool, values: Vocabulary) -> Slicer:
    """Makes cells of a share; values that are counted are numbered in the vocabulary."""
    program = Program(
        AskedWindows(), panes, share.carried, counts_values=share.counted, checked=checked
    )
    return Slicer(program, values, times=False)


def written(
    slicer: Slicer,
    layout: Layout,
    code: np.ndarray,
    keys: int,
    rows: Rows,
    last: np.ndarray,
) -> Leveled:
    """The cells of these events, whose ticks are their starts."""
    everything = list(layout.writes(np.asarray(rows.ticks), last))
    levels = 1 + max((int(np.max(each.level, initial=0)) for each in everything), default=0)
    for each in everything:
        if not len(each.tick):
            continue
        placed = code if each.row is None else code[each.row]
        own = rows if each.row is None else _taken(rows, each.row)
        if each.share is not None:
            own = replace(own, columns={**own.columns, SHARE: pa.array(each.share)})
        slicer.add(each.level * keys + placed, levels * keys, each.tick, own, survey(each.tick))
    cells = slicer.drain()
    assert cells is not None
    return leveled(cells, keys)


def leveled(cells: Cells, keys: int) -> Leveled:
    """Cells whose last column counts their events."""
    counts = cells.partials[-1]
    assert isinstance(counts, Numbers)
    return Leveled(cells, keys, counts.values)


def _taken(rows: Rows, at: np.ndarray) -> Rows:
    picked = pa.array(at)
    columns = {name: column.take(picked) for name, column in rows.columns.items()}
    return replace(rows, columns=columns, ticks=taken(rows.ticks, at))
