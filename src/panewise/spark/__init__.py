"""Panewise on Spark: the only package that imports `pyspark`."""

from panewise.spark.session import session

__all__ = ["session"]
