"""Events with a duration on Spark: each becomes a few cells by expressions, cells are grouped, and
windows are composed by key.

No event is copied for every slice of its length, unless a slicing technique is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import to_arrow_schema, to_arrow_type
from pyspark.sql.types import StructType

from panewise.aggregates import Partial, TallyAggregate
from panewise.aggregates.spanning import WeightedSumPartial
from panewise.aggregates.user import UserPartial
from panewise.kernels.spanning.dense import entering
from panewise.kernels.spanning.layout import unit
from panewise.kernels.spanning.store import Share, shares
from panewise.optimizer.edges import pane_edges
from panewise.plan import Edges, Placement, Technique, Tree
from panewise.plan.technique import Kind
from panewise.spark.binding import Binding
from panewise.spark.expressions import floor_of, pane_of
from panewise.spark.kernel import kernel_schema
from panewise.spark.span_cells import folded
from panewise.spark.span_rows import SpanRowJob
from panewise.spark.span_worker import SpanJob
from panewise.spark.worker import Lowered
from panewise.windows import Family


def windows(trees: Sequence[Tree], binding: Binding) -> DataFrame:
    """Window partials with columns `k*`, `w`, `s`, `e` and `a*`."""
    asked = {p: t.technique for t in trees for p in _partials(t, binding) if t.technique}
    kinds = [
        (p, to_arrow_type(binding.partial_type(p), timezone=binding.time_zone))
        for p in binding.partials
    ]
    panes = pane_edges(binding.query.windows)
    moving = {p for t in trees if t.placement is Placement.ROWS for p in _partials(t, binding)}
    several = shares(kinds, asked)
    traveling = [s for s in several if moving.issuperset(s.partials) and entering(s)]
    found = [_windows(share, panes, binding) for share in several if share not in traveling]
    if traveling:
        found.append(_row_windows(traveling, panes, binding))
    if len(found) == 1:
        return found[0]
    # every share tells the same windows, each with columns of its own
    together = reduce(lambda a, b: a.unionByName(b, allowMissingColumns=True), found)
    lowered = (f"r{n}" for n, a in enumerate(binding.query.aggregates) if not a.native)
    told = [*binding.partials.values(), *lowered]
    columns = [F.first(name, ignorenulls=True).alias(name) for name in told]
    return together.groupBy(*binding.keys, "w", "s", "e").agg(*columns)


def _partials(tree: Tree, binding: Binding) -> list[Partial]:
    aggregates = [binding.query.aggregates[number] for number in tree.aggregates]
    return [p for a in aggregates for p in a.partials(binding.scope)]


def _windows(share: Share, panes: Edges, binding: Binding) -> DataFrame:
    names = {partial: f"c{i}" for i, partial in enumerate(share.carried)}
    cells = _cells(share, panes, names, binding)
    moved = cells.repartition(*binding.keys) if binding.keys else cells.repartition(1)
    schema = _schema(share, binding)
    job = SpanJob(
        share=share,
        panes=panes,
        families=_families(binding),
        keys=tuple(binding.keys),
        counted=tuple(binding.counted) if share.counted else (),
        columns=tuple(names.values()),
        told=tuple(binding.partials[p] for p in share.partials),
        lowered=_lowered(share, binding),
        schema=to_arrow_schema(schema, timezone=binding.time_zone),
        checked=binding.ansi,
    )
    return moved.mapInArrow(job.run, schema)


def _row_windows(several: Sequence[Share], panes: Edges, binding: Binding) -> DataFrame:
    """Windows of events that travel, with the columns of all shares."""
    schemas = [_schema(share, binding) for share in several]
    schema = StructType(list(dict.fromkeys(field for each in schemas for field in each.fields)))
    job = SpanRowJob(
        shares=tuple(several),
        panes=panes,
        families=_families(binding),
        keys=tuple(binding.keys),
        inputs=dict(binding.inputs),
        told={p: binding.partials[p] for share in several for p in share.partials},
        lowered=tuple(one for share in several for one in _lowered(share, binding)),
        schema=to_arrow_schema(schema, timezone=binding.time_zone),
        checked=binding.ansi,
    )
    return binding.rows.repartition(*binding.keys).mapInArrow(job.run, schema)


def _families(binding: Binding) -> tuple[tuple[int, Family], ...]:
    return tuple(
        (number, demand)
        for number, window in enumerate(binding.query.windows)
        if isinstance(demand := window.demand(), Family)
    )


def _cells(share: Share, panes: Edges, names: Mapping[Partial, str], binding: Binding) -> DataFrame:
    """Cells with columns `k*`, `lv`, `p`, `c*`, and counted `v*`."""
    if any(isinstance(partial, UserPartial) for partial in names):
        return folded(share, panes, names, binding)
    inputs = [*binding.keys, *binding.inputs.values()]
    rows = binding.rows.selectExpr(*inputs, f"inline({_writes(share, panes)})")
    keys = [*binding.keys, "lv", "p", *(binding.counted if share.counted else ())]
    lifted = [F.expr(_lifted(p, binding)).alias(name) for p, name in names.items()]
    return rows.groupBy(*keys).agg(*lifted)


def _lifted(partial: Partial, binding: Binding) -> str:
    if isinstance(partial, WeightedSumPartial):
        return partial.weighed_sql(binding.scope, "f")
    return str(partial.lift_sql(binding.scope))


def _lowered(share: Share, binding: Binding) -> tuple[Lowered, ...]:
    """The aggregates that only array code can lower, and only from this share."""
    return tuple(
        Lowered(f"r{number}", a, tuple(binding.partials_of(a)), binding.inputs[a.columns()[0]])
        for number, a in enumerate(binding.query.aggregates)
        if not a.native
        and (
            share.counted
            if isinstance(a, TallyAggregate)
            else {*a.partials(binding.scope)} <= {*share.partials}
        )
    )


def _schema(share: Share, binding: Binding) -> StructType:
    own = [binding.partials[p] for p in share.partials]
    own += [one.name for one in _lowered(share, binding)]
    told = {*binding.keys, "w", "s", "e", *own}
    return StructType([f for f in kernel_schema(binding).fields if f.name in told])


def _writes(share: Share, panes: Edges) -> str:
    """An array of level and pane for every cell of an event, from tick `t` to tick `z`."""
    technique = share.technique
    if technique.kind is Kind.DIFFERENCE:
        return f"array({_cell('0', pane_of(panes, 't'))}, {_cell('1', pane_of(panes, 'z'))})"
    if technique.kind is Kind.ENDPOINTS:
        return f"array({_cell('0', 't')}, {_cell('1', 'z + 1')})"
    if technique.kind is Kind.WEIGHTED:
        return _weighted(panes)
    if technique.kind is Kind.DYADIC:
        return _twice(panes) if share.idempotent else _once(panes)
    return _slices(panes, technique)


def _cell(level: str, pane: str) -> str:
    return f"named_struct('lv', {level}, 'p', {pane})"


def _twice(panes: Edges) -> str:
    """Two blocks that cover the event together."""
    width, origin = unit(panes)
    first, last = (floor_of(tick, width, origin) for tick in ("t", "z"))
    level = f"(length(bin(({last} - ({first})) div {width}L + 1)) - 1)"
    second = f"{last} + {width}L - shiftleft({width}L, {level})"
    return f"array({_cell(level, first)}, {_cell(level, second)})"


def _once(panes: Edges) -> str:
    """Where it began, and aligned blocks of all slices after that: at most two of each level."""
    width, origin = unit(panes)
    first, last = (f"{_slice(tick, width, origin)} + 1" for tick in ("t", "z"))
    began = _cell("0", floor_of("t", width, origin))
    return f"concat(array({began}), {_blocks(first, last, panes, _cell)})"


def _weighted(panes: Edges) -> str:
    """What the first and the last slice have of it, and blocks of what each slice between has."""
    width, origin = unit(panes)
    length, whole = "(z - t + 1)", "{} / CAST((z - t + 1) AS DOUBLE)".format

    def cell(level: str, pane: str, ticks: str = f"{width}L") -> str:
        return f"named_struct('lv', {level}, 'p', {pane}, 'f', {whole(ticks)})"

    first, last = (floor_of(tick, width, origin) for tick in ("t", "z"))
    begun = cell("0", first, f"({first} + {width}L - t)")
    ended = cell("0", last, f"(z - ({last}) + 1)")
    between = (f"{_slice('t', width, origin)} + 1", _slice("z", width, origin))
    longer = f"concat(array({begun}, {ended}), {_blocks(*between, panes, cell)})"
    return f"IF({first} < {last}, {longer}, array({cell('0', first, length)}))"


def _slice(tick: str, width: int, origin: int) -> str:
    return f"({floor_of(tick, width, origin)} - {origin}L) div {width}L"


def _blocks(first: str, last: str, panes: Edges, cell: Callable[[str, str], str]) -> str:
    """Aligned blocks of the slices from `first` on and before `last`: two of a level at most."""
    width, origin = unit(panes)
    # at level j the blocks from `low` on and before `high` are left to be covered
    low = f"shiftright({first} + shiftleft(1L, j) - 1, j)"
    high = f"shiftright({last}, j)"
    tick = f"shiftleft({{}}, j) * {width}L + {origin}L"
    left = f"IF({low} < {high} AND {low} & 1 = 1, {cell('j + 1', tick.format(low))}, NULL)"
    right = (
        f"IF({low} + ({low} & 1) < {high} AND {high} & 1 = 1, "
        f"{cell('j + 1', tick.format(f'({high} - 1)'))}, NULL)"
    )
    levels = f"sequence(0, length(bin({last} - ({first}))))"
    blocks = f"flatten(transform({levels}, j -> array({left}, {right})))"
    return f"filter({blocks}, cell -> cell IS NOT NULL)"


def _slices(panes: Edges, technique: Technique) -> str:
    """A cell in every slice, or in every few from the last one back."""
    parts = [f"array({pane_of(panes, 't')})"]
    for period, phase in panes.progressions:
        after = f"{floor_of('t', period, phase)} + {period}L"
        parts.append(f"IF({after} <= z, sequence({after}, z, {period}L), array())")
    if panes.fixed:
        fixed = ", ".join(f"{edge}L" for edge in panes.fixed)
        parts.append(f"filter(array({fixed}), edge -> edge > t AND edge <= z)")
    slices = f"array_sort(array_distinct(concat({', '.join(parts)})))"
    height = technique.height
    left = f"size(slices) - {height} * h"
    level = f"IF(h > 0, {height}, 0) + least({left}, {height}) - 1"
    hops = f"sequence(0, CAST((size(slices) - 1) div {height} AS INT))"
    cells = f"transform({hops}, h -> {_cell(level, f'element_at(slices, {left})')})"
    return f"flatten(transform(array({slices}), slices -> {cells}))"
