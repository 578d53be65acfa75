"""What an experiment gave, in one shape: for a terminal, a page of its own, and the page of all.

An experiment brings a `Part`: what its figures are of, tables, pictures, and the figures that it
must reach.  How these are written is the same for all, and is here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from rich.console import Console
from rich.table import Table

QUIET = 0.3
"""Cores that other processes may use before a time is marked as disturbed."""


@dataclass(frozen=True)
class Grid:
    """A table, wherever it is shown."""

    title: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]

    def rich(self) -> Table:
        shown = Table(*self.heads, title=self.title)
        for cells in self.rows:
            shown.add_row(*cells)
        return shown

    def markdown(self, depth: int = 2) -> list[str]:
        return [f"{'#' * depth} {self.title}", "", *self.lines(), ""]

    def lines(self) -> list[str]:
        """The table alone.

        >>> Grid("", ["a", "b"], [["1", "x|y"]]).lines()
        ['| a | b |', '| --- | --- |', '| 1 | x\\\\|y |']
        """
        every = [self.heads, ["---"] * len(self.heads), *self.rows]
        escaped = ([cell.replace("|", "\\|") for cell in row] for row in every)
        return [f"| {' | '.join(row)} |" for row in escaped]


@dataclass(frozen=True)
class Check:
    """A figure to reach: at least so much, or at most."""

    work: str
    must: float
    found: float | None
    """None where it was not measured."""
    where: str
    least: bool = True
    unit: str = ""

    @property
    def holds(self) -> bool:
        if self.found is None:
            return False
        return self.found >= self.must if self.least else self.found <= self.must

    def cells(self, judged: bool = True) -> list[str]:
        """As a row of a table; a quick run is not judged."""
        must = f"{'≥' if self.least else '≤'} {self.must:.3g}{self.unit}"
        if self.found is None:
            return [self.work, must, "not measured", "", self.where]
        holds = ("yes" if self.holds else "NO") if judged else "not judged"
        return [self.work, must, f"{self.found:.3g}{self.unit}", holds, self.where]


CHECKED = ("work", "must", "found", "holds", "where")


class Measured(Protocol):
    """What every kept result tells of itself; frozen dataclasses have it as fields."""

    @property
    def results(self) -> str: ...
    @property
    def others(self) -> float: ...
    @property
    def machine(self) -> str: ...
    @property
    def when(self) -> str: ...


def no_pictures(_: Path) -> list[Path]:
    return []


@dataclass(frozen=True)
class Part:
    """One experiment."""

    title: str
    notes: Sequence[str]
    """What the figures are of, as markdown."""
    measured: Sequence[Measured]
    checks: Sequence[Check] = ()
    grids: Sequence[Grid] = ()
    draw: Callable[[Path], list[Path]] = no_pictures
    """Draws pictures beside a path, with its stem in their names."""

    @property
    def different(self) -> bool:
        """Whether sides gave different answers somewhere."""
        return any("DIFFERENT" in each.results for each in self.measured)

    @property
    def machines(self) -> list[str]:
        return sorted({each.machine for each in self.measured if each.machine})

    @property
    def days(self) -> str:
        """When it was measured, from the first to the last day."""
        found = sorted({each.when for each in self.measured if each.when})
        return " to ".join(dict.fromkeys([found[0], found[-1]])) if found else "an unknown day"

    def reach(self, judged: bool = True) -> Grid:
        """What must be reached, and what was found."""
        return Grid("Must reach", CHECKED, [each.cells(judged) for each in self.checks])

    def every_grid(self, judged: bool = True) -> list[Grid]:
        """What must be reached, and everything that was measured."""
        return [*([self.reach(judged)] if self.checks else []), *self.grids]

    def lines(self, beside: Path, depth: int = 1, judged: bool = True) -> list[str]:
        """As markdown; pictures are drawn beside a path, and linked by their names alone."""
        found = ["#" * depth + f" {self.title}", "", *self.notes, ""]
        for grid in self.every_grid(judged):
            found += grid.markdown(depth + 1)
        for picture in self.draw(beside):
            found += [f"![{picture.stem}]({picture.name})", ""]
        return found

    def write(self, page: Path) -> None:
        """A page of its own, with its pictures beside it."""
        told = [f"Measured with {machine}." for machine in self.machines]
        page.write_text("\n".join([*self.lines(page), *told]).rstrip() + "\n")


def show(part: Part | None, kept: Path, console: Console) -> int:
    """Tables in the terminal, and the page; not zero where results differ, or there are none."""
    if part is None:
        console.print(f"nothing was measured yet: {kept.name} is not there")
        return 2
    for grid in part.every_grid():
        console.print(grid.rich())
    part.write(kept.with_suffix(".md"))
    console.print(f"written: {kept.stem}.md in benchmarks/out, with its pictures")
    return 1 if part.different else 0


def doubtful(points: Sequence[Any], name: Callable[[Any], str]) -> Iterator[Grid]:
    """What makes some of the figures doubtful; none is no table."""
    rows = [[name(each), each.results] for each in points if "DIFFERENT" in each.results]
    for case in dict.fromkeys(each.case for each in points):
        others = [each.others for each in points if each.case == case]
        loud = sum(each > QUIET for each in others)
        if loud:
            told = f"{loud} of {len(others)} points: others used up to {max(others):.1f} cores"
            rows.append([case, f"DISTURBED, {told}"])
    if rows:
        yield Grid("To be looked at", ["point", "what"], rows)
