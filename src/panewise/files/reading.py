"""Events in files, or on standard input, as what plans run over in process."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from panewise.errors import FileError, SchemaError
from panewise.files.formats import by_ending, files_in

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa


def read(
    where: Path | IO[bytes],
    format: str,
    *,
    schema: Mapping[str, pa.DataType] | None = None,
    times: Iterable[str] = (),
) -> Any:
    """An Arrow table or data set.  `times` are columns that may be text where moments are meant."""
    if not isinstance(where, Path):
        return _moments(_text(where, "standard input", format, schema), times)
    if not where.exists():
        raise _missing(where)
    files = _files(where, format)
    if format == "parquet":
        return _parquet(where, files)
    import pyarrow as pa

    tables = [_text(file, f'"{file}"', format, schema) for file in files]
    with _readable(f'"{where}"'):
        return _moments(pa.concat_tables(tables, promote_options="default"), times)


def column_names(where: Path, format: str) -> list[str]:
    """The columns that events have, without reading all of them."""
    if format == "parquet":
        return list(read(where, format).schema.names)
    if not where.exists():
        raise _missing(where)
    first = _files(where, format)[0]
    with _readable(f'"{first}"', f"cannot be read as {format}"):
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

    with _readable(f'"{where}"', "is not parquet"):
        if where.is_file():
            return ds.dataset(where, format="parquet")
        return ds.dataset(
            [str(file) for file in files],
            format="parquet",
            partitioning=ds.partitioning(flavor="hive"),
            partition_base_dir=str(where),
        )


def _text(
    where: Path | IO[bytes], name: str, format: str, schema: Mapping[str, pa.DataType] | None
) -> pa.Table:
    with _readable(name, f"cannot be read as {format}"):
        return _READERS[format](str(where) if isinstance(where, Path) else where, schema)


def _csv(where: Any, schema: Mapping[str, pa.DataType] | None) -> pa.Table:
    from pyarrow import csv

    options = csv.ConvertOptions(column_types=schema, include_columns=list(schema or ()))
    return _to_ticks(csv.read_csv(where, convert_options=options))


def _json(where: Any, schema: Mapping[str, pa.DataType] | None) -> pa.Table:
    import pyarrow as pa
    from pyarrow import json

    if schema is None:
        return _to_ticks(json.read_json(where))
    asked = pa.schema(list(schema.items()))
    ignore = "ignore"
    parsed = json.ParseOptions(explicit_schema=asked, unexpected_field_behavior=ignore)
    return json.read_json(where, parse_options=parsed)


_READERS: dict[str, Callable[[Any, Any], Any]] = {"csv": _csv, "json": _json}


def _to_ticks(table: pa.Table) -> pa.Table:
    """Moments in microseconds: readers take the coarsest unit, and windows may be finer than it."""
    import pyarrow as pa

    fields = [
        pa.field(f.name, pa.timestamp("us", f.type.tz)) if pa.types.is_timestamp(f.type) else f
        for f in table.schema
    ]
    return table.cast(pa.schema(fields))


def _moments(table: pa.Table, times: Iterable[str]) -> pa.Table:
    """Text in a column of times is read as moments: in UTC where it names a zone."""
    import pyarrow as pa

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
def _readable(name: str, what: str = "cannot be read") -> Iterator[None]:
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowKeyError) as problem:
        raise FileError(f"{name} {what}: {first_line(problem)}", hint=_hint(str(problem))) from None
    except (OSError, UnicodeDecodeError) as problem:
        raise FileError(f"{name} {what}: {first_line(problem)}") from None


def first_line(problem: Exception) -> str:
    """What a library says of a problem, without its details."""
    return (str(problem) or type(problem).__name__).splitlines()[0].strip()


def _hint(problem: str) -> str | None:
    if "onversion error" in problem or "changed from" in problem:
        return 'say the types of columns with --schema "name TYPE, ...".'
    if "JSON" in problem:
        return "json is one object a line."
    return None
