"""Pages that the build generates from the package's own records; none of them is committed.

To add a page, add one function of no arguments that returns Markdown, its line in PAGES, and its
place in the `nav` of mkdocs.yml. The rules' pages enter the navigation by themselves.
"""

from __future__ import annotations

import argparse
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, cast

import python_reference
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from spark_iceberg_sql import errors
from spark_iceberg_sql.cli import COMMANDS, Command
from spark_iceberg_sql.config.configuration import OWN_FILE, TABLE
from spark_iceberg_sql.config.schema import schema
from spark_iceberg_sql.config.settings import SETTINGS, Setting
from spark_iceberg_sql.config.value_types import ValueType, WrongValueError
from spark_iceberg_sql.insight.advise.model import Advice
from spark_iceberg_sql.insight.diagnosis.model import Diagnosis
from spark_iceberg_sql.insight.explain.model import Explanation
from spark_iceberg_sql.insight.from_hive.model import FromHive
from spark_iceberg_sql.insight.health.model import Health
from spark_iceberg_sql.insight.json_values import Result
from spark_iceberg_sql.insight.listing.description_model import Description
from spark_iceberg_sql.insight.listing.tables_model import TableListing
from spark_iceberg_sql.insight.preview.model import Preview
from spark_iceberg_sql.insight.spj.model import ShuffleReport
from spark_iceberg_sql.model.functions.metadata_functions import METADATA_FUNCTIONS, TABLES, MetadataFunction
from spark_iceberg_sql.model.functions.table_functions import FUNCTIONS, Argument, Function
from spark_iceberg_sql.model.transform_record import Transform
from spark_iceberg_sql.model.transforms import TRANSFORMS
from spark_iceberg_sql.report.rule_pages import SETTINGS_SCHEMA, SITE, catalogue, page
from spark_iceberg_sql.rules import registry
from spark_iceberg_sql.rules.base import Rule
from spark_iceberg_sql.spark.optimizer.iceberg_issues import ISSUES, PROBED_VERSIONS, IcebergIssue
from spark_iceberg_sql.spark.optimizer.rule_records import RULES as RULES_OF_OPTIMIZER
from spark_iceberg_sql.spark.session_settings import SESSION_SETTINGS
from spark_iceberg_sql.spark.versions import minor as _minor

ROOT = Path(__file__).parents[1]
RULES = "reference/rules/index.md"

RESULTS: dict[str, type[Result]] = {
    "explain": Explanation,
    "health": Health,
    "spj": ShuffleReport,
    "preview": Preview,
    "advise": Advice,
    "from_hive": FromHive,
    "tables": TableListing,
    "describe": Description,
    "doctor": Diagnosis,
}


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Put every rule under the navigation's entry for the index of rules."""
    config.nav = _with_rules(config.nav)
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated pages."""
    for address, text in pages():
        files.append(File.generated(config, address, content=text))
    text = json.dumps(schema(SETTINGS_SCHEMA), indent=2)
    files.append(File.generated(config, SETTINGS_SCHEMA.removeprefix(SITE), content=text))
    for name, result in RESULTS.items():
        text = json.dumps(result.json_schema(), indent=2)
        files.append(File.generated(config, f"reference/{name}.schema.json", content=text))
    return files


def _with_rules(nav: Any) -> Any:
    if isinstance(nav, list):
        return [_with_rules(item) for item in nav]
    if isinstance(nav, dict):
        return {title: _with_rules(item) for title, item in nav.items()}
    if nav == RULES:
        return [RULES, *({f"{r.code} {r.name}": _address(r)} for r in registry.ALL)]
    return nav


def pages() -> Iterator[tuple[str, str]]:
    """Every generated page: its address among the sources, and its Markdown."""
    for address, write in PAGES.items():
        yield address, _ranked(write(), SEARCH_BOOST.get(address, 1))
    for rule in registry.ALL:
        yield _address(rule), _ranked(rule_page(rule), RULE_BOOST)


def _ranked(text: str, boost: float) -> str:
    """A page with its weight in the search: what is read rarely comes after the guide."""
    return text if boost == 1 else f"---\nsearch:\n  boost: {boost}\n---\n\n{text}"


def _address(rule: Rule) -> str:
    return f"reference/rules/{rule.code}.md"


# --- rules ----------------------------------------------------------------------------------------


def rule_page(rule: Rule) -> str:
    """A rule's page; its examples are titled."""
    return re.sub(r"^```sql (bad|good)$", _titled, page(rule), flags=re.MULTILINE) + "\n"


def _titled(match: re.Match[str]) -> str:
    return f'```sql title="{match[1].capitalize()}"'


def rule_index() -> str:
    """All rules, each linked to its page."""
    linked = re.sub(r"^\| (SIS\d{3}) \|", r"| [\1](\1.md) |", catalogue(), flags=re.MULTILINE)
    return f"""# Rules

A code's first digit shows what the rule reads:

| codes | what is checked | with |
|---|---|---|
| SIS0xx | the input itself: can it be read, and was it checked? | |
| SIS1xx | a partition clause | the text alone |
| SIS2xx | columns and their types | the columns |
| SIS3xx | partition fields that do not go together | the other partition fields |
| SIS4xx | changes of a table | its partition specs and format version |
| SIS5xx | advice: accepted, but probably not a good partition spec | the columns |
| SIS6xx | queries, INSERT and CALL: functions, filters that read every file | the partition specs, the columns |

An **error** is a statement that Iceberg's Spark runtime refuses, or accepts and damages the table. A **warning** is a
statement that is accepted, but probably not what was intended. A **note** is a statement that was not checked.
`iceberg-sql explain SIS202` prints a rule's page.

{linked}"""


# --- transforms and functions ---------------------------------------------------------------------


def functions() -> str:
    """The partition transforms, each with its spellings in DDL and its SQL functions."""
    every = "\n".join(part for transform in TRANSFORMS for part in _transform(transform))
    return f"""# Transforms and functions

Every partition transform of the Iceberg spec: how DDL spells it, which SQL functions compute it, and the name that its
partition field gets without `AS`.

{every}
"""


def _transform(transform: Transform) -> Iterator[str]:
    clause = transform.parameter
    lead = "" if clause is None else f"{clause.name}, "
    arguments, result = transform.example
    yield f"## {transform.name}"
    yield ""
    yield f"{_sentence(transform.summary)}"
    yield ""
    yield "| | |"
    yield "|---|---|"
    names = ", ".join(_code(f"{name}({lead}col)") for name in reversed(transform.functions))
    yield f"| functions | {names} |"
    yield f"| example | {_code(f'{transform.functions[-1]}({arguments})')} is {_code(result)} |"
    yield f"| takes | {transform.accepts} |"
    yield f"| source types | {', '.join(map(_code, transform.sources))} |"
    yield f"| result type | {_code(transform.result) if transform.result else 'the type of the source'} |"
    if clause is not None:
        yield f"| {_code(clause.name)} | the {clause.noun}, from {clause.minimum} to {clause.maximum} |"
    if not transform.in_ddl:
        yield "| in DDL | not available |"
    else:
        yield f"| in DDL | {', '.join(_code(f'{name}({lead}col)') for name in transform.spellings)} |"
        created = transform.create_name("col")
        altered = transform.alter_name("col", clause.example if clause is not None else None)
        yield f"| field name | {_code(created)} from CREATE TABLE, {_code(altered)} from ALTER TABLE |"
    order = "yes" if transform.order_preserving else "no"
    if transform.wraps:
        order += f"; overflows near the limits of {', '.join(map(_code, transform.wraps))}"
    yield f"| monotonic | {order} |"
    yield ""


# --- table functions ------------------------------------------------------------------------------


def table_functions() -> str:
    """The table functions with all their arguments."""
    every = "\n".join(part for function in (*FUNCTIONS, TABLES) for part in _function(function))
    metadata = "\n".join(map(_metadata_function, METADATA_FUNCTIONS))
    return f"""# Table functions

Function and argument names ignore case. Arguments are given by position, in the order below, or by name:
`name => value`. Those without a position are given by name only. Values of secret arguments do not appear in plans,
errors or logs if they come from a [named collection](../guide/by-path.md#credentials).

{every}
## Metadata functions

Each takes the table: its name in a catalog, or its path. After a path, the arguments of `iceberg` may follow, or with
`store => 'icebergAzure'` those of another function above. If the rows depend on the snapshot, the time-travel
arguments are accepted, also for a table's name.

| function | rows | time travel |
|---|---|---|
{metadata}

## Functions over a statement

Each takes SQL text, a constant string; [Checked DDL](../guide/checked-ddl.md) and
[Explain](../guide/explain.md) show them.

| function | rows |
|---|---|
| `iceberg_check(statement)` | the findings |
| `iceberg_plan(statement)` | what the statement would do |
| `iceberg_explain(statement)` | what the statement would read, and what each conjunct of its filters contributes |
| `iceberg_health(table)` | what slows down a table's queries, and the statement that fixes it |
| `iceberg_spj(statement)` | which of its joins, groups and windows need no shuffle, and why the others do |
| `iceberg_rules()` | the optimizer rules of the session |

## Functions over a partition spec

The source is a table's name, a query or a path: [Preview](../guide/preview.md), [Advice](../guide/advise.md).

| function | rows |
|---|---|
| `iceberg_preview(source, spec)` | the partitions and files that a write would produce |
| `iceberg_advise(source, queries)` | the specs that make queries read the least |
"""


def _metadata_function(function: MetadataFunction) -> str:
    names = ", ".join(map(_code, function.names))
    words = function.description + "".join(f" {_code(a.name)}: {a.description}." for a in function.settings)
    return f"| {names} | {_cell(words)} | {'yes' if function.has_time_travel else ''} |"


def _function(function: Function) -> Iterator[str]:
    yield f"## {function.name}"
    yield ""
    yield function.description
    yield ""
    yield f"```sql\nSELECT * FROM {function.example};\n```"
    yield ""
    if function.aliases:
        yield f"Also {', '.join(map(_code, function.aliases))}."
        yield ""
    yield "| argument | position | type | default | what |"
    yield "|---|---|---|---|---|"
    for position, argument in enumerate(function.positional, 1):
        yield _argument(argument, f"{position}{', required' if position <= function.required else ''}")
    for argument in function.settings:
        yield _argument(argument, "")
    yield ""


def _argument(argument: Argument, position: str) -> str:
    default = "" if argument.default is None else _code(str(argument.default).lower())
    what = argument.description + ("; secret" if argument.secret else "")
    if argument.aliases:
        what += f"; also {', '.join(map(_code, argument.aliases))}"
    kind = {"str": "string", "int": "bigint", "bool": "boolean"}[argument.type.__name__]
    if argument.name == "timestamp":
        kind = "expression"
    return f"| {_code(argument.name)} | {position} | {kind} | {default} | {_cell(what)} |"


# --- settings, exceptions, commands -------------------------------------------------------


def settings() -> str:
    """The settings: what each accepts, its default, its purpose."""
    rows = "\n".join(
        f"| {_code(setting.key)} | {_taken(setting.value_type)} | {_default(setting)} | {setting.purpose} |"
        for setting in SETTINGS.values()
    )
    return f"""# Settings

Under `[tool.{TABLE}]` in `pyproject.toml`, or without that header in `{OWN_FILE}`. For each
file, the nearest parent folder that has either is used; [Check SQL](../guide/check.md#settings) has an example.
`iceberg-sql config FILE` shows the settings in force for a file and where each value comes from;
`iceberg-sql config --schema` prints their [JSON schema](settings.schema.json), for editors.

| key | takes | default | what |
|---|---|---|---|
{rows}
"""


def session_settings() -> str:
    """What sessions, applications and tables set."""
    rows = "\n".join(
        f"| {_code(s.key)} | {s.where} | {s.takes} | {s.default and _code(s.default)} | {s.purpose}"
        f"{'; clients of a server cannot change it' if s.is_fixed else ''} |"
        for s in SESSION_SETTINGS
    )
    keys = {setting.key for setting in SESSION_SETTINGS}
    switches = "\n".join(
        f"| {_code(rule.switch)} | {rule.summary} |" for rule in RULES_OF_OPTIMIZER if rule.switch not in keys
    )
    return f"""# Settings of Spark

Set them with `SET`, `spark.conf.set` or `--conf`; those of a table with `TBLPROPERTIES`.

| key | of | takes | default | what |
|---|---|---|---|---|
{rows}

Each rule of the optimizer has a switch, `true` or `false`; `SELECT * FROM iceberg_rules()` shows which are on.

| key | the rule |
|---|---|
{switches}
"""


def _taken(value_type: ValueType[Any]) -> str:
    """What a setting accepts, from the message for an invalid value."""
    try:
        value_type.read(object(), Path())
    except WrongValueError as takes:
        return _quoted(str(takes))
    raise TypeError("a type that takes anything")


def _default(setting: Setting[Any]) -> str:
    return "" if setting.default is None else _code(_toml(setting.default))


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        return "{}"
    if isinstance(value, float):
        return f"{value:g}"
    return str(list(cast(tuple[str, ...], value))).replace("'", '"')


def _quoted(words: str) -> str:
    """What a setting accepts, with TOML as code."""
    return re.sub(r"(\{.*\}|\[.*\]|\"\w+\")", lambda match: _code(match[1]), _cell(words))


def exceptions() -> str:
    """The tree of exceptions."""
    first, tree, last = (errors.__doc__ or "").strip().split("\n\n")
    drawn = "\n".join(line.removeprefix("    ") for line in tree.splitlines())
    return f"# Exceptions\n\n{first}\n\n```text\n{drawn}\n```\n\n{last}\n"


def commands() -> str:
    """The `--help` of each command."""
    os.environ["COLUMNS"] = "100"
    parts = ["# Commands\n\nExit codes: 0 clean, 1 errors or warnings, 2 could not run.\n"]
    for name, (module, _) in COMMANDS.items():
        parser = argparse.ArgumentParser(prog=f"iceberg-sql {name}", add_help=False)
        command = cast(Command, import_module(module))
        command.arguments(parser)
        _, summary = COMMANDS[name]
        parts.append(f"## iceberg-sql {name}\n\n{_sentence(summary)}\n\n```text\n{parser.format_help()}```\n")
    return "\n".join(parts)


def iceberg_issues() -> str:
    """The known faults of Iceberg and of writers, with the versions that have them."""
    intro = (
        "Known faults of Iceberg's runtime, and of programs that write its files, that cost rows or fail. The last "
        "column begins with the [rule](../guide/correct-results.md#the-optimizer-rules) that corrects it, if one does. "
        "An installed session tests its Iceberg for those marked *probed*, in the background while it starts: "
        "`SELECT name, iceberg_issues FROM iceberg_rules()` shows the results.\n"
    )
    span = f"{_minor(PROBED_VERSIONS[0])} to {_minor(PROBED_VERSIONS[-1])}"
    probes = (
        f"The probes were run on Iceberg {span}; the others were tried there by queries, or on 1.11 and 1.12 "
        "alone where no older one is named.\n"
    )
    parts = ["# Faults of Iceberg\n", intro, probes, "## Iceberg\n"]
    parts.append("| issue | Iceberg | what it costs | here |\n|---|---|---|---|")
    parts += [_issue_row(issue, _versions(issue.present_in)) for issue in ISSUES if issue.present_in]
    parts.append("\n## Files, with any version\n\n| issue | what it costs | here |\n|---|---|---|")
    parts += [_issue_row(issue) for issue in ISSUES if not issue.present_in]
    return "\n".join([*parts, ""])


def _versions(versions: Sequence[str]) -> str:
    """Versions that were tried one after the other, as a span if there are more than two."""
    names = [_minor(version) for version in versions]
    return f"{names[0]} to {names[-1]}" if len(names) > 2 else " and ".join(names)


def _issue_row(issue: IcebergIssue, versions: str | None = None) -> str:
    repository, _, number = issue.reference.partition("#")
    name = issue.reference
    if number:
        name = f"[{name}](https://github.com/{repository}/issues/{number})"
    probed = ", probed" if issue.is_probed else ""
    spans = () if versions is None else (versions,)
    remedy = f"`{issue.rule}`: {issue.remedy}." if issue.rule else _sentence(issue.remedy)
    cells = (f"{name}{probed}", *spans, _sentence(issue.cost), remedy)
    return f"| {' | '.join(map(_cell, cells))} |"


# --- pages from the top of the repository ---------------------------------------------------------


def _from_the_top(name: str) -> str:
    """A file of the repository's top folder, its links rewritten for the site."""
    text = (ROOT / name).read_text("utf-8")
    return re.sub(r"\]\(docs/", "](", text)


def contributing() -> str:
    """CONTRIBUTING.md."""
    return _from_the_top("CONTRIBUTING.md")


def changelog() -> str:
    """CHANGELOG.md."""
    return _from_the_top("CHANGELOG.md")


# --- Markdown -------------------------------------------------------------------------------------


def _code(text: str) -> str:
    return f"`{_cell(text)}`"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:] + "."


PAGES: Mapping[str, Callable[[], str]] = {
    RULES: rule_index,
    "reference/functions.md": functions,
    "reference/table-functions.md": table_functions,
    "reference/settings.md": settings,
    "reference/spark-settings.md": session_settings,
    "reference/commands.md": commands,
    "reference/python.md": python_reference.page,
    "reference/exceptions.md": exceptions,
    "reference/iceberg-issues.md": iceberg_issues,
    "contributing.md": contributing,
    "changelog.md": changelog,
}

RULE_BOOST = 0.5
SEARCH_BOOST: Mapping[str, float] = {
    "reference/commands.md": 0.5,
    "reference/python.md": 0.6,
    "reference/exceptions.md": 0.4,
    "reference/iceberg-issues.md": 0.4,
    "contributing.md": 0.2,
    "changelog.md": 0.2,
}
