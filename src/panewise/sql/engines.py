"""What a statement needs of engines: each is imported when it is needed, Spark only for its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from panewise.plan.running import is_spark
from panewise.query import Finish, Preparation


def prepared(events: Any, preparation: Preparation) -> Any:
    """Events as the windows take them."""
    if not preparation:
        return events
    if is_spark(events):
        from panewise.spark.finish import prepared as on_spark

        return on_spark(events, preparation)
    from panewise.operator.sources import Prepared

    return Prepared(events, preparation)


def finished(rows: Any, finish: Finish) -> Any:
    """Results as they are told."""
    if is_spark(rows):
        from panewise.spark.finish import finished as on_spark

        return on_spark(rows, finish)
    from panewise.operator.finish import finished as in_process

    return in_process(rows, finish)


def column_names(events: Any) -> list[str] | None:
    """The columns that events have, where they tell it without being read."""
    if isinstance(events, Mapping):
        return list(events)
    if isinstance(events, list | tuple) and all(isinstance(name, str) for name in events):
        return list(events)
    schema = getattr(events, "schema", None)
    names = getattr(schema, "names", None) or getattr(events, "columns", None)
    return None if names is None or callable(names) else [str(name) for name in names]


__all__ = ["column_names", "finished", "is_spark", "prepared"]
