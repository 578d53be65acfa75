"""Events with a duration: which cells they touch, and which cells a window reads.

events --writes--> cells of (level, key, pane) --reads--> windows
"""
