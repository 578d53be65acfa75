"""What a worker of Spark's never throws away is not looked through for garbage.

Idea: Spark collects garbage in a Python worker after every task, and Python walks through all it
has: with numpy, Arrow, pandas and compiled loops some 80 ms, which the next task of a micro-batch
waits for.  Modules stay, so they are set aside once they are there.
"""

from __future__ import annotations

import gc

from pyspark import TaskContext

MANY = 20_000
"""Objects that outlive a task: more than rows and state leave behind, fewer than modules."""


def set_aside() -> None:
    """At the end of a task: keep what has come to stay out of later collections."""
    if TaskContext.get() is not None and len(gc.get_objects()) > MANY:
        gc.collect()
        gc.freeze()
