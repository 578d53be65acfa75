"""Failures of Spark as a person reads them."""

import pytest
from py4j.protocol import Py4JNetworkError
from pyspark.errors import AnalysisException, PySparkException, PythonException

from panewise.spark.failures import told

WORKER = """Job aborted due to stage failure: Task 0 in stage 3.0 failed 1 times
org.apache.spark.api.python.PythonException: Traceback (most recent call last):
  File "worker.py", line 1, in main
    process()
panewise.errors.ResultOverflow: the sum of "x" is beyond BIGINT. Hint: cast it to DECIMAL.

\tat org.apache.spark.api.python.BasePythonRunner$ReaderIterator.handle(PythonRunner.scala:1)
"""
DISK = """Job aborted due to stage failure: Task 0 failed
java.io.IOException: Mkdirs failed
\tat org.apache.Writer.write(Writer.java:1)
Caused by: java.io.IOException: No space left on device
\tat java.io.FileOutputStream.write(FileOutputStream.java:1)
"""


def test_an_error_of_ours_in_a_worker() -> None:
    failure = told(PythonException(WORKER))
    assert failure.message == 'the sum of "x" is beyond BIGINT.'
    assert failure.hint == "cast it to DECIMAL." and not failure.asked_wrong


def test_the_innermost_cause() -> None:
    assert told(PySparkException(DISK)).message == "Spark failed: No space left on device"


@pytest.mark.parametrize(
    "problem",
    [
        AnalysisException("[PATH_NOT_FOUND] Path does not exist: x. SQLSTATE: 42K03\n at ..."),
        PySparkException("[DATA_SOURCE_NOT_FOUND] Failed to find x. SQLSTATE: 42K02\nmore"),
    ],
)
def test_what_was_asked_wrong(problem: Exception) -> None:
    failure = told(problem)
    assert failure.asked_wrong and failure.message.endswith("x.")
    assert "SQLSTATE" not in failure.message


def test_a_file_that_a_worker_cannot_read() -> None:
    failure = told(PySparkException("Job aborted\n[FAILED_READ_FILE.NO_HINT] Error at x.orc.\n at"))
    assert failure.asked_wrong and failure.message == "[FAILED_READ_FILE.NO_HINT] Error at x.orc."


def test_a_lost_connection() -> None:
    assert "connection with Spark was lost" in told(Py4JNetworkError("reset")).message
