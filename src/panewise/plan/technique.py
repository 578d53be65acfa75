"""How events with a duration are put into slices (S0, and two ways beyond it).

Every technique answers every window exactly; they differ in how many cells an event touches.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

from panewise.errors import QueryError


class Kind(Enum):
    """The families of techniques."""

    SE_SLICING = "se_slicing"
    """A cell in every slice of the event: the last one apart from those it goes on in."""
    SE_ML_SLICING = "se_ml_slicing"
    """The same in hops: a cell of level k stands for the k slices before its own, too."""
    DIFFERENCE = "difference"
    """Two cells, for the beginning and the end: what began less what has ended."""
    DYADIC = "dyadic"
    """Blocks of 1, 2, 4, ... slices: two that overlap where an event may count twice, else a few
    that do not."""
    ENDPOINTS = "endpoints"
    """Where events begin and end, to the tick: for how many are there at once."""
    WEIGHTED = "weighted"
    """Shares of events: of the first and the last slice by themselves, blocks of the slices
    between."""


@dataclass(frozen=True)
class Technique:
    """A kind, and how many levels a multi-level slice has."""

    kind: Kind
    height: int = 1

    @classmethod
    def parse(cls, text: str) -> Technique | None:
        """A technique by its name; None where it is not one.

        >>> Technique.parse("se_ml_slicing(5)").height, Technique.parse("edges")
        (5, None)
        """
        found = re.fullmatch(r"se_ml_slicing\((\d+)\)", text)
        if found:
            height = int(found[1])
            if not 1 <= height <= MOST_LEVELS:
                raise QueryError(
                    f"a slice has 1 to {MOST_LEVELS} levels: got {text!r}.",
                    hint='write strategy="se_ml_slicing(5)".',
                )
            return cls(Kind.SE_ML_SLICING, height)
        simple = {kind.value: kind for kind in (Kind.SE_SLICING, Kind.DIFFERENCE, Kind.DYADIC)}
        return cls(simple[text]) if text in simple else None

    def __str__(self) -> str:
        return f"{self.kind.value}({self.height})" if self.height > 1 else self.kind.value


MOST_LEVELS = 64
MOST_SLICES = 1 << 22
"""Slices between the first and the last event that slicing techniques list."""
