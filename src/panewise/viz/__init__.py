"""Pictures: plans and time lines as SVG text, results and many horizons of one stream as charts.

`panewise.viz.timeline.draw` shows what windows do to a few events, `panewise.viz.results.draw`
results over time, and `panewise.viz.chart.chart` the same in small, without matplotlib.
"""

from panewise.viz.coverage_picture import coverage_picture
from panewise.viz.horizons import horizons

__all__ = ["coverage_picture", "horizons"]
