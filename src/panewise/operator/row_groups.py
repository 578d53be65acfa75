"""Row groups of a parquet file, by the reader that unpacks them sooner.

Idea: most of a run over a file goes into unpacking it.  Polars unpacks numbers and times in half of
Arrow's time, so they are read by it where it is at hand; everything else is read by Arrow, and so
is what Polars would read as another type, or not at all.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

LARGE = 1 << 28
"""Bytes for which it pays to import Polars, if nobody did."""
Read = Callable[[int], pa.Table]
"""The rows of one group; readers are called by several threads."""


def row_groups(path: Path, meta: pq.FileMetaData, names: Sequence[str]) -> Read:
    """How to read the named columns of a file."""
    whole = meta.schema.to_arrow_schema()
    plain = [name for name in names if _is_plain(whole.field(name).type)]
    if not plain or not _has_polars(meta, plain):
        return _by_arrow(path, meta, names)
    numbers = _by_polars(path, meta, plain)
    others = _by_arrow(path, meta, [name for name in names if name not in plain])

    def read(group: int) -> pa.Table:
        parts = [numbers(group)]
        if len(plain) < len(names):
            parts.append(others(group))
        columns = {name: part[name] for part in parts for name in part.column_names}
        return pa.table([columns[name] for name in names], names=list(names))

    return read


def _is_plain(kind: pa.DataType) -> bool:
    """Whether both readers make the same of it, bit by bit."""
    numbers = pa.types.is_integer(kind) or pa.types.is_float32(kind) or pa.types.is_float64(kind)
    return numbers or pa.types.is_timestamp(kind) or pa.types.is_date32(kind)


def _by_arrow(path: Path, meta: pq.FileMetaData, names: Sequence[str]) -> Read:
    def read(group: int) -> pa.Table:
        # a reader for each, because readers must not be shared by threads
        with pq.ParquetFile(path, metadata=meta, pre_buffer=False) as file:
            return file.read_row_group(group, columns=list(names), use_threads=False)

    return read


def _by_polars(path: Path, meta: pq.FileMetaData, names: Sequence[str]) -> Read:
    import polars as pl

    otherwise = _by_arrow(path, meta, names)
    whole = meta.schema.to_arrow_schema()
    types = [whole.field(name).type for name in names]
    sizes = [meta.row_group(group).num_rows for group in range(meta.num_row_groups)]

    def read(group: int) -> pa.Table:
        file = pl.scan_parquet(path, parallel="none", glob=False, hive_partitioning=False)
        rows = file.slice(sum(sizes[:group]), sizes[group]).select(names)
        try:
            table = rows.collect().to_arrow()
        except pl.exceptions.PolarsError:
            return otherwise(group)
        return table if table.schema.types == types else otherwise(group)

    return read


def _has_polars(meta: pq.FileMetaData, names: Sequence[str]) -> bool:
    """Whether Polars is here already, or worth importing.

    Its threads do not survive a fork, and it would wait for them for ever.
    """
    if _forked or multiprocessing.parent_process() is not None:
        return False
    if "polars" in sys.modules:
        return True
    return _bytes(meta, names) > LARGE and find_spec("polars") is not None


def _bytes(meta: pq.FileMetaData, names: Sequence[str]) -> int:
    """What the columns take, unpacked."""
    groups = (meta.row_group(group) for group in range(meta.num_row_groups))
    columns = (group.column(i) for group in groups for i in range(group.num_columns))
    return sum(c.total_uncompressed_size for c in columns if c.path_in_schema in names)


_forked = False


def _note_fork() -> None:
    global _forked
    _forked = True


os.register_at_fork(after_in_child=_note_fork)
