"""Value counts of overlapping windows.

Idea: values are numbered in order.  Rows enter and leave an array of counts as the
window moves; a bitmap of the values present gives them in ascending order without sorting.
Cost: O(1) per row that enters or leaves, plus the distinct values of each window.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from panewise.aggregates import Tally
from panewise.kernels.compiled import compiled

FEW = 1 << 12
"""Values that any window may look through, whatever its key has of them."""
LARGEST_PIECE = 1 << 22
"""Entries after which a tally is handed on, so that memory stays bounded."""


class Ranked:
    """A column of values by their ranks, ready to be counted: -1 is null.

    Where there are many values and many keys, values are numbered anew within each key, so that a
    window looks at its own key's values only.
    """

    def __init__(
        self, ranks: np.ndarray, values: pa.Array, weights: np.ndarray, runs: np.ndarray
    ) -> None:
        self.values = values
        self.weights = weights
        keys = len(runs) - 1
        self.owner: np.ndarray | None = None
        self.code, self.representative = ranks, np.arange(len(values))
        self.start = self.width = np.empty(0, np.int64)
        self.codes = len(values)
        if keys > 1 and len(values) > FEW:
            self._number_within_keys(ranks, runs)

    def _number_within_keys(self, ranks: np.ndarray, runs: np.ndarray) -> None:
        owner = np.repeat(np.arange(len(runs) - 1), np.diff(runs))
        order = np.lexsort((ranks, owner))
        sorted_ranks, sorted_owner = ranks[order], owner[order]
        fresh = np.zeros(len(order), np.int64)
        fresh[1:] = (sorted_ranks[1:] != sorted_ranks[:-1]) | (
            sorted_owner[1:] != sorted_owner[:-1]
        )
        numbered = np.cumsum(fresh)
        base = numbered[runs[:-1][sorted_owner]] if len(order) else numbered
        self.code = np.empty(len(order), np.int64)
        self.code[order] = numbered - base
        self.code[ranks < 0] = -1
        self.start, self.owner = runs[:-1], owner
        # the rank that each number of each key stands for
        self.representative = np.empty(len(order), np.int64)
        self.representative[runs[:-1][sorted_owner] + numbered - base] = sorted_ranks
        self.width = np.zeros(len(runs) - 1, np.int64)  # numbers in use, per key
        np.maximum.at(self.width, sorted_owner, numbered - base + 1)
        self.codes = int(self.width.max()) if len(self.width) else 0

    def tallies(self, lo: np.ndarray, hi: np.ndarray) -> Iterator[tuple[slice, Tally]]:
        """Tallies of the ranges, in pieces: which ranges, and their tally."""
        counts = np.zeros(self.codes, np.int64)
        words = np.zeros(self.codes // 64 + 1, np.uint64)
        at = 0
        while at < len(lo):
            bound = np.cumsum(np.minimum(hi[at:] - lo[at:], self.codes))
            fits = max(int(np.searchsorted(bound, LARGEST_PIECE)), 1)
            piece = slice(at, min(at + fits, len(lo)))
            capacity = int(bound[min(fits, len(bound)) - 1])
            offsets = np.zeros(piece.stop - piece.start + 1, np.int64)
            found, weights = np.empty(capacity, np.int64), np.empty(capacity, np.int64)
            start, width = self._numbers(lo[piece])
            _count(
                self.code, self.weights, lo[piece], hi[piece], start, width,
                counts, words, offsets, found, weights,
            )  # fmt: skip
            total = offsets[-1]
            rows = self.representative[found[:total]]
            yield piece, Tally(offsets, self.values.take(pa.array(rows)), weights[:total])
            at = piece.stop

    def _numbers(self, lo: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Where the numbers of each range's key begin, and how many there are."""
        if self.owner is None:
            return np.zeros(len(lo), np.int64), np.full(len(lo), self.codes, np.int64)
        key = self.owner[lo]
        return self.start[key], self.width[key]


@compiled
def _count(  # type: ignore[no-untyped-def]
    code, weight, lo, hi, base, width, counts, words, offsets, found, weights
):
    one = np.uint64(1)
    n = 0
    left = right = 0
    for w in range(len(lo)):
        low, high = lo[w], hi[w]
        if low < left or high < right or low >= right:  # start over: take out what is still in
            for i in range(left, right):
                if code[i] >= 0:
                    counts[code[i]] = 0
                    words[code[i] >> 6] = np.uint64(0)
            left = right = low
        for i in range(right, high):
            c = code[i]
            if c >= 0:
                counts[c] += weight[i]
                words[c >> 6] |= one << np.uint64(c & 63)
        for i in range(left, low):
            c = code[i]
            if c >= 0:
                counts[c] -= weight[i]
                if counts[c] == 0:
                    words[c >> 6] &= ~(one << np.uint64(c & 63))
        left, right = low, high
        for j in range((width[w] + 63) >> 6):
            word = words[j]
            while word:
                bit = word & (~word + one)
                c = (j << 6) + _position(bit)
                found[n], weights[n] = base[w] + c, counts[c]
                n += 1
                word ^= bit
        offsets[w + 1] = n
    for i in range(left, right):
        if code[i] >= 0:
            counts[code[i]] = 0
            words[code[i] >> 6] = np.uint64(0)


@compiled
def _position(bit):  # type: ignore[no-untyped-def]
    """Which bit of a word is set, by halves."""
    at = 0
    for shift in (32, 16, 8, 4, 2, 1):
        if bit >= np.uint64(1) << np.uint64(shift):
            bit >>= np.uint64(shift)
            at += shift
    return at
