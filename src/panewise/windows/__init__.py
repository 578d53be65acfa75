"""Window types, one a file. The functions here are what users call."""

from panewise.windows.band import Band, band
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
from panewise.windows.every import Every, every
from panewise.windows.punctuation import Punctuation, punctuation
from panewise.windows.scan import END, Closed, Scanned, ScannedRows, checked
from panewise.windows.session import Session, session
from panewise.windows.sliding import Sliding, sliding
from panewise.windows.tumbling import Tumbling, tumbling
from panewise.windows.user import UserWindow

__all__ = [
    "Band",
    "ByTuple",
    "Closed",
    "Context",
    "Cumulating",
    "Demand",
    "END",
    "Every",
    "Family",
    "PaneWidth",
    "Punctuation",
    "RowFamily",
    "Scan",
    "Scanned",
    "ScannedRows",
    "Session",
    "Sliding",
    "Tumbling",
    "UserWindow",
    "Window",
    "band",
    "by_tuple",
    "checked",
    "cumulating",
    "every",
    "punctuation",
    "registered",
    "session",
    "sliding",
    "tumbling",
]
