"""The oracle: the judge of every engine. Importing it enters all definitions into its table."""

from panewise.testing.oracle import distribution, frames, numbers, order, regression, spanning
from panewise.testing.oracle.definition import oracle
from panewise.testing.oracle.table import value_of

__all__ = [
    "distribution",
    "frames",
    "numbers",
    "oracle",
    "order",
    "regression",
    "spanning",
    "value_of",
]
