"""Bytes that are no snapshot, or one that was tampered with: an error, and nothing is executed."""

import json
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import panewise as pw
from panewise.errors import SnapshotError
from panewise.operator import Operator
from tests.operator.blobs import Blob, stream
from tests.operator.feed import feed, planned
from tests.operator.test_snapshot import Growing

PLANS: dict[str, pw.Plan] = {
    "periodic": planned(pw.tumbling(10), pw.sliding(100, 7)),
    "session": planned(pw.session(3)),
    "values counted": planned(pw.tumbling(40), aggregates=[pw.median("x"), pw.last("x")]),
    "rows": planned(pw.sliding(pw.rows(4), pw.rows(3))),
    "punctuation": planned(pw.punctuation("x > 2")),
    "every": planned(pw.every(5, last=pw.rows(3))),
    "by tuple": planned(pw.by_tuple(pw.rows(2), 25, anchor="end")),
    "frames": planned(pw.threshold_frame("x > 4"), pw.delta_frame("x", 6)),
    "multi buffer": planned(pw.aggregate_frame(pw.sum("x"), 20), pw.boundary_frame("x", width=4)),
    "user": planned(Growing(), aggregates=[pw.sum("x"), pw.sum("y")]),
}
NONSENSE: list[Any] = [None, -(10**30), 10**30, 1.5, "x", [], {}, [[1]], True]


OPTIONS: dict[str, dict[str, Any]] = {
    "frames": {"buffer": "lazy"},
    "multi buffer": {"report": "update", "evict": (3, 1), "period": 2},
}


def taken(name: str, lateness: int = 20) -> bytes:
    """A snapshot of two keys, with rows that wait, open windows and revisions."""
    op = Operator(PLANS[name], delay=3, lateness=lateness, **OPTIONS.get(name, {}))
    for times, key in (([1, 2, 5, 8, 9], "a"), ([11, 15, 21, 22], "b"), ([12, 13, 25], "a")):
        batch = feed(times, x=times, k=key)
        op.push(batch.append_column("y", batch["x"]))
    return op.snapshot()


@pytest.fixture(params=PLANS)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def refused(name: str, blob: Any) -> str:
    with pytest.raises(SnapshotError) as error:
        Operator.restore(PLANS[name], blob)
    return str(error.value)


def tried(name: str, blobs: Iterator[tuple[object, Blob]]) -> None:
    """Every one is refused; those that are not are listed."""
    accepted = []
    for what, blob in blobs:
        try:
            Operator.restore(PLANS[name], blob.sealed())
        except SnapshotError:
            continue
        accepted.append(what)
    assert accepted == []


def test_the_layout_is_what_it_says(name: str) -> None:
    """Taken apart and put together, a snapshot is the same."""
    data = taken(name)
    assert Blob.of(data).sealed() == data
    Operator.restore(PLANS[name], data).flush()


def test_truncated_at_every_length() -> None:
    data = taken("periodic")
    for length in range(len(data)):
        refused("periodic", data[:length])


def test_every_byte_flipped() -> None:
    data = taken("session")
    for at in range(len(data)):
        damaged = bytearray(data)
        damaged[at] ^= 1 << at % 8
        refused("session", bytes(damaged))


def test_more_bytes_behind_it() -> None:
    refused("session", taken("session") + b"\x00")


@pytest.mark.parametrize("given", [None, 3, "PANEWISE", [1], object], ids=repr)
def test_not_bytes(given: Any) -> None:
    assert "a snapshot is bytes: got" in refused("periodic", given)


def test_another_beginning() -> None:
    message = refused("periodic", b"PARQUET1" + taken("periodic")[8:])
    assert "a snapshot begins with PANEWISE" in message


@pytest.mark.parametrize("version", [0, 2, 65535])
def test_another_version(version: int) -> None:
    data = bytearray(taken("periodic"))
    data[8:10] = version.to_bytes(2, "little")
    assert f"a snapshot of version {version}" in refused("periodic", bytes(data))


def test_another_plan() -> None:
    for name in PLANS:
        other = next(each for each in PLANS if each != name)
        message = refused(name, taken(other))
        assert 'the snapshot is of another query "main"' in message
        assert "Hint: restore it with the plan it was taken with." in message


def test_a_query_that_is_not_given() -> None:
    op = Operator(PLANS["session"])
    op.add(PLANS["every"], name="more")
    message = refused("session", op.snapshot())
    assert 'the snapshot has a query "more" that was not given.' in message
    assert "Hint: pass added=" in message
    with pytest.raises(SnapshotError, match='of another query "more"'):
        Operator.restore(PLANS["session"], op.snapshot(), added={"more": PLANS["rows"]})


@pytest.mark.parametrize(
    "text", [b"", b"{", b"null", b"[]", b"3", b'"x"', b"{}", b"\xff\xfe", b"[" * 100_000], ids=repr
)
def test_a_head_that_is_no_head(text: bytes) -> None:
    blob = Blob.of(taken("periodic"))
    refused("periodic", blob.around(text, len(text)))


@pytest.mark.parametrize("length", [0, 1, 10**6, 2**63, 2**64 - 1])
def test_a_head_of_another_length(length: int) -> None:
    blob = Blob.of(taken("periodic"))
    refused("periodic", blob.around(b"{}", length))


@pytest.mark.parametrize("size", [-1, 10**9, 2**70, None, "1", 1.5, [1]], ids=repr)
def test_a_table_of_another_length(size: Any) -> None:
    blob = Blob.of(taken("periodic"))
    for name in blob.tables:
        sizes: dict[str, Any] = {each: len(data) for each, data in blob.tables.items()}
        text = json.dumps({**blob.head, "tables": {**sizes, name: size}}).encode()
        refused("periodic", blob.around(text + b"".join(blob.tables.values()), len(text)))


def test_each_part_of_the_head_is_missing(name: str) -> None:
    blob = Blob.of(taken(name))
    tried(name, ((part, blob.without_head(part)) for part in blob.head if part != "contexts"))


def test_each_part_of_the_head_is_nonsense(name: str) -> None:
    """Other than itself: some parts are a number, or true, or empty."""
    blob = Blob.of(taken(name))

    def nonsense() -> Iterator[tuple[object, Blob]]:
        for part, value in blob.head.items():
            for strange in NONSENSE:
                if type(strange) is not type(value) or strange in (-(10**30), 10**30, "x"):
                    yield (part, strange), blob.with_head(**{part: strange})

    tried(name, nonsense())


def test_each_number_is_nonsense(name: str) -> None:
    blob = Blob.of(taken(name))
    numbers = blob.head["numbers"]

    def nonsense() -> Iterator[tuple[object, Blob]]:
        for part in numbers:
            for strange in (*NONSENSE, 2**63, -(2**63) - 1):
                yield (part, strange), blob.with_head(numbers={**numbers, part: strange})
        for part in ("delay", "lateness"):
            yield (part, -1), blob.with_head(**{part: -1})
        for part in ("_rows", "_late", "_null_times"):
            yield (part, -1), blob.with_head(numbers={**numbers, part: -1})

    tried(name, nonsense())


def test_each_moment_of_a_query_is_nonsense(name: str) -> None:
    blob = Blob.of(taken(name))
    (spelled, _) = blob.head["queries"]["main"]
    strange = ((s, blob.with_head(queries={"main": [spelled, s]})) for s in NONSENSE)
    tried(name, strange)
    tried(name, ((s, blob.with_head(queries={"main": s})) for s in NONSENSE))


def test_each_table_is_missing_or_another(name: str) -> None:
    blob = Blob.of(taken(name))

    def others() -> Iterator[tuple[object, Blob]]:
        for table in blob.tables:
            if not table.startswith("waiting") and not table.endswith(".cells"):  # may be none
                yield (table, "missing"), blob.without_table(table)
            yield (table, "empty"), blob.with_table(table, b"")
            yield (table, "garbage"), blob.with_table(table, b"\x80\x04garbage" * 9)
            yield (table, "cut"), blob.with_table(table, blob.tables[table][:-20])
            yield (table, "strange"), blob.with_table(table, pa.table({"z": [1]}))

    tried(name, others())


def test_each_column_is_missing_or_retyped(name: str) -> None:
    blob = Blob.of(taken(name))

    def others() -> Iterator[tuple[object, Blob]]:
        for table, at, column in blob.columns():
            count = blob.table(table).num_rows
            yield (
                (table, column.name, "missing"),
                blob.with_table(table, blob.table(table).remove_column(at)),
            )
            for kind in (pa.string(), pa.float64(), pa.list_(pa.int64()), pa.int32(), pa.null()):
                if kind != column.type:
                    changed = blob.with_column(table, at, pa.nulls(count, kind))
                    yield (table, column.name, kind), changed

    tried(name, others())


def test_each_integer_is_null_or_out_of_range(name: str) -> None:
    """Keys, panes, times, weights and sequences; aggregates and values may be any number."""
    blob = Blob.of(taken(name))

    def others() -> Iterator[tuple[object, Blob]]:
        for table, at, column in blob.columns():
            count = blob.table(table).num_rows
            if column.name in ("code", "pane", "first", "last", "weights", "sequence"):
                yield (
                    (table, column, "null"),
                    blob.with_column(table, at, pa.nulls(count, column.type)),
                )
            outside = {
                "code": (-1, 2, 10**6, 2**63 - 1, -(2**63)),
                "pane": (2**63 - 1, -(2**63)),
                "first": (2**63 - 1, -(2**63)),
                "last": (2**63 - 1, -(2**63)),
                "weights": (0, -1, 2**63 - 1),
            }
            for value in outside.get(column.name, ()):
                same = pa.array([value] * count, pa.int64())
                yield (table, column.name, value), blob.with_column(table, at, same)

    tried(name, others())


def test_rows_in_another_order(name: str) -> None:
    blob = Blob.of(taken(name))

    def others() -> Iterator[tuple[object, Blob]]:
        for part in blob.tables:
            table = blob.table(part)
            if part.endswith("cells") and len(set(table["pane"].to_pylist())) > 2:
                backwards = table.take(pa.array(range(table.num_rows)[::-1]))
                yield part, blob.with_table(part, backwards)

    tried(name, others())


@pytest.mark.parametrize(
    "context",
    [
        *(None, 3, "x", {"a": 1}, [1, 2], ["x", "y"], [[0]] * 2, [[0, 0, 0]] * 2),
        *([pair] * 2 for pair in ([1000, 0], [-1000, 5], [0, -1000], [10**30, 0], [0.5, 0])),
        [[0, 0]] * 50,
    ],
    ids=lambda context: repr(context)[:30],
)
@pytest.mark.parametrize("name", ["punctuation", "by tuple"])
def test_contexts_of_scans(name: str, context: Any) -> None:
    """Loops use them as places."""
    blob = Blob.of(taken(name))
    tiers = {tier: context for tier in blob.head["contexts"]}
    assert tiers
    refused(name, blob.with_head(contexts=tiers).sealed())


@pytest.mark.parametrize(
    "context",
    [
        *(None, 3, "x", [[0, 0]] * 2, [[0] * 7] * 2, [["x"] * 6] * 2, [[0] * 6] * 50),
        *([[*each, 0, 0, 0, 0]] * 2 for each in ([1000, 1], [-1, 1], [0, -1], [0.5, 0])),
        [[0, 0, 10**30, 0, 0, 0]] * 2,
    ],
    ids=lambda context: repr(context)[:30],
)
def test_contexts_of_frames(context: Any) -> None:
    """Loops use how many rows they have looked at as a place."""
    blob = Blob.of(taken("frames"))
    assert len(blob.head["contexts"]) == 2
    for tier in blob.head["contexts"]:
        changed = {**blob.head["contexts"], tier: context}
        refused("frames", blob.with_head(contexts=changed).sealed())


@pytest.mark.parametrize(
    "frames",
    [
        *([], [True], [True, 2, "multi", [3, 1], 0], [1, 2, "multi", [3, 1]]),
        *([True, -1, "multi", [3, 1]], [True, None, "multi", None], [True, 10**30, "multi", None]),
        *([True, 2, "other", None], [True, 2, 3, None], [True, 2, "multi", 3]),
        *([True, 2, "multi", pair] for pair in ([], [3], [3, "1"], [True, True], [1.5, 1])),
        *([True, 2, "multi", pair] for pair in ([1, 3], [3, 0], [3, -1], [10**30, 1])),
    ],
    ids=repr,
)
def test_what_was_asked_of_frames(frames: Any) -> None:
    """Loops would drop more frames than there are."""
    blob = Blob.of(taken("multi buffer"))
    assert blob.head["frames"] == [True, 2, "auto", [3, 1]]
    refused("multi buffer", blob.with_head(frames=frames).sealed())


def test_floors_of_more_keys_than_there_are() -> None:
    blob = Blob.of(taken("multi buffer"))
    floors = [name for name in blob.tables if name.endswith(".floors")]
    assert len(floors) == 2
    many = pa.table({"time": [0] * 1000, "sequence": [0] * 1000})
    for name in floors:
        refused("multi buffer", blob.with_table(name, many).sealed())
        uneven = pa.table({"time": [0], "other": [0]})
        refused("multi buffer", blob.with_table(name, uneven).sealed())


class Trap:
    """Unpickled, it would leave a file behind."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (self.path,)


def test_nothing_is_executed(tmp_path: Path) -> None:
    path = tmp_path / "executed"
    trap = pickle.dumps(Trap(path))
    pickle.loads(trap)
    assert path.exists(), "the trap works"
    path.unlink()
    blob = Blob.of(taken("session"))
    refused("session", trap)
    refused("session", blob.around(trap, len(trap)))
    refused("session", blob.around(trap, 0))
    for table in blob.tables:
        refused("session", blob.with_table(table, trap).sealed())
    assert not path.exists()


def test_extension_types_are_not_loaded(tmp_path: Path) -> None:
    """Arrow's own way to carry a pickle: the metadata of a column's type."""
    path = tmp_path / "executed"
    blob = Blob.of(taken("session"))
    for extension in (b"arrow.py_extension_type", b"panewise.trap"):
        metadata = {
            b"ARROW:extension:name": extension,
            b"ARROW:extension:metadata": pickle.dumps(Trap(path)),
        }
        for name in blob.tables:
            table = blob.table(name)
            fields = [field.with_metadata(metadata) for field in table.schema]
            data = stream(pa.Table.from_arrays(table.columns, schema=pa.schema(fields)))
            try:
                Operator.restore(PLANS["session"], blob.with_table(name, data).sealed())
            except SnapshotError:
                continue
    assert not path.exists()
