"""A query in process: files, or standard input, to files, or standard output."""

from __future__ import annotations

from panewise.cli.inputs import times
from panewise.cli.progress import working
from panewise.cli.work import Work


def run_here(work: Work) -> None:
    """Read, answer and write."""
    with working("reading"):
        tables = {
            table: source.read(times(work.statements, table))
            for table, source in work.sources.items()
        }
    with working("aggregating"):
        answers = work.answers(tables)
    work.target.put(answers)
