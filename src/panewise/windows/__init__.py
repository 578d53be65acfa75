"""Window types, one a file. The functions here are what users call."""

from panewise.windows.band import Band, band
from panewise.windows.context import Context, Family, PaneWidth, Window, registered
from panewise.windows.cumulating import Cumulating, cumulating
from panewise.windows.session import Session, session
from panewise.windows.sliding import Sliding, sliding
from panewise.windows.tumbling import Tumbling, tumbling

__all__ = [
    "Band",
    "Context",
    "Cumulating",
    "Family",
    "PaneWidth",
    "Session",
    "Sliding",
    "Tumbling",
    "Window",
    "band",
    "cumulating",
    "registered",
    "session",
    "sliding",
    "tumbling",
]
