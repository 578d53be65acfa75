"""What general slicing is held against: the techniques of its paper's section 3, compiled too.

| technique | a row costs | a window costs | file |
|---|---|---|---|
| bare fold | one add | nothing: it answers no window | `bare_fold.py` |
| tuple buffer | an append, or a shift if it is late | a pass over its rows | `tuple_buffer.py` |
| aggregate tree (FlatFAT) | log n adds, or a rebuilt flank | log n adds | `aggregate_tree.py` |
| tuple buckets | a copy per open window | a pass over its rows | `tuple_buckets.py` |
| aggregate buckets | an add per open window | nothing | `aggregate_buckets.py` |

All answer tumbling windows of one key in the same `Results`; `naive.py` is the definition that the
tests hold them to.  Rows are taken one by one, as the paper's are, but inside one compiled call per
batch; the watermark follows the newest row at the end of each batch.
"""

from benchmarks.papers.slicing_baselines.aggregate_buckets import AggregateBuckets
from benchmarks.papers.slicing_baselines.aggregate_tree import AggregateTree
from benchmarks.papers.slicing_baselines.baseline import Baseline, Results
from benchmarks.papers.slicing_baselines.tuple_buckets import TupleBuckets
from benchmarks.papers.slicing_baselines.tuple_buffer import RowTupleBuffer, TupleBuffer

__all__ = [
    "AggregateBuckets",
    "AggregateTree",
    "Baseline",
    "Results",
    "RowTupleBuffer",
    "TupleBuckets",
    "TupleBuffer",
]
