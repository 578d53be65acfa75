"""A query in process: files, or standard input, to files, or standard output."""

from __future__ import annotations

from panewise.cli.inputs import times
from panewise.cli.progress import working
from panewise.cli.work import Work
from panewise.files.reading import readable


def run_here(work: Work) -> None:
    """Read, answer and write."""
    with working("reading"):
        tables = {
            table: source.read(times(work.statements, table))
            for table, source in work.sources.items()
        }
    names = ", ".join(f'"{source.where}"' for source in work.sources.values())
    with working("aggregating"), readable(names):  # rows of parquet are read as they are needed
        answers = work.answers(tables)
    work.target.put(answers)
