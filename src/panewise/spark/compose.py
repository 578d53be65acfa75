"""Compose: cells into window partials, by the way the plan chose.

The result has columns `k*`, `w` (the window's number), `s` and `e` in ticks, `a*`, and `r*` for
aggregates that only array code can lower.
"""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
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

from panewise.kernels.compose import Program
from panewise.plan import Composition, Placement, Plan
from panewise.spark.binding import Binding
from panewise.spark.expressions import windows_of
from panewise.spark.worker import Job, Lowered
from panewise.windows import Family


def windows(plan: Plan, binding: Binding, cells: DataFrame) -> DataFrame:
    """All windows of the plan from its cells."""
    if plan.composition is Composition.DIRECT:
        return _direct(plan, cells)
    if plan.composition is Composition.EXPAND:
        return _expand(plan, binding, cells)
    return _kernel(plan, binding, cells)


def _direct(plan: Plan, cells: DataFrame) -> DataFrame:
    size = plan.query.windows[0].demand().size  # type: ignore[union-attr]
    return cells.withColumns({"w": F.lit(0), "s": F.expr("p"), "e": F.expr(f"p + {size}L")})


def _expand(plan: Plan, binding: Binding, cells: DataFrame) -> DataFrame:
    demands = (window.demand() for window in plan.query.windows)
    arrays = [windows_of(i, d, "p") for i, d in enumerate(demands) if isinstance(d, Family)]
    every = f"concat({', '.join(arrays)})" if len(arrays) > 1 else arrays[0]
    copied = cells.select("*", F.expr(f"inline({every})")).where("p >= s AND p < e")
    combined = [F.expr(str(p.combine_sql(n))).alias(n) for p, n in binding.partials.items()]
    return copied.groupBy(*binding.keys, "w", "s", "e").agg(*combined)


def _kernel(plan: Plan, binding: Binding, cells: DataFrame) -> DataFrame:
    # hash by key, sort by pane alone: a single long sorts by radix, several times faster than
    # (key, pane), and the kernel groups by key itself
    if plan.placement is Placement.CELLS:
        cells = cells.repartition(*binding.keys) if binding.keys else cells.repartition(1)
    ordered = cells.sortWithinPartitions("p")
    schema = kernel_schema(binding)
    return ordered.mapInArrow(job(plan, binding, schema).run, schema)


def kernel_schema(binding: Binding) -> StructType:
    named = zip(binding.keys, binding.query.by, strict=True)
    fields = [StructField(inside, binding.fields[name].dataType) for inside, name in named]
    fields.append(StructField("w", IntegerType()))
    fields += [StructField(name, LongType()) for name in ("s", "e")]
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


def job(plan: Plan, binding: Binding, schema: StructType) -> Job:
    """What Spark ships to the workers: values only, no DataFrame and no session."""
    program = Program(
        windows=plan.query.windows,
        panes=plan.panes,
        partials=tuple(binding.partials),
        counts_values=bool(binding.counted),
        checked=binding.ansi,
    )
    lowered = tuple(
        Lowered(f"r{i}", a, tuple(binding.partials_of(a)), binding.inputs[a.columns()[0]])
        for i, a in enumerate(binding.query.aggregates)
        if not a.native
    )
    return Job(
        program=program,
        keys=tuple(binding.keys),
        partials=tuple(binding.partials.values()),
        counted=tuple(binding.counted),
        lowered=lowered,
        schema=to_arrow_schema(schema, timezone=binding.time_zone),
    )
