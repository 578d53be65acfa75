"""The kernel on Spark: panes by a group-by, windows by one compiled pass over the sorted panes.

The result has columns `k*`, `w` (the window's number), `s` and `e` in ticks, `a*`, and `r*` for
aggregates that only array code can lower.
"""

from __future__ import annotations

from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import (
    ArrayType,
    DataType,
    DecimalType,
    IntegerType,
    LongType,
    StructField,
    StructType,
)

from panewise.kernels.asked import Asked, AskedWindows
from panewise.kernels.program import Program
from panewise.optimizer.edges import pane_edges
from panewise.plan import Edges, Placement, Tree
from panewise.spark import packets, slice
from panewise.spark.binding import Binding
from panewise.spark.worker import CellJob, Job, Lowered, RowJob
from panewise.windows import Family, PaneWidth

HOMES = 200
"""Workers of rows in order where the session leaves their number open, as some platforms do."""


def windows(tree: Tree, binding: Binding) -> DataFrame:
    """All windows of a tree from its panes."""
    panes = tree.nodes[0].shape
    assert isinstance(panes, Edges)
    times = any(isinstance(node.shape, PaneWidth) for node in tree.nodes)
    rows = binding.rows
    if tree.placement is Placement.ROWS:
        rows = rows.repartition(*binding.keys)
    cells = slice.cells(binding, rows, panes, times=times)
    if tree.placement is Placement.CELLS:
        cells = cells.repartition(*binding.keys) if binding.keys else cells.repartition(1)
    # hash by key, sort by pane alone: a single long sorts by radix, several times faster than
    # (key, pane), and the kernel groups by key itself
    ordered = cells.sortWithinPartitions("p")
    schema = kernel_schema(binding)
    return ordered.mapInArrow(cell_job(tree, binding, schema).run, schema)


def row_windows(tree: Tree, binding: Binding) -> DataFrame:
    """All windows of a tree that needs rows in order."""
    homes, home = 1, "0"
    if binding.keys:
        asked = str(binding.events.sparkSession.conf.get("spark.sql.shuffle.partitions"))
        homes = int(asked) if asked.isdecimal() else HOMES
        home = f"pmod(hash({', '.join(binding.keys)}), {homes})"
    rows = binding.rows.selectExpr("*", f"{home} AS {packets.HOME}")
    packed = rows.mapInArrow(packets.Packing(homes).run, packets.SQL)
    moved = packed.repartition("label") if binding.keys else packed.repartition(1)
    ordered = moved.sortWithinPartitions(*packets.ORDER)
    schema = kernel_schema(binding)
    return ordered.mapInArrow(row_job(tree, binding, schema).run, schema)


def kernel_schema(binding: Binding) -> StructType:
    named = zip(binding.keys, binding.query.by, strict=True)
    fields = [StructField(inside, binding.fields[name].dataType) for inside, name in named]
    fields.append(StructField("w", IntegerType()))
    fields += [StructField(name, LongType()) for name in ("s", "e", "no")]
    for partial, name in binding.partials.items():
        kind = binding.partial_type(partial)
        if isinstance(kind, DecimalType) and partial.monoid == "sum":
            kind = DecimalType(38, kind.scale)
        fields.append(StructField(name, kind))
    for number, aggregate in enumerate(binding.query.aggregates):
        if not aggregate.native:
            declared = binding.result_type(aggregate)
            assert declared is not None, f"{aggregate.canonical} says no type"
            fields.append(StructField(f"r{number}", declared))
    return StructType([StructField(f.name, _nullable(f.dataType)) for f in fields])


def _nullable(kind: DataType) -> DataType:
    """The same type with every nested field nullable: array code does not track what cannot be."""
    if isinstance(kind, StructType):
        return StructType([StructField(f.name, _nullable(f.dataType)) for f in kind.fields])
    if isinstance(kind, ArrayType):
        return ArrayType(_nullable(kind.elementType))
    return kind


def cell_job(tree: Tree, binding: Binding, schema: StructType) -> Job:
    """What Spark ships to the workers: values only, no DataFrame and no session."""
    panes = tree.nodes[0].shape
    assert isinstance(panes, Edges)
    return CellJob(**_described(tree, binding, schema, panes))


def row_job(tree: Tree, binding: Binding, schema: StructType) -> Job:
    paned = [binding.query.windows[i] for i in tree.windows if _has_panes(binding, i)]
    described = _described(tree, binding, schema, pane_edges(paned, many=True))
    return RowJob(**described, inputs=binding.inputs)


def _has_panes(binding: Binding, window: int) -> bool:
    return isinstance(binding.query.windows[window].demand(), Family | PaneWidth)


def _described(tree: Tree, binding: Binding, schema: StructType, panes: Edges) -> dict[str, Any]:
    """The program, and the names of keys, partials, counted columns and lowered results."""
    program = Program(
        windows=AskedWindows(Asked(i, binding.query.windows[i].demand()) for i in tree.windows),
        panes=panes,
        partials=tuple(binding.partials),
        counts_values=bool(binding.counted),
        checked=binding.ansi,
        resolution=binding.measure.resolution,
        commutative=binding.query.commutative,
        # cells of one value each would be combined out of order
        mergeable=binding.query.commutative or not binding.counted,
    )
    lowered = tuple(
        Lowered(f"r{i}", a, tuple(binding.partials_of(a)), binding.inputs[a.columns()[0]])
        for i, a in enumerate(binding.query.aggregates)
        if not a.native
    )
    return {
        "program": program,
        "keys": tuple(binding.keys),
        "partials": tuple(binding.partials.values()),
        "counted": tuple(binding.counted),
        "lowered": lowered,
        "schema": to_arrow_schema(schema, timezone=binding.time_zone),
    }
