"""How far Spark's jobs are, by its own counts."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import SparkSession


@dataclass(frozen=True)
class Tasks:
    """Tasks that are done, of those of the stages that are known so far."""

    done: int = 0
    known: int = 0
    stages: int = 0


class Jobs:
    """The jobs that this thread starts, counted as they run."""

    def __init__(self, spark: SparkSession, group: str) -> None:
        self._tracker = spark.sparkContext.statusTracker()
        self._group = group
        spark.sparkContext.setJobGroup(group, group, interruptOnCancel=True)

    def tasks(self) -> Tasks:
        """All jobs so far; stages that were not needed have no tasks."""
        jobs = [self._tracker.getJobInfo(j) for j in self._tracker.getJobIdsForGroup(self._group)]
        numbers = {number for job in jobs if job is not None for number in job.stageIds}
        stages = [s for n in numbers if (s := self._tracker.getStageInfo(n)) is not None]
        begun = [s for s in stages if s.numActiveTasks or s.numCompletedTasks]
        return Tasks(
            sum(stage.numCompletedTasks for stage in begun),
            sum(stage.numTasks for stage in begun),
            len(begun),
        )
