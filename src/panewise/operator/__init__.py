"""The operator: plans in process, without Spark."""

from panewise.operator.operator import Operator, Stats

__all__ = ["Operator", "Stats"]
