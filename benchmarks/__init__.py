"""Panewise measured against what users write today."""
