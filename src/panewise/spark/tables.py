"""Tables and views of a session, by name."""

from __future__ import annotations

from pyspark.errors import AnalysisException, ParseException
from pyspark.sql import DataFrame, SparkSession

from panewise.errors import SchemaError, nearest


def table(spark: SparkSession, name: str) -> DataFrame:
    """A table or view; one that is not there is refused with the nearest that is."""
    try:
        found = spark.table(name)
        found.schema  # noqa: B018  # a session over a connection looks only now
        return found
    except (AnalysisException, ParseException):
        known = [t.name for t in spark.catalog.listTables()]
        hint = nearest(name, known) if known else 'register one: df.createTempView("events").'
        raise SchemaError(f'Spark has no table or view "{name}".', hint=hint) from None
