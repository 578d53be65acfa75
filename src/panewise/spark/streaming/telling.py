"""How results leave a bucket: many of them in one row, in which every column is a list.

Idea: what the stateful step gives, Spark takes row by row through several steps that no compiler
puts together.  So it gets few rows, each with lists of hundreds of values, and makes results of
them in its last step, where one compiled loop does all there is to do.  What is known before does
not travel: names of windows are numbers, and ends are left out where starts and names tell them.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_type, to_arrow_type
from pyspark.sql.types import ArrayType, StringType, StructField, StructType

from panewise.kernels.columns import whole
from panewise.spark.streaming.progress import COUNTS, MOMENTS

SAID = "said"
"""What a bucket says about its batch: numbers as one text, in a row without results."""
NUMBERS = (*COUNTS, *MOMENTS, "bucket")
"""The number of the bucket is last: with it no two buckets say the same."""
PIECE = 1 << 9
"""Results of one row: few enough to stay in the caches while Spark makes rows of them."""
FRAME = 1 << 17
"""Results that Spark gets at once."""
_WINDOW, _ID = "window", "window_id"
_AT, _FIRST = "at", "first"


def heard(unit: str) -> Column:
    """What all buckets said, as one struct; `unit` is put behind the names of moments.

    It is one aggregate: Spark updates every one that it observes for every row, and few of them
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


@dataclass(frozen=True)
class Telling:
    """Result tables of one schema on their way through Spark."""

    results: pa.Schema
    windows: Mapping[str, int | None]
    """What windows are called, and the ticks that all windows of a name last, if they do."""

    @property
    def schema(self) -> StructType:
        """Of what the stateful step gives: a list for every column that travels."""
        lists = [StructField(f"c{at}", _listed(each)) for at, each in enumerate(self._travelling())]
        return StructType([*lists, StructField(SAID, StringType())])

    def frames(self, told: pa.Table, said: Mapping[str, int | None]) -> Iterator[pd.DataFrame]:
        """What the stateful step gives: a row that says what there is to say, then results."""
        numbers = [said.get(name) for name in NUMBERS]
        text = ",".join("" if number is None else str(number) for number in numbers)
        columns = list(zip(self._travelling(), self._columns(told), strict=True))
        for start in range(0, max(told.num_rows, 1), FRAME):
            lists = [_lists(field, values.slice(start, FRAME)) for field, values in columns]
            rows = pa.array([None if start else text, *[None] * (len(lists[0]) - 1)], pa.string())
            arrays = {f"c{at}": AsItIs(each) for at, each in enumerate(lists)}
            arrays[SAID] = pd.arrays.ArrowExtensionArray(rows)
            yield pd.DataFrame(arrays, copy=False)

    def rows(self, told: DataFrame) -> DataFrame:
        """Results as users see them; Spark adds what follows from the name of a window: that of the
        only one, and its end where it is a moment and all windows of a name are as long."""
        names = [name for name in told.columns if name != SAID]
        parted = F.posexplode(names[0]).alias(_AT, _FIRST)
        others = (F.get(name, F.col(_AT)) for name in names[1:])
        carried = itertools.chain([F.col(_FIRST)], others)
        number, columns = F.lit(0), []
        for field in self.results:
            if field.name == _ID:
                number = next(carried) if self._numbered else number
                columns.append(_picked(self.windows, number).alias(_ID))
            elif field.name == _WINDOW:
                start = next(carried)
                lengths = self.windows.values()
                end = _later(start, _picked(lengths, number)) if self._lasting else next(carried)
                columns.append(F.struct(start.alias("start"), end.alias("end")).alias(_WINDOW))
            else:
                columns.append(next(carried).alias(field.name))
        return told.select(*names[1:], parted).select(*columns)

    @property
    def _numbered(self) -> bool:
        """Whether names are told by their number."""
        return len(self.windows) > 1

    @property
    def _lasting(self) -> bool:
        """Whether the end of a window follows from its name and its start."""
        kind = self.results.field(_WINDOW).type[0].type
        is_moment = pa.types.is_timestamp(kind) and kind.tz is not None
        return is_moment and None not in self.windows.values()

    def _travelling(self) -> list[pa.Field]:
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

    def _columns(self, told: pa.Table) -> list[pa.Array]:
        """What travels, in one piece each."""
        found: list[pa.Array] = []
        for field, column in zip(self.results, told.columns, strict=True):
            values = whole(column)
            if field.name == _WINDOW:
                found += values.flatten()[: 1 if self._lasting else 2]
            elif field.name != _ID:
                found.append(values)
            elif self._numbered:
                coded = values.dictionary_encode()
                number = pc.index_in(coded.dictionary, value_set=pa.array(list(self.windows)))
                found.append(number.take(coded.indices))
        return found


class AsItIs(pd.arrays.ArrowExtensionArray):
    """Lists that are Arrow already: Spark would make Python's lists of them, and Arrow again."""

    def map(self, mapper: Callable[[Any], Any], na_action: str | None = None) -> AsItIs:
        """Itself: what Spark maps values of nested types by changes nothing here."""
        return self


def _listed(field: pa.Field) -> ArrayType:
    return ArrayType(from_arrow_type(field.type), field.nullable)


def _lists(field: pa.Field, values: pa.Array) -> pa.Array:
    """A row without results, and rows of so many each."""
    cuts = [0, *range(0, len(values), PIECE), len(values)]
    offsets = pa.array(cuts if len(values) else [0, 0], pa.int32())
    empty = pa.array([True, *[False] * (len(offsets) - 2)])
    kind = to_arrow_type(_listed(field), timezone="UTC")
    return pa.ListArray.from_arrays(offsets, values, mask=empty).cast(kind)


def _picked(values: Iterable[str | int | None], number: Column) -> Column:
    """The value at this place."""
    each = list(map(F.lit, values))
    return F.get(F.array(*each), number) if len(each) > 1 else each[0]


def _later(moment: Column, ticks: Column) -> Column:
    return F.timestamp_micros(F.unix_micros(moment) + ticks)
