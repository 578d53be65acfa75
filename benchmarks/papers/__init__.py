"""Experiments of the papers behind Panewise, repeated with it."""
