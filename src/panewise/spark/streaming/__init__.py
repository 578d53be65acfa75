"""Plans on Spark Structured Streaming."""

from panewise.spark.streaming.stream import run

__all__ = ["run"]
