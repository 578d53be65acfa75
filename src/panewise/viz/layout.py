"""Where boxes stand and where lines run.

Idea: a grid.  Layers go down, a layer that is too wide takes several rows, and every box stands in
a column, so the gutters between columns and the channels between rows are free for lines: chosen
edges run in them and never behind a box.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from panewise.viz.graph import Box, Edge, Graph

WIDE, HIGH = 180, 58
"""A box."""
GUTTER, CHANNEL = 34, 68
MARGIN = 40
LANES, LANE = 5, 5
"""Lines from different boxes run side by side, so many pixels apart."""

Point = tuple[float, float]


@dataclass(frozen=True)
class Area:
    """A rectangle that is taken."""

    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: Area) -> bool:
        across = self.left < other.right and other.left < self.right
        return across and self.top < other.bottom and other.top < self.bottom


class Grid:
    """The places of the boxes of one graph, below a given height."""

    def __init__(self, graph: Graph, top: float) -> None:
        self.top = top
        layers = _layers(graph)
        self.columns = _columns(layers)
        self.places: dict[int, tuple[int, int]] = {}
        row = 0
        for layer in layers:
            for start in range(0, len(layer), self.columns):
                self._place(layer[start : start + self.columns], row, centred=start == 0)
                row += 1
        self.rows = row
        parents = sorted({edge.parent for edge in graph.chosen}, key=lambda i: self.places[i][::-1])
        self.parents = {edge.child: edge.parent for edge in graph.chosen}
        self.lanes = {parent: LANE * (rank % LANES) for rank, parent in enumerate(parents)}

    def _place(self, boxes: Sequence[int], row: int, centred: bool) -> None:
        # whole columns only: otherwise a gutter of one row would meet a box of the next
        first = (self.columns - len(boxes)) // 2 if centred else 0
        for column, box in enumerate(boxes, first):
            self.places[box] = column, row

    @property
    def right(self) -> float:
        return 2 * MARGIN + self.columns * (WIDE + GUTTER) - GUTTER

    @property
    def bottom(self) -> float:
        return self.top + self.rows * (HIGH + CHANNEL) - CHANNEL

    def area(self, box: int) -> Area:
        column, row = self.places[box]
        left = MARGIN + column * (WIDE + GUTTER)
        top = self.top + row * (HIGH + CHANNEL)
        return Area(left, top, left + WIDE, top + HIGH)

    def branch(self, edge: Edge) -> list[Point]:
        """The corners of a chosen edge: down, across, and down into the middle of the child."""
        one, other = self.area(edge.parent), self.area(edge.child)
        lane = self.lanes[edge.parent]
        begin, end = self._leaves(edge.parent), other.left + WIDE / 2
        leave, enter = one.bottom + 12 + lane, other.top - CHANNEL + 12 + lane
        if leave == enter:
            return [(begin, one.bottom), (begin, leave), (end, leave), (end, other.top)]
        gutter = other.left - GUTTER / 2 - LANE * (LANES - 1) / 2 + lane
        across = [(begin, leave), (gutter, leave), (gutter, enter), (end, enter)]
        return [(begin, one.bottom), *across, (end, other.top)]

    def _leaves(self, parent: int) -> float:
        """The middle of a box, unless the line would then meet one that ends in the box below."""
        column, row = self.places[parent]
        below = [box for box, place in self.places.items() if place == (column, row + 1)]
        strange = any(self.parents.get(box) != parent for box in below)
        return self.area(parent).left + WIDE * (0.85 if strange else 0.5)

    def curve(self, edge: Edge) -> tuple[Point, Point, Point, Point]:
        """A possible edge, left of the middle, where no chosen one ends."""
        one, other = self.area(edge.parent), self.area(edge.child)
        above, below = self.places[edge.parent][1], self.places[edge.child][1]
        begin, end = one.left + WIDE * 0.3, other.left + WIDE * 0.3
        if above == below:  # an arc under the row
            dip = one.bottom + CHANNEL * 0.8
            return (begin, one.bottom), (begin, dip), (end, dip), (end, other.bottom)
        down = above < below
        leave, enter = (one.bottom, other.top) if down else (one.top, other.bottom)
        bend = CHANNEL * (0.9 if down else -0.9)
        return (begin, leave), (begin, leave + bend), (end, enter - bend), (end, enter)


def _columns(layers: Sequence[Sequence[int]]) -> int:
    """As many as the widest layer has, or as share it evenly among the fewest rows."""
    widest = max(map(len, layers))
    most = min(16, max(8, math.isqrt(widest)))
    return math.ceil(widest / math.ceil(widest / most))


def _layers(graph: Graph) -> list[list[int]]:
    """Boxes by depth, each near its siblings, shorter windows first."""
    parents = {edge.child: edge.parent for edge in graph.chosen}
    rank: dict[int, int] = {}
    layers: list[list[int]] = []
    for depth in range(max(box.depth for box in graph.boxes) + 1):
        found = [i for i, box in enumerate(graph.boxes) if box.depth == depth]

        def near(i: int) -> tuple[int, int, int]:
            return rank.get(parents.get(i, 0), 0), *_length(graph.boxes[i])

        layers.append(sorted(found, key=near))
        rank.update((box, place) for place, box in enumerate(layers[-1]))
    return layers


def _length(box: Box) -> tuple[int, int]:
    return (box.family.size, box.family.slide) if box.family else (0, 0)


def along(curve: tuple[Point, Point, Point, Point], t: float) -> Point:
    """The point of a cubic curve at a share of its way."""
    weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
    x = sum(w * p[0] for w, p in zip(weights, curve, strict=True))
    y = sum(w * p[1] for w, p in zip(weights, curve, strict=True))
    return x, y
