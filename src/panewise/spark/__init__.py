"""Panewise on Spark: the only package that imports `pyspark`."""

from panewise.spark.session import session
from panewise.spark.streaming.progress import Progress, follow, progress

__all__ = ["Progress", "follow", "progress", "session"]
