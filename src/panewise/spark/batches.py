"""Arrow batches as Spark hands them to a worker."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa

AT_ONCE = 1 << 19
"""Rows that are folded at once: what is folded apart must be merged, where keys are many."""


def larger(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The same rows in fewer batches: each one is looked at for new keys, and makes room for them.

    >>> made = [pa.record_batch({"a": [1] * 200_000}) for _ in range(6)]
    >>> [batch.num_rows for batch in larger(made)]
    [600000, 600000]
    """
    held: list[pa.RecordBatch] = []
    for batch in batches:
        held.append(batch)
        if sum(each.num_rows for each in held) >= AT_ONCE:
            yield pa.concat_batches(held)
            held = []
    if held:
        yield pa.concat_batches(held)
