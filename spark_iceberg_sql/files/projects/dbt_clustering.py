"""dbt's `clustered_by` and `buckets` on Iceberg models: CLUSTERED BY, of which Iceberg makes a bucket field."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from spark_iceberg_sql.files.projects.dbt_entries import Layer
from spark_iceberg_sql.files.projects.dbt_values import first_value, is_templated
from spark_iceberg_sql.files.source import ExtractionProblem


def clustering_problems(path: Path, layers: Sequence[Layer]) -> Iterator[ExtractionProblem]:
    """The problems with the `clustered_by` that a file gives to an Iceberg model.

    path: the file. layers: the model's configurations, the first one wins.
    """
    layer = next((candidate for candidate in layers if "clustered_by" in candidate.config), None)
    if layer is None or layer.file != path:
        return
    columns = layer.config["clustered_by"]
    buckets = first_value((candidate.config for candidate in layers), "buckets")
    if columns.is_null or columns.scalars is None or is_templated(columns):
        return
    names = [scalar.sql for scalar in columns.scalars]
    if buckets is None or buckets.is_null:
        fields = ", ".join(f"'bucket(16, {name})'" for name in names)
        reason = "dbt ignores `clustered_by` without `buckets`"
        yield ExtractionProblem(0, *columns.span, reason, f"write `partition_by=[{fields}]`", is_ignored=True)
    elif buckets.text is not None and buckets.text.isdigit():
        fields = ", ".join(f"'bucket({buckets.text}, {name})'" for name in names)
        help_ = f"leave `clustered_by` and `buckets` out and write `partition_by=[{fields}]`"
        if len(names) > 1:
            reason = "an Iceberg table cannot be CLUSTERED BY several columns"
            yield ExtractionProblem(0, *columns.span, reason, help_, is_refused=True)
        else:
            reason = (
                f"`clustered_by` of an Iceberg table creates the partition field `bucket({buckets.text}, {names[0]})`"
            )
            yield ExtractionProblem(0, *columns.span, reason, help_, is_ignored=True)
