"""The cost model: what a tree of nodes costs on Spark, from what is known of the data.

Idea: a node has one row per pane (or instance) and active key, not one per pane; so rows are
counted first, and every cost is a number of rows times what a row costs on the way it takes.  With
constants of 1 for reading and 0 for the rest it is the model of the factor-windows paper, at
steady rates.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, fields
from functools import cache
from importlib import resources

from panewise.optimizer.coverage import minimal_multiplier, multiplier
from panewise.optimizer.density import Density
from panewise.plan import Edges, Node, Placement, Shape, Statistics, Tree, Way
from panewise.windows import Family, PaneWidth, RowFamily, Scan

EACH_COLUMN = 0.25
"""What a further partial column adds to the cost of a row that is grouped or moved."""
SESSION_SHARE = 0.3
"""Sessions expected for each gap-wide pane that has rows."""
SCANNED_SHARE = 0.1
"""Windows expected for each row where the rows themselves decide."""
OPAQUE = 20.0
"""How many times as long array code takes for a sketch as for a number."""


@dataclass(frozen=True)
class Constants:
    """Seconds for a row on each step, and for each stage. `benchmarks.calibrate` measures them."""

    scan: float
    """An event is read."""
    fold: float
    """A row, or a copy of it, goes into a group."""
    copy: float
    """A row is copied into one more pane or window."""
    group: float
    """A row of a node: made, shuffled, and merged with its equals."""
    move: float
    """An event travels to the worker of its key before it is folded."""
    cell: float
    """A cell travels to the kernel's worker, is sorted and handed over."""
    result: float
    """A window leaves the kernel."""
    stage: float
    """A level: tasks are started and waited for."""
    worker: float
    """Python takes part."""

    @classmethod
    def stored(cls) -> Constants:
        """The constants that came with the package."""
        return _stored()

    @classmethod
    def reading(cls) -> Constants:
        """The paper's model: a row read costs 1, and nothing else does."""
        return cls(0, 1, 0, 0, 0, 0, 0, 0, 0)

    def as_dict(self) -> Mapping[str, float]:
        return {field.name: getattr(self, field.name) for field in fields(self)}


@cache
def _stored() -> Constants:
    text = resources.files("panewise.optimizer").joinpath("constants.json").read_text()
    return Constants(**json.loads(text)["seconds"])


class Model:
    """Rows and costs of nodes and trees, for one query over one stream."""

    def __init__(
        self,
        statistics: Statistics,
        families: Sequence[Family],
        constants: Constants,
        *,
        columns: int = 1,
        opaque: bool = False,
    ) -> None:
        assert statistics.rate is not None
        self.statistics = statistics
        self.constants = constants
        self.columns = columns
        self.wide = 1 + EACH_COLUMN * (columns - 1)
        self.opaque = OPAQUE if opaque else 1.0
        self.density = Density(edge for f in families if not f.once for edge in f.edges())
        self._rows: dict[Shape, float] = {}
        self._keys: dict[float, float] = {}

    def carrying(self, columns: int) -> Model:
        """The same model for so many columns."""
        other = copy(self)
        other.columns = columns
        other.wide = 1 + EACH_COLUMN * (columns - 1)
        return other

    @property
    def span(self) -> float:
        return self.statistics.rows / (self.statistics.rate or 1.0)

    def rows(self, shape: Shape) -> float:
        """Rows of a node."""
        known = self._rows.get(shape)
        if known is None:
            known = self._rows[shape] = self._count(shape)
        return known

    def reads(self, child: Shape, parent: Shape | None, minimal: bool = False) -> float:
        """Rows, counted once for every instance they go into, that make a node."""
        times = copies(child)
        if parent is None:
            return self.statistics.rows * times
        if isinstance(parent, Family) and parent.size != parent.slide:
            assert isinstance(child, Family)
            each = minimal_multiplier if minimal else multiplier
            instances = self.span / child.slide
            return instances * each(child, parent) * self._keys_in(parent.size)
        return self.rows(parent) * times

    def read_cost(self, child: Shape, parent: Shape | None, minimal: bool = False) -> float:
        """What reading costs; a second reader of the same rows makes copies of them."""
        c = self.constants
        reads = self.reads(child, parent, minimal)
        if parent is None:
            own = self.statistics.rows
            return c.fold * self.wide * reads + c.copy * max(0.0, reads - own)
        return (c.fold * self.wide + c.copy) * reads

    def node_cost(self, shape: Shape) -> float:
        """What the rows of a node cost, whoever is read for them."""
        return self.constants.group * self.wide * self.rows(shape)

    def levels_cost(self, nodes: Sequence[Node], depths: Sequence[int]) -> float:
        """A tree that runs level by level. Finished windows pass through the levels after them."""
        c, total = self.constants, 0.0
        last = max(depths)
        for node, depth in zip(nodes, depths, strict=True):
            parent = None if node.parent is None else nodes[node.parent].shape
            total += self.read_cost(node.shape, parent, node.minimal)
            passes = last - depth if node.window is not None else 0
            total += self.node_cost(node.shape) * (1 + passes)
        readers = sum(node.parent is None for node in nodes)
        total += c.copy * self.statistics.rows * (readers if readers > 1 else 0)
        return total + c.scan * self.statistics.rows + c.stage * last

    def kernel_cost(self, panes: Edges, windows: Sequence[Shape], placement: Placement) -> float:
        """Panes, and one pass of the kernel for all windows."""
        c = self.constants
        events, cells = self.statistics.rows, self.rows(panes)
        results = sum(self.rows(window) for window in windows)
        total = (c.scan + c.fold * self.wide) * events + c.worker
        if placement is Placement.ROWS:
            total += c.move * self.wide * events + c.stage
            total += (c.group + c.cell) / 2 * self.wide * cells  # nothing is shuffled again
        else:
            total += (c.group + c.cell) * self.wide * cells + 2 * c.stage
        return total + c.result * self.wide * self.opaque * results

    def total(self, trees: Sequence[Tree]) -> float:
        """All trees of a plan. Those of the same windows run as one, from one scan to one end."""
        c, together = self.constants, 0.0
        seen: set[frozenset[int]] = set()
        for tree in trees:
            together += self.cost(tree)
            windows = frozenset(tree.windows)
            if windows in seen:
                results = sum(self.rows(n.shape) for n in tree.nodes if n.window is not None)
                together += c.group * self.wide * results - c.scan * self.statistics.rows
            seen.add(windows)
        return together

    def cost(self, tree: Tree) -> float:
        """The whole of a tree, which may carry fewer columns than the query has."""
        columns = len(tree.aggregates)
        if columns != self.columns:
            return self.carrying(columns).cost(tree)
        if tree.way is Way.LEVELS:
            return self.levels_cost(tree.nodes, tree.depths())
        if tree.way is Way.ROWS:
            return self.rows_cost([node.shape for node in tree.nodes])
        panes, *windows = (node.shape for node in tree.nodes)
        assert isinstance(panes, Edges)
        return self.kernel_cost(panes, windows, tree.placement)

    def rows_cost(self, windows: Sequence[Shape]) -> float:
        """Every event travels and is read in order; windows come out of one pass."""
        c, events = self.constants, self.statistics.rows
        results = sum(self.rows(shape) for shape in windows)
        per_event = c.scan + (c.move + c.cell) * self.wide
        return events * per_event + results * c.result * self.wide + 2 * c.stage

    def _count(self, shape: Shape) -> float:
        events, span = self.statistics.rows, self.span
        if isinstance(shape, RowFamily):
            return events * copies(shape.family) * shape.family.step / shape.family.size
        if isinstance(shape, Scan):
            return SCANNED_SHARE * events
        if isinstance(shape, PaneWidth):
            return min(events, SESSION_SHARE * span / shape.ticks * self._keys_in(shape.ticks))
        if isinstance(shape, Edges):
            rate = self.density.of(shape)
            panes = span * rate + len(shape.fixed) + 1
            return min(events, panes * self._keys_in(span / panes))
        nested = shape.size // shape.step
        if shape.once:
            return min(events, self._keys_in(shape.size)) * nested
        instances = span / shape.slide
        return min(events * copies(shape), instances * nested * self._keys_in(shape.size))

    def _keys_in(self, width: float) -> float:
        known = self._keys.get(width)
        if known is None:
            known = self._keys[width] = self.statistics.keys_in(width)
        return known


def copies(shape: Shape) -> float:
    """In how many instances of a shape an event is, on average."""
    if not isinstance(shape, Family):
        return 1.0
    nested = shape.size // shape.step
    return (nested + 1) / 2 if nested > 1 or shape.once else shape.size / shape.slide
