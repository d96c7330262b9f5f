"""Texts in a CALL that name something: an empty one, one that Spark cannot read, one of another catalog.

What a name belongs to, such as a snapshot, a branch or a file, is not looked up.
"""

from __future__ import annotations

from collections.abc import Iterator

from spark_iceberg_sql.facts.call_parameters import Arguments
from spark_iceberg_sql.facts.call_refusals import Refused, is_template
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.lazy import regex
from spark_iceberg_sql.model.table import RelationKind, Table, split_name
from spark_iceberg_sql.syntax import nodes
from spark_iceberg_sql.syntax.metadata_tables import METADATA_TABLES

_SESSION_CATALOG = "spark_catalog"
# An empty branch, reference or id is only one that does not exist; these are refused by themselves.
_NEVER_EMPTY = frozenset({
    "table", "source_table", "location", "metadata_file", "source_prefix", "target_prefix", "start_version",
    "end_version", "staging_location", "changelog_view",
})  # fmt: skip
_PART = r"(?:\w+|`(?:[^`]|``)+`)"
_NAME = regex(rf"\s*{_PART}(?:\s*\.\s*{_PART})*\s*")
_VIEW = regex(_PART)
_METADATA_FILE = regex(r".*\.json|.*\.gz")
_FILE_FORMATS = ("parquet", "orc", "avro")
# Procedures whose tables need not be of the catalog that is called.
_OF_ANY_CATALOG = frozenset({"migrate", "snapshot"})


def refused_texts(context: Context, arguments: Arguments) -> Iterator[Refused]:
    """The texts that the procedure, or Spark, refuses whatever there is."""
    for name in arguments.by_name:
        if (value := _value(arguments, name)) is None:
            continue
        span = arguments.by_name[name].value_span
        if not value.strip() and name in _NEVER_EMPTY:
            yield Refused(span, f"`{name}` is empty", "write what it names")
        elif name in ("table", "source_table"):
            yield from _table_name(context, arguments, name, value)
        elif name == "metadata_file" and _METADATA_FILE.fullmatch(value) is None:
            message = f"`{value}` is no metadata file"
            yield Refused(span, message, "write the path of a file, such as '.../metadata/00001-....metadata.json'")
        elif name == "changelog_view" and value.isascii() and _VIEW.fullmatch(value) is None:
            text = "_".join(value.replace(".", " ").replace("-", " ").split())
            message = f"`{value}` is no name of a temporary view, which has one part"
            yield Refused(span, message, f"write '{text}'")
    source, target = _value(arguments, "source_prefix"), _value(arguments, "target_prefix")
    if source and source == target:
        span = arguments.by_name["target_prefix"].value_span
        yield Refused(span, "`target_prefix` is the same as `source_prefix`", "write the prefix of the new place")


def _value(arguments: Arguments, name: str) -> str | None:
    """The text of an argument; None without one, and for one that a template completes."""
    argument = arguments.by_name.get(name)
    value = argument.value if argument is not None else None
    return None if value is None or is_template(value) else value


def _table_name(context: Context, arguments: Arguments, name: str, value: str) -> Iterator[Refused]:
    span, procedure = arguments.by_name[name].value_span, arguments.procedure.name
    if value.isascii() and _NAME.fullmatch(value) is None:
        yield Refused(span, f"Spark cannot read `{value}` as the name of a table", _readable(value))
        return
    parts, node = split_name(value.strip()), context.node
    assert isinstance(node, nodes.Call)
    if name == "source_table":
        is_file = len(parts) == 2 and "/" in parts[1]
        if procedure == "add_files" and is_file and parts[0].lower() not in _FILE_FORMATS:
            message = f"`add_files` reads files of parquet, orc and avro, not of {parts[0]}"
            yield Refused(span, message, f"load them by `INSERT INTO ... SELECT * FROM {value}`")
    elif procedure == "migrate":
        if len(parts) > 2 and parts[0].lower() != _SESSION_CATALOG:
            message = f"`migrate` takes a table of `{_SESSION_CATALOG}`, not of `{parts[0]}`"
            help_ = f"write '{_SESSION_CATALOG}.{'.'.join(parts[-2:])}', or use `snapshot`"
            yield Refused(span, message, help_, is_certain=False)  # only catalogs of Iceberg's own classes were tried
    elif procedure not in _OF_ANY_CATALOG:
        yield from _of_another_catalog(context, node, parts, span, value)


def _of_another_catalog(
    context: Context, node: nodes.Call, parts: tuple[str, ...], span: tuple[int, int], value: str
) -> Iterator[Refused]:
    catalog = node.catalog[0] if node.catalog else ""
    if len(parts) > 2 and parts[0].lower() == _SESSION_CATALOG and catalog not in ("", _SESSION_CATALOG):
        message = f"`{value}` is a table of `{_SESSION_CATALOG}`, but the procedure is called in `{catalog}`"
        yield Refused(span, message, f"write `CALL {_SESSION_CATALOG}.system.{node.procedure}(...)`")
    if len(parts) > 2 and parts[-1].lower() in METADATA_TABLES:
        parent = parts[:-1] if parts[0] == catalog or not catalog else (catalog, *parts[:-1])
        table = context.catalog.get(parent)
        if isinstance(table, Table) and table.kind is RelationKind.ICEBERG and table.is_certain:
            text = ".".join(parts[:-1])
            yield Refused(span, f"`{value}` is a metadata table", f"write '{text}'", f"'{text}'")


def _readable(value: str) -> str:
    """The clause to write for a name that Spark cannot read."""
    if value.strip().startswith(("/", "s3:", "s3a:", "hdfs:", "file:", "gs:", "abfss:")):
        return f"write '`parquet`.`{value.strip()}`' for files of a folder"
    parts = [part.strip().strip("`") for part in value.rstrip("; ").split(".")]
    if all(part and "`" not in part for part in parts):
        is_plain = all(part.replace("_", "a").isalnum() for part in parts)
        text = ".".join(parts) if is_plain else ".".join(f"`{part}`" for part in parts)
        return f"write '{text}'"
    return "write 'namespace.table', with backticks around a part that has other characters"
