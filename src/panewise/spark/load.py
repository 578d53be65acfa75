"""Events that Spark reads: any format with its options, at rest or as a stream."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession

from panewise.errors import SchemaError

_DEFAULTS = {
    "csv": {"header": "true", "inferSchema": "true"},
    "json": {"inferTimestamp": "true"},
}
"""What makes Spark read the same out of text as is read in process."""
_FILES = ("parquet", "csv", "json", "orc", "text", "avro", "xml")
"""Formats whose streams must be told their columns."""


@dataclass(frozen=True)
class Load:
    """What to read: a path or none, as a format of Spark's."""

    format: str
    where: str | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    schema: str | None = None

    def batch(self, spark: SparkSession) -> DataFrame:
        """All that is there now."""
        return self._load(spark.read)

    def stream(self, spark: SparkSession) -> DataFrame:
        """What is there and what comes; files tell their columns by those that are there."""
        reader: Any = spark.readStream
        if self.schema is None and self.format in _FILES:
            reader = reader.schema(self._known(spark))
        return self._load(reader)

    def _load(self, reader: Any) -> DataFrame:
        if self.schema is not None:
            reader = reader.schema(self.schema)
        options = {**_DEFAULTS.get(self.format, {}), **self.options}
        reader = reader.format(self.format).options(**options)
        return reader.load() if self.where is None else reader.load(self.where)

    def _known(self, spark: SparkSession) -> Any:
        try:
            return self.batch(spark).schema
        except AnalysisException:
            raise SchemaError(
                f'no columns are known for a stream of "{self.where}", which has no files yet.',
                hint='say them with --schema "ts TIMESTAMP, device STRING".',
            ) from None
