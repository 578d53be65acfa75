"""A query on Spark, over what is there now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from panewise.cli.inputs import STANDARD, Source, local, times
from panewise.cli.progress import counted
from panewise.cli.results import folders
from panewise.cli.spark_session import spark_session
from panewise.cli.work import Work
from panewise.files.output import placed


def run_spark(work: Work, master: str | None, conf: Mapping[str, str]) -> None:
    """Read, answer and write, with a bar of Spark's tasks."""
    with spark_session(master, conf) as spark, counted(spark, "aggregating"):
        tables = {
            name: table(spark, name, source, times(work.statements, name))
            for name, source in work.sources.items()
        }
        write(work, work.answers(tables))


def table(spark: Any, name: str, source: Source, moments: Sequence[str]) -> Any:
    """The events of a table of FROM: a path, a format without paths, or a table of Spark's."""
    if source.where == STANDARD:
        return spark.createDataFrame(source.read(moments))
    if source.where is None and source.format is None:
        from panewise.spark.tables import table as by_name

        return by_name(spark, name)
    return loading(source).batch(spark)


def loading(source: Source) -> Any:
    """What Spark is told to read."""
    from panewise.spark.load import Load

    return Load(source.kind, source.for_spark, source.options, source.schema)


def write(work: Work, answers: tuple[Any, ...]) -> None:
    """All answers: collected for one file or standard output, else by Spark's workers."""
    from panewise.spark.save import save

    target = work.target
    if target.is_standard or (target.is_file and not target.is_remote and len(answers) == 1):
        target.put([rows.toArrow() for rows in answers])
    elif target.is_remote:
        # on a remote file system Spark's own committer decides when a folder is complete
        for folder, rows in zip(folders(Path(), len(answers)), answers, strict=True):
            where = target.where if folder == Path() else f"{target.where.rstrip('/')}/{folder}"
            save(rows, where, target.kind, overwrite=target.overwrite)
    else:
        path = Path(target.where)
        with placed(path, overwrite=target.overwrite, inputs=target.inputs) as part:
            for folder, rows in zip(folders(part, len(answers)), answers, strict=True):
                save(rows, local(folder), target.kind)
