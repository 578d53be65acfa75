"""How results leave a bucket: as columns where Spark takes them as they are, else as bytes.

Idea: Spark turns what the stateful step gives from pandas into Arrow.  Columns that are Arrow
already are handed through, if they are flat: so the bounds of windows are columns of their own, and
times are numbers, until Spark puts them together.  Every value is taken by itself there, which is
what many results cost most, so what is known before does not travel: names of windows are numbers,
and ends are left out where starts and names tell them.  What is nested, such as a list of
quantiles, would be turned value by value.  Tables with such columns travel as bytes, and a step of
their own makes rows of them.
"""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema, from_arrow_type
from pyspark.sql.types import BinaryType, StringType, StructField, StructType

from panewise.spark.garbage import set_aside
from panewise.spark.streaming.progress import COUNTS, MOMENTS
from panewise.spark.wire import received, sent

SAID = "said"
"""What a bucket says about its batch: numbers as one text, in one of its rows.  Columns that are
null in all other rows would take as many bytes as the results."""
NUMBERS = (*COUNTS, *MOMENTS, "bucket")
"""The number of the bucket is last: with it no two buckets say the same."""
_WINDOW, _ID = "window", "window_id"


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


def telling(results: pa.Schema, windows: Mapping[str, int | None]) -> Telling:
    """The shortest way for results of this schema, of windows with these names; with each name the
    ticks that all of its windows last, if they do."""
    flat = all(field.name == _WINDOW or not pa.types.is_nested(field.type) for field in results)
    return Columns(results, dict(windows)) if flat else Blobs(results)


@dataclass(frozen=True)
class Telling(ABC):
    """Result tables of one schema on their way through Spark."""

    results: pa.Schema

    @property
    def schema(self) -> StructType:
        """Of what the stateful step gives."""
        return StructType([*self._fields(), StructField(SAID, StringType())])

    def frames(self, told: pa.Table, said: Mapping[str, int | None]) -> Iterator[pd.DataFrame]:
        """What the stateful step gives: a row that says what there is to say, then results."""
        numbers = [said.get(name) for name in NUMBERS]
        text = pa.array([",".join("" if number is None else str(number) for number in numbers)])
        pieces = self._pieces(told)
        first = [self._nothing(), *itertools.islice(pieces, 1)]
        columns = [pa.concat_arrays(both) for both in zip(*first, strict=True)]
        yield self._frame(columns, pa.concat_arrays([text, _silence(len(columns[0]) - 1)]))
        for columns in pieces:
            yield self._frame(columns, _silence(len(columns[0])))

    def _frame(self, columns: Sequence[pa.Array], said: pa.Array) -> pd.DataFrame:
        named = zip(self.schema.names, [*columns, said], strict=True)
        arrays = {name: pd.arrays.ArrowExtensionArray(column) for name, column in named}
        return pd.DataFrame(arrays, copy=False)

    @abstractmethod
    def rows(self, told: DataFrame) -> DataFrame:
        """Results as users see them."""

    @abstractmethod
    def _fields(self) -> list[StructField]: ...

    @abstractmethod
    def _nothing(self) -> list[pa.Array]:
        """Columns of a row that is no result."""

    @abstractmethod
    def _pieces(self, told: pa.Table) -> Iterator[list[pa.Array]]:
        """Columns of results, in pieces."""


def _silence(rows: int) -> pa.Array:
    return pa.nulls(rows, pa.string())


@dataclass(frozen=True)
class Columns(Telling):
    """A column for every flat one, and two for the bounds of a window.  Spark adds what follows
    from the name of a window: that of the only one, and its end where it is a moment and all
    windows of a name are as long."""

    windows: Mapping[str, int | None]
    PIECE: ClassVar[int] = 1 << 14
    """Results that Spark gets at once: few enough to stay in the caches while it makes rows of
    them."""

    def rows(self, told: DataFrame) -> DataFrame:
        carried = map(F.col, self.schema.names)
        number, columns = F.lit(0), []
        for field in self.results:
            if field.name == _ID:
                number = next(carried) if self._numbered else number
                columns.append(_picked(self.windows, number).alias(_ID))
            elif field.name == _WINDOW:
                start, kind = next(carried), field.type[0].type
                lengths = self.windows.values()
                end = start + _picked(lengths, number) if self._lasting else next(carried)
                bounds = _restored(start, kind).alias("start"), _restored(end, kind).alias("end")
                columns.append(F.struct(*bounds).alias(_WINDOW))
            else:
                columns.append(_restored(next(carried), field.type).alias(field.name))
        return told.where(F.col(SAID).isNull()).select(*columns)

    def _fields(self) -> list[StructField]:
        return [
            StructField(f"c{at}", from_arrow_type(_carried(each.type)), each.nullable)
            for at, each in enumerate(self._flat())
        ]

    @property
    def _numbered(self) -> bool:
        """Whether names are told by their number."""
        return len(self.windows) > 1

    @property
    def _lasting(self) -> bool:
        """Whether the end of a window follows from its name and its start."""
        bounds = self.results.field(_WINDOW).type
        return _is_moment(bounds[0].type) and None not in self.windows.values()

    def _flat(self) -> list[pa.Field]:
        """Windows have names and bounds: Spark need not look whether they are null."""
        fields: list[pa.Field] = []
        for field in self.results:
            if field.name == _WINDOW:
                bounds = list(field.type)[: 1 if self._lasting else 2]
                fields += [each.with_nullable(False) for each in bounds]
            elif field.name != _ID:
                fields.append(field)
            elif self._numbered:
                fields.append(pa.field(_ID, pa.int32(), nullable=False))
        return fields

    def _nothing(self) -> list[pa.Array]:
        flat = ((_carried(each.type), None if each.nullable else 0) for each in self._flat())
        return [pa.array([value], kind) for kind, value in flat]

    def _pieces(self, told: pa.Table) -> Iterator[list[pa.Array]]:
        for batch in told.combine_chunks().to_batches(max_chunksize=self.PIECE):
            arrays: list[pa.Array] = []
            for field, column in zip(self.results, batch.columns, strict=True):
                if field.name == _WINDOW:
                    arrays += column.flatten()[: 1 if self._lasting else 2]
                elif field.name != _ID:
                    arrays.append(column)
                elif self._numbered:
                    arrays.append(pc.index_in(column, value_set=pa.array(list(self.windows))))
            yield [each.cast(_carried(each.type)) for each in arrays]


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

    def _nothing(self) -> list[pa.Array]:
        return [pa.nulls(1, pa.binary())]

    def _pieces(self, told: pa.Table) -> Iterator[list[pa.Array]]:
        pieces = [told.slice(at, self.PIECE) for at in range(0, told.num_rows, self.PIECE)]
        if pieces:
            yield [pa.array([sent({"rows": piece}) for piece in pieces], pa.binary())]


def _picked(values: Iterable[str | int | None], number: Column) -> Column:
    """The value at this place."""
    each = list(map(F.lit, values))
    return F.get(F.array(*each), number) if len(each) > 1 else each[0]


def _is_moment(kind: pa.DataType) -> bool:
    """Whether Spark would look at every value for its time zone."""
    return pa.types.is_timestamp(kind) and kind.tz is not None


def _carried(kind: pa.DataType) -> pa.DataType:
    return pa.int64() if _is_moment(kind) else kind


def _restored(carried: Column, kind: pa.DataType) -> Column:
    return F.timestamp_micros(carried) if _is_moment(kind) else carried
