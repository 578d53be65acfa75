"""Rows as buffers are fed them, and what a buffer tells about them."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

from panewise.kernels.frames.bands import bands
from panewise.kernels.frames.cutter import Cutter, numbers_of
from panewise.kernels.frames.inputs import frame_input
from panewise.windows import BoundaryFrame, Frame

PHASES = ("add", "scope", "content", "evict")


@dataclass(frozen=True)
class Fed:
    """Rows in the order of their arrival, of which the first are held when the clock starts.

    What is looked at in a row, a truth, a band or a number, is there before the clock starts.
    """

    times: np.ndarray
    values: np.ndarray
    parameters: tuple[Any, ...]
    held: int
    retained: int
    """Ticks of time that rows are retained for."""

    @classmethod
    def of(cls, frame: Frame, columns: dict[str, np.ndarray], retained: int) -> Fed:
        looked_at = frame_input(frame, {"x": pa.array(columns["x"])})
        if isinstance(frame, BoundaryFrame):
            looked_at = bands(frame, looked_at)
        cutter = Cutter.of(frame, 0, whole=True)
        values = numbers_of(looked_at, cutter.form)[0].astype(np.int64)
        return cls(columns["ts"], values, cutter.parameters, retained, retained)

    def first(self, rows: int) -> Fed:
        """With that many rows after those that are held."""
        until = self.held + rows
        return replace(self, times=self.times[:until], values=self.values[:until])


@dataclass(frozen=True)
class Frames:
    """What a buffer holds at the end, and a number made of all that it told."""

    found: np.ndarray
    """Start, end, first row and the row after the last, of every frame that is still held."""
    told: int

    def __eq__(self, other: object) -> bool:
        assert isinstance(other, Frames)
        return self.told == other.told and np.array_equal(self.found, other.found)


@dataclass(frozen=True)
class Spent:
    """Seconds of a run, and nanoseconds of its phases where it was clocked."""

    seconds: float
    phases: dict[str, float]


class Buffer(ABC):
    """A buffer with its first rows, ready for the others."""

    name: ClassVar[str]

    @abstractmethod
    def __init__(self, fed: Fed) -> None: ...

    @staticmethod
    @abstractmethod
    def steps(retained: int) -> float:
        """About how many rows a tick looks at or moves."""

    @abstractmethod
    def feed(self, clocked: bool, spent: np.ndarray) -> None:
        """Every row, one by one."""

    @abstractmethod
    def frames(self) -> Frames:
        """After all rows."""

    def run(self, *, clocked: bool = False) -> Spent:
        spent = np.zeros(len(PHASES), np.int64)
        began = time.perf_counter()
        self.feed(clocked, spent)
        lasted = time.perf_counter() - began
        return Spent(lasted, dict(zip(PHASES, map(float, spent), strict=True)))
