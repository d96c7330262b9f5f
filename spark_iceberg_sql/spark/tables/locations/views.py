"""The metadata of an Iceberg view: it has no files, but its query can be read if it is in Spark SQL."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from spark_iceberg_sql.spark.bridge.io import folders
from spark_iceberg_sql.spark.bridge.io.file_io import Files
from spark_iceberg_sql.spark.bridge.jvm.gateway import Java, Refusal
from spark_iceberg_sql.spark.bridge.jvm.java_errors import BRIDGE_ERRORS, JVM_ERRORS, message
from spark_iceberg_sql.spark.bridge.plans import views


class IsViewError(Refusal):
    """A view's metadata where a table's is expected.

    file: the metadata file. metadata: its content.
    """

    def __init__(self, function: str, argument: str, file: str, metadata: Mapping[str, Any]) -> None:
        self.function, self.argument, self.file = function, argument, file
        self.version = next(v for v in metadata["versions"] if v["version-id"] == metadata["current-version-id"])
        schemas = [s for s in metadata["schemas"] if s["schema-id"] == self.version["schema-id"]]
        self.columns = [str(field["name"]) for field in schemas[0]["fields"]]
        self.queries = {
            str(r.get("dialect", "")).lower(): str(r["sql"])
            for r in self.version["representations"]
            if r.get("type") == "sql"
        }
        super().__init__(
            "INVALID_PARAMETER_VALUE.PATTERN",
            parameter=f"`{argument}`",
            functionName=f"`{function}`",
            value=self.describe("a view has no files; read its query with iceberg('PATH')"),
        )

    def describe(self, consequence: str) -> str:
        """The fact that the file is a view's metadata, followed by its consequence."""
        return f"`{self.file}` is the metadata of a view: {consequence}"


def refuse_view(function: str, argument: str, file: str, files: Files) -> None:
    """Raise IsViewError if a metadata file that is not a valid table's is a view's."""
    try:
        content = json.loads(folders.content(files, file))
    except (ValueError, RecursionError, OSError, *BRIDGE_ERRORS):
        return
    if isinstance(content, dict) and "view-uuid" in content:
        try:
            raise IsViewError(function, argument, file, content)
        except (KeyError, StopIteration, IndexError, TypeError):
            return


def plan(view: IsViewError) -> Java:
    """The plan of a view's query, with the view's columns. Raises Refusal if Spark cannot read it."""
    text = view.queries.get("spark")
    if text is None:
        dialects = ", ".join(sorted(view.queries)) or "no SQL"
        raise _view_refusal(view, f"its query is in {dialects}, not in Spark SQL")
    try:
        return views.analysed(
            text,
            view.version.get("default-catalog"),
            [str(part) for part in view.version.get("default-namespace", ())],
            view.columns,
        )
    except JVM_ERRORS as error:
        raise _view_refusal(view, f"its query fails in this session: {message(error)}") from None


def _view_refusal(view: IsViewError, reason: str) -> Refusal:
    return Refusal(view.condition, **{**view.parameters, "value": view.describe(reason).rstrip(".")})
