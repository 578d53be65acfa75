"""Arrow batches as Spark hands them to a worker."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa

AT_ONCE = 1 << 19
"""Rows that are folded at once: what is folded apart must be merged, where keys are many."""
BYTES = 1 << 27
"""Or fewer, if they are this large."""


def larger(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The same rows in fewer batches: each one is looked at for new keys, and makes room for them.

    >>> made = [pa.record_batch({"a": [1] * 200_000}) for _ in range(6)]
    >>> [batch.num_rows for batch in larger(made)]
    [600000, 600000]
    """
    held: list[pa.RecordBatch] = []
    rows = size = 0
    for batch in batches:
        held.append(batch)
        rows, size = rows + batch.num_rows, size + batch.nbytes
        if rows >= AT_ONCE or size >= BYTES:
            yield pa.concat_batches(held)
            held, rows, size = [], 0, 0
    if held:
        yield pa.concat_batches(held)
