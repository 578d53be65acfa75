"""What a test of windowed aggregation needs: an oracle, the laws, data, and a comparison.

Importing this needs nothing but the library; the generators ask for `hypothesis` when called.
"""

from panewise.testing.compare import assert_same_rows, same
from panewise.testing.evaluate import evaluate
from panewise.testing.generators import events, times, values, windows
from panewise.testing.laws import LAWS, check_aggregate
from panewise.testing.oracle import oracle
from panewise.testing.scans import check_window

__all__ = [
    "LAWS",
    "assert_same_rows",
    "check_aggregate",
    "check_window",
    "evaluate",
    "events",
    "oracle",
    "same",
    "times",
    "values",
    "windows",
]
