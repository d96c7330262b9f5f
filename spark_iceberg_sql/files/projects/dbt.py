"""dbt's `partition_by` as the CREATE TABLE that dbt-spark runs, at the position of the configuration.

dbt-spark writes `partitioned by (` and the values unchanged, separated by commas. Whether the model is a table, and
an Iceberg table, follows from its configuration. If that is unknown, or the engine is not Spark, nothing is read.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from spark_iceberg_sql.files import yaml_nodes
from spark_iceberg_sql.files.projects.dbt_project import (
    Layer,
    Project,
    Resource,
    makes_iceberg,
)
from spark_iceberg_sql.files.projects.dbt_values import Value, first, is_templated
from spark_iceberg_sql.files.python.frames import PLAIN_TYPE
from spark_iceberg_sql.files.source import Unread
from spark_iceberg_sql.files.source_map import Offsets, Piece, PieceMaker, stretch
from spark_iceberg_sql.files.templates import choices
from spark_iceberg_sql.files.yaml_nodes import YamlError

API = "dbt"
_TABLES = frozenset({"table", "incremental"})
_COMMENT = re.compile(r"--[^\r\n]*|/\*.*?\*/", re.DOTALL)
# A condition on the engine: branches for other engines may have other columns.
_OF_TARGET = re.compile(r"\{%[-+]?\s*(?:el)?if\b[^%]*\b(?:target|adapter)\b")
_NOQA = re.compile(r"[^\r\n]*?#\s*(noqa\b(?:\s*:\s*[A-Z0-9, ]+)?)")
_NAME = re.compile(r"\w+", re.ASCII)
_COMPILED = "check the SQL that dbt runs: `iceberg-sql check target/run`"
_MOST = 100  # how many resources a clause of dbt_project.yml is checked for

Columns = list[tuple[str, str | None]]
Found = Iterator[Piece | Unread]


def model_statements(path: Path, text: str, project: Project) -> Found:
    """The clause in the file of a model or snapshot: a piece that replaces the whole file, or a note."""
    project.says(path, text)
    resource = project.resource(path)
    if resource is None or "partition_by" not in text or project.other_engine:
        return
    own = project.own(resource)
    layers = project.layers(resource)
    if own.unclear is not None and "partition_by" in text[slice(*own.unclear)]:
        if "iceberg" in text.lower() or makes_iceberg(layers):
            yield Unread(
                0, *own.unclear, "dbt decides on this configuration when it runs", _COMPILED
            )
        return
    stated = own.config.get("partition_by")
    if stated is None or not own.calls:
        return
    if not yaml_nodes.is_installed() and not {"file_format", "materialized"} <= set(own.config):
        why = "the rest of the model's configuration is in YAML"
        yield Unread(0, *stated.place, why, yaml_nodes.HELP)
        return
    if path.suffix == ".py":
        if _judged(resource, layers):
            why = "dbt-spark ignores `partition_by` in Python models, and other adapters differ"
            yield Unread(0, *stated.place, why, "write the model in SQL, or the table in the model")
        return
    for found in _judge(resource, layers, stated, project):
        if isinstance(found, Piece) and resource.kind == "models":
            yield _in_model(text, own.calls[0], found, columns_of(resource, layers, project))
        else:
            yield found


def yaml_statements(path: Path, text: str, project: Project) -> Found:
    """The clauses in a YAML file of a project."""
    project.says(path, text)
    if "partition_by" not in text or project.other_engine:
        return
    if not yaml_nodes.is_installed():
        yield Unread(0, 0, 0, "dbt's YAML cannot be read", yaml_nodes.HELP)
        return
    try:
        if path == project.file:
            yaml_nodes.compose(text)
            resources = _every(project)
        else:
            named = [key for key, _ in project.entries_of(path)]
            resources = _of_names(project, named)
    except YamlError as error:
        yield Unread(0, 0, 0, str(error), "correct the YAML")
        return
    counts: dict[Offsets, int] = {}
    for resource in resources:
        layers = project.layers(resource)
        layer = next((each for each in layers if "partition_by" in each.config), None)
        if layer is None or layer.file != path:
            continue
        stated = layer.config["partition_by"]
        counts[stated.place] = counts.get(stated.place, 0) + 1
        if counts[stated.place] <= _MOST and (resource.path or Path()).suffix != ".py":
            yield from _judge(resource, layers, stated, project, text)


def _every(project: Project) -> Iterator[Resource]:
    return _of_names(project, dict.fromkeys([*project.resources, *project.entries]))


def _of_names(project: Project, names: Iterable[tuple[str, str]]) -> Iterator[Resource]:
    """The resources with these names; only a snapshot may have no file of its own."""
    for kind, name in names:
        found = project.resources.get((kind, name))
        if found is not None or kind == "snapshots":
            yield found or Resource(kind, name, None)


def _judged(resource: Resource, layers: list[Layer]) -> bool | None:
    """Whether dbt creates an Iceberg table with Spark; None if a template decides."""
    if resource.kind == "models":
        kind = first((layer.config for layer in layers), "materialized")
        if kind is None or (not is_templated(kind) and kind.text not in _TABLES):
            return False
    return makes_iceberg(layers)


def _judge(
    resource: Resource, layers: list[Layer], stated: Value, project: Project, text: str = ""
) -> Found:
    """The statement for one clause. text: that of the YAML file with the clause."""
    judged = _judged(resource, layers)
    if judged is False or stated.null:
        return
    if judged is None or stated.texts is None:
        if stated.fields is None:  # BigQuery's
            what = "`partition_by`" if judged else "`file_format`"
            yield Unread(0, *stated.place, f"dbt decides on {what} when it runs", _COMPILED)
        return
    columns = columns_of(resource, layers, project)
    query = "SELECT f()" if columns is None else _query(columns)
    yield _statement(resource, stated, text, query)


def _statement(resource: Resource, stated: Value, text: str, query: str) -> Piece:
    """The statement that dbt runs; each YAML value on its own line, with the `noqa` after it."""
    start, end = stated.place
    maker = PieceMaker()
    maker.literal(own=False)
    maker.add("CREATE TABLE ", start, start)
    plain = _NAME.fullmatch(resource.name) is not None
    maker.add(resource.name if plain else f"`{resource.name}`", start, end)
    maker.add(" USING iceberg PARTITIONED BY (", start, start)
    for number, value in enumerate(stated.texts or ()):
        if number:
            maker.add("," + "\n" * bool(text), value.starts[0], value.starts[0])
        plain = bool(text) and text[value.starts[0] - 1 : value.starts[0]] not in ("'", '"')
        opening = text[start : start + 1]  # the value of an anchor may be used elsewhere, too
        maker.literal(own=opening != "&" and not (plain and opening == "["))
        maker.extend(replace(value, sql=_inert(value.sql)))
        maker.literal(own=False)
        noqa = _NOQA.match(text, value.ends[-1]) if text else None
        if noqa is not None:
            maker.add(f" /* {noqa[1]} */", noqa.start(1), noqa.end(1))
    maker.add(")", end, end)
    maker.add(f" AS {query}" if query else " AS ", end, end)
    return replace(maker.piece(), api=API)


def _inert(sql: str) -> str:
    """A value without characters that would end the statement."""
    return sql.replace(";", " ")


def _in_model(text: str, call: Offsets, statement: Piece, columns: Columns | None) -> Piece:
    """A model's text with the statement after its `{{ config(...) }}`, which becomes blank.

    The statement selects from the model's query, unless the columns are known from another source.
    """
    start, end = call
    head = choices(stretch(text, 0, start))[0].sql
    at = 0 if _COMMENT.sub("", head).strip() else end
    known = columns is not None or _OF_TARGET.search(text) is not None
    maker = PieceMaker()
    maker.literal(own=True)
    maker.extend(stretch(text, 0, at))
    maker.literal(own=False)
    length = len(statement.sql) if known else statement.sql.rindex(" AS SELECT f()") + len(" AS ")
    maker.extend(_cut(statement, length))
    if known:
        maker.add("\n;\n", end, end)
    maker.literal(own=True)
    maker.extend(stretch(text, at, len(text)))
    made = maker.piece()
    inner = tuple((a + at, b + at) for a, b in statement.literals or ())
    return replace(made, literals=tuple(sorted((*(made.literals or ()), *inner))), api=API)


def _cut(piece: Piece, length: int) -> Piece:
    return replace(
        piece,
        sql=piece.sql[:length],
        starts=piece.starts[: length + 1],
        ends=piece.ends[: length + 1],
    )


def columns_of(resource: Resource, layers: list[Layer], project: Project) -> Columns | None:
    """The columns of a resource, with their types where these are certain; None if the columns are not.

    They come from an enforced contract, from a `catalog.json` newer than the project, or from the first line of a
    seed.
    """
    configs = [layer.config for layer in layers]
    if resource.kind == "seeds":
        return _of_seed(resource, first(configs, "column_types"), project)
    if resource.kind == "models":
        contract = first(configs, "contract")
        enforced = (contract.fields or {}).get("enforced") if contract is not None else None
        entry = project.entries.get((resource.kind, resource.name))
        if enforced is not None and enforced.flag and entry is not None and entry.columns:
            return list(entry.columns)
    return _of_catalog(resource, project)


def _of_seed(resource: Resource, types: Value | None, project: Project) -> Columns | None:
    if resource.path is None:
        return None
    rows = csv.reader(project.text(resource.path).splitlines()[:1])
    names = next(rows, [])
    if len(names) < 2 and "delimiter" in project.text(project.file):
        return None
    given = {name: value.text for name, value in (types.fields or {}).items()} if types else {}
    return [(name.strip(), given.get(name.strip())) for name in names] or None


def _of_catalog(resource: Resource, project: Project) -> Columns | None:
    path = project.root / "target" / "catalog.json"
    with suppress(OSError, ValueError, AttributeError, TypeError):
        if path.stat().st_mtime <= project.newest:
            return None
        nodes = json.loads(path.read_bytes())["nodes"]
        node = nodes.get(f"{resource.kind[:-1]}.{project.name}.{resource.name}")
        if node is not None:
            columns = sorted(node["columns"].values(), key=lambda column: column["index"])
            return [(str(column["name"]), str(column["type"])) for column in columns] or None
    return None


def _query(columns: Iterable[tuple[str, str | None]]) -> str:
    """A query with these columns; a type that is not a primitive type of Spark stays unknown."""
    found = []
    for name, kind in columns:
        quoted = name.strip("`").replace("`", "``")
        value = f"CAST(NULL AS {kind})" if kind and PLAIN_TYPE.fullmatch(kind.strip()) else "f()"
        found.append(f"{value} AS `{quoted}`")
    return "SELECT " + ", ".join(found)
