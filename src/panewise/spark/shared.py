"""Several queries on Spark: the rows of one plan, handed out to the queries that asked."""

from __future__ import annotations

from pyspark.sql import DataFrame

from panewise.plan import SharedPlan
from panewise.spark.batch import run as run_plan
from panewise.spark.expressions import literal, quoted
from panewise.windows import Window


def run(shared: SharedPlan, events: DataFrame) -> DataFrame:
    """All rows with the query they belong to; a window of two queries has a row for each."""
    whole = shared.plan.query
    cases = []
    for number, window in enumerate(whole.windows):
        askers = [
            f"named_struct('query', {literal(name)}, 'window_id', {literal(asked.window_id)})"
            for name, part in shared.queries.items()
            for asked, at in zip(part.query.windows, part.windows, strict=True)
            if at == number
        ]
        cases.append(f"WHEN {_is_told(window)} THEN array({', '.join(askers)})")
    rows = run_plan(shared.plan, events)
    told = whole.result_columns[1:]  # window_id is told to each query by its own name
    kept = [quoted(name) for name in (*told, *whole.by, *(a.name for a in whole.aggregates))]
    spread = f"inline(CASE {' '.join(cases)} END)"
    handed = rows.selectExpr(spread, *kept)
    columns = ["query", "window_id", *told, *(quoted(name) for name in whole.by)]
    for number, aggregate in enumerate(whole.aggregates):
        name = quoted(aggregate.name)
        askers = [literal(n) for n, part in shared.queries.items() if number in part.aggregates]
        if len(askers) < len(shared.queries):
            columns.append(f"CASE WHEN query IN ({', '.join(askers)}) THEN {name} END AS {name}")
        else:
            columns.append(name)
    return handed.selectExpr(*columns)


def _is_told(window: Window) -> str:
    level = "" if window.level is None else f" AND level = {window.level}"
    return f"window_id = {literal(window.window_id)}{level}"


def part(shared: SharedPlan, rows: DataFrame, name: str) -> DataFrame:
    """One query's own rows and columns."""
    query = shared.queries[name].query
    columns = [*query.result_columns, *query.by, *(a.name for a in query.aggregates)]
    return rows.where(f"query = {literal(name)}").selectExpr(*map(quoted, columns))
