"""Pictures: plans as SVG text, and many horizons of one stream as a chart."""

from panewise.viz.coverage_picture import coverage_picture
from panewise.viz.horizons import horizons

__all__ = ["coverage_picture", "horizons"]
