"""Both readers of parquet give the same rows, and each is taken where it should be."""

import multiprocessing
import os
import subprocess
import sys
from datetime import date, datetime
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from panewise.operator import row_groups as module
from panewise.operator.row_groups import row_groups

MOMENTS = [datetime(2024, 3, 31, 1, 59, 59, 999_000), None, datetime(1960, 1, 1)] * 20
COLUMNS: dict[str, pa.Array] = {
    **{
        str(kind): pa.array([0, None, 100] * 20, kind)
        for kind in (pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint64())
    },
    "least": pa.array([-(2**63), 2**63 - 1, None] * 20),
    "float": pa.array([0.1, None, float("nan")] * 20, pa.float32()),
    "double": pa.array([-0.0, float("inf"), float("nan"), None] * 15),
    "ms": pa.array(MOMENTS, pa.timestamp("ms")),
    "us": pa.array(MOMENTS, pa.timestamp("us")),
    "utc": pa.array(MOMENTS, pa.timestamp("us", "UTC")),
    "local": pa.array(MOMENTS, pa.timestamp("us", "Europe/Berlin")),
    "ns": pa.array(MOMENTS, pa.timestamp("ns")),
    "date": pa.array([date(2024, 2, 29), None, date(1969, 12, 31)] * 20),
    "text": pa.array(["a", None, ""] * 20),
    "truth": pa.array([True, None, False] * 20),
    "decimal": pa.array([1, None, 3] * 20, pa.decimal128(10, 2)),
}


def written(folder: Path, columns: dict[str, Any], **options: Any) -> Path:
    path = folder / "a [1] *.parquet"  # no pattern, but a name
    pq.write_table(pa.table(columns), path, row_group_size=17, **options)
    return path


def both(path: Path, names: list[str]) -> tuple[list[pa.Table], list[pa.Table]]:
    meta = pq.read_metadata(path)
    readers = row_groups(path, meta, names), module._by_arrow(path, meta, names)
    found = [[read(group) for group in range(meta.num_row_groups)] for read in readers]
    return found[0], found[1]


@pytest.mark.parametrize("int96", [False, True])
@pytest.mark.parametrize("store_schema", [False, True])
def test_both_readers_read_the_same(tmp_path: Path, int96: bool, store_schema: bool) -> None:
    names = list(COLUMNS)
    path = written(
        tmp_path, COLUMNS, use_deprecated_int96_timestamps=int96, store_schema=store_schema
    )
    ours, arrow = both(path, names[::-1])
    for mine, theirs in zip(ours, arrow, strict=True):
        assert mine.schema.equals(theirs.schema)
        assert str(mine.to_pydict()) == str(theirs.to_pydict())  # NaN is like NaN


def test_polars_reads_numbers_and_arrow_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    read = module._by_arrow

    def noted(path: Path, meta: Any, names: Any) -> Any:
        inner = read(path, meta, names)
        return lambda group: asked.append(list(names)) or inner(group)

    monkeypatch.setattr(module, "_by_arrow", noted)
    path = written(tmp_path, {"t": [1, 2], "text": ["a", "b"], "x": [0.5, 1.5]})
    table = row_groups(path, pq.read_metadata(path), ["t", "text", "x"])(0)
    assert table.to_pydict() == {"t": [1, 2], "text": ["a", "b"], "x": [0.5, 1.5]}
    assert asked == [["text"]]


def test_what_polars_cannot_read_is_left_to_arrow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: Any, **__: Any) -> pl.LazyFrame:
        broken = pl.LazyFrame({"t": [1]}).select(pl.col("t").map_batches(_fail))
        return broken

    def _fail(_: pl.Series) -> pl.Series:
        raise pl.exceptions.ComputeError("no such encoding")

    monkeypatch.setattr(pl, "scan_parquet", failing)
    path = written(tmp_path, {"t": [1, 2]})
    assert row_groups(path, pq.read_metadata(path), ["t"])(0).to_pydict() == {"t": [1, 2]}


def test_a_small_file_does_not_make_anybody_import_polars(tmp_path: Path) -> None:
    path = written(tmp_path, {"t": [1, 2], "x": [3, 4]})
    code = (
        "import sys, panewise as pw\n"
        "plan = pw.plan(time='t', windows=[pw.tumbling(10)], aggregates=[pw.sum('x')])\n"
        "print(plan.run(sys.argv[1])['sum(x)'].to_pylist(), 'polars' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True)
    assert done.stdout.split("\n")[0] == "[7] False", done.stderr


def test_a_large_one_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path, {"t": [1, 2], "text": ["a" * 1000] * 2})
    meta = pq.read_metadata(path)
    monkeypatch.delitem(sys.modules, "polars")
    assert not module._has_polars(meta, ["t"])
    monkeypatch.setattr(module, "LARGE", 100)
    assert module._has_polars(meta, ["t"])
    monkeypatch.setattr(module, "find_spec", lambda _: None)
    assert not module._has_polars(meta, ["t"])


@pytest.mark.filterwarnings("ignore:.*fork.*:")
def test_polars_is_not_asked_after_a_fork(tmp_path: Path) -> None:
    path = written(tmp_path, {"t": [1, 2]})
    meta = pq.read_metadata(path)
    assert module._has_polars(meta, ["t"])
    child = os.fork()
    if child == 0:
        os._exit(1 if module._has_polars(meta, ["t"]) else 0)
    assert os.waitpid(child, 0)[1] == 0


def test_nor_in_a_process_that_another_one_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path, {"t": [1, 2]})
    monkeypatch.setattr(multiprocessing, "parent_process", lambda: object())
    assert not module._has_polars(pq.read_metadata(path), ["t"])
