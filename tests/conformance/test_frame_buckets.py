"""Frames in buckets of a stream: told as they are now, whatever the batches, tasks and restarts."""

from dataclasses import replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from panewise.kernels.frames.policy import Policy
from panewise.spark.streaming import processor
from panewise.testing import assert_same_rows, oracle
from tests.conformance.buckets import Played, job_of
from tests.conformance.streams import Reader, Rows, batches, cuts, plain
from tests.conformance.test_frames import FRAMES, query_of
from tests.conformance.test_operator import quick, schema, streams

EVER = 10**18


@settings(quick, max_examples=100)
@given(
    stream=streams(),
    frames=st.lists(st.sampled_from(FRAMES), min_size=1, max_size=2, unique=True),
    restarts=st.lists(st.booleans(), min_size=7, max_size=7),
    data=st.data(),
)
def test_as_they_are_now(stream: Any, frames: Any, restarts: list[bool], data: Any) -> None:
    query = query_of(*frames)
    job = job_of(query, schema(), delay=0, lateness=EVER)
    job = replace(job, stream=replace(job.stream, frames=Policy(updates=True)))
    processor._memory.clear()
    played, reader = Played(job, schema()), Reader(("k",))
    accepted: Rows = []
    for batch, forget in zip(batches(*stream), restarts, strict=False):
        accepted += [row for row in batch if row["t"] is not None]
        tasks = list(batches(batch, data.draw(cuts(len(batch)))[:2]))
        for told in played.push(tasks, forget=forget):
            reader.apply(plain([told]))
        assert_same_rows(reader.all(), oracle(query, accepted), by=("k",), magnitude=1e3)
