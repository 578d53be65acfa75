"""A program of its own that runs a stream, so that tests can kill it.

`python -m tests.spark.streaming.driver SOURCE RESULTS CHECKPOINT MASTER {on|once}`

Results of a micro-batch go to a folder of its number; one that comes again replaces them.  It says
when it has started, when a micro-batch has begun, and when the results of that are written.
"""

import os
import signal
import sys
import threading
import time
from pathlib import Path

import numpy as np
from pyspark.sql import DataFrame

import panewise as pw
from panewise.spark import session
from tests.spark.streaming import feed

DELAY = "20 s"
MARKS = "PANEWISE_TEST_MARKS"
"""A folder for marks of workers that died already; unless it is given, none does."""


def deadly() -> type[pw.UserAggregate]:
    """Defined in a function, so that workers get the class by value."""

    def die_once(where: str) -> None:
        """As if somebody had killed the worker."""
        if MARKS not in os.environ:
            return
        try:
            os.close(os.open(Path(os.environ[MARKS]) / where, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return
        os.kill(os.getpid(), signal.SIGKILL)

    class Deadly(pw.UserAggregate):
        """A sum that ends its worker: once where rows are folded, once where windows are told."""

        kind_name = "deadly"
        partial_types = ("double",)
        returns = "double"

        def lift(self, values: np.ndarray) -> tuple[np.ndarray, ...]:
            if len(values):
                die_once("lift")
            return (values.astype(float),)

        def combine(self, left: tuple, right: tuple) -> tuple[np.ndarray, ...]:
            return (left[0] + right[0],)

        def lower(self, partials: tuple) -> np.ndarray:
            if len(partials[0]):
                die_once("lower")
            return partials[0]

    return Deadly


PLAN = pw.plan(
    time="ts",
    by=["k", "zone"],
    windows=[
        pw.tumbling("10 s"),
        pw.sliding("30 s", "7 s"),
        pw.session("4 s"),
        pw.tumbling(pw.rows(7)),
        pw.punctuation("mark"),
    ],
    aggregates=[pw.sum("x"), pw.count(), pw.median("n"), deadly()("n")],
    order_by="id",
)


def end_with(parent: int) -> None:
    """Leave when the test that started this is gone."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


def main(source: str, results: str, checkpoint: str, master: str, how: str) -> None:
    threading.Thread(target=end_with, args=(os.getppid(),), daemon=True).start()
    spark = session(
        master,
        spark_sql_shuffle_partitions=2,
        spark_sql_session_timeZone="UTC",
        spark_sql_parquet_outputTimestampType="TIMESTAMP_MICROS",
    )
    spark.sparkContext.setLogLevel("OFF")

    def write(frame: DataFrame, batch: int) -> None:
        # its offsets are logged by now; its results are computed, and its commit logged, after this
        print("begun", batch, flush=True)
        frame.write.mode("overwrite").parquet(f"{results}/{batch:04}")
        print("written", batch, flush=True)

    answer = PLAN.run(feed.stream(spark, Path(source)), delay=DELAY)
    writer = answer.writeStream.foreachBatch(write).option("checkpointLocation", checkpoint)
    if how == "once":
        writer = writer.trigger(availableNow=True)
    query = writer.start()
    print("started", flush=True)
    query.awaitTermination()
    print("finished", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
