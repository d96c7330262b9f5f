"""What a cell's options ask for its last result: a view, a chart, a file, a variable of another library's type."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

from IPython.display import display

from spark_iceberg_sql import markup
from spark_iceberg_sql.notebook.cells.magic_options import ChartRequest, Options
from spark_iceberg_sql.notebook.cells.statement_worker import Output, StatementWorker
from spark_iceberg_sql.notebook.display import result_bundles
from spark_iceberg_sql.notebook.results import charts, exports
from spark_iceberg_sql.notebook.results.saved_results import SavedResults
from spark_iceberg_sql.safe_output import visible

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def refuse_impossible(spark: SparkSession, options: Options, saved: SavedResults) -> None:
    """Raise IcebergSqlError, before anything runs, if a view, a chart or a file that options ask for is impossible."""
    if options.file_type:
        exports.checked_path(options.file)
    if options.save:
        saved.refuse_taken(spark, options.save)
    if options.chart is not None:
        charts.library("matplotlib.figure")


def deliver(result: DataFrame | None, options: Options, worker: StatementWorker, saved: SavedResults) -> Any:
    """Save, draw and write a result; returns it converted for its variable, or None if that is to be Spark's.

    result: the last one, or None. worker: shows the progress of what is run for it. saved: the views of results.
    Raises IcebergSqlError for what is impossible.
    """
    if options.save:
        _show_line(Output(False), saved.save(result, options.save))
    if result is None or not result.columns:
        return None
    converted = _export(result, options, worker)
    if options.chart is not None:
        _draw(result, options.chart, worker)
    return converted


def _export(result: DataFrame, options: Options, worker: StatementWorker) -> Any:
    converted = None
    output = worker.begin("export")
    try:
        if options.file_type:
            _show_line(output, exports.write(result, options.file_type, options.file))
        if options.frame_type in exports.FRAME_TYPES:
            converted = exports.converted(result, options.frame_type)
    except Exception:
        output.result(None)
        raise
    if not options.file_type:
        output.result(None)
    return converted


def _draw(result: DataFrame, request: ChartRequest, worker: StatementWorker) -> None:
    output = worker.begin("chart")
    try:
        picture = charts.chart(result, request)
    finally:
        output.result(None)
    bundle = {"image/png": base64.b64encode(picture.png).decode("ascii"), "text/plain": visible(picture.text)}
    display(bundle, raw=True, metadata={"image/png": {"width": picture.width, "height": picture.height}})


def _show_line(output: Output, line: str) -> None:
    output.result(result_bundles.bundle([markup.dim_line(markup.html_text(line))], [visible(line)]))
