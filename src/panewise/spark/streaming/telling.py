"""How results leave a bucket: as columns where Spark takes them as they are, else as bytes.

Idea: Spark turns what the stateful step gives from pandas into Arrow.  Columns that are Arrow
already are handed through, if they are flat: so the bounds of windows are columns of their own, and
times are numbers, until Spark puts them together.  Names of windows are few and known before, so
they travel as numbers, too: text of every result would be copied from place to place.  What is
nested, such as a list of quantiles, would be turned value by value.  Tables with such columns
travel as bytes, and a step of their own makes rows of them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema, from_arrow_type
from pyspark.sql.types import BinaryType, StringType, StructField, StructType

from panewise.kernels.columns import array_of
from panewise.spark.garbage import set_aside
from panewise.spark.streaming.progress import COUNTS, MOMENTS
from panewise.spark.wire import received, sent

SAID = "said"
"""What a bucket says about its batch: numbers as one text, in one of its rows.  Columns that are
null in all other rows would take as many bytes as the results."""
NUMBERS = (*COUNTS, *MOMENTS, "bucket")
"""The number of the bucket is last: with it no two buckets say the same."""
_WINDOW, _ID = "window", "window_id"
_NO_WINDOW = -1
"""The number of the name in a row that only says something."""


def heard(unit: str) -> Column:
    """What all buckets said, as one struct; `unit` is put behind the names of moments.

    It is one aggregate: Spark updates every one that it observes for every result, and few of them
    say something.  It is short: Spark plans it anew for every batch, and with an expression for
    each number that took longer than the tasks with state.  What is said twice counts once: before
    4.3 Spark observes a batch as often as its sink reads it.
    """
    names = _named(unit)
    nothing = F.array_repeat(F.lit(None).cast("bigint"), len(names))

    def both(known: Column, text: Column) -> Column:
        number = text.try_cast("bigint")
        return F.coalesce(known + number, known, number)

    def more(known: Column, text: Column) -> Column:
        return F.zip_with(known, F.slice(F.split(text, ","), 1, len(names)), both)

    summed = F.aggregate(F.collect_set(SAID), nothing, more)
    fields = ", ".join(f"{name} bigint" for name in names)
    return F.from_csv(F.array_join(summed.cast("array<string>"), ",", ""), F.lit(fields))


def _named(unit: str) -> list[str]:
    return [*COUNTS, *(name + unit for name in MOMENTS)]


def telling(results: pa.Schema, names: Sequence[str]) -> Telling:
    """The shortest way for results of this schema, of windows with these names."""
    flat = all(field.name == _WINDOW or not pa.types.is_nested(field.type) for field in results)
    return Columns(results, tuple(names)) if flat else Blobs(results)


@dataclass(frozen=True)
class Telling(ABC):
    """Result tables of one schema on their way through Spark."""

    results: pa.Schema

    @property
    def schema(self) -> StructType:
        """Of what the stateful step gives."""
        return StructType([*self._fields(), StructField(SAID, StringType())])

    def frames(self, told: pa.Table, said: Mapping[str, int | None]) -> Iterator[pd.DataFrame]:
        """What the stateful step gives: results, and what there is to say in the first row."""
        numbers = [said.get(name) for name in NUMBERS]
        text = [",".join("" if number is None else str(number) for number in numbers)]
        for columns in self._pieces(told):
            silent = pa.nulls(len(columns[next(iter(columns))]) - len(text), pa.string())
            columns[SAID] = pa.concat_arrays([pa.array(text, pa.string()), silent])
            arrays = {n: pd.arrays.ArrowExtensionArray(column) for n, column in columns.items()}
            yield pd.DataFrame(arrays, copy=False)
            text = []

    @abstractmethod
    def rows(self, told: DataFrame) -> DataFrame:
        """Results as users see them."""

    @abstractmethod
    def _fields(self) -> list[StructField]: ...

    @abstractmethod
    def _pieces(self, told: pa.Table) -> Iterator[dict[str, pa.Array]]:
        """Results in pieces, of a row at least."""


@dataclass(frozen=True)
class Columns(Telling):
    """A column for every flat column, two for the bounds of a window and a number for its name."""

    names: tuple[str, ...]
    PIECE: ClassVar[int] = 1 << 14
    """Results that Spark gets at once: few enough to stay in the caches while it makes rows of
    them."""

    def rows(self, told: DataFrame) -> DataFrame:
        names = iter(self.schema.names)
        columns = []
        for field in self.results:
            if field.name == _WINDOW:
                bounds = [_restored(next(names), each.type).alias(each.name) for each in field.type]
                columns.append(F.struct(*bounds).alias(_WINDOW))
            elif field.name == _ID:
                spelled = F.get(F.array(*map(F.lit, self.names)), F.col(next(names)))
                columns.append(spelled.alias(_ID))
            else:
                columns.append(_restored(next(names), field.type).alias(field.name))
        number = F.col(self.schema.names[self.results.get_field_index(_ID)])
        return told.where(number != _NO_WINDOW).select(*columns)

    def _fields(self) -> list[StructField]:
        return [
            StructField(f"c{at}", from_arrow_type(_carried(each.type)), each.nullable)
            for at, each in enumerate(self._flat())
        ]

    def _flat(self) -> list[pa.Field]:
        """Windows have names and bounds: Spark need not look whether they are null."""
        fields: list[pa.Field] = []
        for field in self.results:
            if field.name == _WINDOW:
                fields += [each.with_nullable(False) for each in field.type]
            elif field.name == _ID:
                fields.append(pa.field(_ID, pa.int32(), nullable=False))
            else:
                fields.append(field)
        return fields

    def _pieces(self, told: pa.Table) -> Iterator[dict[str, pa.Array]]:
        if not told.num_rows:  # a row that only says something
            nothing = [None if each.nullable else 0 for each in self._flat()]
            nothing[self.results.get_field_index(_ID)] = _NO_WINDOW
            yield {
                f"c{at}": pa.array([value], _carried(each.type))
                for at, (value, each) in enumerate(zip(nothing, self._flat(), strict=True))
            }
        for batch in told.combine_chunks().to_batches(max_chunksize=self.PIECE):
            arrays: list[pa.Array] = []
            for field, column in zip(self.results, batch.columns, strict=True):
                if field.name == _WINDOW:
                    arrays += column.flatten()
                else:
                    arrays.append(self._numbers(column) if field.name == _ID else column)
            yield {f"c{at}": each.cast(_carried(each.type)) for at, each in enumerate(arrays)}

    def _numbers(self, column: pa.Array) -> pa.Array:
        """The number of each name."""
        if len(self.names) == 1:
            return array_of(np.zeros(len(column), np.int32), pa.int32())
        return pc.index_in(column, value_set=pa.array(self.names))


class Blobs(Telling):
    """Tables as bytes."""

    PIECE = 1 << 14
    """Results of one row that Spark gets: rows of many megabytes are dear to its garbage
    collector."""

    def rows(self, told: DataFrame) -> DataFrame:
        def unpack(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            for batch in batches:
                for blob in batch["blob"]:
                    if blob.is_valid:
                        table = received(blob.as_buffer())["rows"]
                        yield from table.replace_schema_metadata(None).to_batches()
            set_aside()

        return told.select("blob").mapInArrow(unpack, from_arrow_schema(self.results))

    def _fields(self) -> list[StructField]:
        return [StructField("blob", BinaryType())]

    def _pieces(self, told: pa.Table) -> Iterator[dict[str, pa.Array]]:
        pieces = [told.slice(at, self.PIECE) for at in range(0, told.num_rows, self.PIECE)]
        blobs: list[bytes | None] = [sent({"rows": piece}) for piece in pieces]
        yield {"blob": pa.array(blobs or [None], pa.binary())}


def _is_moment(kind: pa.DataType) -> bool:
    """Whether Spark would look at every value for its time zone."""
    return pa.types.is_timestamp(kind) and kind.tz is not None


def _carried(kind: pa.DataType) -> pa.DataType:
    return pa.int64() if _is_moment(kind) else kind


def _restored(name: str, kind: pa.DataType) -> Column:
    return F.timestamp_micros(name) if _is_moment(kind) else F.col(name)
