"""The stateful step: Spark hands a bucket its parcels and its state, and keeps what changed.

Idea: a worker keeps the buckets it had in memory, each with the token of the state that it stands
for.  A batch that is computed again finds another token in Spark's state and starts from there.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pandas as pd
from pyspark.sql.streaming import StatefulProcessor, StatefulProcessorHandle
from pyspark.sql.types import BinaryType, LongType, StringType, StructType

from panewise.kernels.ranges import NEVER
from panewise.operator.container import packed, unpacked
from panewise.spark.garbage import set_aside
from panewise.spark.homes import labels
from panewise.spark.streaming.bucket import Bucket
from panewise.spark.streaming.job import Job
from panewise.spark.streaming.pages import Name, joined
from panewise.spark.streaming.parcels import Parcel, parcels_of
from panewise.spark.streaming.span_bucket import SpanBucket
from panewise.spark.streaming.telling import Telling
from panewise.spark.zones import in_zone, zone_of

NUMBERS = ("newest", "watermark", "rows", "late")
"""What a bucket counts."""
IN_MEMORY = 256
"""Buckets that a worker keeps."""
HEAD: Name = ("head", 0)
"""The page that says what the others are.  Not a state of its own: each one that is opened takes
Spark several milliseconds in every task."""
# as types: for each text, every task would ask the JVM twice what it means
_NAME = StructType().add("name", StringType()).add("page", LongType())
_PAGE = StructType().add("page", BinaryType())


@dataclass
class Kept:
    """A bucket, the token of its state, and what its pages were when they were written."""

    bucket: Bucket | SpanBucket
    token: str = ""
    prints: dict[Name, int] = field(default_factory=dict)


_memory: OrderedDict[tuple[str, int], Kept] = OrderedDict()


class BucketProcessor(StatefulProcessor):
    """One bucket for every group."""

    def __init__(self, job: Job, telling: Telling) -> None:
        self._job, self._telling = job, telling

    def init(self, handle: StatefulProcessorHandle) -> None:
        self._pages = handle.getMapState("pages", _NAME, _PAGE)

    def handleInputRows(self, key: Any, rows: Iterator[pd.DataFrame], timerValues: Any) -> Any:
        place = self._job.identity, int(key[0])
        # if this fails half-way, what is in memory is worth nothing
        kept = _memory.pop(place, None)
        kept = self._current(kept)
        parcels = parcels_of(rows)
        before = kept.bucket.late
        told = kept.bucket.push(parcels)
        self._write(kept)
        _memory[place] = kept
        while len(_memory) > IN_MEMORY:
            _memory.popitem(last=False)
        said = {
            "results": told.num_rows,
            "late": kept.bucket.late - before,
            "cells": kept.bucket.cells,
            "keys": kept.bucket.keys,
            "bucket": place[1],
        }
        if place[1] == labels(self._job.buckets)[0]:  # what all buckets know is said by one of them
            said |= _known(kept.bucket, parcels)
        yield from self._telling.frames(told, said)

    def close(self) -> None:
        """Nothing is held open."""
        set_aside()

    def _current(self, kept: Kept | None) -> Kept:
        """What stands for the state as Spark has it."""
        stored = self._pages.getValue(HEAD)
        if stored is None:
            return Kept(self._kind(self._job))
        head, _ = unpacked(stored[0])
        if kept is not None and kept.token == head["token"]:
            return kept
        return self._read(head)

    def _read(self, head: dict[str, Any]) -> Kept:
        pages, zone = {}, zone_of(self._job.types)
        for (name, number), (blob,) in self._pages.iterator():
            if (name, number) != HEAD:
                # pages that did not change since are in the zone of the session that wrote them
                pages[name, number] = in_zone(unpacked(blob)[1]["page"], zone)
        bucket, same = self._kind.restored(self._job, head, joined(pages))
        if same:
            prints = {(name, page): int(mark) for name, page, mark in head["prints"]}
        else:
            prints = dict.fromkeys(pages, 0)  # all is written anew
        for name in NUMBERS:
            setattr(bucket, name, head[name])
        return Kept(bucket, head["token"], prints)

    def _write(self, kept: Kept) -> None:
        bucket = kept.bucket
        contexts, pages = bucket.state()
        for name in kept.prints.keys() - pages.keys():
            self._pages.removeKey(name)
        for name, page in pages.items():
            if not page.fingerprint or kept.prints.get(name) != page.fingerprint:
                self._pages.updateValue(name, (packed({}, {"page": page.taken()}),))
        kept.prints = {name: page.fingerprint for name, page in pages.items()}
        kept.token = os.urandom(16).hex()
        head = {
            **bucket.described(),
            **{name: getattr(bucket, name) for name in NUMBERS},
            "token": kept.token,
            "contexts": contexts,
            "since": bucket.since.as_dict(),
            "prints": [[*name, str(mark)] for name, mark in kept.prints.items()],
        }
        self._pages.updateValue(HEAD, (packed(head, {}),))

    @property
    def _kind(self) -> type[Bucket] | type[SpanBucket]:
        return SpanBucket if self._job.bound.query.spanning else Bucket


def _known(bucket: Bucket | SpanBucket, parcels: list[Parcel]) -> dict[str, int]:
    """What there is to say about all rows of a batch, and about moments where there are some."""
    known = {
        "rows": sum(parcel.counts.rows for parcel in parcels),
        "null_times": sum(parcel.counts.null_times for parcel in parcels),
        "bad_rows": sum(parcel.counts.bad_rows for parcel in parcels),
        "ahead": sum(parcel.counts.ahead for parcel in parcels),
    }
    if bucket.watermark != NEVER:
        known["watermark"] = bucket.watermark
    if bucket.since.latest is not None:
        known["since"] = bucket.since.latest
    return known
