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
from spark_iceberg_sql.files.projects.dbt_clustering import clustering_problems
from spark_iceberg_sql.files.projects.dbt_columns import Columns, columns_of, columns_query
from spark_iceberg_sql.files.projects.dbt_compiled import compiled_query
from spark_iceberg_sql.files.projects.dbt_entries import Layer
from spark_iceberg_sql.files.projects.dbt_manifest import HELP, ManifestNode
from spark_iceberg_sql.files.projects.dbt_project import Project, creates_iceberg_table
from spark_iceberg_sql.files.projects.dbt_resources import Resource
from spark_iceberg_sql.files.projects.dbt_values import KEYS, ConfigValue, first_value, is_templated
from spark_iceberg_sql.files.source import ExtractionProblem
from spark_iceberg_sql.files.source_map import COMPILED, FragmentBuilder, Offsets, SqlFragment, range_fragment
from spark_iceberg_sql.files.templates import template_spans, template_variants
from spark_iceberg_sql.files.yaml_nodes import YAML_SUFFIXES, YamlError
from spark_iceberg_sql.model.transforms import find_transform

API = "dbt"
_TABLES = frozenset({"table", "incremental"})
_COMMENT = re.compile(r"--[^\r\n]*|/\*.*?\*/", re.DOTALL)
# A condition on the engine: branches for other engines may have other columns.
_TARGET_CONDITION = re.compile(r"\{%[-+]?\s*(?:el)?if\b[^%]*\b(?:target|adapter)\b")
_NOQA = re.compile(r"[^\r\n]*?#\s*(noqa\b(?:\s*:\s*[A-Z0-9, ]+)?)")
# An ignore comment behind `{{ config(...) }}`.
_SUPPRESSION = re.compile(r"[ \t]*--[ \t]*((?:noqa|iceberg-sql:)(?:(?!\*/)[^\r\n])*)(?=[\r\n]|$)")
_NAME = re.compile(r"\w+", re.ASCII)
_COMPILE_HELP = "run `dbt compile`, or check the SQL that dbt runs: `iceberg-sql check target/run`"
_LIST_HELP = "write a list of columns and transforms, for example `['days(ts)']`"
_MAX_RESOURCES = 100  # how many resources a clause of dbt_project.yml is checked for

# Keys of what a model's table is laid out by.
_LAYOUT_KEYS = ("partition_by", "clustered_by")

Extraction = Iterator[SqlFragment | ExtractionProblem]


def may_configure_layout(text: str) -> bool:
    """True if a file may say how tables of models are laid out."""
    return any(key in text for key in _LAYOUT_KEYS)


def model_statements(path: Path, text: str, project: Project) -> Extraction:
    """The clause in the file of a model or snapshot: a fragment that replaces the whole file, or a problem."""
    project.set_overlay(path, text)
    resource = project.resource(path)
    if resource is None or not may_configure_layout(text) or project.uses_other_engine:
        return
    own_config = project.own_config(resource)
    layers = project.layers(resource)
    if own_config.unread_span is None and path.suffix != ".py" and _is_iceberg_table(resource, layers):
        yield from clustering_problems(path, layers)
    partition_value, calls = own_config.config.get("partition_by"), own_config.calls
    if own_config.unread_span is not None:
        node = project.node(resource)
        if node is not None and node.compiled is not None:
            calls = (own_config.unread_span,)
            layers = [Layer(path, node.values(KEYS, own_config.unread_span))]
        elif "partition_by" in text[slice(*own_config.unread_span)]:
            if "iceberg" in text.lower() or creates_iceberg_table(layers):
                yield _computed_problem(resource, "this configuration", own_config.unread_span, project)
            return
    elif partition_value is None:
        return
    partition_value = first_value((layer.config for layer in layers), "partition_by")
    if partition_value is None or not calls:
        return
    if not yaml_nodes.is_installed() and not {"file_format", "materialized"} <= set(own_config.config):
        reason = "the rest of the model's configuration is in YAML_SUFFIXES"
        yield ExtractionProblem(0, *partition_value.span, reason, yaml_nodes.HELP)
        return
    if path.suffix == ".py":
        if _is_iceberg_table(resource, layers):
            reason = "dbt-spark ignores `partition_by` in Python models, and other adapters differ"
            yield ExtractionProblem(
                0, *partition_value.span, reason, "write the model in SQL, or the table in the model"
            )
        return
    for result in _clause_statements(resource, layers, partition_value, project):
        if isinstance(result, SqlFragment) and resource.kind == "models":
            has_columns = result.api == COMPILED or columns_of(resource, layers, project) is not None
            yield _statement_in_model(text, calls[0], result, has_columns=has_columns)
        else:
            yield result


def yaml_statements(path: Path, text: str, project: Project) -> Extraction:
    """The clauses in a YAML file of a project."""
    project.set_overlay(path, text)
    if not may_configure_layout(text) or project.uses_other_engine:
        return
    if not yaml_nodes.is_installed():
        yield ExtractionProblem(0, 0, 0, "dbt's YAML cannot be read", yaml_nodes.HELP)
        return
    try:
        if path == project.file:
            yaml_nodes.compose(text)
            resources = list(_all_resources(project))
        else:
            resources = list(_resources_named(project, [key for key, _ in project.entries_of(path)]))
    except YamlError as error:
        yield ExtractionProblem(0, 0, 0, str(error), "correct the YAML")
        return
    counts: dict[Offsets, int] = {}
    reported: set[ExtractionProblem] = set()
    for resource in resources if "clustered_by" in text else ():
        layers = project.layers(resource)
        if (resource.path or Path()).suffix != ".py" and _is_iceberg_table(resource, layers):
            for problem in clustering_problems(path, layers):
                if problem not in reported:
                    yield problem
                reported.add(problem)
    for resource, layers, partition_value in _partitioned_resources(path, resources, project):
        counts[partition_value.span] = counts.get(partition_value.span, 0) + 1
        if counts[partition_value.span] <= _MAX_RESOURCES and (resource.path or Path()).suffix != ".py":
            for result in _clause_statements(resource, layers, partition_value, project, text):
                if isinstance(result, SqlFragment) or result not in reported:
                    yield result
                if isinstance(result, ExtractionProblem):
                    reported.add(result)


def _partitioned_resources(
    path: Path, resources: Iterable[Resource], project: Project
) -> Iterator[tuple[Resource, list[Layer], ConfigValue]]:
    """The resources that get their `partition_by` from a file, with their configurations, and the value."""
    for resource in resources:
        layers = project.layers(resource)
        layer = next((candidate for candidate in layers if "partition_by" in candidate.config), None)
        if layer is not None and layer.file == path:
            yield resource, layers, layer.config["partition_by"]


def upstream_statements(path: Path, project: Project) -> Iterator[str]:
    """CREATE statements for the tables that a file's models read, for their columns, from dbt's manifest."""
    if project.manifest is None or project.uses_other_engine:
        return
    file_resource = project.resource(path)
    resources = [file_resource] if file_resource is not None else []
    if path.suffix in YAML_SUFFIXES:
        with suppress(YamlError):
            all_resources = list(_all_resources(project))
            resources = [resource for resource, *_ in _partitioned_resources(path, all_resources, project)]
    for resource, node in project.manifest.upstream(resources):
        columns = columns_of(resource, project.layers(resource), project)
        query = columns_query(columns) if columns is not None else node.compiled
        if query is not None and node.relation is not None and resource.kind != "snapshots":
            yield f"CREATE TABLE {node.relation} USING iceberg AS {query}"


def _computed_problem(resource: Resource, setting: str, span: Offsets, project: Project) -> ExtractionProblem:
    """The problem that dbt computes a setting when it runs. setting: its name in the message."""
    reason, stale_reason = f"dbt decides on {setting} when it runs", project.stale_reason(resource)
    return ExtractionProblem(
        0, *span, f"{reason}, and {stale_reason}" if stale_reason else reason, HELP if stale_reason else _COMPILE_HELP
    )


def _all_resources(project: Project) -> Iterator[Resource]:
    return _resources_named(project, dict.fromkeys([*project.resources, *project.entries]))


def _resources_named(project: Project, names: Iterable[tuple[str, str]]) -> Iterator[Resource]:
    """The resources with these names; only a snapshot may have no file of its own."""
    for resource_kind, name in names:
        resource = project.resources.get((resource_kind, name))
        if resource is not None or resource_kind == "snapshots":
            yield resource or Resource(resource_kind, name, None)


def _is_iceberg_table(resource: Resource, layers: list[Layer]) -> bool | None:
    """True if dbt creates an Iceberg table with Spark; None if a template decides."""
    if resource.kind == "models":
        materialization = first_value((layer.config for layer in layers), "materialized")
        if materialization is None or (not is_templated(materialization) and materialization.text not in _TABLES):
            return False
    return creates_iceberg_table(layers)


def _clause_statements(
    resource: Resource, layers: list[Layer], partition_value: ConfigValue, project: Project, text: str = ""
) -> Extraction:
    """The statement for one clause. text: that of the YAML file with the clause."""
    is_iceberg = _is_iceberg_table(resource, layers)
    if is_iceberg is False or partition_value.is_null:
        return
    if is_iceberg is None or partition_value.scalars is None:
        if is_iceberg and partition_value.fields is not None:  # as for BigQuery; the macro loops over it
            keys = ", ".join(f"`{key}`" for key in partition_value.fields)
            reason = f"`partition_by` is a mapping; dbt-spark uses its keys as columns: {keys}"
            is_bigquerys = {"field", "data_type"} <= set(partition_value.fields)
            help_ = _bigquery_help(partition_value) if is_bigquerys else _LIST_HELP
            yield ExtractionProblem(0, *partition_value.span, reason, help_, is_refused=is_bigquerys)
        elif is_iceberg and partition_value.has_mappings:  # the macro writes each item with `{{ item }}`
            reason = "`partition_by` lists a mapping; dbt-spark copies it into the statement, which Spark refuses"
            yield ExtractionProblem(0, *partition_value.span, reason, _LIST_HELP, is_refused=True)
        elif partition_value.fields is None:
            setting = "`partition_by`" if is_iceberg else "`file_format`"
            yield _computed_problem(resource, setting, partition_value.span, project)
        return
    columns = columns_of(resource, layers, project)
    node = project.node(resource)
    query = _compiled_fragment(resource, node, partition_value, project, text) if columns is None else None
    if columns is None and query is None and _has_template(resource, project):
        stale_reason = project.stale_reason(resource)
        if stale_reason is not None:
            yield ExtractionProblem(0, *partition_value.span, f"the columns, because {stale_reason}", HELP)
    yield _statement(resource, node, partition_value, text, query or _columns_query(columns, partition_value))


def _bigquery_help(partition_value: ConfigValue) -> str:
    """The list to write for BigQuery's mapping."""
    fields = partition_value.fields or {}
    column, unit = (fields[key].text if key in fields else None for key in ("field", "granularity"))
    if column is None:
        return _LIST_HELP
    transform = f"{(unit or 'day').lower()}s({column})"
    return f"write `partition_by=['{transform}']`" if find_transform(transform.partition("(")[0]) else _LIST_HELP


def _has_template(resource: Resource, project: Project) -> bool:
    """True if a model's query has templates, apart from its `{{ config(...) }}`."""
    if resource.kind != "models" or resource.path is None:
        return False
    return len(template_spans(project.text(resource.path))) > len(project.own_config(resource).calls)


def _compiled_fragment(
    resource: Resource, node: ManifestNode | None, partition_value: ConfigValue, project: Project, text: str
) -> SqlFragment | None:
    """The query that dbt compiled; None if there is none, or if the model's own text is as good."""
    if node is None or node.compiled is None or resource.path is None or not _has_template(resource, project):
        return None
    model_text = "" if text else project.text(resource.path)  # text: a YAML file has no place for it
    return compiled_query(model_text, node.compiled, partition_value.span)


def _columns_query(columns: Columns | None, partition_value: ConfigValue) -> SqlFragment:
    """A query with these columns."""
    end = partition_value.span[1]
    builder = FragmentBuilder()
    builder.add("SELECT f()" if columns is None else columns_query(columns), end, end)
    return builder.build()


def _statement(
    resource: Resource, node: ManifestNode | None, partition_value: ConfigValue, text: str, query: SqlFragment
) -> SqlFragment:
    """The statement that dbt runs; each YAML value on its own line, with the `noqa` after it."""
    start, end = partition_value.span
    builder = FragmentBuilder()
    builder.begin_literal(is_exclusive=False)
    builder.add("CREATE TABLE ", start, start)
    name = resource.name if _NAME.fullmatch(resource.name) else f"`{resource.name}`"
    builder.add(node.relation if node is not None and node.relation else name, start, end)
    builder.add(" USING iceberg PARTITIONED BY (", start, start)
    for number, value in enumerate(partition_value.scalars or ()):
        if number:
            builder.add(",\n" if text else ",", value.starts[0], value.starts[0])
        is_plain = bool(text) and text[value.starts[0] - 1 : value.starts[0]] not in ("'", '"')
        opening = text[start : start + 1]  # the value of an anchor may be used elsewhere, too
        builder.begin_literal(is_exclusive=opening != "&" and not (is_plain and opening == "["))
        builder.extend(replace(value, sql=value.sql.replace(";", " ")))  # which would end the statement
        builder.begin_literal(is_exclusive=False)
        noqa = _NOQA.match(text, value.ends[-1]) if text else None
        if noqa is not None:
            builder.add(f" /* {noqa[1]} */", noqa.start(1), noqa.end(1))
    builder.add(") AS ", end, end)
    builder.extend(query)
    return replace(builder.build(), api=COMPILED if query.literals is not None else API)


def _statement_in_model(text: str, call: Offsets, statement: SqlFragment, *, has_columns: bool) -> SqlFragment:
    """A model's text with the statement after its `{{ config(...) }}`, which becomes blank.

    The statement selects from the model's query, unless the columns are known from another source.
    """
    start, end = call
    prefix = template_variants(range_fragment(text, 0, start))[0].sql
    offset = 0 if _COMMENT.sub("", prefix).strip() else end
    has_columns = has_columns or _TARGET_CONDITION.search(text) is not None
    builder = FragmentBuilder()
    builder.begin_literal(is_exclusive=True)
    builder.extend(range_fragment(text, 0, offset))
    builder.begin_literal(is_exclusive=False)
    suppression = _SUPPRESSION.match(text, offset) if has_columns and offset == end else None
    if suppression is not None:  # it belongs to the statement, which ends on another line
        builder.add(f"/* {suppression[1]} */ ", suppression.start(1), suppression.end(1))
        offset = suppression.end()
    length = len(statement.sql) if has_columns else statement.sql.rindex(" AS SELECT f()") + len(" AS ")
    begin = builder.length
    builder.extend(_truncate(statement, length))
    if has_columns:
        builder.add("\n;\n", end, end)
    builder.begin_literal(is_exclusive=True)
    builder.extend(range_fragment(text, offset, len(text)))
    model_fragment = builder.build()
    statement_literals = tuple((a + begin, b + begin) for a, b in statement.literals or ())
    literals = tuple(sorted((*(model_fragment.literals or ()), *statement_literals)))
    return replace(model_fragment, literals=literals, api=statement.api)


def _truncate(fragment: SqlFragment, length: int) -> SqlFragment:
    return replace(
        fragment, sql=fragment.sql[:length], starts=fragment.starts[: length + 1], ends=fragment.ends[: length + 1]
    )
