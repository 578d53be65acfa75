"""Choosing panes and how windows are composed from them."""

from panewise.optimizer.choose import STRATEGIES, choose
from panewise.optimizer.edges import pane_edges

__all__ = ["STRATEGIES", "choose", "pane_edges"]
