"""Scalar SQL over columns: parsed once, meaning the same in Spark and over Arrow arrays."""

from panewise.expressions.expression import Expression

__all__ = ["Expression"]
