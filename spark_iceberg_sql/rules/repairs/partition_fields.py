"""Repairs of the clause that names partition fields: PARTITIONED BY, ADD, REPLACE and DROP PARTITION FIELD."""

from __future__ import annotations

from collections.abc import Iterator

from spark_iceberg_sql.diagnostics import Edit
from spark_iceberg_sql.model.table import Table
from spark_iceberg_sql.rules.intended_fields import field_of_name, fields, items
from spark_iceberg_sql.rules.repairs.base import (
    CLAUSES,
    Repair,
    Spot,
    index_of,
    region,
)
from spark_iceberg_sql.syntax.identifiers import quoted
from spark_iceberg_sql.syntax.lexer import Kind


def clause(spot: Spot) -> Iterator[Repair]:
    """PARTITIONED BY of CREATE TABLE, over the fields that its author wrote."""
    starts = [
        i for i, w in enumerate(spot.words) if w in ("PARTITION", "PARTITIONED", "PARTITIONING")
    ]
    meant: list[str] = []
    edits: list[Edit] = []
    for first in starts:
        begin, end = region(spot, first)
        found = fields(spot.tokens[begin:end])
        if found is None or begin == end:
            return
        meant += [field for field in found if field not in meant]
        start, stop = spot.tokens[first].start, spot.tokens[end - 1].end
        if edits:  # the second clause goes, with the blank before it
            edits.append(Edit(spot.tokens[first - 1].end, stop, ""))
        else:
            edits.append(Edit(start, stop, ""))
    if edits:
        clause = f"PARTITIONED BY ({', '.join(meant)})"
        edits[0] = Edit(edits[0].start, edits[0].end, clause)
        yield Repair(f"write `{clause}`", tuple(edits))


def mixed(spot: Spot) -> Iterator[Repair]:
    """Columns with types in PARTITIONED BY, put into the column list."""
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
    for each in clause(spot):
        more = Edit(closing, closing, "".join(f", {column}" for column in typed))
        named = " and ".join(f"`{column}`" for column in typed)
        yield Repair(f"put {named} into the column list and {each.help}", (more, *each.edits))


def alters(spot: Spot) -> Iterator[Repair]:
    """ALTER TABLE ... PARTITION FIELD, a statement for each field."""
    start = f"ALTER TABLE {spot.table}"
    first = index_of(spot, "PARTITION", "PARTITIONED", "PARTITIONING", "FIELD")
    if first is None:
        return
    verb = spot.words[first - 1]
    verb = verb if verb in ("ADD", "DROP") else "DROP" if "DROP" in spot.words[:first] else "ADD"
    begin, end = region(spot, first)
    tokens = spot.tokens[begin:end]
    found = fields(tokens)
    if not found:
        return
    name = ""
    if spot.words[end : end + 1] == ["AS"] and verb == "ADD" and len(found) == 1:
        given = spot.tokens[end + 1].text.strip("'\"") if end + 1 < len(spot.tokens) else ""
        name = f" AS {given if given.startswith('`') else quoted(given)}" if given else ""
    made = [f"{start} {verb} PARTITION FIELD {field}{name}" for field in found]
    span = spot.context.statement.start, spot.context.statement.end
    yield Repair(f"write `{'; '.join(made)}`", (Edit(*span, ";\n".join(made)),))


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
    span = spot.context.statement.start, spot.context.statement.end
    yield Repair(f"write `{made}`", (Edit(*span, made),))


def modified(spot: Spot) -> Iterator[Repair]:
    """ALTER COLUMN, for MODIFY with or without COLUMN and TYPE."""
    first = spot.at + 1 + (spot.words[spot.at + 1 : spot.at + 2] == ["COLUMN"])
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
    """Whether the table has a column of this name, or nobody knows."""
    known = spot.context.known.get(spot.node.table.parts) if spot.node.table is not None else None
    schema = known.schema if isinstance(known, Table) else None
    return schema is None or bool(schema.find_all((name.strip("`"),)))


def _clause_of(spot: Spot, name: str) -> str | None:
    """The transform of a partition field: as the table has it, or as its name tells."""
    known = spot.context.known.get(spot.node.table.parts) if spot.node.table is not None else None
    if isinstance(known, Table) and known.specs is not None:
        field = known.specs.spec.named(name.strip("`"))
        if field is not None:
            return field.clause
    if "(" in name:
        return name
    return field_of_name(name)


def trino(spot: Spot) -> Iterator[Repair]:
    """WITH (partitioning = ARRAY['day(ts)']) as USING and PARTITIONED BY."""
    first, at = index_of(spot, "PARTITIONING", "PARTITIONED_BY"), spot.at
    if first is None or spot.words[at] != "WITH":
        return
    begin, end = region(spot, first)
    found = fields(spot.tokens[begin:end])
    if not found:
        return
    using = "" if "USING" in spot.words else "USING iceberg "
    clause = f"{using}PARTITIONED BY ({', '.join(found)})"
    _, close = region(spot, at + 1)
    yield Repair(
        f"write `{clause}`", (Edit(spot.tokens[at].start, spot.tokens[close - 1].end, clause),)
    )


def properties(spot: Spot) -> Iterator[Repair]:
    """WITH (...) of Flink and others: what it says of the format, and the rest as properties."""
    begin, end = region(spot, spot.at + 1)
    inside = spot.text(spot.tokens[begin].start, spot.tokens[end - 1].end)
    low = inside.lower()
    span = (spot.tokens[spot.at].start, spot.tokens[end - 1].end)
    if "connector" in low or "format" in low.replace("format-version", ""):
        using = "" if "USING" in spot.words[: spot.at] else "USING iceberg"
        if using:
            yield Repair(f"write `{using}`", (Edit(*span, using),))
    yield Repair(f"write `TBLPROPERTIES {inside}`", (Edit(*span, f"TBLPROPERTIES {inside}"),))


def using_first(spot: Spot) -> Iterator[Repair]:
    """USING moved to where it stands: behind the column list."""
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
    if as_ is None or not found:
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
    """CREATE ICEBERG TABLE and its like: the word left out, USING iceberg put in; so ALTER ICEBERG TABLE."""
    head = index_of(spot, "TABLE")
    if head is None:
        return
    gone = Edit(spot.tokens[spot.at].start, spot.tokens[head].start, "")
    if spot.words[0] == "ALTER":
        yield Repair(
            "write `ALTER TABLE`", (gone,), "ALTER TABLE takes no ICEBERG: that is Snowflake's"
        )
        return
    close = next((i for i in range(head, len(spot.words)) if spot.words[i] == "("), None)
    if close is None or "ICEBERG" not in spot.words[:head]:
        return
    end = region(spot, close)[1]
    tail = spot.tokens[end - 1].end
    what = "CREATE TABLE takes no ICEBERG: that is Snowflake's"
    help_ = "write `CREATE TABLE ... USING iceberg`"
    if "USING" not in spot.words:
        yield Repair(help_, (gone, Edit(tail, tail, " USING iceberg")), what)
    yield Repair(help_, (gone, Edit(tail, spot.context.statement.end, " USING iceberg")), what)


def cast(spot: Spot) -> Iterator[Repair]:
    """An expression in the place of a field: the transform that comes nearest."""
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
