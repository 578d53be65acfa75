"""Window types, one a file. The functions here are what users call."""

from panewise.windows.aggregate_frame import AggregateFrame, aggregate_frame
from panewise.windows.band import Band, band
from panewise.windows.boundary_frame import BoundaryFrame, boundary_frame
from panewise.windows.by_tuple import ByTuple, by_tuple
from panewise.windows.context import (
    Context,
    Demand,
    Family,
    PaneWidth,
    RowFamily,
    Scan,
    Window,
    registered,
)
from panewise.windows.cumulating import Cumulating, cumulating
from panewise.windows.delta_frame import DeltaFrame, delta_frame
from panewise.windows.every import Every, every
from panewise.windows.frames import Frame
from panewise.windows.granules import Granules, Level, granules
from panewise.windows.punctuation import Punctuation, punctuation
from panewise.windows.ranges_clause import parse_ranges
from panewise.windows.scan import END, Closed, Scanned, ScannedRows, checked
from panewise.windows.session import Session, session
from panewise.windows.sliding import Sliding, sliding
from panewise.windows.threshold_frame import ThresholdFrame, threshold_frame
from panewise.windows.tumbling import Tumbling, tumbling
from panewise.windows.user import UserWindow

__all__ = [
    "AggregateFrame",
    "Band",
    "BoundaryFrame",
    "ByTuple",
    "Closed",
    "Context",
    "Cumulating",
    "DeltaFrame",
    "Demand",
    "END",
    "Every",
    "Family",
    "Frame",
    "Granules",
    "Level",
    "PaneWidth",
    "Punctuation",
    "RowFamily",
    "Scan",
    "Scanned",
    "ScannedRows",
    "Session",
    "Sliding",
    "ThresholdFrame",
    "Tumbling",
    "UserWindow",
    "Window",
    "aggregate_frame",
    "band",
    "boundary_frame",
    "by_tuple",
    "checked",
    "cumulating",
    "delta_frame",
    "every",
    "granules",
    "parse_ranges",
    "punctuation",
    "registered",
    "session",
    "sliding",
    "threshold_frame",
    "tumbling",
]
