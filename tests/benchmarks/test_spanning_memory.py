"""What the log of a JVM says of the heap that was in use."""

import pytest

memory = pytest.importorskip("benchmarks.papers.spanning_memory")


def test_the_most_after_a_collection():
    log = """[1s][info][gc] GC(0) Pause Young (Normal) (G1 Evacuation Pause) 51M->70M(504M) 2.1ms
[2s][info][gc] GC(1) Concurrent Mark Cycle
[3s][info][gc] GC(2) Pause Young (Normal) (G1 Evacuation Pause) 620M->9M(704M) 3.0ms
"""
    assert memory.in_use(log) == 70 * 2**20
    assert memory.in_use("") == 0
