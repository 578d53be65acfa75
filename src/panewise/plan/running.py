"""Where a plan runs: on Spark, over a stream of Spark's, or here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from panewise.errors import QueryError


def is_spark(events: Any) -> bool:
    """Whether these are Spark's, which is not imported to find out."""
    return type(events).__module__.split(".")[0] == "pyspark"


def is_stream(events: Any) -> bool:
    """Whether these are a streaming DataFrame of Spark."""
    return is_spark(events) and bool(getattr(events, "isStreaming", False))


@dataclass(frozen=True)
class Streaming:
    """What only a stream can be asked; None is left to the engine."""

    delay: object = None
    lateness: object = None
    buckets: int | None = None
    max_ahead: object = None
    postpone: object = None
    completeness: float | None = None
    report: str | None = None
    period: object = None
    evict: tuple[int, int] | None = None
    name: str | None = None

    def refuse(self) -> None:
        """Say that the events are no stream, where one of these is given."""
        for name, given in vars(self).items():
            if given is not None:
                raise QueryError(
                    f"{name} is for streams, and these events are all there: got {given!r}.",
                    hint="leave it out, or read them with spark.readStream.",
                )


def run_on(plan: Any, events: Any, streaming: Streaming) -> Any:
    """A plan, or one of several queries, over events of any kind."""
    if is_stream(events):
        from panewise.spark.streaming import run

        return run(plan, events, streaming)
    streaming.refuse()
    if is_spark(events):
        return plan._on_spark(events)
    from panewise.operator.local import run_plan

    return run_plan(plan, events)
