"""What spanning events are held against: the techniques of its source, compiled too.

| technique | an event costs | a window costs | file |
|---|---|---|---|
| tuple buckets | a pointer in every window it overlaps | a pass over its events | `buckets.py` |
| aggregate buckets | a combine for every window that it overlaps | nothing | `buckets.py` |
| sweeping, cumulative | two entries of indexes | those since the last window | `sweeping.py` |
| sweeping, selective | the same, and an entry of a heap | the same | `sweeping.py` |
| SE-Slicing | a combine for every slice | a combine for every slice | `slicing.py` |
| SE-ML-Slicing | a combine for every d slices | one for every level of every slice | `slicing.py` |

All answer one sliding window `[k * slide, k * slide + size)` of one key, for count, sum or max.
Events come in the order of their ends, one by one inside one compiled call, and a window is
released when one comes that ends `delay` after it.  No event is longer than the delay, so all are
exact.  The printed algorithms lose events; these are the corrected ones.
"""

from benchmarks.papers.spanning_baselines.stream import AGGREGATES, Input, Output, answer
from benchmarks.papers.spanning_baselines.techniques import TECHNIQUES, Technique

__all__ = ["AGGREGATES", "Input", "Output", "TECHNIQUES", "Technique", "answer"]
