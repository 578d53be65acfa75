"""A batch may be an Arrow table or batch, a data frame, or a dict of columns."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import panewise as pw
from panewise.operator import Operator
from panewise.testing import assert_same_rows, oracle
from tests.conformance.streams import plain

MOMENTS = [datetime(2024, 1, 1, 0, minute) for minute in (0, 3, 7, 12, 11)]
ROWS = [
    {"t": moment, "k": key, "x": value}
    for moment, key, value in zip(MOMENTS, ["a", "b", "a", None, "b"], [1, 2, 3, 4, 5], strict=True)
]
PLAN = pw.plan(
    time="t",
    by=["k"],
    windows=[pw.tumbling("5 minutes"), pw.session("4 minutes")],
    aggregates=[pw.sum("x"), pw.count()],
)
TABLE = pa.table(
    {
        "t": pa.array(MOMENTS, pa.timestamp("us")),
        "k": pa.array(["a", "b", "a", None, "b"]),
        "x": pa.array([1, 2, 3, 4, 5]),
        "not read": pa.array([None] * 5),
    }
)

KINDS: dict[str, Callable[[], Any]] = {
    "arrow table": lambda: TABLE,
    "chunked table": lambda: pa.concat_tables([TABLE.slice(0, 2), TABLE.slice(2)]),
    "record batch": lambda: TABLE.to_batches()[0],
    "sliced record batch": lambda: pa.concat_tables([TABLE, TABLE]).to_batches()[0].slice(0, 5),
    "pandas": TABLE.to_pandas,
    "pandas, nanoseconds": lambda: TABLE.to_pandas().astype({"t": "datetime64[ns]"}),
    "pandas, an index of its own": lambda: TABLE.to_pandas().set_index(pd.Index(range(7, 12))),
    "pandas, categories": lambda: TABLE.to_pandas().astype({"k": "category"}),
    "polars": lambda: pl.from_arrow(TABLE),
    "polars, milliseconds": lambda: pl.from_arrow(TABLE).with_columns(
        pl.col("t").cast(pl.Datetime("ms"))
    ),
    "polars, categories": lambda: pl.from_arrow(TABLE).with_columns(
        pl.col("k").cast(pl.Categorical)
    ),
    "dict of lists": lambda: TABLE.to_pydict(),
    "dict of numpy": lambda: {
        "t": np.array(MOMENTS, "datetime64[us]"),
        "k": np.array(["a", "b", "a", None, "b"], object),
        "x": np.array([1, 2, 3, 4, 5]),
    },
    "dict of numpy, minutes": lambda: {
        "t": np.array(MOMENTS, "datetime64[m]"),
        "k": np.array(["a", "b", "a", None, "b"], object),
        "x": np.array([1, 2, 3, 4, 5], np.int32),
    },
    "dict of arrow": lambda: {name: TABLE[name] for name in ("t", "k", "x")},
}


def in_microseconds(told: pa.Table) -> pa.Table:
    """Windows as Python's own datetimes, whatever the unit of the time column."""
    bound = pa.timestamp("us")
    kind = pa.struct([("start", bound), ("end", bound)])
    return told.set_column(1, "window", told["window"].cast(kind))


@pytest.mark.parametrize("kind", KINDS)
def test_kinds_of_batches(kind: str) -> None:
    op = Operator(PLAN)
    got = plain([in_microseconds(told) for told in (op.push(KINDS[kind]()), op.flush())])
    assert_same_rows(got, oracle(PLAN.query, ROWS), by=("k",))


@pytest.mark.parametrize(
    ("column", "kind", "result"),
    [
        ("k", pa.dictionary(pa.int32(), pa.string()), pa.string()),
        ("k", pa.dictionary(pa.int8(), pa.large_string()), pa.string()),
        ("k", pa.large_string(), pa.string()),
        ("k", pa.string_view(), pa.string()),
        ("k", pa.large_binary(), pa.binary()),
        ("x", pa.uint8(), pa.int64()),
        ("x", pa.uint32(), pa.int64()),
        ("x", pa.uint64(), pa.int64()),
        ("x", pa.int16(), pa.int64()),
        ("x", pa.float32(), pa.float64()),
        ("x", pa.decimal128(21, 2), pa.decimal128(31, 2)),
    ],
    ids=str,
)
def test_types_that_spark_has_not(column: str, kind: pa.DataType, result: pa.DataType) -> None:
    """They become the nearest type that it has, so that results are the same."""
    given = TABLE[column].cast(pa.binary()) if kind == pa.large_binary() else TABLE[column]
    if pa.types.is_dictionary(kind):
        given = given.cast(kind.value_type).dictionary_encode().cast(kind)
    changed = TABLE.set_column(TABLE.column_names.index(column), column, given.cast(kind))
    op = Operator(PLAN)
    told = pa.concat_tables([op.push(changed), op.flush()])
    assert told.schema.field("k" if column == "k" else "sum(x)").type == result
    assert sum(told["count()"].to_pylist()) == 10


def test_dictionaries_may_differ_from_batch_to_batch() -> None:
    plan = pw.plan(time="t", by=["k"], windows=[pw.tumbling(10)], aggregates=[pw.count()])
    op = Operator(plan)
    for keys in (["a", "b"], ["b", "c"], ["c", "a"]):
        op.push({"t": [1, 1], "k": pa.array(keys).dictionary_encode()})
    found = {row["k"]: row["count()"] for row in op.flush().to_pylist()}
    assert found == {"a": 2, "b": 2, "c": 2}


def test_keys_of_several_columns() -> None:
    plan = pw.plan(time="t", by=["k", "n", "f"], windows=[pw.tumbling(10)], aggregates=[pw.count()])
    op = Operator(plan)
    nan = float("nan")
    op.push(
        {"t": [1] * 5, "k": list("aabba"), "n": [1, 1, None, 2, 1], "f": [nan, nan, 0.0, -0.0, 1]}
    )
    found = [(row["k"], row["n"], str(row["f"]), row["count()"]) for row in op.flush().to_pylist()]
    assert sorted(found, key=str) == [
        ("a", 1, "1.0", 1),
        ("a", 1, "nan", 2),
        ("b", 2, "0.0", 1),
        ("b", None, "0.0", 1),
    ]


def test_without_keys() -> None:
    op = Operator(pw.plan(time="t", windows=[pw.tumbling(10)], aggregates=[pw.sum("x")]))
    assert op.push({"t": [1, 2], "x": [1, 2]}).num_rows == 0
    assert op.stats().keys == 0
    assert op.flush().to_pylist() == [
        {"window_id": "tumbling(10)", "window": {"start": 0, "end": 10}, "sum(x)": 3}
    ]


def test_empty_batches() -> None:
    op = Operator(PLAN)
    first = op.push(TABLE.slice(0, 0))
    assert (first.num_rows, op.watermark) == (0, None)
    op.push(TABLE)
    watermark = op.watermark
    assert op.push(TABLE.slice(0, 0)).num_rows == 0
    assert op.watermark == watermark
    assert op.flush().schema.remove_metadata() == first.schema.remove_metadata()


def test_a_watermark_may_be_told() -> None:
    """In the type of the time column, as text, or in ticks."""
    start = datetime(2024, 1, 1, 0, 20)
    tick = int(start.replace(tzinfo=UTC).timestamp()) * 10**6
    for watermark in (start, start.isoformat(), pa.scalar(start), pd.Timestamp(start), tick):
        op = Operator(PLAN, delay="1 hour")
        op.push(TABLE)
        told = op.advance(watermark)
        assert_same_rows(plain([told]), oracle(PLAN.query, ROWS), by=("k",))
        assert op.watermark == start
        assert op.flush().num_rows == 0


def test_batches_are_not_changed() -> None:
    given = {"t": np.array([5, 1, 3]), "k": np.array(["b", "a", "b"], object), "x": np.arange(3)}
    before = {name: column.copy() for name, column in given.items()}
    op = Operator(pw.plan(time="t", by=["k"], windows=[pw.session(2)], aggregates=[pw.sum("x")]))
    op.push(given)
    op.flush()
    assert all(np.array_equal(given[name], before[name]) for name in before)
