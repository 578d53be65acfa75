"""Files as they come: byte order marks, zones, fractions, nulls, and nothing at all."""

import gzip
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from panewise.errors import FileError, SchemaError
from panewise.files.reading import column_names, read

NAIVE, ZONED = pa.timestamp("us"), pa.timestamp("us", "UTC")


def table(folder: Path, name: str, data: str | bytes, **options: Any) -> pa.Table:
    path = folder / name
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    format = "csv" if ".csv" in name else "json"
    return read(path, format, times=["ts"], **options)


@pytest.mark.parametrize(
    ("moment", "kind", "micros"),
    [
        ("2024-05-01 08:00:10", NAIVE, 0),
        ("2024-05-01T08:00:10", NAIVE, 0),
        ("2024-05-01T08:00:10.5", NAIVE, 500_000),
        ("2024-05-01T08:00:10Z", ZONED, 0),
        ("2024-05-01T08:00:10.25Z", ZONED, 250_000),
        ("2024-05-01T10:00:10+02:00", ZONED, 0),
    ],
)
@pytest.mark.parametrize("name", ["a.csv", "a.jsonl"])
def test_moments(tmp_path: Path, name: str, moment: str, kind: pa.DataType, micros: int) -> None:
    text = f"ts\n{moment}\n" if name == "a.csv" else f'{{"ts": "{moment}"}}\n'
    column = table(tmp_path, name, text)["ts"]
    assert column.type == kind
    assert column.cast(pa.int64()).to_pylist() == [1_714_550_410_000_000 + micros]


def test_nanoseconds_are_cut_to_ticks(tmp_path: Path) -> None:
    column = table(tmp_path, "a.csv", "ts\n2024-05-01T08:00:10.123456789\n")["ts"]
    assert column.type == NAIVE and column.cast(pa.int64()).to_pylist() == [1_714_550_410_123_456]


def test_a_byte_order_mark_and_line_ends(tmp_path: Path) -> None:
    found = table(tmp_path, "a.csv", b"\xef\xbb\xbfts,x\r\n2024-05-01,1\r\n")
    assert found.column_names == ["ts", "x"] and found["x"].to_pylist() == [1]


def test_compressed_files(tmp_path: Path) -> None:
    found = table(tmp_path, "a.csv.gz", gzip.compress(b"ts,x\n1,2\n"))
    assert found.to_pylist() == [{"ts": 1, "x": 2}]
    found = table(tmp_path, "a.jsonl.gz", gzip.compress(b'{"ts": 1, "x": 2}\n'))
    assert found.to_pylist() == [{"ts": 1, "x": 2}]


def test_nothing_is_null_and_an_empty_text_is_not(tmp_path: Path) -> None:
    assert table(tmp_path, "a.csv", 'k,ts\n,1\n"",2\nx,3\n')["k"].to_pylist() == [None, "", "x"]


def test_columns_without_a_value_have_a_type(tmp_path: Path) -> None:
    found = table(tmp_path, "a.csv", "ts,x\n")
    assert found.num_rows == 0 and found.schema.types == [NAIVE, pa.float64()]
    found = table(tmp_path, "a.jsonl", '{"ts": null, "x": null}\n')
    assert found.schema.types == [NAIVE, pa.float64()]


def test_text_that_is_no_moment(tmp_path: Path) -> None:
    with pytest.raises(SchemaError, match="not all of it are moments"):
        table(tmp_path, "a.csv", "ts\nyesterday\n")


def test_a_schema_is_all_that_is_read(tmp_path: Path) -> None:
    schema = {"x": pa.decimal128(6, 2)}
    for name, text in (("a.csv", "ts,x\n1,2.5\n"), ("a.jsonl", '{"ts": 1, "x": 2.5}\n')):
        found = table(tmp_path, name, text, schema=schema)
        assert found.column_names == ["x"] and found.schema.types == [pa.decimal128(6, 2)]


def test_files_of_a_folder_may_lack_columns(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "1.csv").write_text("ts,x\n1,2\n")
    (tmp_path / "in" / "2.csv").write_text("ts\n3\n")
    found = read(tmp_path / "in", "csv").to_pylist()
    assert found == [{"ts": 1, "x": 2}, {"ts": 3, "x": None}]


@pytest.mark.parametrize(
    ("name", "text"), [("a.csv", "ts,x\n1,2\n"), ("a.jsonl", '{"ts": 1, "x": 2}\n{"y": 3}\n')]
)
def test_columns_are_known_by_the_first_rows(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    assert column_names(tmp_path / name, "csv" if name == "a.csv" else "json") == ["ts", "x"]


def test_what_is_not_there(tmp_path: Path) -> None:
    for format in ("parquet", "csv"):
        with pytest.raises(FileError, match="no file or folder"):
            read(tmp_path / "none", format)
        with pytest.raises(FileError, match="no file or folder"):
            column_names(tmp_path / "none", format)
