"""Results on their way out of a bucket."""

import datetime as dt
from decimal import Decimal

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from pyspark.sql.conversion import PandasToArrowConversion
from pyspark.sql.types import StructField, StructType

from panewise.spark.streaming.telling import FRAME, NUMBERS, PIECE, Telling
from tests.conformance.buckets import results, said

TIME = pa.timestamp("us", "UTC")
WINDOW = pa.field("window", pa.struct([("start", TIME), ("end", TIME)]))
VALUES = {
    "window_id": pa.array(["a", "b", "a"]),
    "window": pa.array(
        [{"start": at, "end": at + ticks} for at, ticks in ((0, 20), (7, 30), (-5, 20))],
        WINDOW.type,
    ),
    "number": pa.array([2**63 - 1, None, -3]),
    "real": pa.array([float("nan"), None, -0.0]),
    "text": pa.array(["", None, "é"]),
    "money": pa.array([Decimal("1.50"), None, Decimal("-0.01")], pa.decimal128(10, 2)),
    "moment": pa.array([None, 1, -1], TIME),
    "local": pa.array([None, 1, -1], pa.timestamp("us")),
    "day": pa.array([dt.date(1, 1, 1), None, dt.date(9999, 12, 31)]),
    "flag": pa.array([True, None, False]),
    "bytes": pa.array([b"", None, b"\x00"]),
    "took": pa.array([None, 1, -1], pa.duration("us")),
}
WINDOWS = {"b": None, "a": 20}
SAID = {name: number for number, name in enumerate(NUMBERS)} | {"since": None}


def handed_over(way: Telling, frame: pd.DataFrame) -> pd.DataFrame:
    """What has been through Spark's conversion."""
    whole = StructType([StructField("_0", way.schema)])
    batch = PandasToArrowConversion.convert(
        [frame], whole, timezone="Asia/Kolkata", arrow_cast=True, assign_cols_by_name=True
    )
    table = pa.Table.from_struct_array(batch.column(0))
    assert table.column_names == way.schema.names
    return table.to_pandas(types_mapper=pd.ArrowDtype)


def through(told: pa.Table, way: Telling) -> pa.Table:
    """What comes out of Spark."""
    frames = [handed_over(way, frame) for frame in way.frames(told, SAID)]
    return pa.concat_tables(
        [told.slice(0, 0), *(table for frame in frames for table in results(frame, way))]
    )


def test_columns_come_out_as_they_went_in() -> None:
    told = pa.table(VALUES)
    found = through(told, Telling(told.schema, WINDOWS))
    # compared as text: NaN is not equal to itself, and zeros of either sign are
    assert str(found.to_pydict()) == str(told.to_pydict())


def test_nested_columns_too() -> None:
    item = pa.struct([("item", pa.string()), ("count", pa.int64()), ("at", TIME)])
    nested = {
        "numbers": pa.array([[1.0, None], None, []]),
        "ranked": pa.array([[{"item": "x", "count": 2, "at": 5}, None], [], None], pa.list_(item)),
        "first": pa.array([{"item": None, "count": 1, "at": None}, None, None], item),
        "moments": pa.array([[1, -1], None, [None]], pa.list_(TIME)),
    }
    told = pa.table(VALUES | nested)
    found = through(told, Telling(told.schema, WINDOWS))
    assert str(found.to_pydict()) == str(told.to_pydict())


def test_lists_are_not_taken_apart_on_their_way() -> None:
    """Spark maps the values of nested columns, which takes longer than all the rest."""
    told = pa.table(VALUES)
    (frame,) = Telling(told.schema, WINDOWS).frames(told, SAID)
    for name in frame.columns.drop("said"):
        assert frame[name].apply(list).array is frame[name].array


@pytest.mark.parametrize(
    ("windows", "fewer"),
    [
        ({"a": 20}, 2),
        ({"a": None}, 1),
        ({"b": 30, "a": 20}, 1),
        ({"b": None, "a": 20}, 0),
    ],
)
def test_what_is_known_before_does_not_travel(windows: dict[str, int | None], fewer: int) -> None:
    told = pa.table(VALUES).filter(pc.is_in(VALUES["window_id"], pa.array(list(windows))))
    way = Telling(told.schema, windows)
    assert len(way.schema) == len(VALUES) + 2 - fewer  # bounds are two, and what is said is one
    assert str(through(told, way).to_pydict()) == str(told.to_pydict())


@pytest.mark.parametrize("kind", [pa.timestamp("us"), pa.date32(), pa.int64()])
def test_ends_that_are_no_moments_travel(kind: pa.DataType) -> None:
    starts, ends = (pa.array(each, kind) for each in ([0, 20], [20, 40]))
    bounds = pa.StructArray.from_arrays([starts, ends], ["start", "end"])
    told = pa.table({"window_id": ["a", "a"], "window": bounds})
    way = Telling(told.schema, {"a": 20})
    assert way.schema.names == ["c0", "c1", "said"]
    assert through(told, way).to_pydict() == told.to_pydict()


def test_a_bucket_without_results_still_says_something() -> None:
    told = pa.table(VALUES)
    way = Telling(told.schema, WINDOWS)
    (frame,) = way.frames(told.schema.empty_table(), SAID)
    over = handed_over(way, frame)
    assert results(over, way) == []
    assert said(over) == {n: "" if v is None else str(v) for n, v in SAID.items()}


@pytest.mark.parametrize("rows", [1, PIECE, PIECE + 1, FRAME, FRAME + 1, 2 * FRAME + PIECE])
def test_many_results_go_in_pieces_and_say_things_once(rows: int) -> None:
    told = pa.table(VALUES).take(pa.array([at % 3 for at in range(rows)]))
    way = Telling(told.schema, WINDOWS)
    frames = list(way.frames(told, SAID))
    assert [bool(said(frame)) for frame in frames] == [True] + [False] * (len(frames) - 1)
    found = [table for frame in frames for table in results(frame, way)]
    assert max(map(len, found)) <= PIECE
    assert pa.concat_tables(found).select(["number"]) == told.select(["number"])
