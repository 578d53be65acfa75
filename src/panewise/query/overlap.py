"""What of an event counts in a window that it overlaps: the whole, or the share inside."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any

from panewise.aggregates.spanning import WeightedSum
from panewise.aggregates.sum import Sum
from panewise.errors import QueryError

OVERLAPS = ("whole", "weighted")


def overlapping(overlap: Any, aggregates: Iterable[Any], *, spanning: bool) -> tuple[Any, ...]:
    """The aggregates as they are, or with sums that weigh values by the share inside."""
    if overlap not in OVERLAPS:
        names = " or ".join(f'"{name}"' for name in OVERLAPS)
        raise QueryError(
            f"overlap is {names}: got {overlap!r}.",
            hint='write overlap="weighted" to weigh sums by the share of an event inside.',
        )
    if overlap == "whole":
        return tuple(aggregates)
    if not spanning:
        raise QueryError(
            'overlap="weighted" weighs by the share of an event that is in a window, and events '
            "without a duration are in it or not.",
            hint='write time=("start", "end"), or leave overlap out.',
        )
    return tuple(_weighed(a) if isinstance(a, Sum) else a for a in aggregates)


def _weighed(aggregate: Sum) -> WeightedSum:
    """The same sum, weighed, under the same name."""
    return dataclasses.replace(WeightedSum(aggregate.column), output=aggregate.name)
