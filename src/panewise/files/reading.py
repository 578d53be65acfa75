"""Events in files, or on standard input, as what plans run over in process."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from panewise.errors import FileError, PanewiseError, SchemaError
from panewise.files.formats import by_ending, files_in

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    Types = Mapping[str, pa.DataType]


def read(
    where: Path | IO[bytes],
    format: str,
    *,
    schema: Types | None = None,
    times: Collection[str] = (),
) -> Any:
    """An Arrow table or data set.  `times` are columns that may be text where moments are meant."""
    if not isinstance(where, Path):
        return _text(where, "standard input", format, schema, times)
    if not where.exists():
        raise _missing(where)
    files = _files(where, format)
    if format == "parquet":
        return _parquet(where, files)
    import pyarrow as pa

    tables = [_text(file, f'"{file}"', format, schema, times) for file in files]
    with readable(f'"{where}"'):
        return pa.concat_tables(tables, promote_options="default")


def column_names(where: Path, format: str) -> list[str]:
    """The columns that events have, without reading all of them."""
    if not where.exists():
        raise _missing(where)
    if format == "parquet":
        return _parquet_names(where)
    first = _files(where, format)[0]
    with readable(f'"{first}"', f"cannot be read as {format}"):
        if format == "csv":
            from pyarrow import csv

            with csv.open_csv(str(first)) as reader:
                return list(reader.schema.names)
        import io

        import pyarrow as pa
        from pyarrow import json

        with pa.input_stream(str(first), compression="detect") as stream:
            line = io.BufferedReader(stream).readline()
        return list(json.read_json(io.BytesIO(line)).column_names)


def _parquet_names(where: Path) -> list[str]:
    if where.is_dir():  # its folders may be columns too
        return list(read(where, "parquet").schema.names)
    import pyarrow.parquet as pq

    with readable(f'"{where}"', "is not parquet"):
        return list(pq.read_schema(where).names)


def _missing(where: Path) -> FileError:
    return FileError(f'no file or folder "{where}".', hint="check the path of --input.")


def _files(where: Path, format: str) -> list[Path]:
    if where.is_file():
        return [where]
    files = [file for file in files_in(where) if by_ending(file.name) in (format, None)]
    if not files:
        raise FileError(f'"{where}" holds no {format} files.', hint="check --input and --format.")
    return files


def _parquet(where: Path, files: list[Path]) -> Any:
    import pyarrow.dataset as ds

    with readable(f'"{where}"', "is not parquet"):
        if where.is_file():
            return ds.dataset(where, format="parquet")
        return ds.dataset(
            [str(file) for file in files],
            format="parquet",
            partitioning=ds.partitioning(flavor="hive"),
            partition_base_dir=str(where),
        )


def _text(
    where: Path | IO[bytes],
    name: str,
    format: str,
    schema: Types | None,
    times: Collection[str],
) -> pa.Table:
    with readable(name, f"cannot be read as {format}"):
        if format == "csv":
            found = _csv(str(where) if isinstance(where, Path) else where, schema)
        elif schema is not None:
            found = _json(where, schema, "ignore")
        else:
            found = _json_with_times(where, times)
    return _moments(_to_ticks(found), times)


def _csv(where: Any, schema: Types | None) -> pa.Table:
    from pyarrow import csv

    options = csv.ConvertOptions(
        column_types=schema,
        include_columns=list(schema or ()),
        strings_can_be_null=True,  # as Spark reads it: nothing is null, "" is an empty text
        quoted_strings_can_be_null=False,
    )
    return csv.read_csv(where, convert_options=options)


def _json(where: Any, schema: Types, others: str) -> pa.Table:
    import pyarrow as pa
    from pyarrow import json

    asked = pa.schema(list(schema.items())) if schema else None
    options = json.ParseOptions(explicit_schema=asked, unexpected_field_behavior=others)
    return json.read_json(str(where) if isinstance(where, Path) else where, parse_options=options)


def _json_with_times(where: Path | IO[bytes], times: Collection[str]) -> pa.Table:
    """Times are read as text first, because Arrow forgets the zone of moments that it finds."""
    import pyarrow as pa

    again: Any = where if isinstance(where, Path) else pa.py_buffer(where.read())
    source = (lambda: again) if isinstance(where, Path) else (lambda: pa.BufferReader(again))
    try:
        found = _json(source(), {name: pa.string() for name in times}, "infer")
    except pa.ArrowInvalid:  # they are numbers
        return _json(source(), {}, "infer")
    if any(found[name].null_count == len(found) for name in times):  # or not there at all
        return _json(source(), {}, "infer")
    return found


def _to_ticks(table: pa.Table) -> pa.Table:
    """Moments in microseconds, which is the tick: readers take a coarser unit, or a finer one."""
    import pyarrow as pa

    fields = [
        pa.field(f.name, pa.timestamp("us", f.type.tz)) if pa.types.is_timestamp(f.type) else f
        for f in table.schema
    ]
    return table.cast(pa.schema(fields), safe=False)


def _moments(table: pa.Table, times: Collection[str]) -> pa.Table:
    """Text in a column of times is read as moments: in UTC where it names a zone.

    A column that has no value has no type: it is taken as moments too, and others as numbers.
    """
    import pyarrow as pa

    fields = [
        pa.field(f.name, pa.timestamp("us") if f.name in times else pa.float64())
        if pa.types.is_null(f.type)
        else f
        for f in table.schema
    ]
    table = table.cast(pa.schema(fields))
    for name in times:
        if name not in table.column_names or not pa.types.is_string(table[name].type):
            continue
        column = table[name]
        for kind in (pa.timestamp("us"), pa.timestamp("us", "UTC")):
            try:
                moments = column.cast(kind)
            except pa.ArrowInvalid as problem:
                last = problem
                continue
            table = table.set_column(table.column_names.index(name), name, moments)
            break
        else:
            raise SchemaError(
                f'column "{name}" is text, and not all of it are moments: {first_line(last)}',
                hint='write them as 2024-05-01T08:00:00, or give --schema "...".',
            )
    return table


@contextmanager
def readable(name: str, what: str = "cannot be read") -> Iterator[None]:
    """What Arrow says of a file while the block reads it, as an error about the file."""
    import pyarrow as pa

    try:
        yield
    except PanewiseError:
        raise
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowKeyError) as problem:
        raise FileError(f"{name} {what}: {first_line(problem)}", hint=_hint(str(problem))) from None
    except (OSError, UnicodeDecodeError) as problem:
        raise FileError(f"{name} {what}: {first_line(problem)}") from None


def first_line(problem: Exception) -> str:
    """What a library says of a problem, without its details."""
    return (str(problem) or type(problem).__name__).splitlines()[0].strip()


def _hint(problem: str) -> str | None:
    if "Column() changed" in problem:  # a list of objects
        return "json is one object a line."
    if "onversion error" in problem or "changed from" in problem:
        return 'say the types of columns with --schema "name TYPE, ...".'
    if "JSON" in problem:
        return "json is one object a line."
    return None
