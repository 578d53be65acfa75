"""Where rows in process come from: tables, data frames, data sets and parquet files, in chunks.

A chunk knows where its first row stands, so that chunks can be read in any order by all cores.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from panewise.errors import SchemaError
from panewise.operator.columns import as_table, check_names, columns_of
from panewise.operator.row_groups import row_groups
from panewise.query import Preparation

ROWS = 1 << 20
"""Rows of a chunk of what is in memory already."""


@dataclass(frozen=True)
class Chunk:
    """A part of the rows: the number of its first, and how to read it."""

    first: int
    read: Callable[[], pa.Table]


@dataclass(frozen=True)
class Source:
    """Rows in chunks, and the types of their columns, which are known before any is read."""

    schema: pa.Schema
    chunks: list[Chunk]
    at_hand: pa.Table | None = None
    """All rows, where they are in memory already."""

    def table(self) -> pa.Table:
        """All rows, uncut: cut columns would have to be copied to be whole again."""
        if self.at_hand is not None:
            return self.at_hand
        return pa.concat_tables(
            [chunk.read() for chunk in self.chunks] or [self.schema.empty_table()]
        )


class Derived(ABC):
    """Rows with columns that are made of those of others."""

    data: Any

    @abstractmethod
    def reads(self, names: Sequence[str]) -> tuple[str, ...]:
        """The columns of the data that these columns are made of."""

    @abstractmethod
    def applied(self, table: pa.Table, names: Sequence[str]) -> pa.Table:
        """The rows, with the named columns."""


@dataclass(frozen=True)
class Prepared(Derived):
    """Rows of which some are left out, and columns that are made of others."""

    data: Any
    preparation: Preparation

    def reads(self, names: Sequence[str]) -> tuple[str, ...]:
        where, made = self.preparation.where, dict(self.preparation.made)
        read = [column for name in names if name in made for column in made[name].columns]
        kept = where.columns if where is not None else ()
        return tuple(dict.fromkeys([*(n for n in names if n not in made), *read, *kept]))

    def applied(self, table: pa.Table, names: Sequence[str]) -> pa.Table:
        columns = columns_of(table, table.column_names)
        if self.preparation.where is not None:
            keep = pa.array(self.preparation.where.holds(columns))
            columns = {name: column.filter(keep) for name, column in columns.items()}
        made = dict(self.preparation.made)
        return pa.table({n: made[n].evaluate(columns) if n in made else columns[n] for n in names})


def source_of(data: Any, names: Sequence[str]) -> Source:
    """The rows of anything that holds some; only the named columns are read."""
    if isinstance(data, Derived):
        return _of_derived(data, names)
    if isinstance(data, Source):
        return data
    if isinstance(data, str | Path):
        return _of_path(Path(data), names)
    if isinstance(data, ds.Dataset):
        return _of_dataset(data, names)
    if isinstance(data, pa.RecordBatch):
        data = pa.Table.from_batches([data])
    if isinstance(data, dict):
        data = pa.table(columns_of(data, names))
    table = data if isinstance(data, pa.Table) else as_table(data, names)
    check_names(names, table.column_names, "data")
    table = table.select(list(names))
    firsts = range(0, table.num_rows, ROWS)
    chunks = [Chunk(first, partial(table.slice, first, ROWS)) for first in firsts]
    return Source(table.schema, chunks, table)


def _of_derived(data: Derived, names: Sequence[str]) -> Source:
    """Columns are made chunk by chunk, by whichever core reads the chunk."""
    inner = source_of(data.data, data.reads(names))

    def read(chunk: Chunk) -> pa.Table:
        return data.applied(chunk.read(), names)

    schema = data.applied(inner.schema.empty_table().select(data.reads(names)), names).schema
    return Source(schema, [Chunk(chunk.first, partial(read, chunk)) for chunk in inner.chunks])


def _of_path(path: Path, names: Sequence[str]) -> Source:
    if not path.exists():
        raise SchemaError(f"no file or folder {str(path)!r}.", hint="give a path to parquet.")
    try:
        if path.is_dir():
            return _of_dataset(ds.dataset(path, format="parquet", partitioning="hive"), names)
        meta = pq.read_metadata(path)
    except pa.ArrowInvalid as problem:
        raise SchemaError(
            f"{str(path)!r} is not parquet: {problem}.", hint="read it into a table first."
        ) from None
    schema = meta.schema.to_arrow_schema()
    check_names(names, schema.names, "data")

    read = row_groups(path, meta, names)
    chunks, first = [], 0
    for group in range(meta.num_row_groups):
        chunks.append(Chunk(first, partial(read, group)))
        first += meta.row_group(group).num_rows
    return Source(schema, chunks)


def _of_dataset(dataset: ds.Dataset, names: Sequence[str]) -> Source:
    check_names(names, dataset.schema.names, "data")
    try:
        fragments = list(dataset.get_fragments())
    except ValueError:  # it is filtered, and its files know nothing of that
        return source_of(dataset.to_table(columns=list(names)), names)
    chunks, first = [], 0
    for fragment in fragments:
        for part in getattr(fragment, "split_by_row_group", lambda whole=fragment: [whole])():
            chunks.append(Chunk(first, partial(_read, part, dataset.schema, names)))
            first += part.count_rows()
    return Source(dataset.schema, chunks)


def _read(fragment: ds.Fragment, schema: pa.Schema, names: Sequence[str]) -> pa.Table:
    try:
        return fragment.to_table(columns=list(names), schema=schema, use_threads=False)
    except pa.ArrowInvalid as problem:
        types = ", ".join(f'"{name}" is {schema.field(name).type}' for name in names)
        raise SchemaError(
            f"{getattr(fragment, 'path', 'a part of the data')!r} does not fit the types of the "
            f"whole, where {types}: {str(problem).splitlines()[0]}.",
            hint="write all files with one schema.",
        ) from None
