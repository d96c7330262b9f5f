"""What to write instead of a statement that cannot be read, in its own words.

Each repair is tried: it is offered only where the statement then reads. None is safe: the words leave open
what was meant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from spark_iceberg_sql.diagnostics import Edit
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.model.schema import near
from spark_iceberg_sql.model.table import Table
from spark_iceberg_sql.model.transforms import DATE, HASH
from spark_iceberg_sql.model.types import Primitive
from spark_iceberg_sql.rules.intended_fields import field_of_name, fields, items
from spark_iceberg_sql.rules.words import quoted
from spark_iceberg_sql.syntax import nodes, parser
from spark_iceberg_sql.syntax.lexer import Kind, Token, statements


class Repair(NamedTuple):
    """help: what to write. edits: how. message: the fact, where it says more than the grammar."""

    help: str
    edits: tuple[Edit, ...]
    message: str | None = None


# Words of partition DDL, for a near miss.
_KEYWORDS = (
    *("PARTITION", "PARTITIONED", "FIELD", "USING", "COLUMN", "REPLACE", "RENAME", "COMMENT"),
    *("TBLPROPERTIES", "LOCATION", "WITH", "TYPE", "TABLE"),
)
_VERBS = frozenset({"ALTER", "CREATE", "DROP", "INSERT", "SELECT", "MERGE", "DELETE", "UPDATE"})
# Where a clause behind the columns begins.
_CLAUSES = frozenset(
    {
        "USING",
        "TBLPROPERTIES",
        "COMMENT",
        "LOCATION",
        "AS",
        "WITH",
        "OPTIONS",
        "CLUSTERED",
        "STORED",
    }
    | {"ROW", "PARTITION", "PARTITIONED", "PARTITIONING", "SELECT", "TO"}
)
# Between the clause's first word and its fields.
_BETWEEN = frozenset(
    {
        "PARTITION",
        "PARTITIONED",
        "PARTITIONING",
        "PARTITIONED_BY",
        "FIELD",
        "FIELDS",
        "COLUMN",
        "COLUMNS",
    }
    | {"BY", "ON", "SPEC", "=", "ARRAY", "IF", "NOT", "EXISTS", "SET", "PROPERTIES"}
)


def repair(context: Context, node: nodes.Unreadable) -> Repair | None:
    """The first repair after which the statement reads; None where none does."""
    tokens = context.statement.tokens
    words = [token.text.upper() if token.kind is Kind.WORD else token.text for token in tokens]
    at = next((i for i, token in enumerate(tokens) if token.start >= node.at[0]), len(tokens))
    spot = _Spot(context, node, tokens, words, at)
    for attempt in _BY_SHAPE.get(node.like, ()):
        for found in attempt(spot):
            if _reads(context, found.edits):
                return found
    return None


def own_names(context: Context, node: nodes.Unreadable) -> dict[str, str]:
    """What help that is no repair names: the field and its new name, and terms over the table's columns."""
    words = [token.text.upper() for token in context.statement.tokens]
    rest = context.statement.tokens[words.index("FIELD") + 1 :] if "FIELD" in words else ()
    names = [
        t.text for t in rest if t.text.upper() not in _BETWEEN and t.text.upper() not in _CLAUSES
    ]
    terms = _examples(context, node) or ["days(ts)", "bucket(16, id)"]
    return {
        "old": names[0] if names else "...",
        "new": names[1] if len(names) > 1 else "...",
        "field": terms[0],
        "fields": ", ".join(terms),
    }


def _examples(context: Context, node: nodes.Unreadable) -> list[str]:
    """A time and a bucket over the first columns that take them."""
    known = context.known.get(node.table.parts) if node.table is not None else None
    columns: list[tuple[str, object]] = []
    if node.begun is not None and node.begun.columns:
        columns = [(column.name, column.type) for column in node.begun.columns]
    elif isinstance(known, Table) and known.schema is not None:
        columns = [(field.name, field.type) for field in known.schema.fields]
    found: list[str] = []
    for transform in (DATE, HASH):
        fit = (
            name for name, kind in columns if isinstance(kind, Primitive) and transform.takes(kind)
        )
        taken = [field.rstrip(")").split()[-1].rpartition("(")[2] for field in found]
        name = next((quoted(n) for n in fit if quoted(n) not in taken), None)
        if name is not None:
            found.append(transform.clause(name))
    return found


class _Spot(NamedTuple):
    """A statement's tokens and words, and the index of the offending one."""

    context: Context
    node: nodes.Unreadable
    tokens: Sequence[Token]
    words: Sequence[str]
    at: int

    @property
    def table(self) -> str:
        return self.node.table.text if self.node.table is not None else "t"

    def text(self, start: int, end: int) -> str:
        return self.context.text[start:end]


def _reads(context: Context, edits: Sequence[Edit]) -> bool:
    """Whether the statement, or those that it becomes, are DDL that can be read."""
    start, end = context.statement.start, context.statement.end
    text, at = "", start
    for edit in sorted(edits, key=lambda e: e.start):
        text += context.text[at : edit.start] + edit.text
        at = edit.end
    made = [parser.read(statement) for statement in statements(text + context.text[at:end])]
    unread = (nodes.Unreadable, nodes.Other)
    return bool(made) and not any(isinstance(n, unread) for n in made)


# --- partition fields -----------------------------------------------------------------------------


def _region(spot: _Spot, first: int) -> tuple[int, int]:
    """The tokens that list fields, from the word at `first` on: their first, and the one behind."""
    i = first
    while i < len(spot.words) and spot.words[i] in _BETWEEN:
        i += 1
    depth, end = 0, i
    while end < len(spot.words):
        word = spot.words[end]
        if depth == 0 and end > i and (word in _CLAUSES or word in _VERBS):
            break
        depth += (word in ("(", "[")) - (word in (")", "]"))
        end += 1
        if depth < 0:
            return i, end - 1
        if depth == 0 and spot.words[i] in ("(", "["):
            break
    return i, end


def _first(spot: _Spot, *words: str) -> int | None:
    return next((i for i, word in enumerate(spot.words) if word in words), None)


def _clause(spot: _Spot) -> Iterator[Repair]:
    """PARTITIONED BY of CREATE TABLE, over the fields that its author wrote."""
    starts = [
        i for i, w in enumerate(spot.words) if w in ("PARTITION", "PARTITIONED", "PARTITIONING")
    ]
    meant: list[str] = []
    edits: list[Edit] = []
    for first in starts:
        begin, end = _region(spot, first)
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


def _mixed(spot: _Spot) -> Iterator[Repair]:
    """Columns with types in PARTITIONED BY, put into the column list."""
    opening, first = _first(spot, "("), _first(spot, "PARTITIONED")
    if opening is None or first is None or opening > first:
        return
    closing = spot.tokens[_region(spot, opening)[1] - 1].start
    begin, end = _region(spot, first)
    typed = [
        " ".join(token.text for token in item)
        for item in items(spot.tokens[begin + 1 : end - 1])
        if len(item) == 2 and item[0].kind in (Kind.WORD, Kind.QUOTED)
    ]
    for each in _clause(spot):
        more = Edit(closing, closing, "".join(f", {column}" for column in typed))
        named = " and ".join(f"`{column}`" for column in typed)
        yield Repair(f"put {named} into the column list and {each.help}", (more, *each.edits))


def _alters(spot: _Spot) -> Iterator[Repair]:
    """ALTER TABLE ... PARTITION FIELD, a statement for each field."""
    start = f"ALTER TABLE {spot.table}"
    first = _first(spot, "PARTITION", "PARTITIONED", "PARTITIONING", "FIELD")
    if first is None:
        return
    verb = spot.words[first - 1]
    verb = verb if verb in ("ADD", "DROP") else "DROP" if "DROP" in spot.words[:first] else "ADD"
    begin, end = _region(spot, first)
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


def _replaced(spot: _Spot) -> Iterator[Repair]:
    """REPLACE PARTITION FIELD, for RENAME, ALTER, and REPLACE without WITH."""
    first = _first(spot, "FIELD")
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


def _is_column(spot: _Spot, name: str) -> bool:
    """Whether the table has a column of this name, or nobody knows."""
    known = spot.context.known.get(spot.node.table.parts) if spot.node.table is not None else None
    schema = known.schema if isinstance(known, Table) else None
    return schema is None or bool(schema.find_all((name.strip("`"),)))


def _clause_of(spot: _Spot, name: str) -> str | None:
    """The transform of a partition field: as the table has it, or as its name tells."""
    known = spot.context.known.get(spot.node.table.parts) if spot.node.table is not None else None
    if isinstance(known, Table) and known.specs is not None:
        field = known.specs.spec.named(name.strip("`"))
        if field is not None:
            return field.clause
    if "(" in name:
        return name
    return field_of_name(name)


def _trino(spot: _Spot) -> Iterator[Repair]:
    """WITH (partitioning = ARRAY['day(ts)']) as USING and PARTITIONED BY."""
    first, at = _first(spot, "PARTITIONING", "PARTITIONED_BY"), spot.at
    if first is None or spot.words[at] != "WITH":
        return
    begin, end = _region(spot, first)
    found = fields(spot.tokens[begin:end])
    if not found:
        return
    using = "" if "USING" in spot.words else "USING iceberg "
    clause = f"{using}PARTITIONED BY ({', '.join(found)})"
    _, close = _region(spot, at + 1)
    yield Repair(
        f"write `{clause}`", (Edit(spot.tokens[at].start, spot.tokens[close - 1].end, clause),)
    )


def _properties(spot: _Spot) -> Iterator[Repair]:
    """WITH (...) of Flink and others: what it says of the format, and the rest as properties."""
    begin, end = _region(spot, spot.at + 1)
    inside = spot.text(spot.tokens[begin].start, spot.tokens[end - 1].end)
    low = inside.lower()
    span = (spot.tokens[spot.at].start, spot.tokens[end - 1].end)
    if "connector" in low or "format" in low.replace("format-version", ""):
        using = "" if "USING" in spot.words[: spot.at] else "USING iceberg"
        if using:
            yield Repair(f"write `{using}`", (Edit(*span, using),))
    yield Repair(f"write `TBLPROPERTIES {inside}`", (Edit(*span, f"TBLPROPERTIES {inside}"),))


def _using_first(spot: _Spot) -> Iterator[Repair]:
    """USING moved to where it stands: behind the column list."""
    at = spot.at
    if at + 1 >= len(spot.tokens):
        return
    first = next((i for i, w in enumerate(spot.words[:at]) if w in _CLAUSES and i > 2), None)
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


def _before_query(spot: _Spot) -> Iterator[Repair]:
    """PARTITIONED BY moved before AS SELECT."""
    begin, end = _region(spot, spot.at)
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


def _snowflake(spot: _Spot) -> Iterator[Repair]:
    """CREATE ICEBERG TABLE and its like: the word left out, USING iceberg put in; so ALTER ICEBERG TABLE."""
    head = _first(spot, "TABLE")
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
    end = _region(spot, close)[1]
    tail = spot.tokens[end - 1].end
    what = "CREATE TABLE takes no ICEBERG: that is Snowflake's"
    help_ = "write `CREATE TABLE ... USING iceberg`"
    if "USING" not in spot.words:
        yield Repair(help_, (gone, Edit(tail, tail, " USING iceberg")), what)
    yield Repair(help_, (gone, Edit(tail, spot.context.statement.end, " USING iceberg")), what)


# --- slips of any statement -------------------------------------------------------------------------


def _quotes(spot: _Spot) -> Iterator[Repair]:
    """Typographic quotes."""
    stray = [t for t in spot.tokens if t.kind is Kind.STRAY and t.text[0] in "“”„‘’‚«»"]
    if stray:
        edits = tuple(
            Edit(t.start, t.end, "".join(c for c in t.text if c not in "“”„‘’‚«»")) for t in stray
        )
        inside = next((t.text for t in spot.tokens if t.start >= stray[0].end), "the name")
        yield Repair(
            f"write `{inside}` without it", edits, f"`{stray[0].text[0]}` is a typographic quote"
        )


def _keyword(spot: _Spot) -> Iterator[Repair]:
    """A keyword that was nearly written."""
    for i in dict.fromkeys((spot.at, spot.at - 1)):
        if not 0 <= i < len(spot.tokens) or spot.tokens[i].kind is not Kind.WORD:
            continue
        token = spot.tokens[i]
        for word in near(token.text, _KEYWORDS):
            if word != spot.words[i]:
                yield Repair(
                    f"write `{word}`",
                    (Edit(token.start, token.end, word),),
                    f"`{token.text}` is not a keyword: did you mean `{word}`?",
                )


def _separator(spot: _Spot) -> Iterator[Repair]:
    """A semicolon before another statement."""
    if 0 < spot.at < len(spot.tokens) and spot.words[spot.at] in _VERBS:
        end = spot.tokens[spot.at - 1].end
        word = spot.words[spot.at]
        yield Repair(
            f"write `;` before {word}", (Edit(end, end, ";"),), f"a `;` is missing before {word}"
        )


def _comma(spot: _Spot) -> Iterator[Repair]:
    """A comma between two fields."""
    if not 0 < spot.at < len(spot.tokens) or spot.words[spot.at] in _CLAUSES:
        return
    if spot.words[spot.at - 1] != ")":
        return
    end = spot.tokens[spot.at - 1].end
    word = spot.tokens[spot.at].text
    yield Repair(f"write `,` before `{word}`", (Edit(end, end, ","),), "a comma is missing")


def _bracket(spot: _Spot) -> Iterator[Repair]:
    """A bracket that is opened and not closed."""
    opened: list[Token] = []
    for token in spot.tokens[: spot.at]:
        if token.text == "(":
            opened.append(token)
        elif token.text == ")" and opened:
            opened.pop()
    if not opened or not spot.at:
        return
    column = spot.context.text.rfind("\n", 0, opened[-1].start)
    what = f"the bracket at column {opened[-1].start - column} is not closed"
    end = spot.tokens[spot.at - 1].end
    for at in dict.fromkeys((end, spot.tokens[-1].end)):
        edits = (Edit(at, at, ")" * len(opened)),)
        shown = spot.text(opened[0].start, at) + ")" * len(opened)
        yield Repair(f"write `{' '.join(shown.split())}`", edits, what)
        if spot.at < len(spot.tokens) and spot.words[spot.at] in _VERBS:
            yield Repair(
                f"write `{' '.join(shown.split())};`",
                (Edit(at, at, ")" * len(opened) + ";"),),
                f"{what}, and a `;` is missing before {spot.words[spot.at]}",
            )


def _surplus(spot: _Spot) -> Iterator[Repair]:
    """A bracket too many."""
    if spot.at < len(spot.tokens) and spot.words[spot.at] in (")", ","):
        token = spot.tokens[spot.at]
        yield Repair(
            f"leave this `{token.text}` out",
            (Edit(token.start, token.end, ""),),
            f"a `{token.text}` too many",
        )


def _column_word(spot: _Spot) -> Iterator[Repair]:
    """COLUMN before a column's name; COLUMNS before several in brackets."""
    at = spot.node.at[0]
    word = "COLUMNS" if spot.words[spot.at : spot.at + 1] == ["("] else "COLUMN"
    verb = spot.text(spot.context.statement.start, at)
    made = " ".join((verb + f"{word} " + spot.text(at, spot.context.statement.end)).split())
    yield Repair(f"write `{made}`", (Edit(at, at, f"{word} "),))


def _partition_column(spot: _Spot) -> Iterator[Repair]:
    """ADD COLUMN dt STRING PARTITION."""
    if spot.words[spot.at : spot.at + 1] != ["PARTITION"] or "COLUMN" not in spot.words[: spot.at]:
        return
    name = spot.tokens[_first(spot, "COLUMN") or 0].end
    column = next(t.text for t in spot.tokens if t.start >= name)
    start, end = spot.tokens[spot.at - 1].end, spot.context.statement.end
    alter = f"ALTER TABLE {spot.table} ADD PARTITION FIELD {column}"
    yield Repair(
        f"partition by it afterwards: `{alter}`",
        (Edit(start, end, f";\n{alter}"),),
        "ADD COLUMN does not partition",
    )


def _cast(spot: _Spot) -> Iterator[Repair]:
    """An expression in the place of a field: the transform that comes nearest."""
    if spot.node.like == "sort-order":
        for each in _clause(spot):
            order = each.help.removeprefix("write `PARTITIONED BY (").removesuffix(")`")
            sort = f"to sort the files, `ALTER TABLE {spot.table} WRITE ORDERED BY {order}`"
            yield each._replace(help=f"{each.help}; {sort}")
        return
    if not spot.node.like and not {"CAST", "TRY_CAST"} & set(spot.words):
        return
    if spot.words[0] == "ALTER":
        found = _alters(spot)
    else:
        found = _clause(spot)
    cast = not spot.node.like or {"CAST", "TRY_CAST"} & set(spot.words)
    for each in found:
        if cast:
            yield each._replace(message="a cast is not a transform")
        elif spot.node.like == "expression":
            yield each._replace(help=f"{each.help}, or partition by a column that holds the value")
        else:
            yield each


_Attempt = Callable[[_Spot], Iterator[Repair]]
_FIELDS: tuple[_Attempt, ...] = (_clause, _alters)
_BY_SHAPE: dict[str, tuple[_Attempt, ...]] = {
    **dict.fromkeys(
        (
            *(
                "several-fields",
                "missing-field",
                "missing-partition",
                "partition-fields",
                "if-exists",
            ),
            *("parenthesised", "as-in-drop", "set-partition-spec"),
        ),
        (_alters,),
    ),
    **dict.fromkeys(("rename-field", "alter-field", "missing-with"), (_replaced,)),
    **dict.fromkeys(("two-partitioned-by", "partitioned-by-spec", "no-parentheses"), (_clause,)),
    "mixed-columns": (_mixed,),
    "partition-by": _FIELDS,
    **dict.fromkeys(("nested-transform", "expression", "quoted-column", "sort-order"), (_cast,)),
    "partitioning-property": (_trino, _alters),
    "with-properties": (_properties,),
    "using-after-clauses": (_using_first,),
    "after-query": (_before_query,),
    "other-table": (_snowflake,),
    "closing-parenthesis": (_surplus,),
    "trailing-comma": (_surplus,),
    "missing-column": (_keyword, _column_word),
    "": (_quotes, _keyword, _separator, _partition_column, _comma, _bracket, _surplus, _cast),
}
