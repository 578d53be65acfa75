"""How a stream gets on: what its last batch did, what is held, and what was left out."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from typing import IO, Any

from pyspark.sql.streaming import StreamingQuery

METRICS = "panewise"
"""The name of the observed metrics in a query's progress; where a run has a name of its own, that
follows, behind a dot."""
SUMMED = "counts"
"""The one field of these metrics: a struct with all counts."""
COUNTS = ("rows", "results", "late", "null_times", "bad_rows", "ahead", "cells", "keys")
MOMENTS = ("watermark", "since")
"""In ticks; of time, in microseconds since 1970, with `_us` behind the name."""
_EVERY = 0.5
_STATE = ("rocksdbTotalSstFilesSize", "rocksdbSstFileSize", "rocksdbTotalBytesWritten")


@dataclass(frozen=True)
class Progress:
    """One batch of a query, and what there is after it.

    Where several results of `plan.run` are in one query, counts are those of all that had rows in
    this batch, and the watermark is the least of theirs.
    """

    batch: int
    rows: int
    """Rows that were read."""
    seconds: float
    results: int
    """Rows that were told: windows that became final, or changed."""
    late: int
    """Rows beyond the delay and the lateness, which were dropped."""
    null_times: int
    """Rows without a time, which are in no window."""
    bad_rows: int
    """Events that end before they begin, which were dropped."""
    ahead: int
    """Rows that were farther in the future than `max_ahead`, which were dropped."""
    watermark: datetime | int | None
    """Every row before this has come, or is late; of time beyond the year 9999, in microseconds
    since 1970."""
    since: datetime | int | None
    """Windows or aggregates that were added at a restart are answered from here on."""
    cells: int
    keys: int
    """What is held."""
    state_bytes: int

    @property
    def rate(self) -> float:
        """Rows a second."""
        return self.rows / self.seconds if self.seconds else 0.0

    @property
    def lag(self) -> float | None:
        """Seconds from the watermark to now, where time is time."""
        if not isinstance(self.watermark, datetime):
            return None
        return (datetime.now(UTC) - self.watermark).total_seconds()

    def as_dict(self) -> dict[str, Any]:
        """All of it as JSON has it."""
        found = {**asdict(self), "rate": round(self.rate, 1), "lag": self.lag}
        return {n: v.isoformat() if isinstance(v, datetime) else v for n, v in found.items()}

    def __str__(self) -> str:
        left_out = {
            "late": self.late,
            "no time": self.null_times,
            "bad": self.bad_rows,
            "ahead": self.ahead,
        }
        parts = [
            f"batch {self.batch}",
            f"{self.rows:,} rows in {self.seconds:.1f} s ({self.rate:,.0f}/s)",
            f"{self.results:,} results",
            f"watermark {self.watermark}{self._behind()}",
            f"{self.cells:,} cells of {self.keys:,} keys, {self.state_bytes / 2**20:.1f} MB",
        ]
        parts += [f"{count:,} {name}" for name, count in left_out.items() if count]
        if self.since is not None:
            parts.append(f"what was added is answered from {self.since}")
        return ", ".join(parts)

    def _behind(self) -> str:
        if (lag := self.lag) is None:
            return ""
        where = "behind" if lag >= 0 else "ahead of"
        return f" ({timedelta(seconds=round(abs(lag)))} {where} the clock)"


def progress(query: StreamingQuery) -> Progress | None:
    """The last batch that had rows; None before the first."""
    for each in reversed(query.recentProgress):
        found = _progress(each)
        if found is not None:
            return found
    return None


def follow(query: StreamingQuery, to: IO[str] | None = None) -> None:
    """Show a running query until it ends: a live line in a terminal, else a JSON line a batch.

    `to` is a file for JSON lines.  An error of the query is raised here.
    """
    if to is None and sys.stdout.isatty():
        _live(query)
    else:
        out = to or sys.stdout
        _each_batch(query, lambda p: print(json.dumps(p.as_dict()), file=out, flush=True))
    query.awaitTermination()


def _live(query: StreamingQuery) -> None:
    from rich.console import Console

    with Console().status("waiting for the first batch") as status:
        _each_batch(query, lambda found: status.update(str(found)), again=True)


def _each_batch(
    query: StreamingQuery, show: Callable[[Progress], None], *, again: bool = False
) -> None:
    """Show every batch once, or the last one `again` and again, because its lag grows."""
    shown, last = -1, None
    running = True
    while running:
        running = query.isActive
        for each in query.recentProgress:
            found = _progress(each)
            if found is not None and found.batch > shown:
                shown, last = found.batch, found
                show(found)
        if again and last is not None:
            show(last)
        if running:
            time.sleep(_EVERY)


def _progress(each: Any) -> Progress | None:
    said = [observed[SUMMED] for name, observed in each.observedMetrics.items() if _is_ours(name)]
    said = [counts for counts in said if counts is not None and counts["rows"] is not None]
    if not said:
        return None
    return Progress(
        batch=each.batchId,
        seconds=each.durationMs.get("triggerExecution", 0) / 1000,
        watermark=_moment(said, "watermark"),
        since=_moment(said, "since"),
        state_bytes=sum(_bytes(state) for state in each.stateOperators),
        **{name: sum(counts[name] or 0 for counts in said) for name in COUNTS},
    )


def _is_ours(name: str) -> bool:
    return name == METRICS or name.startswith(f"{METRICS}.")


def _bytes(state: Any) -> int:
    known = (state.customMetrics.get(name) for name in _STATE)
    return max(next((size for size in known if size), 0), state.memoryUsedBytes)


def _moment(said: Sequence[Any], name: str) -> datetime | int | None:
    """What all runs of a query have reached; None where one has not, or they count otherwise."""
    units = {"_us" if f"{name}_us" in counts else "" for counts in said}
    if len(units) > 1:
        return None
    (unit,) = units
    ticks = [counts[name + unit] for counts in said]
    if name == "since":
        found = max((each for each in ticks if each is not None), default=None)
    else:
        found = None if None in ticks else min(ticks)
    return found if found is None or not unit else _as_time(found)


def _as_time(ticks: int) -> datetime | int:
    """A time, or ticks as they are: Spark has years beyond 9999, and Python has not."""
    try:
        return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=ticks)
    except OverflowError:
        return ticks
