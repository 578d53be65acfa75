"""Items that every ring of a level's window holds, from what the rings hold."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from panewise.aggregates.recurring import Recurring, too_many
from panewise.aggregates.value_counts import rank_values
from panewise.errors import ResultOverflow
from panewise.operator.words import Words


def items_alone(
    aggregate: Recurring,
    words: Words,
    word: pa.Array,
    bits: pa.Array,
    ring: np.ndarray,
    group: np.ndarray,
    rings: np.ndarray,
) -> pa.Array:
    """The items whose bit every ring has, in ascending order.

    Rows are a word of a ring: `ring` is its number, `group` that of the window which has as many
    rings as `rings` says.
    """
    there = np.flatnonzero(np.asarray(bits.is_valid()))  # a null is no item
    word, ring, group = word.take(pa.array(there)), ring[there], group[there]
    held = np.asarray(bits.take(pa.array(there))).view(np.uint64)
    own = group * (ring.max(initial=0) + 1) + ring
    if np.bincount(own, np.bitwise_count(held)).max(initial=0) > aggregate.most:
        raise ResultOverflow(too_many(aggregate))
    which = rank_values(word)
    order = np.lexsort((which, group))
    fresh = np.ones(len(order), np.bool_)
    fresh[1:] = np.diff(which[order]) != 0
    fresh[1:] |= np.diff(group[order]) != 0
    heads = np.flatnonzero(fresh)
    both = np.bitwise_and.reduceat(held[order], heads) if len(heads) else held[:0]
    owner = group[order[heads]]
    everywhere = (np.diff(np.append(heads, len(order))) == rings[owner]) & (both != 0)
    row, items = words.listed(word.take(pa.array(order[heads[everywhere]])), both[everywhere])
    owner = owner[everywhere][row]
    sorted_items = np.lexsort((rank_values(items), owner))
    return _lists(owner, items.take(pa.array(sorted_items)), len(rings))


def with_counts(
    aggregate: Recurring, items: pa.Array, group: np.ndarray, rings: np.ndarray
) -> pa.Array:
    """The items that as many rings hold as there are, with their counts, the most frequent
    first."""
    lengths = np.asarray(items.value_lengths().fill_null(0))
    if lengths.max(initial=0) > aggregate.most:
        raise ResultOverflow(too_many(aggregate))
    flat = items.flatten()
    item, times = flat.field(0), flat.field(1)
    one = np.ones(len(item), np.int64)
    listed = pa.table(
        {"group": np.repeat(group, lengths), "item": item, "count": times, "one": one}
    )
    held = listed.group_by(["group", "item"]).aggregate([("count", "sum"), ("one", "sum")])
    held = held.filter(pa.array(np.asarray(held["one_sum"]) == rings[np.asarray(held["group"])]))
    order = [("group", "ascending"), ("count_sum", "descending"), ("item", "ascending")]
    held = held.sort_by(order).combine_chunks()
    parts: Sequence[pa.Array] = [held[n].combine_chunks() for n in ("item", "count_sum")]
    told = pa.StructArray.from_arrays(parts, names=["item", "count"])
    return _lists(np.asarray(held["group"]), told, len(rings))


def _lists(owner: np.ndarray, values: pa.Array, count: int) -> pa.Array:
    """Values by owner, which are in order."""
    offsets = np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=count))])
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), values)
