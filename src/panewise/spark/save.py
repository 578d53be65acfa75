"""Answers that Spark writes: any format, at rest or as a stream."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.streaming import StreamingQuery
from pyspark.sql.types import ArrayType, BinaryType, MapType, StructType


def save(rows: DataFrame, where: str, format: str, *, overwrite: bool = False) -> None:
    """Write a folder."""
    mode = "overwrite" if overwrite else "errorifexists"
    _fitting(rows, format).write.format(format).mode(mode).options(**_options(format)).save(where)


def save_stream(
    rows: DataFrame, where: str, format: str, checkpoint: str, trigger: dict[str, Any]
) -> StreamingQuery:
    """Begin to write a folder, and go on from the checkpoint where there is one."""
    writer = _fitting(rows, format).writeStream.format(format).options(**_options(format))
    writer = writer.option("checkpointLocation", checkpoint).trigger(**trigger)
    return writer.start(where)


def hand_over(
    rows: DataFrame, take: Callable[[Any], None], checkpoint: str | None, trigger: dict[str, Any]
) -> StreamingQuery:
    """Begin to hand the answers of every batch to a function, as an Arrow table."""
    writer = rows.writeStream.trigger(**trigger)
    if checkpoint is not None:
        writer = writer.option("checkpointLocation", checkpoint)
    return writer.foreachBatch(lambda batch, number: take(batch.toArrow())).start()


def _options(format: str) -> dict[str, str]:
    return {"header": "true"} if format == "csv" else {}


def _fitting(rows: DataFrame, format: str) -> DataFrame:
    """The same with what csv can hold, as in process: `window_start, window_end`, lists as text."""
    if format != "csv":
        return rows
    return rows.select(*(column for field in rows.schema for column in _flat(field.name, field)))


def _flat(name: str, field: Any, of: Any = None) -> Iterator[Any]:
    here = F.col(f"`{field.name}`") if of is None else of.getField(field.name)
    if isinstance(field.dataType, StructType):
        for inner in field.dataType:
            yield from _flat(f"{name}_{inner.name}", inner, here)
    elif isinstance(field.dataType, ArrayType | MapType):
        yield F.to_json(here).alias(name)
    elif isinstance(field.dataType, BinaryType):
        yield F.hex(here).alias(name)
    else:
        yield here.alias(name)
