"""A CALL of a procedure, or with an argument, that Iceberg does not have.

## Why
Spark refuses the statement: "Failed to load routine", or "named argument reference for the argument named ...". The
rule reports only names that are similar to one of Iceberg's procedures or of its parameters, and a procedure only if
its arguments are those of the similar one: a catalog may have procedures of its own, and a later Iceberg more of them.
In a session, and with the setting `iceberg`, a procedure that a later Iceberg has is an error, too.
A parameter that only other procedures have, such as `dry_run`, is reported with the version that was looked at.
It reports nothing in calls as Trino and Presto have them, whose procedures take the schema and the table apart.

## Instead
The name as Iceberg has it: `rewrite_data_files`, and `table => 'db.t'` for the table. If the procedure is one that your
catalog has besides Iceberg's, list its name in the setting `procedures`.

## Examples
```sql bad
CREATE TABLE db.events (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
CALL local.system.rewrite_datafiles('db.events');
```
```sql bad
CREATE TABLE db.events (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
CALL local.system.rewrite_data_files(table_name => 'db.events');
```
```sql good
CREATE TABLE db.events (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));
CALL local.system.rewrite_data_files(table => 'db.events');
```
"""

from __future__ import annotations

from spark_iceberg_sql.diagnostics import Edit, Fix, Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.model.runtime import iceberg_versions
from spark_iceberg_sql.model.runtime.minor_version import parsed
from spark_iceberg_sql.model.runtime.procedures import (
    BY_NAME,
    ICEBERG_VERSION,
    PROCEDURES,
    Procedure,
    similar_procedure,
)
from spark_iceberg_sql.rules.base import Category, Finding, Findings, rule
from spark_iceberg_sql.similar_names import similar_name, similar_names
from spark_iceberg_sql.syntax import nodes
from spark_iceberg_sql.syntax.parser.dialect import names_table_in_one
from spark_iceberg_sql.syntax.terms import Offsets


@rule(Severity.ERROR, on=(nodes.Call,), category=Category.QUERY)
def unknown_procedure(context: Context) -> Findings:
    """The name of the procedure, or else each name of an argument."""
    node = context.node
    assert isinstance(node, nodes.Call)
    if context.repaired or not names_table_in_one(node.arguments) or not is_known_runtime(context, node):
        return
    procedure = BY_NAME.get(node.procedure)
    if procedure is None:
        similar = similar_procedure(node.procedure)
        if similar is not None and _fits(node, BY_NAME[similar]):
            yield _finding(node.name_span, f"Iceberg has no procedure `{node.procedure}`", similar)
        return
    iceberg = context.catalog.iceberg
    if iceberg is not None and not iceberg_versions.has(iceberg, procedure.since):
        message = f"the procedure `{procedure.name}` {iceberg_versions.needs(iceberg, procedure.since)}"
        yield Finding(node.name_span, message, "leave it out")
        return
    since = {parameter.name: parameter.since for parameter in procedure.all_parameters}
    for argument in node.arguments:
        if not argument.name:
            continue
        if argument.name in since:
            if iceberg is not None and not iceberg_versions.has(iceberg, since[argument.name]):
                needed = iceberg_versions.needs(iceberg, since[argument.name])
                yield Finding(argument.span, f"the parameter `{argument.name}` {needed}", "leave it out")
            continue
        free_parameters = [p for p in procedure.parameters if all(p != other.name for other in node.arguments)]
        message = f"the procedure `{procedure.name}` has no parameter `{argument.name}`"
        similar = similar_name(argument.name, free_parameters)
        if similar is not None:
            yield _finding(argument.span, message, similar)
        elif others := [f"`{other.name}`" for other in PROCEDURES if argument.name in other.parameters]:
            having = (
                f"only {others[0]} has it" if len(others) == 1 else f"{', '.join(others[:-1])} and {others[-1]} have it"
            )
            yield Finding(argument.span, f"{message} in Iceberg {ICEBERG_VERSION}", f"leave it out: {having}")


def is_known_runtime(context: Context, node: nodes.Call) -> bool:
    """True if a CALL is of one of Iceberg's procedures whose parameters are known: not of another catalog, of one that
    the setting `procedures` names, or of a version of Iceberg that is newer than the records.
    """
    iceberg, catalog = context.catalog.iceberg, node.catalog[0] if node.catalog else context.catalog.catalog
    if context.catalog.live and (catalog is None or not context.catalog.is_icebergs(catalog)):
        return False
    is_newer = iceberg is not None and iceberg > parsed(ICEBERG_VERSION)
    return not is_newer and node.procedure not in context.catalog.other_procedures


def _fits(node: nodes.Call, procedure: Procedure) -> bool:
    """True if the arguments of a call may be those of a procedure, some of them misspelt."""
    names = [argument.name for argument in node.arguments if argument.name]
    return len(node.arguments) <= len(procedure.parameters) and all(
        name in procedure.parameters or similar_names(name, procedure.parameters) for name in names
    )


def _finding(span: Offsets, message: str, name: str) -> Finding:
    return Finding(span, message, f"write `{name}`", Fix(f"write `{name}`", (Edit(*span, name),), safe=False))
