"""The buffers of the technical report on frames, row by row inside one compiled call.

| buffer | a row costs | a tick costs | file |
|---|---|---|---|
| single, in order | an append | a pass over all rows | `single.py` |
| single, lazy sort | an append | a heap sort of all rows, and a pass over them | `single.py` |
| single, eager sort | the rows that it is late by are moved | a pass over all rows | `single.py` |
| multi | its place in a chain of blocks | a pass over the frames that change | `multi.py` |

A tick is a row.  The single buffer is that of the report's algorithm 1; the multi buffer calls the
library's own compiled functions.  Both ask the same function what becomes of a row.
"""

from benchmarks.papers.frame_buffers.fed import PHASES, Buffer, Fed, Frames, Spent
from benchmarks.papers.frame_buffers.multi import Multi
from benchmarks.papers.frame_buffers.single import Eager, InOrder, Lazy

__all__ = ["Buffer", "Eager", "Fed", "Frames", "InOrder", "Lazy", "Multi", "PHASES", "Spent"]
