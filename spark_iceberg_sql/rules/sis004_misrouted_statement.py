"""A statement that Iceberg's parser extension misroutes.

## Why
The extension inspects the text: with line comments and extra white space removed, it must start with `alter
table` and contain, for example, `add partition field`. A comment inside ALTER TABLE or ADD PARTITION FIELD, a
line comment with a Windows line ending before it, EXPLAIN, a BEGIN ... END block and IDENTIFIER(...) hide a valid
statement from it, and Spark then stops at FIELD. Neither grammar treats a hint (`/*+ ... */`) as a comment.
Conversely, a string, a column comment or a property value with those words sends a Spark statement to Iceberg's
parser.

This is about files that other sessions run. In an installed session, with `sis.sql` and `iceberg-sql run`, all of
these statements work: Iceberg's parser gets the same statement in the form that it takes
([checked DDL](../../guide/checked-ddl.md#where-partition-ddl-may-be-written)). White space that Iceberg's grammar
does not accept, and keywords in other letters, remain errors there.

## Instead
Comments before or after the statement, with Unix line endings; the statement on its own, with the table's
name written out; different words in the string.

## Examples
```sql bad
CREATE TABLE events (id BIGINT, ts TIMESTAMP) USING iceberg;
ALTER TABLE events ADD /* by day */ PARTITION FIELD days(ts);
```
```sql bad
CREATE TABLE events (id BIGINT, ts TIMESTAMP) USING iceberg;
ALTER TABLE events SET TBLPROPERTIES ('comment' = 'add partition field ts_day later');
```
```sql bad
CREATE TABLE events (id BIGINT, ts TIMESTAMP) USING iceberg;
EXPLAIN ALTER TABLE events ADD PARTITION FIELD days(ts);
```
```sql good
CREATE TABLE events (id BIGINT, ts TIMESTAMP) USING iceberg;
-- by day
ALTER TABLE events ADD PARTITION FIELD days(ts);
```
"""

from __future__ import annotations

from collections.abc import Callable

from spark_iceberg_sql.diagnostics import Edit, Fix, Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.rules.base import Category, Finding, Findings, rule
from spark_iceberg_sql.syntax import nodes
from spark_iceberg_sql.syntax.lexer import Token, TokenKind
from spark_iceberg_sql.syntax.routing import goes_to_iceberg, is_iceberg_statement, phrase_in, text_with_trivia
from spark_iceberg_sql.syntax.syntax_errors import SYNTAX_ERRORS, Area

_ICEBERG_STATEMENTS =(
    nodes.AddField, nodes.DropField, nodes.ReplaceField, nodes.WriteOrder, nodes.IdentifierFields,
    nodes.ChangeSnapshotRef,
)  # fmt: skip
_SPARK_STATEMENTS = (
    nodes.AddColumns,
    nodes.DropColumns,
    nodes.RenameColumn,
    nodes.AlterColumn,
    nodes.ReplaceColumns,
    nodes.SetProperties,
    nodes.RenameTable,
    nodes.HivePartition,
)
# The words for which Iceberg's extension searches the text.
_ROUTING_KEYWORDS = frozenset({
    "ALTER", "TABLE", "ADD", "DROP", "REPLACE", "PARTITION", "FIELD", "WRITE", "DISTRIBUTED",
    "IDENTIFIER", "FIELDS",
})  # fmt: skip


_INSTALLED = "an installed session runs it as it is"


@rule(
    Severity.ERROR,
    on=(*_ICEBERG_STATEMENTS, *_SPARK_STATEMENTS, nodes.Explain, nodes.Compound, nodes.InvalidStatement),
    category=Category.SYNTAX,
    removes_comments=True,
)
def misrouted_statement(context: Context) -> Findings:
    """A statement whose tokens belong to one grammar and whose text is routed to the other."""
    node = context.node
    if context.repaired and isinstance(node, (nodes.Explain, nodes.Compound, *_SPARK_STATEMENTS)):
        return  # an installed session passes each grammar its own
    if isinstance(node, nodes.Explain):
        if isinstance(node.inside, _ICEBERG_STATEMENTS):
            yield Finding(
                (node.span[0], node.inside.span[0]),
                "EXPLAIN hides the statement from Iceberg's parser, the only one that can parse it",
                f"write the statement alone, `{_one_line(context, node.inside)}`; `iceberg-sql plan` shows what "
                f"it does, and {_INSTALLED}",
            )
    elif isinstance(node, nodes.Compound):
        for inner_node in node.inside:
            if isinstance(inner_node, _ICEBERG_STATEMENTS):
                yield Finding(
                    inner_node.span,
                    "the block hides the statement from Iceberg's parser, the only one that can parse it",
                    f"write it outside the block: `{_one_line(context, inner_node)}`; {_INSTALLED}",
                )
    elif isinstance(node, nodes.InvalidStatement):
        if SYNTAX_ERRORS[node.error_kind].area is Area.ROUTING:
            yield _invalid_statement(node)
    elif isinstance(node, _ICEBERG_STATEMENTS):
        yield from _hidden_from_iceberg(context, node)
    elif goes_to_iceberg(text_with_trivia(context.statement)) and not is_iceberg_statement(context.statement):
        yield from _misrouted_to_iceberg(context)


def _one_line(context: Context, node: nodes.Node) -> str:
    return " ".join(context.text_at(node.span).split())


def _invalid_statement(node: nodes.InvalidStatement) -> Finding:
    if node.error_kind == "identifier-clause":
        return Finding(
            node.error_span,
            "Iceberg's grammar has no IDENTIFIER(...)",
            f"write out the table's name: `ALTER TABLE db.t ADD PARTITION FIELD ...`; {_INSTALLED}",
        )
    if node.error_kind == "hint":
        return Finding(
            node.error_span,
            "`/*+` starts a hint, not a comment, and neither grammar accepts a hint here",
            "leave it out, or write a comment, `/* ... */`, on a line before the statement",
            Fix("remove the hint", (Edit(*node.error_span, " "),)),
        )
    return Finding(
        node.error_span,
        f"Iceberg's grammar does not accept {node.token_text} as white space",
        "write a plain space",
        Fix("write a plain space", (Edit(*node.error_span, " "),), safe=True),
    )


def _hidden_from_iceberg(context: Context, node: nodes.Node) -> Findings:
    """Partition DDL that comments hide from Iceberg's parser; the gate removes them."""
    statement = context.statement
    text = context.text[statement.head : statement.end]
    if text.isascii() and "--" not in text and "/*" not in text:
        return  # no comment and no other letter can hide it
    if not is_iceberg_statement(statement) or goes_to_iceberg(text_with_trivia(statement)):
        return
    non_ascii_keywords = [token for token in statement.all_tokens if _is_non_ascii_keyword(token)]
    for token in non_ascii_keywords:
        yield Finding(
            (token.start, token.end),
            f"only Spark's grammar reads `{token.text}` as {token.text.upper()}: Iceberg's parser needs ASCII letters",
            f"write `{token.text.upper()}`",
            Fix("write the keyword in ASCII letters", (Edit(token.start, token.end, token.text.upper()),)),
        )
    comments = [
        token for token in statement.all_tokens if token.kind is TokenKind.COMMENT and token.start < statement.end
    ]
    if non_ascii_keywords or context.repaired or not comments:
        return
    start = statement.head
    ends = [token for token in comments if token.text.endswith("\r\n")]
    if ends and goes_to_iceberg(_text_without(context, ends, start, lambda token: token.text[:-2] + "\n")):
        edits = tuple(Edit(token.end - 2, token.end - 1, "") for token in ends)
        yield Finding(
            (ends[0].start, ends[0].end),
            "this comment hides the statement from Iceberg's parser, which ends a line at LF, not at CR LF",
            "end the comment's line with LF alone",
            Fix("end the comment's line with LF", edits),
        )
        return
    # Report one comment only, if its removal is enough.
    sole_causes = [token for token in comments if goes_to_iceberg(_text_without(context, [token], start))]
    hiding_comments = sole_causes or comments
    edits = tuple(Edit(token.start, token.end, _blank(token)) for token in hiding_comments)
    yield Finding(
        (hiding_comments[0].start, hiding_comments[0].end),
        "this comment hides the statement from Iceberg's parser, which inspects the text",
        f"write `{_one_line_without(context, node, comments)}`, with the comment on a line before it",
        Fix("remove the comment", edits),
    )


def _is_non_ascii_keyword(token: Token) -> bool:
    """True if a word is a keyword only when upper-cased: the upper case of a dotless i is an I."""
    return token.kind is TokenKind.WORD and token.text.upper() in _ROUTING_KEYWORDS and not token.text.isascii()


def _text_without(
    context: Context, tokens: list[Token], start: int, replacement: Callable[[Token], str] | None = None
) -> str:
    """The statement from an offset on, with white space or a replacement in place of the comments."""
    parts, offset = [], start
    for token in tokens:
        parts += [context.text[offset : token.start], (replacement or _blank)(token)]
        offset = token.end
    return "".join([*parts, context.text[offset : context.statement.end]]).lstrip("\ufeff")


def _blank(token: Token) -> str:
    return "\n" if token.text.startswith("--") else " "


def _one_line_without(context: Context, node: nodes.Node, comments: list[Token]) -> str:
    start = node.span[0]
    inner_comments = [token for token in comments if token.start > start]
    return " ".join(_text_without(context, inner_comments, start).split())


def _misrouted_to_iceberg(context: Context) -> Findings:
    for token in context.statement.all_tokens:
        is_text = token.kind in (TokenKind.STRING, TokenKind.DOUBLE, TokenKind.QUOTED)
        if is_text and (phrase := phrase_in(token.text)) is not None:
            yield Finding(
                (token.start, token.end),
                f"the words `{phrase}` in this string send the statement to Iceberg's parser, which cannot parse it",
                f"write them differently, for example `{phrase.replace(' ', '-')}`",
            )
            return
    phrase = phrase_in(text_with_trivia(context.statement))
    yield Finding(
        context.node.span,
        f"the words `{phrase}` send the statement to Iceberg's parser, which cannot parse it",
        "write them differently",
    )
