"""Approximate distinct counts and quantiles: Apache DataSketches as partials.

Idea: Spark's own sketch functions build, merge and read the sketches in the JVM; array code uses
the `datasketches` package, which reads and writes the same bytes.  There a row is a value until it
is folded with others (`unsketched.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from panewise.aggregates.algebra import (
    Aggregate,
    Kind,
    OneColumn,
    Partial,
    Properties,
    Rows,
    Scope,
    register,
)
from panewise.aggregates.records import Builds
from panewise.aggregates.unsketched import (
    are_marked,
    marked_numbers,
    marked_texts,
    reals_of,
    value_of,
)
from panewise.errors import QueryError

_SKETCHED = Properties(kind=Kind.ALGEBRAIC)


@dataclass(frozen=True)
class HllPartial(Partial):
    """A HyperLogLog sketch."""

    column: str
    lg_k: int = 12
    properties: ClassVar[Properties] = Properties(kind=Kind.ALGEBRAIC, idempotent=True)

    def lift_sql(self, scope: Scope) -> str:
        return f"hll_sketch_agg({_hashable(scope, self.column)}, {self.lg_k})"

    def combine_sql(self, column: str) -> str:
        return f"hll_union_agg({column}, true)"

    def lift(self, rows: Rows) -> pa.Array:
        return _hashed(rows[self.column])

    def combine(self, left: pa.Array, right: pa.Array) -> pa.Array:
        def union(a: bytes, b: bytes) -> bytes:
            lib = _datasketches()
            merged = lib.hll_union(self.lg_k)
            for each in (a, b):
                merged.update(self.opened(each))
            return bytes(merged.get_result(lib.tgt_hll_type.HLL_8).serialize_updatable())

        return _pairs(union, left, right)

    def opened(self, blob: bytes) -> Any:
        """A sketch, also of the value of a single row."""
        value = value_of(blob)
        return _datasketches().hll_sketch.deserialize(blob) if value is None else self._of([value])

    def record(self, column: pa.Array) -> Builds | None:
        return Builds(partial(self._over, column)) if are_marked(column) else None

    def _over(self, column: pa.Array, lo: np.ndarray, hi: np.ndarray) -> pa.Array:
        """Each value once in every range: more of them change nothing."""
        encoded = column.dictionary_encode()
        values = [value_of(blob) for blob in encoded.dictionary.to_pylist()]
        codes = np.asarray(encoded.indices.fill_null(-1))

        def sketch(low: int, high: int) -> bytes | None:
            found = [values[code] for code in np.unique(codes[low:high]).tolist() if code >= 0]
            return bytes(self._of(found).serialize_updatable()) if found else None

        ranges = zip(lo.tolist(), hi.tolist(), strict=True)
        return pa.array([sketch(*each) for each in ranges], pa.binary())

    def _of(self, values: Sequence[Any]) -> Any:
        made = _datasketches().hll_sketch(self.lg_k)
        for value in values:
            made.update(value)
        return made


@dataclass(frozen=True)
class KllPartial(Partial):
    """A KLL quantiles sketch of doubles."""

    column: str
    k: int = 200
    properties: ClassVar[Properties] = _SKETCHED

    def lift_sql(self, scope: Scope) -> str:
        return f"kll_sketch_agg_double(cast({scope[self.column]} as double), {self.k})"

    def combine_sql(self, column: str) -> str:
        return f"kll_merge_agg_double({column}, {self.k})"

    def lift(self, rows: Rows) -> pa.Array:
        return marked_numbers(rows[self.column].cast(pa.float64(), safe=False))

    def combine(self, left: pa.Array, right: pa.Array) -> pa.Array:
        def merge(a: bytes, b: bytes) -> bytes:
            merged = self.opened(a)
            merged.merge(self.opened(b))
            return bytes(merged.serialize())

        return _pairs(merge, left, right)

    def opened(self, blob: bytes) -> Any:
        """A sketch, also of the value of a single row."""
        value = value_of(blob)
        if value is None:
            return _datasketches().kll_doubles_sketch.deserialize(blob)
        return self._of(np.array([value]))

    def record(self, column: pa.Array) -> Builds | None:
        return Builds(partial(self._over, column)) if are_marked(column) else None

    def _over(self, column: pa.Array, lo: np.ndarray, hi: np.ndarray) -> pa.Array:
        values = reals_of(column)
        before = np.concatenate([[0], np.cumsum(np.asarray(column.is_valid()))])
        made = [
            bytes(self._of(values[low:high]).serialize()) if low < high else None
            for low, high in zip(before[lo].tolist(), before[hi].tolist(), strict=True)
        ]
        return pa.array(made, pa.binary())

    def _of(self, values: np.ndarray) -> Any:
        made = _datasketches().kll_doubles_sketch(self.k)
        made.update(values)
        return made


@register
@dataclass(frozen=True)
class ApproxCountDistinct(OneColumn):
    """About how many different values (1.6 % standard error at the default size).

    >>> from panewise.testing import evaluate
    >>> evaluate(approx_count_distinct("x"), x=[1, 2, 2, 3])
    3
    """

    kind_name: ClassVar[str] = "approx_count_distinct"
    opaque: ClassVar[bool] = True
    lg_k: int = 12

    def partials(self, scope: Scope) -> tuple[Partial, ...]:
        return (HllPartial(self.column, self.lg_k),)

    @property
    def properties(self) -> Properties:
        return HllPartial.properties

    def lower_sql(self, scope: Scope, partials: Sequence[str]) -> str:
        return f"coalesce(hll_sketch_estimate({partials[0]}), 0L)"

    def lower(self, partials: Sequence[pa.Array]) -> pa.Array:
        def estimate(sketch: bytes | None) -> int:
            if sketch is None:
                return 0
            return round(HllPartial(self.column, self.lg_k).opened(sketch).get_estimate())

        return pa.array([estimate(s) for s in partials[0].to_pylist()], pa.int64())


@register
@dataclass(frozen=True)
class ApproxQuantile(OneColumn):
    """About the q-quantile: a value whose rank is within 1.3 % at the default size.

    >>> from panewise.testing import evaluate
    >>> evaluate(approx_quantile("x", 0.5), x=[1, 2, 3])
    2.0
    """

    kind_name: ClassVar[str] = "approx_quantile"
    opaque: ClassVar[bool] = True
    q: float = 0.5
    k: int = 200

    def partials(self, scope: Scope) -> tuple[Partial, ...]:
        return (KllPartial(self.column, self.k),)

    @property
    def properties(self) -> Properties:
        return KllPartial.properties

    def lower_sql(self, scope: Scope, partials: Sequence[str]) -> str:
        some = f"kll_sketch_get_n_double({partials[0]}) > 0"
        return (
            f"CASE WHEN {some} THEN kll_sketch_get_quantile_double({partials[0]}, {self.q!r}D) END"
        )

    def lower(self, partials: Sequence[pa.Array]) -> pa.Array:
        def read(sketch: bytes | None) -> float | None:
            if sketch is None:
                return None
            opened = KllPartial(self.column, self.k).opened(sketch)
            return None if opened.is_empty() else float(opened.get_quantile(self.q, True))

        return pa.array([read(s) for s in partials[0].to_pylist()], pa.float64())

    @classmethod
    def examples(cls) -> tuple[Aggregate, ...]:
        return (approx_quantile("x", 0.9),)


def approx_count_distinct(column: str, *, lg_k: int = 12) -> ApproxCountDistinct:
    """About how many different values; `lg_k` (4 to 21) is the size as a power of two.

    >>> import panewise as pw
    >>> from panewise.testing import evaluate
    >>> evaluate(pw.approx_count_distinct("x"), x=[1, 2, 2, 3])
    3
    """
    if not isinstance(lg_k, int) or not 4 <= lg_k <= 21:
        raise QueryError(f"lg_k is an integer from 4 to 21: got {lg_k!r}.", hint="write lg_k=12.")
    return ApproxCountDistinct(column=column, lg_k=lg_k)


def approx_quantile(column: str, q: float, *, k: int = 200) -> ApproxQuantile:
    """About the q-quantile; a larger `k` (8 to 65535) is more exact.

    >>> import panewise as pw
    >>> from panewise.testing import evaluate
    >>> evaluate(pw.approx_quantile("x", 0.5), x=[1, 2, 3])
    2.0
    """
    if isinstance(q, bool) or not isinstance(q, int | float) or not 0 <= q <= 1:
        raise QueryError(f"a quantile is between 0 and 1: got {q!r}.", hint="write 0.9 for 90 %.")
    if not isinstance(k, int) or not 8 <= k <= 65535:
        raise QueryError(f"k is an integer from 8 to 65535: got {k!r}.", hint="write k=200.")
    return ApproxQuantile(column=column, q=float(q), k=k)


def _hashable(scope: Scope, column: str) -> str:
    """A form of the value that Spark's sketch takes, and that differs where values do."""
    x, kind = scope[column], scope.types[column]
    if kind in ("tinyint", "smallint", "int", "bigint"):
        return f"cast({x} as bigint)"
    if kind in ("float", "double"):
        x = f"({x} + 0D)"  # a negative zero is a zero
    elif kind == "binary":
        x = f"hex({x})"
    # Sketches pass over empty text, so no text is left empty.
    return f"concat('=', cast({x} as string))"


def _hashed(values: pa.Array) -> pa.Array:
    """The same form of values on their way into a sketch."""
    if pa.types.is_integer(values.type):
        return marked_numbers(values)
    if pa.types.is_floating(values.type):
        values = pc.add(values, pa.scalar(0.0, values.type))
    elif pa.types.is_binary(values.type):
        values = pa.array([v if v is None else v.hex() for v in values.to_pylist()], pa.string())
    return marked_texts(values.cast(pa.string()))


def _pairs(merge: Callable[[bytes, bytes], bytes], left: pa.Array, right: pa.Array) -> pa.Array:
    def one(a: bytes | None, b: bytes | None) -> bytes | None:
        return merge(a, b) if a is not None and b is not None else (b if a is None else a)

    pairs = zip(left.to_pylist(), right.to_pylist(), strict=True)
    return pa.array([one(a, b) for a, b in pairs], pa.binary())


def _datasketches() -> Any:
    try:
        import datasketches
    except ImportError:
        raise QueryError(
            "approximate aggregates outside the JVM need the package `datasketches`.",
            hint="pip install 'panewise[sketches]'.",
        ) from None
    return datasketches
