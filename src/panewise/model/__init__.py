"""Ticks and durations, measures, bounds: what the words of a query mean."""

from panewise.model.duration import Duration, RowCount, Size, format_ticks, parse_size, rows
from panewise.model.measure import Measure, measure_of
from panewise.model.whole import whole

__all__ = [
    "Duration",
    "Measure",
    "RowCount",
    "Size",
    "format_ticks",
    "measure_of",
    "parse_size",
    "rows",
    "whole",
]
