"""Pictures of plans, as SVG text."""

from panewise.viz.coverage_picture import coverage_picture

__all__ = ["coverage_picture"]
