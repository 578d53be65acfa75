"""Made-up events in the shapes that the sources measure with: readings, calls, late rows."""

from panewise.samples.calls import calls
from panewise.samples.readings import readings

__all__ = ["calls", "readings"]
