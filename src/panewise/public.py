"""The names that `import panewise as pw` gives.

They are apart from `__init__.py`, which runs before any command does: `panewise --help` needs none
of them, and numpy, Arrow and sqlglot behind them take longer than all the rest.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from panewise.aggregates import (
    Aggregate,
    UserAggregate,
    approx_count_distinct,
    approx_quantile,
    argmax,
    argmin,
    bit_or,
    collect,
    concat,
    concurrent,
    count,
    count_distinct,
    first,
    forecast,
    geometric_mean,
    intercept,
    last,
    m4,
    max,
    max_count,
    mean,
    median,
    min,
    min_count,
    mode,
    product,
    quantile,
    quantiles,
    r2,
    range,
    recurring,
    regression,
    slope,
    stddev,
    sum,
    top_k,
    variance,
)
from panewise.api import aggregate, plan, plan_all
from panewise.errors import PanewiseError
from panewise.model import rows
from panewise.plan import Plan, SharedPlan, Statistics
from panewise.query import Query
from panewise.windows import (
    END,
    Closed,
    Scanned,
    UserWindow,
    Window,
    aggregate_frame,
    band,
    boundary_frame,
    by_tuple,
    cumulating,
    delta_frame,
    every,
    granules,
    parse_ranges,
    punctuation,
    session,
    sliding,
    threshold_frame,
    tumbling,
)

if TYPE_CHECKING:
    from panewise.operator import Operator
    from panewise.sql.run import sql
    from panewise.viz.notebook import show

_LATER = {"Operator": "panewise.operator", "show": "panewise.viz.notebook"}
"""What takes a moment to import, by where it is: only when asked for."""


def __getattr__(name: str) -> object:
    if name in _LATER:
        return getattr(import_module(_LATER[name]), name)
    if name == "sql":  # a module that can be called
        return import_module("panewise.sql")
    raise AttributeError(f"module 'panewise' has no attribute {name!r}")


__all__ = [
    "plan",
    "plan_all",
    "aggregate",
    "sql",
    "show",
    "Plan",
    "SharedPlan",
    "Statistics",
    "Operator",
    "Query",
    "PanewiseError",
    # windows
    "Window",
    "tumbling",
    "sliding",
    "cumulating",
    "session",
    "band",
    "every",
    "by_tuple",
    "punctuation",
    "threshold_frame",
    "boundary_frame",
    "delta_frame",
    "aggregate_frame",
    "granules",
    "parse_ranges",
    "rows",
    "UserWindow",
    "Closed",
    "Scanned",
    "END",
    # aggregates
    "Aggregate",
    "UserAggregate",
    "count",
    "sum",
    "mean",
    "geometric_mean",
    "product",
    "variance",
    "stddev",
    "min",
    "max",
    "range",
    "min_count",
    "max_count",
    "first",
    "last",
    "m4",
    "argmin",
    "bit_or",
    "argmax",
    "collect",
    "concat",
    "median",
    "quantile",
    "quantiles",
    "mode",
    "top_k",
    "count_distinct",
    "approx_count_distinct",
    "approx_quantile",
    "concurrent",
    "recurring",
    "regression",
    "slope",
    "intercept",
    "r2",
    "forecast",
]
