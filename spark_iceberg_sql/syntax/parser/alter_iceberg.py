"""ALTER TABLE in Iceberg's grammar besides partition fields: sort order, identifier fields, branches, tags."""

from __future__ import annotations

from spark_iceberg_sql.syntax.lexer import Kind
from spark_iceberg_sql.syntax.nodes import IdentifierFields, Node, Reference, WriteOrder
from spark_iceberg_sql.syntax.parser.alter_columns import end
from spark_iceberg_sql.syntax.parser.cursor import Cursor
from spark_iceberg_sql.syntax.parser.terms import read_term
from spark_iceberg_sql.syntax.terms import Literal, Offsets, Ref, Term

_UNITS = ("DAYS", "HOURS", "MINUTES")
_WHAT = ("BRANCH", "TAG")


def icebergs_own(cursor: Cursor, span: Offsets, table: Ref) -> Node | None:
    """Read from the verb on; None for any other statement. Raises ParseError."""
    verb, what = cursor.word, cursor.words[cursor.i + 1]
    if verb == "WRITE":
        return _write(cursor, span, table)
    if verb in ("SET", "DROP") and cursor.words[cursor.i + 1 : cursor.i + 3] == [
        "IDENTIFIER",
        "FIELDS",
    ]:
        cursor.i += 3
        return _identifier_fields(cursor, span, table, dropping=verb == "DROP")
    either = verb == "CREATE" and cursor.words[cursor.i + 1 : cursor.i + 3] == ["OR", "REPLACE"]
    if either:
        what = cursor.words[cursor.i + 3]
    if what in _WHAT and verb in ("CREATE", "REPLACE", "DROP"):
        cursor.i += 4 if either else 2
        name = "create or replace" if either else verb.lower()
        return _reference(cursor, span, table, what.lower(), name)
    return None


def _write(cursor: Cursor, span: Offsets, table: Ref) -> Node:
    cursor.i += 1
    terms: tuple[Term, ...] = ()
    seen: set[str] = set()
    while not cursor.done:
        if cursor.word == "DISTRIBUTED":
            _once(cursor, seen, "DISTRIBUTED BY")
            cursor.i += 1
            cursor.expect("BY")
            cursor.expect("PARTITION", "distributed-by")
        elif cursor.word == "UNORDERED":
            _once(cursor, seen, "ORDERED BY")
            cursor.i += 1
        elif cursor.word in ("LOCALLY", "ORDERED"):
            _once(cursor, seen, "ORDERED BY")
            cursor.take("LOCALLY")
            cursor.expect("ORDERED")
            cursor.expect("BY")
            terms = _order(cursor)
        else:
            break
    if not seen:
        cursor.stop("`ORDERED BY`, `LOCALLY ORDERED BY`, `DISTRIBUTED BY PARTITION` or `UNORDERED`")
    end(cursor, "several-orders" if cursor.word == "," else "")
    return WriteOrder(span, table, terms)


def _once(cursor: Cursor, seen: set[str], clause: str) -> None:
    if clause in seen:
        cursor.stop(f"one `{clause}`", "duplicate-clause")
    seen.add(clause)


def _order(cursor: Cursor) -> tuple[Term, ...]:
    brackets = cursor.take("(")
    terms = [_sorted_by(cursor)]
    while cursor.take(","):
        terms.append(_sorted_by(cursor))
    if brackets:
        cursor.expect(")")
    return tuple(terms)


def _sorted_by(cursor: Cursor) -> Term:
    term = read_term(cursor)
    if not cursor.take("ASC"):
        cursor.take("DESC")
    if cursor.take("NULLS") and not (cursor.take("FIRST") or cursor.take("LAST")):
        cursor.stop("`FIRST` or `LAST`")
    if cursor.word in ("+", "-", "*", "/", "%", "||"):
        cursor.stop("`,`, `ASC` or `DESC`", "expression")
    return term


def _identifier_fields(cursor: Cursor, span: Offsets, table: Ref, *, dropping: bool) -> Node:
    if cursor.word == "(":
        cursor.stop("a column name", "bracketed-fields")
    columns = [cursor.path("a column name")]
    while cursor.take(","):
        columns.append(cursor.path("a column name"))
    end(cursor)
    return IdentifierFields(span, table, tuple(columns), dropping)


def _reference(cursor: Cursor, span: Offsets, table: Ref, what: str, verb: str) -> Node:
    lenient = verb == "drop" and cursor.take("IF", "EXISTS")
    if verb == "create":
        lenient = cursor.take("IF", "NOT", "EXISTS")
    elif verb != "drop" and cursor.at("IF", "NOT"):
        cursor.stop(f"a {what} name", "replace-if-not-exists")
    start = cursor.token.start
    text = cursor.name(f"a {what} name")
    place = cursor.since(start)
    name = Ref((text,), place, cursor.script[place[0] : place[1]])
    version = None
    counts: list[Literal] = []
    if verb != "drop":
        if cursor.take("AS", "OF"):
            cursor.expect("VERSION", "as-of-version")
            version = _number(cursor, "a snapshot id")
        if cursor.take("RETAIN"):
            counts.append(_number(cursor, "a number"))
            _unit(cursor)
        if what == "branch" and cursor.take("WITH"):
            cursor.expect("SNAPSHOT")
            cursor.expect("RETENTION")
            counts += _retention(cursor)
    end(cursor)
    return Reference(span, table, what, verb, name, lenient, tuple(counts), version)


def _retention(cursor: Cursor) -> list[Literal]:
    """`2 SNAPSHOTS`, `3 DAYS`, or both in this order."""
    counts = [_number(cursor, "a number")]
    if not cursor.take("SNAPSHOTS"):
        _unit(cursor, "`SNAPSHOTS`, ")
        return counts
    if cursor.token.kind is Kind.NUMBER or cursor.word == "-":
        counts.append(_number(cursor, "a number"))
        _unit(cursor)
    return counts


def _number(cursor: Cursor, what: str) -> Literal:
    token = cursor.token
    sign = cursor.take("-")
    if cursor.token.kind is not Kind.NUMBER:
        cursor.stop(what)
    text = ("-" if sign else "") + cursor.token.text
    cursor.i += 1
    whole = cursor.tokens[cursor.i - 1].text
    value = int(text) if whole.isascii() and whole.isdigit() and len(whole) < 20 else None
    return Literal("integer", text, cursor.since(token.start), value)


def _unit(cursor: Cursor, more: str = "") -> None:
    if cursor.word not in _UNITS:
        cursor.stop(f"{more}`DAYS`, `HOURS` or `MINUTES`", "retention-unit")
    cursor.i += 1
