"""Frames: windows that the data opens and closes, as compiled loops."""
