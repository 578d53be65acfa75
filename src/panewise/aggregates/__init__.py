"""Aggregates, one family a file. The functions here are what users call."""

from panewise.aggregates.algebra import (
    Aggregate,
    Bounds,
    Kind,
    OneColumn,
    Partial,
    Properties,
    Rows,
    Scope,
    registered,
)
from panewise.aggregates.bits import bit_or
from panewise.aggregates.collect import collect, concat
from panewise.aggregates.count import count
from panewise.aggregates.extremes import max, max_count, min, min_count, range
from panewise.aggregates.moments import stddev, variance
from panewise.aggregates.order import argmax, argmin, first, last, m4
from panewise.aggregates.recurring import recurring
from panewise.aggregates.regression import forecast, intercept, r2, regression, slope
from panewise.aggregates.sketches import approx_count_distinct, approx_quantile
from panewise.aggregates.spanning import concurrent
from panewise.aggregates.sum import geometric_mean, mean, product, sum
from panewise.aggregates.user import UserAggregate
from panewise.aggregates.value_counts import (
    Tally,
    TallyAggregate,
    ValueCounts,
    count_distinct,
    median,
    mode,
    quantile,
    quantiles,
    top_k,
)

__all__ = [
    "Aggregate",
    "Bounds",
    "Kind",
    "OneColumn",
    "Partial",
    "Properties",
    "Rows",
    "Scope",
    "Tally",
    "TallyAggregate",
    "UserAggregate",
    "ValueCounts",
    "approx_count_distinct",
    "approx_quantile",
    "argmax",
    "argmin",
    "bit_or",
    "collect",
    "concat",
    "concurrent",
    "count",
    "count_distinct",
    "first",
    "forecast",
    "geometric_mean",
    "intercept",
    "last",
    "m4",
    "max",
    "max_count",
    "mean",
    "median",
    "min",
    "min_count",
    "mode",
    "product",
    "quantile",
    "quantiles",
    "r2",
    "range",
    "registered",
    "recurring",
    "regression",
    "slope",
    "stddev",
    "sum",
    "top_k",
    "variance",
]
