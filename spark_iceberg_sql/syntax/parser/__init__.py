"""Tokens to statement nodes: `parse(statement)`, which never raises."""

from __future__ import annotations

from spark_iceberg_sql.lazy import regex
from spark_iceberg_sql.syntax.characters import upper
from spark_iceberg_sql.syntax.hints import split_hints
from spark_iceberg_sql.syntax.lexer import Token, TokenKind
from spark_iceberg_sql.syntax.nodes import (
    AddColumns,
    AddField,
    AlterColumn,
    ChangeSnapshotRef,
    Create,
    CreateView,
    DropField,
    IdentifierFields,
    InvalidStatement,
    Node,
    Other,
    ReplaceColumns,
    ReplaceField,
    Templated,
    WriteOrder,
)
from spark_iceberg_sql.syntax.parser import typos
from spark_iceberg_sql.syntax.parser.alter.alter import alter_table, typo_after_table
from spark_iceberg_sql.syntax.parser.boundaries import (
    check_missing_semicolon,
    invalid_beginning,
    reject_missing_table,
    table_of,
    unclosed_statement,
)
from spark_iceberg_sql.syntax.parser.create import create_table, skip_create_verb
from spark_iceberg_sql.syntax.parser.cursor import Cursor, ParseError, TooDeep
from spark_iceberg_sql.syntax.parser.nested import TABLE_VERBS, compound, explain, immediate
from spark_iceberg_sql.syntax.parser.statements import call, drop, hive_partitions, insert, set_config, use
from spark_iceberg_sql.syntax.placeholders import has_template, merge_templates, placeholder_span
from spark_iceberg_sql.syntax.script import Statement
from spark_iceberg_sql.syntax.terms import Offsets

# Kinds of errors for which a misspelt keyword is the better explanation.
_GENERIC_ERRORS = ("", "missing-with", "missing-field", "distributed-by", "retention-unit")
_HINT_VERBS = frozenset(["ALTER", "CREATE", "DROP", "REPLACE"])
# Statements that may hold a template in place of a name or a type.
_TEMPLATABLE = (Create, AddField, DropField, ReplaceField, AddColumns, AlterColumn, ReplaceColumns)
_OPENING_TOKENS = 6  # words in which a misspelt keyword is recognized
# Statements that Iceberg's grammar reads.
IcebergNode = AddField | DropField | ReplaceField | WriteOrder | IdentifierFields | ChangeSnapshotRef
_PARTITIONED_INSERT_TOKENS = 40  # an INSERT's head is within its first tokens; its rows are not read
_INSERT_TOKENS = 12  # without PARTITION (...), only its table is
_UNSUPPORTED_SPACE = regex(r"[^\S \t\r\n]")
# ALTER TABLE t {{ change }}: the change itself is unknown.
_HIDDEN_CHANGE = regex(r"(?i)alter\s+table\s+(?:\{\{[^{}]*\}\}|`[^`]*`|[^\s{$`])+\s+(?:\{[{%]|\$\{)")
_PARTITION_DDL = regex(r"(?i)\bpartition\s+field|\bpartitioned\s+by\b")


def parse(statement: Statement) -> Node:
    """The node of a statement.

    Other for statements that do not affect partitioning, and for errors outside partition DDL, which are left to Spark.
    InvalidStatement for partition DDL that neither Spark's nor Iceberg's grammar accepts.
    Templated if a template prevents parsing. In linear time; never raises.
    """
    node = unclosed_statement(statement) if not statement.closed else None
    if node is not None:
        return node
    if statement.first == "/" and (node := _slash_comment(statement)) is not None:
        return node
    node = check_missing_semicolon(statement, _parse_single(statement), _parse_tokens)
    return (invalid_beginning(statement, _parse_tokens) or node) if isinstance(node, Other) else node


def _parse_single(statement: Statement) -> Node:
    """The node of a statement without an unclosed quote or comment, up to a missing `;`."""
    first, span = statement.first, statement.span
    if first == "/*+" or (first in _HINT_VERBS and statement.script.find("/*+", *span) >= 0):
        node = _misplaced_hint(statement)
        if node is not None:
            return node
    if first not in TABLE_VERBS and not (first in ("{", "$") and _PARTITION_DDL.search(statement.text)):
        return _misspelt(statement) or Other(span)
    tokens = _insert_tokens(statement) if first == "INSERT" else statement.tokens
    if has_template(statement.script, tokens):
        return _templated(statement, tokens, span)
    node = _parse_tokens(statement.script, tokens, span)
    # Spark's grammar would accept such white space; these statements are read by Iceberg's, which does not.
    if isinstance(node, IcebergNode):
        return _unsupported_space(statement, node) or node
    return (_misspelt(statement) or node) if isinstance(node, Other) else node


def _slash_comment(statement: Statement) -> Node | None:
    """The error for a comment of other languages, `// ...`: both grammars read it as two divisions."""
    first, second = (*statement.opening(2), None, None)[:2]
    if first is None or second is None or (second.text, second.start) != ("/", first.end):
        return None
    line_end = statement.script.find("\n", second.end)
    tokens = [token for token in statement.tokens if 0 <= line_end < token.start]
    node = (
        _parse_tokens(statement.script, tokens, (tokens[0].start, statement.end)) if tokens else Other(statement.span)
    )
    partial_create = node if isinstance(node, Create) else None
    error_span = (first.start, second.end)
    return InvalidStatement(statement.span, error_span, "//", "`--`", "slash-comment", table_of(node), partial_create)


def _insert_tokens(statement: Statement) -> list[Token]:
    """The first tokens of an INSERT, as many as are read."""
    may_be_partitioned = statement.may_contain("partition") or not statement.text.isascii()
    return statement.opening(_PARTITIONED_INSERT_TOKENS if may_be_partitioned else _INSERT_TOKENS)


def _misspelt(statement: Statement) -> Node | None:
    """A misspelt keyword at the start of the statement: `ATLER TABLE`, `CREATE TABEL`."""
    is_verb = typos.is_verb(statement.first)
    return _misspelt_opening(statement.opening(_OPENING_TOKENS), statement.span) if is_verb else None


def _misspelt_opening(tokens: list[Token], span: Offsets) -> Node | None:
    tokens = tokens[:_OPENING_TOKENS]
    typo = typos.opening_typo([token.word for token in tokens])
    if typo is None or len(tokens) < max(typo[0] + 2, 3):
        return None
    token = tokens[typo[0]]
    return InvalidStatement(span, token.span, token.text, f"`{typo[1]}`", "misspelt")


def _unsupported_space(statement: Statement, node: IcebergNode) -> Node | None:
    """The error for a white-space character that Spark's grammar accepts, but Iceberg's does not.

    Iceberg's grammar accepts four: blank, tab, line feed, carriage return.
    """
    if not _UNSUPPORTED_SPACE.search(statement.text):
        return None
    for token in statement.all_tokens:
        is_inner_space = token.kind is TokenKind.SPACE and statement.start < token.start < statement.end
        if is_inner_space and (match := _UNSUPPORTED_SPACE.search(token.text)):
            error_span = (token.start + match.start(), token.start + match.end())
            code_point = f"U+{ord(match.group()):04X}"
            return InvalidStatement(node.span, error_span, code_point, "a plain space", "odd-space", node.table)
    return None


def _misplaced_hint(statement: Statement) -> Node | None:
    """The error for `/*+ ... */` outside a query: to both grammars it is a hint, not a comment."""
    tokens, hints = split_hints(statement.tokens)
    if not hints or not tokens or upper(tokens[0].text) not in _HINT_VERBS:
        return None
    node = _parse_tokens(statement.script, tokens, (tokens[0].start, max(tokens[-1].end, statement.end)))
    query = _query_start(node, tokens)
    hint_span = next((hint for hint in hints if query is None or hint[0] < query), None)
    if isinstance(node, (Other, InvalidStatement)) or hint_span is None:
        return None
    hint_text = statement.script[slice(*hint_span)]
    return InvalidStatement(statement.span, hint_span, hint_text, "no hint", "hint", table_of(node))


def _query_start(node: Node, tokens: list[Token]) -> int | None:
    """Where the query of a CREATE TABLE or CREATE VIEW begins; None if there is none."""
    if isinstance(node, CreateView):
        return next((token.start for token in tokens if token.word == "AS"), None)
    return node.query[0] if isinstance(node, Create) and node.query else None


def _templated(statement: Statement, tokens: list[Token], span: Offsets) -> Node:
    tokens, templates = merge_templates(statement.script, tokens)
    node = _parse_tokens(statement.script, tokens, span) if tokens else Other(span)
    stray_token = next((t for t in tokens if t.kind is TokenKind.STRAY), tokens[0])
    template_span = templates[0] if templates else stray_token.span
    if isinstance(node, Other):
        may_be_ddl = _PARTITION_DDL.search(statement.text) or _HIDDEN_CHANGE.match(statement.text)
        return Templated(span, template_span) if may_be_ddl else node
    if isinstance(node, InvalidStatement):
        return Templated(span, template_span)
    if isinstance(node, _TEMPLATABLE):
        # A templated table name is accepted like any other name, and so are templates in the query.
        allowed_spans = [node.table.span, node.query] if isinstance(node, Create) else [node.table.span]
        for start, end in templates:
            if not any(
                allowed_span and allowed_span[0] <= start and end <= allowed_span[1] for allowed_span in allowed_spans
            ):
                return Templated(span, (start, end), node)
    return node


def _parse_tokens(script: str, tokens: list[Token], span: Offsets) -> Node:
    cursor = Cursor(script, tokens, span[1])
    try:
        node = _statement(cursor, span)
    except ParseError as error:
        return _invalid_statement(cursor, error, span) or Other(span)
    except TooDeep:
        return Templated(span, cursor.token.span, may_be_any=True, is_too_deep=True)
    if cursor.parameter_span is not None:
        return Templated(span, cursor.parameter_span, node)
    return node or Other(span)


def _invalid_statement(cursor: Cursor, error: ParseError, span: Offsets) -> Node | None:
    if not cursor.is_partition_ddl:
        return None
    token, error_kind, expected = error.token, error.error_kind, error.expected
    template_span = placeholder_span(cursor.script, token.start) if token.text and error_kind != "parameter" else None
    if template_span is not None:
        return Templated(span, template_span)
    if (typo := typo_after_table(cursor)) is not None:
        token, error_kind, expected = cursor.tokens[typo[0]], "misspelt", f"`{typo[1]}`"
    elif error_kind in _GENERIC_ERRORS and (suggestion := typos.expected_typo(token.word, [expected])):
        error_kind, expected = "misspelt", f"`{suggestion}`"
    error_span = token.span if token.text else (span[1], span[1])
    error_kind = "unterminated" if token.kind is TokenKind.UNCLOSED else error_kind
    token_text = token.text if len(token.text) <= 40 else token.text[:40] + "..."
    return InvalidStatement(
        span,
        error_span,
        token_text or "the end of the statement",
        expected,
        error_kind,
        cursor.target_table,
        error.partial_create,
    )


def _statement(cursor: Cursor, span: Offsets) -> Node | None:
    word, next_word = cursor.word, cursor.words[cursor.index + 1]
    if word == "ALTER" and next_word in ("TABLE", "VIEW"):
        return alter_table(cursor, span)
    if word == "ALTER" and next_word == "ICEBERG" and cursor.words[cursor.index + 2] == "TABLE":
        cursor.index += 1
        cursor.fail_in_ddl("`TABLE`", "other-table")
    if word in ("CREATE", "REPLACE"):
        return _create(cursor, span)
    if word == "DROP":
        return drop(cursor, span)
    if word == "CALL":
        return call(cursor, span)
    if word == "EXECUTE":
        return immediate(cursor, span, _parse_inner)
    if word == "EXPLAIN":
        return explain(cursor, span, _parse_tokens)
    if word == "BEGIN":
        return compound(cursor, span, _parse_inner)
    if word == "INSERT":
        return insert(cursor, span)
    if word == "USE" or (word == "SET" and next_word == "CATALOG"):
        return use(cursor, span)
    if word == "SET":
        return set_config(cursor, span)
    return hive_partitions(cursor, span)


def _create(cursor: Cursor, span: Offsets) -> Node | None:
    start = cursor.index
    keywords = cursor.words[start : start + 5]
    if "TABLE" in keywords and "VIEW" not in keywords[: keywords.index("TABLE")]:
        if (node := create_table(cursor)) is not None:
            return node
        cursor.index = start
    reject_missing_table(cursor)
    skip_create_verb(cursor)
    cursor.take("GLOBAL")
    temporary = cursor.take("TEMPORARY") or cursor.take("TEMP")
    if not cursor.take("VIEW"):
        return None
    if cursor.is_at("IF", "NOT", "EXISTS"):
        cursor.index += 3
    return CreateView(span, cursor.table(), temporary)


def _parse_inner(script: str, tokens: list[Token], span: Offsets) -> Node:
    """A statement inside another one."""
    node = _parse_tokens(script, tokens, span)
    return (_misspelt_opening(tokens, span) or node) if isinstance(node, Other) else node
