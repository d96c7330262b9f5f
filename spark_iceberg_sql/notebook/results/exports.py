"""The whole result of a cell in a file, or in a variable of another library's type."""

from __future__ import annotations

import csv
import io
import warnings
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spark_iceberg_sql.errors import FileError, IcebergSqlError
from spark_iceberg_sql.files.atomic_write import replace_file
from spark_iceberg_sql.notebook.display.result_rows import text_frame
from spark_iceberg_sql.quantities import plural, size

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def _csv_file(frame: DataFrame) -> tuple[int, bytes]:
    """The number of rows, and the rows as UTF-8 with a header; a null is empty."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\r\n")
    writer.writerow(frame.columns)
    count = 0
    for row in text_frame(frame).toLocalIterator():
        writer.writerow(["" if value is None else value for value in row])
        count += 1
    return count, buffer.getvalue().encode("utf-8", "replace")


def _parquet_file(frame: DataFrame) -> tuple[int, bytes]:
    parquet, table, buffer = _library("pyarrow.parquet"), _as_arrow(frame), io.BytesIO()
    parquet.write_table(table, buffer)
    return table.num_rows, buffer.getvalue()


def _as_arrow(frame: DataFrame) -> Any:
    arrow = _library("pyarrow")
    if hasattr(frame, "toArrow"):
        return frame.toArrow()
    return arrow.Table.from_pandas(_as_pandas(frame), preserve_index=False)  # before Spark 4.0


def _as_pandas(frame: DataFrame) -> Any:
    _library("pandas")
    with warnings.catch_warnings():  # Spark calls pandas in a way that pandas will no longer accept
        warnings.simplefilter("ignore", DeprecationWarning)
        return frame.toPandas()


def _as_polars(frame: DataFrame) -> Any:
    return _library("polars").from_arrow(_as_arrow(frame))


# By the option that asks for it.
FILE_TYPES: dict[str, Callable[[DataFrame], tuple[int, bytes]]] = {"csv": _csv_file, "parquet": _parquet_file}
FRAME_TYPES: dict[str, Callable[[DataFrame], Any]] = {"pandas": _as_pandas, "polars": _as_polars, "arrow": _as_arrow}


def checked_path(name: str) -> Path:
    """The file of a name, in which `~` is the user's folder. Raises FileError if nothing can be written there."""
    path = Path(name)
    with suppress(RuntimeError):  # there is no such user
        path = path.expanduser()
    if path.is_dir():
        raise FileError(f"cannot write `{name}`: it is a folder", help="name a file in it")
    if not path.absolute().parent.is_dir():
        raise FileError(f"cannot write `{name}`: there is no folder `{path.absolute().parent}`")
    return path


def write(frame: DataFrame, file_type: str, name: str) -> str:
    """Write the whole result to a file, in place of one that is there; returns a line about it.

    frame: the result; its query runs. file_type: a key of FILE_TYPES. Raises FileError.
    """
    path = checked_path(name)
    count, content = FILE_TYPES[file_type](frame)
    replace_file(path, content)
    return f"{plural(count, 'row')} in {name} ({size(len(content))})"


def converted(frame: DataFrame, frame_type: str) -> Any:
    """The whole result as a table of another library; its query runs. frame_type: a key of FRAME_TYPES.

    Raises IcebergSqlError if the library is not installed.
    """
    return FRAME_TYPES[frame_type](frame)


def _library(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        package = name.partition(".")[0]
        raise IcebergSqlError(f"{package} is not installed", help=f"pip install {package}") from None
