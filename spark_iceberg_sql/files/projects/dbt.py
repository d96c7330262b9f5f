"""dbt's `partition_by` as the CREATE TABLE that dbt-spark runs, at the position of the configuration.

dbt-spark writes `partitioned by (` and the values unchanged, separated by commas. Whether the model is a table, and
an Iceberg table, follows from its configuration. If that is unknown, or the engine is not Spark, nothing is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from spark_iceberg_sql.files import yaml_nodes
from spark_iceberg_sql.files.projects.dbt_columns import Columns, columns_of, query_of
from spark_iceberg_sql.files.projects.dbt_compiled import compiled_query
from spark_iceberg_sql.files.projects.dbt_entries import Layer
from spark_iceberg_sql.files.projects.dbt_manifest import HELP, Node
from spark_iceberg_sql.files.projects.dbt_project import (
    Project,
    Resource,
    makes_iceberg,
)
from spark_iceberg_sql.files.projects.dbt_values import KEYS, Value, first, is_templated
from spark_iceberg_sql.files.projects.tools import YAML
from spark_iceberg_sql.files.source import Unread
from spark_iceberg_sql.files.source_map import COMPILED, Offsets, Piece, PieceMaker, stretch
from spark_iceberg_sql.files.templates import choices, template_spans
from spark_iceberg_sql.files.yaml_nodes import YamlError

API = "dbt"
_TABLES = frozenset({"table", "incremental"})
_COMMENT = re.compile(r"--[^\r\n]*|/\*.*?\*/", re.DOTALL)
# A condition on the engine: branches for other engines may have other columns.
_OF_TARGET = re.compile(r"\{%[-+]?\s*(?:el)?if\b[^%]*\b(?:target|adapter)\b")
_NOQA = re.compile(r"[^\r\n]*?#\s*(noqa\b(?:\s*:\s*[A-Z0-9, ]+)?)")
# An ignore comment behind `{{ config(...) }}`.
_IGNORE = re.compile(r"[ \t]*--[ \t]*((?:noqa|iceberg-sql:)(?:(?!\*/)[^\r\n])*)(?=[\r\n]|$)")
_NAME = re.compile(r"\w+", re.ASCII)
_COMPILED = "run `dbt compile`, or check the SQL that dbt runs: `iceberg-sql check target/run`"
_NO_MAPPING = "write a list of columns and transforms, for example `['days(ts)']`"
_MOST = 100  # how many resources a clause of dbt_project.yml is checked for

Found = Iterator[Piece | Unread]


def model_statements(path: Path, text: str, project: Project) -> Found:
    """The clause in the file of a model or snapshot: a fragment that replaces the whole file, or a problem."""
    project.says(path, text)
    resource = project.resource(path)
    if resource is None or "partition_by" not in text or project.other_engine:
        return
    own = project.own(resource)
    layers = project.layers(resource)
    stated, calls = own.config.get("partition_by"), own.calls
    if own.unclear is not None:
        node = project.node(resource)
        if node is not None and node.compiled is not None:
            calls = (own.unclear,)
            layers = [Layer(path, node.values(KEYS, own.unclear))]
        elif "partition_by" in text[slice(*own.unclear)]:
            if "iceberg" in text.lower() or makes_iceberg(layers):
                yield _undecided(resource, "this configuration", own.unclear, project)
            return
    elif stated is None:
        return
    stated = first((layer.config for layer in layers), "partition_by")
    if stated is None or not calls:
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
            known = found.api == COMPILED or columns_of(resource, layers, project) is not None
            yield _in_model(text, calls[0], found, known=known)
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
    notes: set[Unread] = set()
    for resource, layers, stated in _stated_in(path, resources, project):
        counts[stated.place] = counts.get(stated.place, 0) + 1
        if counts[stated.place] <= _MOST and (resource.path or Path()).suffix != ".py":
            for found in _judge(resource, layers, stated, project, text):
                if isinstance(found, Piece) or found not in notes:
                    yield found
                if isinstance(found, Unread):
                    notes.add(found)


def _stated_in(
    path: Path, resources: Iterable[Resource], project: Project
) -> Iterator[tuple[Resource, list[Layer], Value]]:
    """The resources that get their `partition_by` from a file, with their configurations, and the value."""
    for resource in resources:
        layers = project.layers(resource)
        layer = next((each for each in layers if "partition_by" in each.config), None)
        if layer is not None and layer.file == path:
            yield resource, layers, layer.config["partition_by"]


def statements_before(path: Path, project: Project) -> Iterator[str]:
    """CREATE statements for the tables that a file's models read, for their columns, from dbt's manifest."""
    if project.manifest is None or project.other_engine:
        return
    own = project.resource(path)
    resources = [own] if own is not None else []
    if path.suffix in YAML:
        with suppress(YamlError):
            every = list(_every(project))
            resources = [resource for resource, *_ in _stated_in(path, every, project)]
    for resource, node in project.manifest.upstream(resources):
        columns = columns_of(resource, project.layers(resource), project)
        query = query_of(columns) if columns is not None else node.compiled
        if query is not None and node.relation is not None and resource.kind != "snapshots":
            yield f"CREATE TABLE {node.relation} USING iceberg AS {query}"


def _undecided(resource: Resource, what: str, place: Offsets, project: Project) -> Unread:
    """The problem that dbt computes a setting when it runs. setting: its name in the message."""
    why, stale = f"dbt decides on {what} when it runs", project.stale(resource)
    return Unread(0, *place, f"{why}, and {stale}" if stale else why, HELP if stale else _COMPILED)


def _every(project: Project) -> Iterator[Resource]:
    return _of_names(project, dict.fromkeys([*project.resources, *project.entries]))


def _of_names(project: Project, names: Iterable[tuple[str, str]]) -> Iterator[Resource]:
    """The resources with these names; only a snapshot may have no file of its own."""
    for kind, name in names:
        found = project.resources.get((kind, name))
        if found is not None or kind == "snapshots":
            yield found or Resource(kind, name, None)


def _judged(resource: Resource, layers: list[Layer]) -> bool | None:
    """True if dbt creates an Iceberg table with Spark; None if a template decides."""
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
        if judged and stated.fields is not None:  # as for BigQuery; the macro loops over it
            keys = ", ".join(f"`{key}`" for key in stated.fields)
            why = f"`partition_by` is a mapping; dbt-spark uses its keys as columns: {keys}"
            yield Unread(0, *stated.place, why, _NO_MAPPING)
        elif judged and stated.mappings:  # the macro writes each item with `{{ item }}`
            why = "`partition_by` lists a mapping; dbt-spark copies it into the statement, which Spark refuses"
            yield Unread(0, *stated.place, why, _NO_MAPPING)
        elif stated.fields is None:
            what = "`partition_by`" if judged else "`file_format`"
            yield _undecided(resource, what, stated.place, project)
        return
    columns = columns_of(resource, layers, project)
    node = project.node(resource)
    query = _compiled(resource, node, stated, project, text) if columns is None else None
    if columns is None and query is None and _has_template(resource, project):
        stale = project.stale(resource)
        if stale is not None:
            yield Unread(0, *stated.place, f"the columns, because {stale}", HELP)
    yield _statement(resource, node, stated, text, query or _known(columns, stated))


def _has_template(resource: Resource, project: Project) -> bool:
    """True if a model's query has templates, apart from its `{{ config(...) }}`."""
    if resource.kind != "models" or resource.path is None:
        return False
    spans = template_spans(project.text(resource.path))
    return len(spans) > len(project.own(resource).calls)


def _compiled(
    resource: Resource, node: Node | None, stated: Value, project: Project, text: str
) -> Piece | None:
    """The query that dbt compiled; None if there is none, or if the model's own text is as good."""
    if node is None or node.compiled is None or resource.path is None:
        return None
    if not _has_template(resource, project):
        return None
    own = "" if text else project.text(resource.path)  # text: a YAML file has no place for it
    return compiled_query(own, node.compiled, stated.place)


def _known(columns: Columns | None, stated: Value) -> Piece:
    """A query with these columns."""
    end = stated.place[1]
    maker = PieceMaker()
    maker.add("SELECT f()" if columns is None else query_of(columns), end, end)
    return maker.piece()


def _statement(
    resource: Resource, node: Node | None, stated: Value, text: str, query: Piece
) -> Piece:
    """The statement that dbt runs; each YAML value on its own line, with the `noqa` after it."""
    start, end = stated.place
    maker = PieceMaker()
    maker.literal(own=False)
    maker.add("CREATE TABLE ", start, start)
    plain = _NAME.fullmatch(resource.name) is not None
    name = resource.name if plain else f"`{resource.name}`"
    maker.add(node.relation if node is not None and node.relation else name, start, end)
    maker.add(" USING iceberg PARTITIONED BY (", start, start)
    for number, value in enumerate(stated.texts or ()):
        if number:
            maker.add(",\n" if text else ",", value.starts[0], value.starts[0])
        plain = bool(text) and text[value.starts[0] - 1 : value.starts[0]] not in ("'", '"')
        opening = text[start : start + 1]  # the value of an anchor may be used elsewhere, too
        maker.literal(own=opening != "&" and not (plain and opening == "["))
        maker.extend(replace(value, sql=_inert(value.sql)))
        maker.literal(own=False)
        noqa = _NOQA.match(text, value.ends[-1]) if text else None
        if noqa is not None:
            maker.add(f" /* {noqa[1]} */", noqa.start(1), noqa.end(1))
    maker.add(")", end, end)
    maker.add(" AS ", end, end)
    maker.extend(query)
    compiled = query.literals is not None
    return replace(maker.piece(), api=COMPILED if compiled else API)


def _inert(sql: str) -> str:
    """A value without characters that would end the statement."""
    return sql.replace(";", " ")


def _in_model(text: str, call: Offsets, statement: Piece, *, known: bool) -> Piece:
    """A model's text with the statement after its `{{ config(...) }}`, which becomes blank.

    The statement selects from the model's query, unless the columns are known from another source.
    """
    start, end = call
    head = choices(stretch(text, 0, start))[0].sql
    at = 0 if _COMMENT.sub("", head).strip() else end
    known = known or _OF_TARGET.search(text) is not None
    maker = PieceMaker()
    maker.literal(own=True)
    maker.extend(stretch(text, 0, at))
    maker.literal(own=False)
    ignore = _IGNORE.match(text, at) if known and at == end else None
    if ignore is not None:  # it belongs to the statement, which ends on another line
        maker.add(f"/* {ignore[1]} */ ", ignore.start(1), ignore.end(1))
        at = ignore.end()
    length = len(statement.sql) if known else statement.sql.rindex(" AS SELECT f()") + len(" AS ")
    begin = maker.length
    maker.extend(_cut(statement, length))
    if known:
        maker.add("\n;\n", end, end)
    maker.literal(own=True)
    maker.extend(stretch(text, at, len(text)))
    made = maker.piece()
    inner = tuple((a + begin, b + begin) for a, b in statement.literals or ())
    literals = tuple(sorted((*(made.literals or ()), *inner)))
    return replace(made, literals=literals, api=statement.api)


def _cut(piece: Piece, length: int) -> Piece:
    return replace(
        piece,
        sql=piece.sql[:length],
        starts=piece.starts[: length + 1],
        ends=piece.ends[: length + 1],
    )
