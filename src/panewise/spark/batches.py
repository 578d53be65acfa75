"""Arrow batches as Spark hands them to a worker."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa

AT_ONCE = 1 << 19
"""Rows that are sorted at once: what is sorted apart must be merged."""
NEAR = 1 << 16
"""Rows that are added to cells at once: numbers on the way stay in the caches, and calls are few
for each row."""
BYTES = 1 << 27
"""Or fewer, if they are this large."""


def larger(batches: Iterable[pa.RecordBatch], at_once: int = AT_ONCE) -> Iterator[pa.RecordBatch]:
    """The same rows in fewer batches, of so many at least.

    >>> made = [pa.record_batch({"a": [1] * 200_000}) for _ in range(6)]
    >>> [batch.num_rows for batch in larger(made)]
    [600000, 600000]
    """
    held: list[pa.RecordBatch] = []
    rows = size = 0
    for batch in batches:
        held.append(batch)
        rows, size = rows + batch.num_rows, size + batch.nbytes
        if rows >= at_once or size >= BYTES:
            yield _whole(held)
            held, rows, size = [], 0, 0
    if held:
        yield _whole(held)


def _whole(held: list[pa.RecordBatch]) -> pa.RecordBatch:
    return held[0] if len(held) == 1 else pa.concat_batches(held)
