"""Repairs of the clauses that name partition fields: PARTITIONED BY, ADD, REPLACE and DROP PARTITION FIELD."""

from __future__ import annotations

from collections.abc import Iterator

from spark_iceberg_sql.diagnostics import Edit
from spark_iceberg_sql.model.table import Table
from spark_iceberg_sql.rules.intended_fields import (
    field_of_name,
    fields,
    items,
    loses,
    lost,
    unwrapped,
)
from spark_iceberg_sql.rules.repairs.base import (
    CLAUSES,
    Repair,
    Spot,
    index_of,
    region,
)
from spark_iceberg_sql.syntax.identifiers import quoted
from spark_iceberg_sql.syntax.lexer import STRINGS, Kind


def clause(spot: Spot, beside: str = "") -> Iterator[Repair]:
    """PARTITIONED BY of CREATE TABLE, over the fields that the user wrote. other_text: written in another place."""
    starts = [
        i for i, w in enumerate(spot.words) if w in ("PARTITION", "PARTITIONED", "PARTITIONING")
    ]
    meant: list[str] = []
    edits: list[Edit] = []
    whole = True
    for first in starts:
        begin, end = region(spot, first)
        found = fields(spot.tokens[begin:end])
        if found is None or loses(spot.tokens[begin:end], " ".join([*found, beside])):
            return
        whole = whole and not lost(spot.tokens[begin:end], " ".join([*found, beside]))
        meant += [field for field in found if field not in meant]
        start, stop = spot.tokens[first].start, spot.tokens[end - 1].end
        if edits:  # remove the second clause, with the white space before it
            edits.append(Edit(spot.tokens[first - 1].end, stop, ""))
        else:
            edits.append(Edit(start, stop, ""))
    if edits:
        clause = f"PARTITIONED BY ({', '.join(meant)})"
        edits[0] = Edit(edits[0].start, edits[0].end, clause)
        yield Repair(f"write `{clause}`", tuple(edits), whole=whole)


def mixed(spot: Spot) -> Iterator[Repair]:
    """Columns with types in PARTITIONED BY, moved into the column list."""
    opening, first = index_of(spot, "("), index_of(spot, "PARTITIONED")
    if opening is None or first is None or opening > first:
        return
    closing = spot.tokens[region(spot, opening)[1] - 1].start
    begin, end = region(spot, first)
    typed = [
        " ".join(token.text for token in item)
        for item in items(spot.tokens[begin + 1 : end - 1])
        if len(item) == 2 and item[0].kind in (Kind.WORD, Kind.QUOTED)
    ]
    for each in clause(spot, " ".join(typed)):
        more = Edit(closing, closing, "".join(f", {column}" for column in typed))
        named = " and ".join(f"`{column}`" for column in typed)
        yield Repair(f"add {named} to the column list and {each.help}", (more, *each.edits))


def alters(spot: Spot) -> Iterator[Repair]:
    """ALTER TABLE ... PARTITION FIELD, a statement for each field, with its own verb and name."""
    first = index_of(spot, "PARTITION", "PARTITIONED", "PARTITIONING", "FIELD")
    if first is None or spot.node.table is None or spot.words[0] != "ALTER":
        return
    verb = spot.words[first - 1]
    verb = verb if verb in ("ADD", "DROP") else "DROP" if "DROP" in spot.words[:first] else "ADD"
    begin, _ = region(spot, first)
    made: list[str] = []
    for item in items(unwrapped(list(spot.tokens[begin:]))):
        while item and item[0].text.upper() in ("ADD", "DROP", "PARTITION", "FIELD", "FIELDS"):
            word = item.pop(0).text.upper()
            verb = word if word in ("ADD", "DROP") else verb
        name = ""
        if len(item) > 2 and item[-2].text.upper() == "AS" and verb == "ADD":
            given = item[-1].text.strip("'\"")
            name = f" AS {given if given.startswith('`') else quoted(given)}"
            item = item[:-2]
        found = fields(item)
        if found is None or len(found) > 1:
            return
        made.append(f"ALTER TABLE {spot.table} {verb} PARTITION FIELD {found[0]}{name}")
    if made and not loses(spot.tokens, " ".join(made)):
        span = spot.context.statement.start, spot.context.statement.end
        whole = not lost(spot.tokens, " ".join(made))
        yield Repair(f"write `{'; '.join(made)}`", (Edit(*span, ";\n".join(made)),), whole=whole)


def replaced(spot: Spot) -> Iterator[Repair]:
    """REPLACE PARTITION FIELD, for RENAME, ALTER, and REPLACE without WITH."""
    first = index_of(spot, "FIELD")
    if first is None:
        return
    rest = spot.tokens[first + 1 :]
    words = spot.words[first + 1 :]
    joints = [words.index(word) for word in ("WITH", "TO", "BY", "SET", "=", "AS") if word in words]
    if not joints:
        return
    new = rest[joints[0] + 1 :]
    until = min(joints)
    old = "".join(token.text for token in rest[:until])
    if not old or not new:
        return
    fresh = fields(new)
    clause = fresh[0] if fresh and len(fresh) == 1 else None
    if len(new) == 1 and (spot.node.like == "rename-field" or not _is_column(spot, new[0].text)):
        name, source = new[0].text.strip("'\""), _clause_of(spot, old)
        clause = f"{source} AS {name if name.startswith('`') else quoted(name)}" if source else None
    if clause is None:
        return
    made = f"ALTER TABLE {spot.table} REPLACE PARTITION FIELD {old} WITH {clause}"
    if lost(spot.tokens, made):
        return
    span = spot.context.statement.start, spot.context.statement.end
    yield Repair(f"write `{made}`", (Edit(*span, made),))


def modified(spot: Spot) -> Iterator[Repair]:
    """ALTER COLUMN, for MODIFY with or without COLUMN and TYPE."""
    has_column = spot.words[spot.at + 1 : spot.at + 2] == ["COLUMN"]
    first = spot.at + 2 if has_column else spot.at + 1
    rest = spot.tokens[first:]
    if len(rest) < 2:
        return
    more = spot.text(rest[1].start, spot.context.statement.end)
    known = ("TYPE", "SET", "DROP", "COMMENT", "FIRST", "AFTER")
    verb = "" if spot.words[first + 1] in known else "TYPE "
    made = f"ALTER TABLE {spot.table} ALTER COLUMN {rest[0].text} {verb}{' '.join(more.split())}"
    span = spot.context.statement.start, spot.context.statement.end
    yield Repair(f"write `{made}`", (Edit(*span, made),))


def _is_column(spot: Spot, name: str) -> bool:
    """True if the table has a column of this name, or if the table is unknown."""
    known = spot.context.known.get(spot.node.table.parts) if spot.node.table is not None else None
    schema = known.schema if isinstance(known, Table) else None
    return schema is None or bool(schema.find_all((name.strip("`"),)))


def _clause_of(spot: Spot, name: str) -> str | None:
    """The transform of a partition field: from the table, or implied by its name."""
    known = spot.context.known.get(spot.node.table.parts) if spot.node.table is not None else None
    if isinstance(known, Table) and known.specs is not None:
        field = known.specs.spec.named(name.strip("`"))
        if field is not None:
            return field.clause
    if "(" in name:
        return name
    return field_of_name(name)


def properties(spot: Spot) -> Iterator[Repair]:
    """WITH (...) of Trino, Flink and others: each property as the equivalent clause."""
    if spot.words[spot.at] != "WITH":
        return
    begin, end = region(spot, spot.at + 1)
    using = False
    clauses: list[str] = []
    others: list[str] = []
    for item in items(spot.tokens[begin + 1 : end - 1]):
        key, value = item[0].text.strip("'\"").lower(), item[2:]
        if [token.text for token in item[1:2]] != ["="] or not value:
            return
        text = value[0].text.strip("'\"")
        if key in ("partitioning", "partitioned_by"):
            listed = value[value[0].text.upper() == "ARRAY" :]
            found = fields(listed)
            if not found or lost(listed, " ".join(found)):
                return
            clauses.append(f"PARTITIONED BY ({', '.join(found)})")
        elif len(value) > 1:
            return
        elif key == "connector" or (key == "format" and text.lower() == "iceberg"):
            if text.lower() != "iceberg":
                return
        elif key == "format" and text.lower() in ("orc", "parquet", "avro"):
            others.append(f"'write.format.default' = '{text.lower()}'")
        elif key == "format_version":
            others.append(f"'format-version' = '{text}'")
        elif key == "location":
            clauses.append(f"LOCATION {value[0].text}")
        elif item[0].kind in STRINGS:
            others.append(f"{item[0].text} = {value[0].text}")
        else:
            return
        using = using or key in ("partitioning", "partitioned_by", "connector", "format")
    if using and "USING" not in spot.words[: spot.at]:
        clauses.insert(0, "USING iceberg")
    if others:
        clauses.append(f"TBLPROPERTIES ({', '.join(others)})")
    made = " ".join(clauses)
    if made:
        span = spot.tokens[spot.at].start, spot.tokens[end - 1].end
        yield Repair(f"write `{made}`", (Edit(*span, made),))


def using_first(spot: Spot) -> Iterator[Repair]:
    """USING moved to its position after the column list."""
    at = spot.at
    if at + 1 >= len(spot.tokens):
        return
    first = next((i for i, w in enumerate(spot.words[:at]) if w in CLAUSES and i > 2), None)
    if first is None:
        return
    using = spot.text(spot.tokens[at].start, spot.tokens[at + 1].end)
    rest = spot.text(spot.tokens[first].start, spot.tokens[at - 1].end)
    yield Repair(
        f"write `{using} {' '.join(rest.split())}`",
        (
            Edit(spot.tokens[first].start, spot.tokens[first].start, f"{using} "),
            Edit(spot.tokens[at - 1].end, spot.tokens[at + 1].end, ""),
        ),
    )


def before_query(spot: Spot) -> Iterator[Repair]:
    """PARTITIONED BY moved before AS SELECT."""
    begin, end = region(spot, spot.at)
    as_ = next((i for i, w in enumerate(spot.words[: spot.at]) if w == "AS"), None)
    found = fields(spot.tokens[begin:end])
    if as_ is None or not found or lost(spot.tokens[begin:end], " ".join(found)):
        return
    clause = f"PARTITIONED BY ({', '.join(found)})"
    yield Repair(
        f"write `{clause}` before AS",
        (
            Edit(spot.tokens[as_].start, spot.tokens[as_].start, f"{clause} "),
            Edit(spot.tokens[spot.at - 1].end, spot.tokens[end - 1].end, ""),
        ),
    )


def snowflake(spot: Spot) -> Iterator[Repair]:
    """CREATE ICEBERG TABLE and similar: the word removed, USING iceberg added; likewise ALTER ICEBERG TABLE."""
    head = index_of(spot, "TABLE")
    if head is None:
        return
    gone = Edit(spot.tokens[spot.at].start, spot.tokens[head].start, "")
    if spot.words[0] == "ALTER":
        yield Repair("write `ALTER TABLE`", (gone,), "ALTER ICEBERG TABLE is Snowflake's syntax")
        return
    close = next((i for i in range(head, len(spot.words)) if spot.words[i] == "("), None)
    if close is None or "ICEBERG" not in spot.words[:head]:
        return
    end = region(spot, close)[1]
    tail = spot.tokens[end - 1].end
    what = "CREATE ICEBERG TABLE is Snowflake's syntax"
    help_ = "write `CREATE TABLE ... USING iceberg`"
    if "USING" not in spot.words:
        yield Repair(help_, (gone, Edit(tail, tail, " USING iceberg")), what)
    rest = Edit(tail, spot.context.statement.end, " USING iceberg")
    yield Repair(help_, (gone, rest), what, whole=not lost(spot.tokens[end:], "USING iceberg"))


def cast(spot: Spot) -> Iterator[Repair]:
    """An expression instead of a field: the closest transform."""
    if spot.node.like == "sort-order":
        for each in clause(spot):
            order = each.help.removeprefix("write `PARTITIONED BY (").removesuffix(")`")
            sort = f"to sort the files, `ALTER TABLE {spot.table} WRITE ORDERED BY {order}`"
            yield each._replace(help=f"{each.help}; {sort}")
        return
    if not spot.node.like and not {"CAST", "TRY_CAST"} & set(spot.words):
        return
    if spot.words[0] == "ALTER":
        found = alters(spot)
    else:
        found = clause(spot)
    cast = not spot.node.like or {"CAST", "TRY_CAST"} & set(spot.words)
    for each in found:
        if cast:
            yield each._replace(message="a cast is not a transform")
        elif spot.node.like == "expression":
            yield each._replace(help=f"{each.help}, or partition by a column that holds the value")
        else:
            yield each
