"""A statement that Iceberg's parser extension misroutes.

## Why
The extension inspects the text: with line comments and extra white space removed, it must start with `alter
table` and contain, for example, `add partition field`. A comment inside ALTER TABLE or ADD PARTITION FIELD, a
line comment with a Windows line ending before it, EXPLAIN, a BEGIN ... END block and IDENTIFIER(...) hide a valid
statement from it, and Spark then stops at FIELD. Neither grammar treats a hint (`/*+ ... */`) as a comment.
Conversely, a string, a column comment or a property value with those words sends a Spark statement to Iceberg's
parser.

`sis.sql` and `iceberg-sql run` remove misleading comments before they pass a statement on.

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

from collections.abc import Callable, Iterator

from spark_iceberg_sql.diagnostics import Edit, Fix, Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.rules.base import Category, Finding, rule
from spark_iceberg_sql.syntax import nodes
from spark_iceberg_sql.syntax.lexer import Kind, Token
from spark_iceberg_sql.syntax.mistakes import MISTAKES, Area
from spark_iceberg_sql.syntax.routing import as_written, goes_to_iceberg, is_icebergs, phrase_in

_FIELDS =(
    nodes.AddField, nodes.DropField, nodes.ReplaceField, nodes.WriteOrder, nodes.IdentifierFields,
    nodes.Reference,
)  # fmt: skip
_SPARKS = (
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
_WORDS = frozenset({
    "ALTER", "TABLE", "ADD", "DROP", "REPLACE", "PARTITION", "FIELD", "WRITE", "DISTRIBUTED",
    "IDENTIFIER", "FIELDS",
})  # fmt: skip


@rule(
    Severity.ERROR,
    on=(*_FIELDS, *_SPARKS, nodes.Explain, nodes.Compound, nodes.Unreadable),
    category=Category.SYNTAX,
    removes_comments=True,
)
def misrouted_statement(context: Context) -> Iterator[Finding]:
    """A statement whose tokens belong to one grammar and whose text is routed to the other."""
    node = context.node
    if isinstance(node, nodes.Explain):
        if isinstance(node.inside, _FIELDS):
            yield Finding(
                (node.span[0], node.inside.span[0]),
                "EXPLAIN hides the statement from Iceberg's parser, the only one that can parse it",
                f"write the statement alone, `{_short(context, node.inside)}`; `iceberg-sql plan` shows what it does",
            )
    elif isinstance(node, nodes.Compound):
        for inside in node.inside:
            if isinstance(inside, _FIELDS):
                yield Finding(
                    inside.span,
                    "the block hides the statement from Iceberg's parser, the only one that can parse it",
                    f"write it outside the block: `{_short(context, inside)}`",
                )
    elif isinstance(node, nodes.Unreadable):
        if MISTAKES[node.like].area is Area.ROUTING:
            yield _unreadable(node)
    elif isinstance(node, _FIELDS):
        yield from _hidden(context, node)
    elif goes_to_iceberg(as_written(context.statement)) and not is_icebergs(context.statement):
        yield from _led_astray(context)


def _short(context: Context, node: nodes.Node) -> str:
    return " ".join(context.words(node.span).split())


def _unreadable(node: nodes.Unreadable) -> Finding:
    if node.like == "identifier-clause":
        return Finding(
            node.at,
            "Iceberg's grammar has no IDENTIFIER(...)",
            "write out the table's name: `ALTER TABLE db.t ADD PARTITION FIELD ...`",
        )
    if node.like == "hint":
        return Finding(
            node.at,
            "`/*+` starts a hint, not a comment, and neither grammar accepts a hint here",
            "leave it out, or write a comment, `/* ... */`, on a line before the statement",
            Fix("remove the hint", (Edit(*node.at, " "),)),
        )
    return Finding(
        node.at,
        f"Iceberg's grammar does not accept {node.found} as white space",
        "write a plain space",
        Fix("write a plain space", (Edit(*node.at, " "),), safe=True),
    )


def _hidden(context: Context, node: nodes.Node) -> Iterator[Finding]:
    """Partition DDL that comments hide from Iceberg's parser; the gate removes them."""
    statement = context.statement
    text = context.text[statement.head : statement.end]
    if text.isascii() and "--" not in text and "/*" not in text:
        return  # no comment and no other letter can hide it
    if not is_icebergs(statement) or goes_to_iceberg(as_written(statement)):
        return
    odd = [token for token in statement.all_tokens if _only_like(token)]
    for token in odd:
        yield Finding(
            (token.start, token.end),
            f"only Spark's grammar reads `{token.text}` as {token.text.upper()}: Iceberg's parser needs ASCII letters",
            f"write `{token.text.upper()}`",
            Fix(
                "write the keyword in ASCII letters",
                (Edit(token.start, token.end, token.text.upper()),),
            ),
        )
    if odd or context.repaired:
        return
    comments = [
        token
        for token in statement.all_tokens
        if token.kind is Kind.COMMENT and token.start < statement.end
    ]
    if not comments:
        return
    head = statement.head
    ends = [token for token in comments if token.text.endswith("\r\n")]
    if ends and goes_to_iceberg(_without(context, ends, head, _with_line_feed)):
        edits = tuple(Edit(token.end - 2, token.end - 1, "") for token in ends)
        yield Finding(
            (ends[0].start, ends[0].end),
            "this comment hides the statement from Iceberg's parser, which ends a line at LF, not at CR LF",
            "end the comment's line with LF alone",
            Fix("end the comment's line with LF", edits),
        )
        return
    # Report one comment only, if its removal is enough.
    alone = [token for token in comments if goes_to_iceberg(_without(context, [token], head))]
    guilty = alone or comments
    edits = tuple(Edit(token.start, token.end, _blank(token)) for token in guilty)
    yield Finding(
        (guilty[0].start, guilty[0].end),
        "this comment hides the statement from Iceberg's parser, which inspects the text",
        f"write `{_short_without(context, node, comments)}`, with the comment on a line before it",
        Fix("remove the comment", edits),
    )


def _only_like(token: Token) -> bool:
    """True if a word is a keyword only when upper-cased: the upper case of a dotless i is an I."""
    return token.kind is Kind.WORD and token.text.upper() in _WORDS and not token.text.isascii()


def _without(
    context: Context,
    tokens: list[Token],
    start: int,
    instead: Callable[[Token], str] | None = None,
) -> str:
    """The statement from an offset on, with white space or a replacement in place of the comments."""
    out, at = [], start
    for token in tokens:
        out += [context.text[at : token.start], (instead or _blank)(token)]
        at = token.end
    return "".join([*out, context.text[at : context.statement.end]]).lstrip("\ufeff")


def _with_line_feed(token: Token) -> str:
    return token.text[:-2] + "\n"


def _blank(token: Token) -> str:
    return "\n" if token.text.startswith("--") else " "


def _short_without(context: Context, node: nodes.Node, comments: list[Token]) -> str:
    start = node.span[0]
    inside = [token for token in comments if token.start > start]
    return " ".join(_without(context, inside, start).split())


def _led_astray(context: Context) -> Iterator[Finding]:
    for token in context.statement.all_tokens:
        if token.kind in (Kind.STRING, Kind.DOUBLE, Kind.QUOTED):
            phrase = phrase_in(token.text)
            if phrase is not None:
                yield Finding(
                    (token.start, token.end),
                    f"the words `{phrase}` in this string send the statement to Iceberg's parser, which "
                    "cannot parse it",
                    f"write them differently, for example `{phrase.replace(' ', '-')}`",
                )
                return
    phrase = phrase_in(as_written(context.statement))
    yield Finding(
        context.node.span,
        f"the words `{phrase}` send the statement to Iceberg's parser, which cannot parse it",
        "write them differently",
    )
