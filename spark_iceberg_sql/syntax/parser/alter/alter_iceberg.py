"""ALTER TABLE in Iceberg's grammar besides partition fields: sort order, identifier fields, branches, tags."""

from __future__ import annotations

from spark_iceberg_sql.syntax.lexer import TokenKind
from spark_iceberg_sql.syntax.nodes import ChangeSnapshotRef, IdentifierFields, Node, WriteOrder
from spark_iceberg_sql.syntax.parser.alter.alter_columns import expect_end
from spark_iceberg_sql.syntax.parser.cursor import Cursor
from spark_iceberg_sql.syntax.parser.terms import read_term
from spark_iceberg_sql.syntax.terms import Literal, NamePath, Offsets, Term

_UNITS = ("DAYS", "HOURS", "MINUTES")
_REF_TYPES = ("BRANCH", "TAG")


def iceberg_change(cursor: Cursor, span: Offsets, table: NamePath) -> Node | None:
    """Read from the verb on; None for any other statement. Raises ParseError."""
    verb, ref_type = cursor.word, cursor.words[cursor.index + 1]
    if verb == "WRITE":
        return _write(cursor, span, table)
    if verb in ("SET", "DROP") and cursor.words[cursor.index + 1 : cursor.index + 3] == ["IDENTIFIER", "FIELDS"]:
        cursor.index += 3
        return _identifier_fields(cursor, span, table, dropping=verb == "DROP")
    create_or_replace = verb == "CREATE" and cursor.words[cursor.index + 1 : cursor.index + 3] == ["OR", "REPLACE"]
    if create_or_replace:
        ref_type = cursor.words[cursor.index + 3]
    if ref_type in _REF_TYPES and verb in ("CREATE", "REPLACE", "DROP"):
        cursor.index += 4 if create_or_replace else 2
        verb_text = "create or replace" if create_or_replace else verb.lower()
        return _change_ref(cursor, span, table, ref_type.lower(), verb_text)
    return None


def _write(cursor: Cursor, span: Offsets, table: NamePath) -> Node:
    cursor.index += 1
    terms: tuple[Term, ...] = ()
    clauses: set[str] = set()
    while not cursor.done:
        if cursor.word == "DISTRIBUTED":
            cursor.add_clause(clauses, "DISTRIBUTED BY")
            cursor.index += 1
            cursor.expect("BY")
            cursor.expect("PARTITION", "distributed-by")
        elif cursor.word == "UNORDERED":
            cursor.add_clause(clauses, "ORDERED BY")
            cursor.index += 1
        elif cursor.word in ("LOCALLY", "ORDERED"):
            cursor.add_clause(clauses, "ORDERED BY")
            cursor.take("LOCALLY")
            cursor.expect("ORDERED")
            cursor.expect("BY")
            terms = tuple([_order_term(cursor) for _ in cursor.comma_list(may_have_brackets=True)])
        else:
            break
    if not clauses:
        cursor.fail("`ORDERED BY`, `LOCALLY ORDERED BY`, `DISTRIBUTED BY PARTITION` or `UNORDERED`")
    expect_end(cursor, "several-orders" if cursor.word == "," else "")
    return WriteOrder(span, table, terms)


def _order_term(cursor: Cursor) -> Term:
    term = read_term(cursor)
    if not cursor.take("ASC"):
        cursor.take("DESC")
    if cursor.take("NULLS") and not (cursor.take("FIRST") or cursor.take("LAST")):
        cursor.fail("`FIRST` or `LAST`")
    if cursor.word in ("+", "-", "*", "/", "%", "||"):
        cursor.fail("`,`, `ASC` or `DESC`", "expression")
    return term


def _identifier_fields(cursor: Cursor, span: Offsets, table: NamePath, *, dropping: bool) -> Node:
    if cursor.word == "(":
        cursor.fail("a column name", "bracketed-fields")
    columns = [cursor.path("a column name") for _ in cursor.comma_list()]
    expect_end(cursor)
    return IdentifierFields(span, table, tuple(columns), dropping)


def _change_ref(cursor: Cursor, span: Offsets, table: NamePath, ref_type: str, verb: str) -> Node:
    has_if_clause = verb == "drop" and cursor.take("IF", "EXISTS")
    if verb == "create":
        has_if_clause = cursor.take("IF", "NOT", "EXISTS")
    elif verb != "drop" and cursor.is_at("IF", "NOT"):
        cursor.fail(f"a {ref_type} name", "replace-if-not-exists")
    name = cursor.single_name(f"a {ref_type} name")
    version = None
    counts: list[Literal] = []
    if verb != "drop":
        if cursor.take("AS", "OF"):
            cursor.expect("VERSION", "as-of-version")
            version = _number(cursor, "a snapshot id")
        if cursor.take("RETAIN"):
            counts.append(_number(cursor, "a number"))
            _unit(cursor)
        if ref_type == "branch" and cursor.take("WITH"):
            cursor.expect("SNAPSHOT")
            cursor.expect("RETENTION")
            counts += _retention(cursor)
    expect_end(cursor)
    return ChangeSnapshotRef(span, table, ref_type, verb, name, has_if_clause, tuple(counts), version)


def _retention(cursor: Cursor) -> list[Literal]:
    """`2 SNAPSHOTS`, `3 DAYS`, or both in this order."""
    counts = [_number(cursor, "a number")]
    if not cursor.take("SNAPSHOTS"):
        _unit(cursor, "`SNAPSHOTS`, ")
        return counts
    if cursor.token.kind is TokenKind.NUMBER or cursor.word == "-":
        counts.append(_number(cursor, "a number"))
        _unit(cursor)
    return counts


def _number(cursor: Cursor, expected: str) -> Literal:
    token = cursor.token
    is_negative = cursor.take("-")
    if cursor.token.kind is not TokenKind.NUMBER:
        cursor.fail(expected)
    text = ("-" if is_negative else "") + cursor.token.text
    cursor.index += 1
    digits = cursor.tokens[cursor.index - 1].text
    value = int(text) if digits.isascii() and digits.isdigit() and len(digits) < 20 else None
    return Literal("integer", text, cursor.since(token.start), value)


def _unit(cursor: Cursor, prefix: str = "") -> None:
    if cursor.word not in _UNITS:
        cursor.fail(f"{prefix}`DAYS`, `HOURS` or `MINUTES`", "retention-unit")
    cursor.index += 1
