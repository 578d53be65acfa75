"""Panewise against Spark's own windows."""
