"""Whether events are asked about windows, or about rings of granules."""

from __future__ import annotations

from typing import Any

from panewise.query.query import Query
from panewise.query.rings import RingQuery, asks_for_rings


def asked(parts: dict[str, Any]) -> Query | RingQuery:
    """The query that has these parts."""
    if asks_for_rings(parts["windows"], parts["aggregates"]):
        return RingQuery.of(parts)
    return Query(**parts)
