"""Choosing panes and how windows are composed from them."""

from panewise.optimizer.choose import choose
from panewise.optimizer.edges import pane_edges

__all__ = ["choose", "pane_edges"]
