"""How soon the command line and SQL answer: `panewise --help`, `panewise check`, and a plan.

Run with `python -m benchmarks.commands [--quick]`, or with `report` for what was measured so far.
Commands are timed as a user sees them, a process each; planning in process, after one plan that is
not counted.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.measure import Watch
from benchmarks.papers.cases import console, measured
from benchmarks.papers.general_slicing_point import Kept, Point
from benchmarks.papers.general_slicing_sides import machine
from benchmarks.parts import Check, Grid, Part, doubtful, show
from benchmarks.sql_planning import TEXT
from panewise.sql import parse

OUT = Path(__file__).parent / "out"
OURS = "panewise"
MUST = {"--help": 0.4, "check": 1.0, "plan": 0.05}
"""Seconds that each may take."""
TITLES = {
    "--help": "`panewise --help`",
    "check": "`panewise check` of a query with 20 windows",
    "plan": "SQL of 20 windows read and planned",
}


def main() -> int:
    parser = argparse.ArgumentParser("benchmarks.commands")
    parser.add_argument("command", nargs="?", choices=["run", "report"], default="run")
    parser.add_argument("--quick", action="store_true", help="3 runs of each, not 10")
    given = parser.parse_args()
    kept = Kept.read(OUT / f"commands{'-quick' if given.quick else ''}.json")
    if given.command == "run":
        measured("commands", lambda: points(3 if given.quick else 10), kept)
    return show(read(kept.path), kept.path, console)


def points(repeat: int) -> Iterator[Point]:
    with tempfile.TemporaryDirectory() as folder:
        query = Path(folder) / "query.sql"
        query.write_text(TEXT)
        runs: dict[str, Callable[[], object]] = {
            "--help": lambda: _command("--help"),
            "check": lambda: _command("check", str(query)),
            "plan": lambda: parse(TEXT)[0].plan(),
        }
        for name, run in runs.items():
            run()
            with Watch() as watch:
                seconds = [_timed(run) for _ in range(repeat)]
            told = {OURS: seconds}
            yield Point("start", "", name, 1, told, others=watch.others, machine=machine())


def _command(*words: str) -> None:
    subprocess.run([sys.executable, "-m", "panewise", *words], check=True, capture_output=True)


def _timed(run: Callable[[], object]) -> float:
    began = time.perf_counter()
    run()
    return time.perf_counter() - began


def read(path: Path) -> Part | None:
    """What was measured so far."""
    kept = Kept.read(path)
    if not kept.points:
        return None
    rows = [
        [TITLES[str(each.x)], *(f"{1000 * of(each.seconds[OURS]):.0f}" for of in (min, max))]
        for each in kept.points
    ]
    return Part(
        "Command line and SQL: how soon they answer",
        [
            "A command is a process of its own, from its start to its end; a plan is read and made",
            "in a process that has made one before.",
        ],
        kept.points,
        [
            Check(TITLES[str(each.x)], MUST[str(each.x)], each.best(OURS), "", False, " s")
            for each in kept.points
        ],
        [Grid("Milliseconds", ["", "best", "worst"], rows), *doubtful(kept.points, lambda p: p.x)],
    )


if __name__ == "__main__":
    sys.exit(main())
