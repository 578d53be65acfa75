"""Where rows in process may come from, and what is refused."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

import panewise as pw
from panewise.errors import PanewiseError, SchemaError
from panewise.operator import Operator
from panewise.testing import assert_same_rows, oracle
from tests.conformance.streams import plain
from tests.operator.feed import planned

PLAN = planned(
    pw.tumbling(10),
    pw.sliding(30, 7),
    pw.session(3),
    pw.tumbling(pw.rows(4)),
    aggregates=[pw.sum("x"), pw.last("x"), pw.median("x"), pw.count()],
)


def events() -> pa.Table:
    chance = np.random.default_rng(3)
    count = 200
    return pa.table(
        {
            "not read": [{"a": 1}] * count,
            "t": pa.array(chance.integers(-50, 300, count), mask=chance.random(count) < 0.05),
            "k": pa.array(chance.choice(["a", "b", "c"], count), mask=chance.random(count) < 0.1),
            "x": pa.array(chance.integers(0, 9, count), mask=chance.random(count) < 0.1),
        }
    )


EVENTS = events()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("events")
    pq.write_table(EVENTS.slice(0, 120), path / "1.parquet", row_group_size=50)
    pq.write_table(EVENTS.slice(120), path / "2.parquet", row_group_size=30)
    pq.write_table(EVENTS, path.parent / "events.parquet", row_group_size=64)
    return path


SOURCES: dict[str, Callable[[Path], Any]] = {
    "table": lambda folder: EVENTS,
    "chunked table": lambda folder: pa.concat_tables([EVENTS.slice(0, 77), EVENTS.slice(77)]),
    "record batch": lambda folder: EVENTS.combine_chunks().to_batches()[0],
    "pandas": lambda folder: EVENTS.to_pandas(types_mapper={pa.int64(): _Int64}.get),
    "polars": lambda folder: pl.from_arrow(EVENTS),
    "dict": lambda folder: {name: EVENTS[name].to_pylist() for name in ("t", "k", "x")},
    "file": lambda folder: folder.parent / "events.parquet",
    "file as text": lambda folder: str(folder.parent / "events.parquet"),
    "folder": lambda folder: folder,
    "folder as text": str,
    "data set of files": lambda folder: ds.dataset(folder, format="parquet"),
    "data set in memory": lambda folder: ds.dataset(EVENTS),
    "filtered data set": lambda folder: ds.dataset(folder).filter(ds.field("x") < 100),
}
try:
    import pandas as pd

    _Int64: Any = pd.Int64Dtype()
except ImportError:  # pragma: no cover
    _Int64 = None


@pytest.mark.parametrize("kind", SOURCES)
def test_each_kind_equals_the_oracle(kind: str, folder: Path) -> None:
    rows = EVENTS.to_pylist()
    if kind == "filtered data set":
        rows = [row for row in rows if row["x"] is not None]
    got = PLAN.run(SOURCES[kind](folder))
    assert isinstance(got, pa.Table)
    assert_same_rows(plain([got]), oracle(PLAN.query, rows), by=("k",))


def test_it_equals_the_operator(folder: Path) -> None:
    op = Operator(PLAN, delay=10**6)
    told = pa.concat_tables([op.push(EVENTS), op.flush()])
    ran = PLAN.run(folder)
    assert ran.schema.equals(told.schema)
    assert_same_rows(plain([ran]), plain([told]), by=("k",))


def test_chunks_of_what_is_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("panewise.operator.sources.ROWS", 7)
    expected = oracle(PLAN.query, EVENTS.to_pylist())
    assert_same_rows(plain([PLAN.run(EVENTS)]), expected, by=("k",))


def test_ties_are_broken_by_the_order_of_files_and_rows(folder: Path) -> None:
    """The first and the last of equal times are those of the whole, however it is cut."""
    tied = EVENTS.set_column(1, "t", pa.array([5] * EVENTS.num_rows))
    path = folder.parent / "tied.parquet"
    pq.write_table(tied, path, row_group_size=16)
    plan = planned(pw.tumbling(10), aggregates=[pw.first("x"), pw.last("x"), pw.collect("x")])
    expected = oracle(plan.query, tied.to_pylist())
    assert_same_rows(plain([plan.run(path)]), expected, by=("k",))


@pytest.mark.parametrize("kind", ["table", "file", "dict", "pandas", "data set"])
def test_no_rows(kind: str, tmp_path: Path) -> None:
    nothing = EVENTS.slice(0, 0)
    pq.write_table(nothing, tmp_path / "nothing.parquet")
    given = {
        "table": nothing,
        "file": tmp_path / "nothing.parquet",
        "dict": {name: nothing[name] for name in ("t", "k", "x")},
        "pandas": EVENTS.to_pandas(types_mapper={pa.int64(): _Int64}.get).iloc[:0],
        "data set": ds.dataset(nothing),
    }
    got = PLAN.run(given[kind])
    assert got.num_rows == 0
    assert got.column_names == PLAN.run(EVENTS).column_names


def test_an_empty_row_group_and_an_empty_file(folder: Path, tmp_path: Path) -> None:
    pq.write_table(EVENTS.slice(0, 0), tmp_path / "0.parquet")
    pq.write_table(EVENTS, tmp_path / "1.parquet")
    expected = oracle(PLAN.query, EVENTS.to_pylist())
    assert_same_rows(plain([PLAN.run(tmp_path)]), expected, by=("k",))


def test_a_folder_that_is_partitioned_by_a_key(tmp_path: Path) -> None:
    """As Spark writes it: the key is in the names of folders."""
    known = EVENTS.filter(EVENTS["k"].is_valid()).select(["t", "k", "x"])
    flavor = ds.partitioning(pa.schema([("k", pa.string())]), flavor="hive")
    ds.write_dataset(known, tmp_path, format="parquet", partitioning=flavor)
    plan = planned(pw.tumbling(10), aggregates=[pw.sum("x"), pw.count()])
    expected = oracle(plan.query, known.to_pylist())
    assert_same_rows(plain([plan.run(tmp_path)]), expected, by=("k",))


def test_names_with_dots(tmp_path: Path) -> None:
    pq.write_table(pa.table({"a.t": [1, 2], "x.y": [1, 2]}), tmp_path / "dots.parquet")
    plan = pw.plan(time="a.t", windows=[pw.tumbling(10)], aggregates=[pw.sum("x.y")])
    assert plan.run(tmp_path / "dots.parquet")["sum(x.y)"].to_pylist() == [3]


def refused(data: Any) -> str:
    with pytest.raises(PanewiseError) as error:
        PLAN.run(data)
    assert isinstance(error.value, SchemaError)
    assert error.value.hint, "an error has a hint"
    return str(error.value)


@pytest.mark.parametrize(
    "kind", ["table", "dict", "pandas", "polars", "file", "folder", "data set"]
)
def test_unknown_column(kind: str, tmp_path: Path) -> None:
    lacking = EVENTS.select(["t", "x"]).append_column("kk", EVENTS["k"])
    pq.write_table(lacking, tmp_path / "lacking.parquet")
    given = {
        "table": lacking,
        "dict": lacking.to_pydict(),
        "pandas": lacking.to_pandas(),
        "polars": pl.from_arrow(lacking),
        "file": tmp_path / "lacking.parquet",
        "folder": tmp_path,
        "data set": ds.dataset(lacking),
    }
    assert 'no column "k" in the ' in refused(given[kind])
    assert 'did you mean "kk"?' in refused(given[kind])


def test_missing_file(tmp_path: Path) -> None:
    message = refused(tmp_path / "no.parquet")
    assert message.startswith("no file or folder ")
    assert "no.parquet" in message


@pytest.mark.parametrize("content", [b"", b"t,k,x\n1,a,1\n", b"PAR1 and nothing more"], ids=repr)
def test_not_parquet(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "events.csv"
    path.write_bytes(content)
    message = refused(path)
    assert "events.csv" in message
    assert "is not parquet" in message


def test_a_folder_with_something_else(tmp_path: Path) -> None:
    (tmp_path / "1.parquet").write_bytes(b"nonsense")
    assert "1.parquet" in refused(tmp_path)


def test_an_empty_folder(tmp_path: Path) -> None:
    refused(tmp_path)


def test_files_of_different_types(tmp_path: Path) -> None:
    """A column that is a number here and text there has no type."""
    pq.write_table(EVENTS, tmp_path / "1.parquet")
    other = EVENTS.set_column(3, "x", pa.array(["many"] * EVENTS.num_rows))
    pq.write_table(other, tmp_path / "2.parquet")
    assert '"x"' in refused(tmp_path)


@pytest.mark.parametrize("data", [3, None, [1], object, b"PAR1"], ids=repr)
def test_what_holds_no_rows(data: Any) -> None:
    assert "rows are an Arrow table or batch, a data frame or a dict" in refused(data)


@pytest.mark.parametrize(
    "columns", [{"t": [1, 2], "k": ["a"], "x": [1, 2]}, {"t": [1], "k": ["a"], "x": 3}], ids=repr
)
def test_a_dict_of_nonsense(columns: dict[str, Any]) -> None:
    refused(columns)
