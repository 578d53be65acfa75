"""Rows that travel to the worker of their key, thousands of them in one value.

Idea: Spark writes, moves, reads, sorts and hands over rows one by one, which takes longer than all
that is computed from them.  So every task sorts its own rows by time and cuts those of each worker
into packets, which are tables as bytes.  Packets travel in small pieces, because Spark counts rows
and not bytes when it hands them on.  A worker takes them in the order of their first times: rows
before the first one of the packet at hand are all there, and only packets that overlap are held.

Cost: a row is copied twice on each side, and sorted twice by radix, in parts that fit the cache.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from panewise.kernels.keys import counting_sort
from panewise.kernels.order import radix_order
from panewise.spark.batches import larger
from panewise.spark.homes import labels
from panewise.spark.pieces import in_pieces
from panewise.spark.wire import narrowed, received, sent

HOME = "h"
"""The column of rows that says which worker they go to."""
SCHEMA = pa.schema(
    [
        ("label", pa.int32()),
        ("first", pa.int64()),
        ("packet", pa.int64()),
        ("piece", pa.int32()),
        ("bytes", pa.binary()),
    ]
)
SQL = "label int, first bigint, packet bigint, piece int, bytes binary"
ORDER = ("first", "packet", "piece")
"""Pieces of a packet follow each other, and the last one is number 0."""
ROWS = 1 << 13
"""Of a packet, at least if there are as many.  Fewer would be more to open, more would be held."""
PIECE = 1 << 12
"""Bytes; a multiple of eight, so that numbers lie as Arrow wants them."""


@dataclass(frozen=True)
class Packing:
    """What a task does with its rows, of which each names one of so many homes."""

    homes: int

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """All rows as pieces of packets."""
        from pyspark import TaskContext

        named = np.array(labels(self.homes), np.int32)
        context = TaskContext.get()
        number = 0 if context is None else context.partitionId() << 32
        for batch in larger(batches):
            if batch.num_rows:
                yield packed(batch, named, number)
                number += batch.num_rows


def packed(batch: pa.RecordBatch, named: np.ndarray, number: int) -> pa.RecordBatch:
    """Rows in any order as pieces of packets, which are numbered from `number` on."""
    ticks = np.asarray(batch["t"])
    order = radix_order(ticks)
    by_home, runs = counting_sort(np.asarray(batch[HOME])[order], len(named))
    order = order[by_home]
    # all may be null, so that tables of different packets can be put together
    columns = {name: batch[name] for name in batch.schema.names if name != HOME}
    rows = narrowed(pa.table(columns)).take(pa.array(order))
    lows, homes = _cuts(runs)
    blobs = [
        sent({"rows": rows.slice(low, high - low)})
        for low, high in zip(lows, [*lows[1:], len(order)], strict=True)
    ]
    packet, piece, data = in_pieces(blobs, PIECE)
    return pa.RecordBatch.from_arrays(
        [
            pa.array(named[homes][packet]),
            pa.array(ticks[order[lows]][packet]),
            pa.array(packet + number),
            pa.array(piece),
            data,
        ],
        schema=SCHEMA,
    )


def _cuts(runs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where packets begin, and whose they are; the rows of a home begin where `runs` says."""
    count = np.diff(runs)
    packets = np.where(count > 0, np.maximum(count // ROWS, 1), 0)
    homes = np.repeat(np.arange(len(count)), packets)
    place = np.arange(len(homes)) - np.repeat(np.cumsum(packets) - packets, packets)
    return runs[homes] + place * count[homes] // packets[homes], homes


def unpacked(batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[pa.Table, int]]:
    """The rows of each packet, and a time that no later one has rows before."""
    begun: list[pa.Buffer] = []
    for batch in batches:
        if not batch.num_rows:
            continue
        pieces = batch["bytes"].cast(pa.large_binary())
        _, places, data = pieces.buffers()
        offsets = np.frombuffer(places, np.int64)[pieces.offset :]
        first = np.asarray(batch["first"])
        low = 0
        for high in (np.flatnonzero(np.asarray(batch["piece"]) == 0) + 1).tolist():
            begun.append(data.slice(offsets[low], offsets[high] - offsets[low]))
            blob = begun[0] if len(begun) == 1 else b"".join(begun)
            yield received(blob)["rows"], int(first[high - 1])
            begun, low = [], high
        if low < len(pieces):
            begun.append(data.slice(offsets[low], offsets[len(pieces)] - offsets[low]))
