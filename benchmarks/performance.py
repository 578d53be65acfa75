"""The benchmark report: one page with every table and picture, `docs/performance.md`.

`python -m benchmarks.performance` puts it together from what is kept in `benchmarks/out`, and
measures nothing: an experiment that has no results there stays on the page as it is.  With
`--measure`, experiments that have no results yet are run before, quickly; with `--measure full`,
those that have no full results, which takes hours.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks import commands, inprocess_report
from benchmarks.papers import (
    factor_windows_report,
    frames_report,
    general_slicing_report,
    multi_granular_report,
    spanning_report,
)
from benchmarks.parts import Grid, Part
from benchmarks.spark import batch_report, streaming_report

ROOT = Path(__file__).parents[1]
OUT = ROOT / "benchmarks" / "out"
PAGE = ROOT / "docs" / "performance.md"
PICTURES = "images/performance"
README = ROOT / "README.md"
QUOTED = re.compile(
    r"(<!-- figures of docs/performance.md -->\n).*?(<!-- end of figures -->)", re.DOTALL
)
"""What the README quotes stands between these marks."""


@dataclass(frozen=True)
class Experiment:
    """A module that measures, the file it keeps its results in, and what reads them."""

    kept: str
    module: str
    read: Callable[[Path], Part | None]

    def command(self, quick: bool) -> str:
        return f"python -m {self.module}" + (" --quick" if quick else "")

    def found(self, out: Path) -> Found | None:
        """Full results where there are some, else quick ones."""
        for quick in (False, True):
            part = self.read(out / f"{self.kept}{'-quick' if quick else ''}.json")
            if part is not None:
                return Found(self, part, quick)
        return None


@dataclass(frozen=True)
class Found:
    """What an experiment gave, and how it was run."""

    experiment: Experiment
    part: Part
    quick: bool

    @property
    def how(self) -> str:
        return "quick" if self.quick else "full"

    @property
    def reached(self) -> str:
        """How many figures were reached; small inputs do not say."""
        held = sum(check.holds for check in self.part.checks)
        return "not judged" if self.quick else f"{held} of {len(self.part.checks)}"


@dataclass(frozen=True)
class Section:
    """An experiment on the page: its line of the summary, and all that follows of it."""

    summary: str
    lines: Sequence[str]


EXPERIMENTS = (
    Experiment("results", "benchmarks", batch_report.read),
    Experiment("streaming", "benchmarks.spark.streaming", streaming_report.read),
    Experiment("inprocess", "benchmarks.inprocess", inprocess_report.read),
    Experiment("factor_windows", "benchmarks.papers.factor_windows", factor_windows_report.read),
    Experiment("general_slicing", "benchmarks.papers.general_slicing", general_slicing_report.read),
    Experiment("spanning_events", "benchmarks.papers.spanning_events", spanning_report.read),
    Experiment("frames", "benchmarks.papers.frames", frames_report.read),
    Experiment("multi_granular", "benchmarks.papers.multi_granular", multi_granular_report.read),
    Experiment("commands", "benchmarks.commands", commands.read),
)
INTRODUCTION = """\
# Performance

Written by `make report` from the results in `benchmarks/out`.
[The benchmarks](../benchmarks/README.md) say how each experiment is made: all sides in turn in one
process or session, equal results, the best run of each.

*Must* is the figure that was set before anything was measured, or that of the source; *found* is
ours. Ratios of one run say more than seconds, which are of one machine. In a *quick* run, inputs
are so small that the fixed costs of a query weigh as much as its rows: its figures say that
everything works, not how fast it is.
""".splitlines()


def main() -> int:
    parser = argparse.ArgumentParser("benchmarks.performance", description=__doc__)
    parser.add_argument("--measure", nargs="?", const="quick", choices=["quick", "full"])
    given = parser.parse_args()
    failed = [each for each in EXPERIMENTS if given.measure and not _run(each, given.measure)]
    found = {each.kept: part for each in EXPERIMENTS if (part := each.found(OUT)) is not None}
    if not found:
        print("nothing was measured yet: python -m benchmarks.performance --measure")
        return 2
    before = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    PAGE.write_text(page(found, PAGE.parent, before) + "\n", encoding="utf-8")
    if (quoted := found.get(EXPERIMENTS[0].kept)) is not None:
        README.write_text(quoting(README.read_text(encoding="utf-8"), quoted), encoding="utf-8")
    print(f"written: {PAGE.relative_to(ROOT)}, {len(found)} of {len(EXPERIMENTS)} experiments anew")
    return 1 if failed or any(each.part.different for each in found.values()) else 0


def _run(experiment: Experiment, how: str) -> bool:
    """Measure what is not there yet, in a process of its own; whether it could be."""
    found = experiment.found(OUT)
    if found is not None and (how == "quick" or not found.quick):
        return True
    words = [sys.executable, *experiment.command(how == "quick").split()[1:]]
    print(f"{experiment.kept}: {' '.join(words[1:])}", flush=True)
    return subprocess.run(words, cwd=ROOT, check=False).returncode == 0


def page(found: Mapping[str, Found], folder: Path, before: str = "") -> str:
    """The whole page; its pictures are drawn below a folder.

    Experiments without results have the section that they had before.
    """
    sections = []
    for experiment in EXPERIMENTS:
        if experiment.kept in found:
            sections.append(_section(found[experiment.kept], folder))
        elif (kept := section_of(before, experiment)) is not None:
            sections.append(kept)
    heads = ["experiment", "run", "measured on", "figures reached", "results"]
    summary = Grid("In short", heads, []).markdown(2)[:-1]
    lines = [*INTRODUCTION, "", *summary, *(each.summary for each in sections), ""]
    return "\n".join(
        line for each in [lines, *(s.lines for s in sections)] for line in each
    ).rstrip()


def _section(found: Found, folder: Path) -> Section:
    beside = folder / PICTURES / f"{found.experiment.kept}.md"
    lines = found.part.lines(beside, depth=2, judged=not found.quick)
    lines = [re.sub(r"^(!\[.*\]\()", rf"\1{PICTURES}/", line) for line in lines]
    told = [f"A {found.how} run on {found.part.days}: `{found.experiment.command(found.quick)}`."]
    told += [f"{machine}." for machine in found.part.machines]
    return Section(_summary(found), [*lines[:2], *told, "", *lines[2:]])


def _summary(found: Found) -> str:
    cells = [
        f"[{found.part.title}](#{_anchor(found.part.title)})",
        found.how,
        found.part.days,
        found.reached,
        "DIFFERENT" if found.part.different else "equal",
    ]
    return f"| {' | '.join(cells)} |"


def section_of(before: str, experiment: Experiment) -> Section | None:
    """What a page has of an experiment; it is known by its command."""
    for section in re.split(r"^(?=## )", before, flags=re.MULTILINE)[1:]:
        title = section.splitlines()[0].removeprefix("## ")
        if any(f": `{experiment.command(quick)}`." in section for quick in (False, True)):
            (summary,) = re.findall(rf"^\| \[{re.escape(title)}\].*$", before, flags=re.MULTILINE)
            return Section(summary, [*section.rstrip().splitlines(), ""])
    return None


def quoting(readme: str, found: Found) -> str:
    """The README with the figures of the page; those of the first experiment stand there."""
    table = found.part.reach(judged=not found.quick).lines()
    how = f"A {found.how} run on {found.part.days}; [the page](docs/performance.md) has the rest."
    told = "\n".join([*table, "", how, ""])
    return QUOTED.sub(lambda marks: f"{marks[1]}{told}{marks[2]}", readme)


def _anchor(title: str) -> str:
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", title).strip().lower())


if __name__ == "__main__":
    sys.exit(main())
