"""A text of statements over events, or over the tables of a Spark session."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from panewise.errors import QueryError
from panewise.plan import Statistics
from panewise.sql.parse import parse
from panewise.sql.sharing import answers


def sql(
    text: str,
    *,
    events: Any = None,
    spark: Any = None,
    windows: Mapping[str, Any] | None = None,
    aggregates: Mapping[str, Any] | None = None,
    strategy: str = "auto",
    statistics: Statistics | None = None,
    **streaming: Any,
) -> Any:
    """Answer SQL about windows.

    `events` is what `Plan.run` takes: a Spark DataFrame or stream, an Arrow table, a pandas or
    Polars frame, or a path to parquet; FROM may call it by any name.  With `spark`, a session, FROM
    names tables and views.  `windows` and `aggregates` are users' own types by the names that the
    text calls them.  Streams take what `Plan.run` takes.

    One statement gives one answer, a table of the kind that `Plan.run` returns.  Several, separated
    by `;`, give a tuple of answers in their order; those over the same events, time and keys share
    their panes.

    >>> import pyarrow as pa, panewise as pw
    >>> events = pa.table({"ts": [1, 4, 7], "x": [10, 20, 30]})
    >>> rows = pw.sql("SELECT window_start, SUM(x) AS total FROM t TIMESTAMP BY ts "
    ...     "GROUP BY TUMBLING(5)", events=events)
    >>> rows.to_pylist()
    [{'window_start': 0, 'total': 30}, {'window_start': 5, 'total': 30}]
    """
    statements = parse(text, windows=windows, aggregates=aggregates)
    if (events is None) == (spark is None):
        raise QueryError(
            f"sql takes events or a Spark session: got {'neither' if events is None else 'both'}.",
            hint="write pw.sql(text, events=table), or pw.sql(text, spark=spark).",
        )
    sources = list(dict.fromkeys(statement.source for statement in statements))
    if events is not None and len(sources) > 1:
        raise QueryError(
            f"events are one table, and FROM names several: got {', '.join(sources)}.",
            hint="name one table, or register them and write pw.sql(text, spark=spark).",
        )
    if spark is None:
        tables = dict.fromkeys(sources, events)
    else:
        from panewise.spark.tables import table

        tables = {name: table(spark, name) for name in sources}
    found = answers(statements, tables, strategy, statistics, streaming)
    return found[0] if len(found) == 1 else found
