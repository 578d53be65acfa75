"""What every scanner is: the windows of many keys at once, from rows in order.

Each takes the contexts of all keys and the rows still needed, and gives the windows that the
watermark has closed, the next contexts, and from which row on rows are needed.  Scanning in pieces
gives what scanning in whole gives.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from panewise.kernels.cells import Cells


@dataclass(frozen=True)
class Found:
    """Closed windows in the order of their keys, and where the next scan goes on."""

    code: np.ndarray
    number: np.ndarray
    start: np.ndarray
    end: np.ndarray
    lo: np.ndarray
    hi: np.ndarray
    contexts: Any
    needed: np.ndarray

    def take(self, picked: np.ndarray) -> Found:
        code, number, start, end = (
            each[picked] for each in (self.code, self.number, self.start, self.end)
        )
        lo, hi = self.lo[picked], self.hi[picked]
        return Found(code, number, start, end, lo, hi, self.contexts, self.needed)

    @classmethod
    def of(cls, columns: np.ndarray, contexts: Any, needed: np.ndarray) -> Found:
        """From a matrix with a row for each of code, number, start, end, lo and hi."""
        code, number, start, end, lo, hi = columns
        return cls(code, number, start, end, lo, hi, contexts, needed)

    def columns(self) -> np.ndarray:
        """The inverse of `of`."""
        return np.stack([self.code, self.number, self.start, self.end, self.lo, self.hi])


class Scanner(ABC):
    """A scanned type over many keys; `contexts` has an entry for each."""

    numbered: ClassVar[bool] = False
    partitions: ClassVar[bool] = False
    """Whether windows never overlap and rows are looked at once: one cell holds an open one."""
    contexts: Any

    @abstractmethod
    def grow(self, keys: int) -> None:
        """Make room for new keys."""

    def admitted(self, rows: Cells) -> Cells:
        """The rows that take part."""
        return rows

    @abstractmethod
    def scan(self, cells: Cells, runs: np.ndarray, stops: np.ndarray, watermark: int) -> Found:
        """Scan each key's rows up to its stop."""

    @abstractmethod
    def rename(self, renamed: np.ndarray) -> None:
        """Keys were numbered anew; -1 are gone."""

    @abstractmethod
    def codes(self) -> np.ndarray:
        """Keys whose context must be kept though no row is held."""

    @abstractmethod
    def state(self) -> Any:
        """The contexts as JSON has them."""

    @abstractmethod
    def restore(self, state: Any, held: np.ndarray) -> None:
        """The inverse of `state`, or a ValueError; `held` is how many rows each key has."""

    def until(self, found: Found) -> np.ndarray:
        """The time from which on no row changes a window."""
        return found.end

    def seen_once(self, codes: np.ndarray) -> None:  # noqa: B027 (only partitions are told)
        """The rows of these keys that were looked at are one cell now."""


class CompiledScanner(Scanner):
    """A scan in a compiled loop; a context is a few integers."""

    first: ClassVar[tuple[int, ...]] = (0, 0)
    """The context of a key that has no rows yet."""

    def __init__(self) -> None:
        self.contexts = np.empty((0, len(self.first)), np.int64)

    def grow(self, keys: int) -> None:
        more = keys - len(self.contexts)
        if more > 0:
            self.contexts = np.concatenate(
                [self.contexts, np.tile(np.array([self.first], np.int64), (more, 1))]
            )

    def scan(self, cells: Cells, runs: np.ndarray, stops: np.ndarray, watermark: int) -> Found:
        room = np.empty((6, len(cells) + len(stops)), np.int64)
        contexts, needed = self.contexts.copy(), np.empty(len(stops), np.int64)
        count = self.loop(cells, runs, stops, watermark, contexts, needed, room)
        return Found.of(room[:, :count].copy(), contexts, needed)

    @abstractmethod
    def loop(
        self, cells: Cells, runs: np.ndarray, stops: np.ndarray, watermark: int,
        contexts: np.ndarray, needed: np.ndarray, out: np.ndarray,
    ) -> int:  # fmt: skip
        """Fill `out` with code, number, start, end, lo, hi; how many windows there are."""

    def rename(self, renamed: np.ndarray) -> None:
        self.grow(len(renamed))
        self.contexts = self.contexts[np.flatnonzero(renamed >= 0)]

    def codes(self) -> np.ndarray:
        return np.flatnonzero((self.contexts != np.array([self.first], np.int64)).any(axis=1))

    def state(self) -> Any:
        return self.contexts.tolist()

    def restore(self, state: Any, held: np.ndarray) -> None:
        kinds = [int] * len(self.first)
        whole = type(state) is list and all(
            type(numbers) is list and [type(n) for n in numbers] == kinds for numbers in state
        )
        if not whole or len(state) > len(held):
            raise ValueError(f"contexts are {len(kinds)} integers for each key")
        try:
            contexts = np.array(state, np.int64).reshape(-1, len(kinds))
        except OverflowError:
            raise ValueError("contexts are integers of 64 bits") from None
        if not self.sound(contexts, held[: len(contexts)]):
            raise ValueError("a context points beyond the rows there are")
        self.contexts = contexts

    def sound(self, contexts: np.ndarray, held: np.ndarray) -> bool:
        """Whether loops may use contexts as places."""
        return True
