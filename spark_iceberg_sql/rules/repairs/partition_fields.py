"""Repairs of the clauses that name partition fields: PARTITIONED BY, ADD, REPLACE and DROP PARTITION FIELD."""

from __future__ import annotations

from collections.abc import Iterator

from spark_iceberg_sql.diagnostics import Edit
from spark_iceberg_sql.model.table import Table
from spark_iceberg_sql.rules.intended_fields import (
    field_of_name,
    list_items,
    loses_content,
    lost_words,
    parse_fields,
    without_brackets,
)
from spark_iceberg_sql.rules.repairs.syntax_error_site import (
    CLAUSES,
    Repair,
    SyntaxErrorSite,
    field_list_range,
    index_of,
)
from spark_iceberg_sql.syntax.identifiers import quoted
from spark_iceberg_sql.syntax.lexer import NAME_KINDS, STRINGS


def partitioned_by(site: SyntaxErrorSite, other_text: str = "") -> Iterator[Repair]:
    """PARTITIONED BY of CREATE TABLE, over the fields that the user wrote. other_text: written in another place."""
    starts = [i for i, w in enumerate(site.keywords) if w in ("PARTITION", "PARTITIONED", "PARTITIONING")]
    clauses: list[str] = []
    edits: list[Edit] = []
    is_complete = True
    for first in starts:
        begin, end = field_list_range(site, first)
        parsed_fields = parse_fields(site.tokens[begin:end])
        if parsed_fields is None or loses_content(site.tokens[begin:end], " ".join([*parsed_fields, other_text])):
            return
        is_complete = is_complete and not lost_words(site.tokens[begin:end], " ".join([*parsed_fields, other_text]))
        clauses += [field for field in parsed_fields if field not in clauses]
        # A second clause is removed with the white space before it.
        start = site.tokens[first - 1].end if edits else site.tokens[first].start
        edits.append(Edit(start, site.tokens[end - 1].end, ""))
    if edits:
        clause = f"PARTITIONED BY ({', '.join(clauses)})"
        edits[0] = Edit(edits[0].start, edits[0].end, clause)
        yield Repair(f"write `{clause}`", tuple(edits), is_complete=is_complete)


def typed_columns(site: SyntaxErrorSite) -> Iterator[Repair]:
    """Columns with types in PARTITIONED BY, moved into the column list."""
    opening, first = index_of(site, "("), index_of(site, "PARTITIONED")
    if opening is None or first is None or opening > first:
        return
    list_end = site.tokens[field_list_range(site, opening)[1] - 1].start
    begin, end = field_list_range(site, first)
    typed = [
        " ".join(token.text for token in item)
        for item in list_items(site.tokens[begin + 1 : end - 1])
        if len(item) == 2 and item[0].kind in NAME_KINDS
    ]
    for repair in partitioned_by(site, " ".join(typed)):
        column_edit = Edit(list_end, list_end, "".join(f", {column}" for column in typed))
        column_names = " and ".join(f"`{column}`" for column in typed)
        yield Repair(f"add {column_names} to the column list and {repair.help}", (column_edit, *repair.edits))


def alter_statements(site: SyntaxErrorSite) -> Iterator[Repair]:
    """ALTER TABLE ... PARTITION FIELD, a statement for each field, with its own verb and name."""
    first = index_of(site, "PARTITION", "PARTITIONED", "PARTITIONING", "FIELD")
    if first is None or site.node.table is None or site.keywords[0] != "ALTER":
        return
    verb = site.keywords[first - 1]
    verb = verb if verb in ("ADD", "DROP") else "DROP" if "DROP" in site.keywords[:first] else "ADD"
    begin, _ = field_list_range(site, first)
    statements: list[str] = []
    for item in list_items(without_brackets(list(site.tokens[begin:]))):
        while item and item[0].text.upper() in ("ADD", "DROP", "PARTITION", "FIELD", "FIELDS"):
            word = item.pop(0).text.upper()
            verb = word if word in ("ADD", "DROP") else verb
        name = ""
        if len(item) > 2 and item[-2].text.upper() == "AS" and verb == "ADD":
            alias = item[-1].text.strip("'\"")
            name = f" AS {alias if alias.startswith('`') else quoted(alias)}"
            item = item[:-2]
        parsed_fields = parse_fields(item)
        if parsed_fields is None or len(parsed_fields) > 1:
            return
        statements.append(f"ALTER TABLE {site.table} {verb} PARTITION FIELD {parsed_fields[0]}{name}")
    if statements and not loses_content(site.tokens, " ".join(statements)):
        span = site.context.statement.start, site.context.statement.end
        is_complete = not lost_words(site.tokens, " ".join(statements))
        yield Repair(
            f"write `{'; '.join(statements)}`", (Edit(*span, ";\n".join(statements)),), is_complete=is_complete
        )


def replace_field(site: SyntaxErrorSite) -> Iterator[Repair]:
    """REPLACE PARTITION FIELD, for RENAME, ALTER, and REPLACE without WITH."""
    first = index_of(site, "FIELD")
    if first is None:
        return
    field_tokens = site.tokens[first + 1 :]
    keywords = site.keywords[first + 1 :]
    separator_indices = [keywords.index(word) for word in ("WITH", "TO", "BY", "SET", "=", "AS") if word in keywords]
    if not separator_indices:
        return
    new_tokens = field_tokens[separator_indices[0] + 1 :]
    separator_index = min(separator_indices)
    old_text = "".join(token.text for token in field_tokens[:separator_index])
    if not old_text or not new_tokens:
        return
    new_fields = parse_fields(new_tokens)
    clause = new_fields[0] if new_fields and len(new_fields) == 1 else None
    if len(new_tokens) == 1 and (site.node.error_kind == "rename-field" or not _is_column(site, new_tokens[0].text)):
        name, source = new_tokens[0].text.strip("'\""), _clause_of(site, old_text)
        clause = f"{source} AS {name if name.startswith('`') else quoted(name)}" if source else None
    if clause is None:
        return
    statement = f"ALTER TABLE {site.table} REPLACE PARTITION FIELD {old_text} WITH {clause}"
    if lost_words(site.tokens, statement):
        return
    span = site.context.statement.start, site.context.statement.end
    yield Repair(f"write `{statement}`", (Edit(*span, statement),))


def alter_column(site: SyntaxErrorSite) -> Iterator[Repair]:
    """ALTER COLUMN, for MODIFY with or without COLUMN and TYPE."""
    has_column = site.keywords[site.token_index + 1 : site.token_index + 2] == ["COLUMN"]
    first = site.token_index + 2 if has_column else site.token_index + 1
    column_tokens = site.tokens[first:]
    if len(column_tokens) < 2:
        return
    change_text = site.text(column_tokens[1].start, site.context.statement.end)
    subcommands = ("TYPE", "SET", "DROP", "COMMENT", "FIRST", "AFTER")
    verb = "" if site.keywords[first + 1] in subcommands else "TYPE "
    statement = f"ALTER TABLE {site.table} ALTER COLUMN {column_tokens[0].text} {verb}{' '.join(change_text.split())}"
    span = site.context.statement.start, site.context.statement.end
    yield Repair(f"write `{statement}`", (Edit(*span, statement),))


def _is_column(site: SyntaxErrorSite, name: str) -> bool:
    """True if the table has a column of this name, or if the table is unknown."""
    table = site.context.catalog.get(site.node.table.parts) if site.node.table is not None else None
    schema = table.schema if isinstance(table, Table) else None
    return schema is None or bool(schema.find_all((name.strip("`"),)))


def _clause_of(site: SyntaxErrorSite, name: str) -> str | None:
    """The transform of a partition field: from the table, or implied by its name."""
    table = site.context.catalog.get(site.node.table.parts) if site.node.table is not None else None
    specs = table.specs if isinstance(table, Table) else None
    field = specs.spec.field_named(name.strip("`")) if specs is not None else None
    if field is not None:
        return field.clause
    return name if "(" in name else field_of_name(name)


def properties(site: SyntaxErrorSite) -> Iterator[Repair]:
    """WITH (...) of Trino, Flink and others: each property as the equivalent clause."""
    if site.keywords[site.token_index] != "WITH":
        return
    begin, end = field_list_range(site, site.token_index + 1)
    is_iceberg = False
    clauses: list[str] = []
    table_properties: list[str] = []
    for item in list_items(site.tokens[begin + 1 : end - 1]):
        key, value = item[0].text.strip("'\"").lower(), item[2:]
        if [token.text for token in item[1:2]] != ["="] or not value:
            return
        text = value[0].text.strip("'\"")
        if key in ("partitioning", "partitioned_by"):
            list_tokens = value[value[0].text.upper() == "ARRAY" :]
            parsed_fields = parse_fields(list_tokens)
            if not parsed_fields or lost_words(list_tokens, " ".join(parsed_fields)):
                return
            clauses.append(f"PARTITIONED BY ({', '.join(parsed_fields)})")
        elif len(value) > 1:
            return
        elif key == "connector" or (key == "format" and text.lower() == "iceberg"):
            if text.lower() != "iceberg":
                return
        elif key == "format" and text.lower() in ("orc", "parquet", "avro"):
            table_properties.append(f"'write.format.default' = '{text.lower()}'")
        elif key == "format_version":
            table_properties.append(f"'format-version' = '{text}'")
        elif key == "location":
            clauses.append(f"LOCATION {value[0].text}")
        elif item[0].kind in STRINGS:
            table_properties.append(f"{item[0].text} = {value[0].text}")
        else:
            return
        is_iceberg = is_iceberg or key in ("partitioning", "partitioned_by", "connector", "format")
    if is_iceberg and "USING" not in site.keywords[: site.token_index]:
        clauses.insert(0, "USING iceberg")
    if table_properties:
        clauses.append(f"TBLPROPERTIES ({', '.join(table_properties)})")
    replacement = " ".join(clauses)
    if replacement:
        span = site.tokens[site.token_index].start, site.tokens[end - 1].end
        yield Repair(f"write `{replacement}`", (Edit(*span, replacement),))


def using_first(site: SyntaxErrorSite) -> Iterator[Repair]:
    """USING moved to its position after the column list."""
    index = site.token_index
    if index + 1 >= len(site.tokens):
        return
    first = next((i for i, w in enumerate(site.keywords[:index]) if w in CLAUSES and i > 2), None)
    if first is None:
        return
    using = site.text(site.tokens[index].start, site.tokens[index + 1].end)
    moved_text = site.text(site.tokens[first].start, site.tokens[index - 1].end)
    yield Repair(
        f"write `{using} {' '.join(moved_text.split())}`",
        (
            Edit(site.tokens[first].start, site.tokens[first].start, f"{using} "),
            Edit(site.tokens[index - 1].end, site.tokens[index + 1].end, ""),
        ),
    )


def before_query(site: SyntaxErrorSite) -> Iterator[Repair]:
    """PARTITIONED BY moved before AS SELECT."""
    begin, end = field_list_range(site, site.token_index)
    as_index = next((i for i, w in enumerate(site.keywords[: site.token_index]) if w == "AS"), None)
    parsed_fields = parse_fields(site.tokens[begin:end])
    if as_index is None or not parsed_fields or lost_words(site.tokens[begin:end], " ".join(parsed_fields)):
        return
    clause = f"PARTITIONED BY ({', '.join(parsed_fields)})"
    yield Repair(
        f"write `{clause}` before AS",
        (
            Edit(site.tokens[as_index].start, site.tokens[as_index].start, f"{clause} "),
            Edit(site.tokens[site.token_index - 1].end, site.tokens[end - 1].end, ""),
        ),
    )


def snowflake(site: SyntaxErrorSite) -> Iterator[Repair]:
    """CREATE ICEBERG TABLE and similar: the word removed, USING iceberg added; likewise ALTER ICEBERG TABLE."""
    table_index = index_of(site, "TABLE")
    if table_index is None:
        return
    removal = Edit(site.tokens[site.token_index].start, site.tokens[table_index].start, "")
    if site.keywords[0] == "ALTER":
        yield Repair("write `ALTER TABLE`", (removal,), "ALTER ICEBERG TABLE is Snowflake's syntax")
        return
    opening_index = next((i for i in range(table_index, len(site.keywords)) if site.keywords[i] == "("), None)
    if opening_index is None or "ICEBERG" not in site.keywords[:table_index]:
        return
    end = field_list_range(site, opening_index)[1]
    clause_end = site.tokens[end - 1].end
    message = "CREATE ICEBERG TABLE is Snowflake's syntax"
    help_ = "write `CREATE TABLE ... USING iceberg`"
    if "USING" not in site.keywords:
        yield Repair(help_, (removal, Edit(clause_end, clause_end, " USING iceberg")), message)
    tail_edit = Edit(clause_end, site.context.statement.end, " USING iceberg")
    yield Repair(help_, (removal, tail_edit), message, is_complete=not lost_words(site.tokens[end:], "USING iceberg"))


def cast(site: SyntaxErrorSite) -> Iterator[Repair]:
    """An expression instead of a field: the closest transform."""
    if site.node.error_kind == "sort-order":
        for repair in partitioned_by(site):
            order = repair.help.removeprefix("write `PARTITIONED BY (").removesuffix(")`")
            sort = f"to sort the files, `ALTER TABLE {site.table} WRITE ORDERED BY {order}`"
            yield repair._replace(help=f"{repair.help}; {sort}")
        return
    if not site.node.error_kind and not {"CAST", "TRY_CAST"} & set(site.keywords):
        return
    repairs = alter_statements(site) if site.keywords[0] == "ALTER" else partitioned_by(site)
    is_cast = not site.node.error_kind or {"CAST", "TRY_CAST"} & set(site.keywords)
    for repair in repairs:
        if is_cast:
            yield repair._replace(message="a cast is not a transform")
        elif site.node.error_kind == "expression":
            yield repair._replace(help=f"{repair.help}, or partition by a column that holds the value")
        else:
            yield repair
