"""Repairs of typos that any statement may have: quotes, keywords, commas, brackets."""

from __future__ import annotations

from collections.abc import Iterator

from spark_iceberg_sql.diagnostics import Edit
from spark_iceberg_sql.model.schema import near
from spark_iceberg_sql.model.transforms import BY_SPELLING
from spark_iceberg_sql.rules.repairs.base import (
    CLAUSES,
    KEYWORDS,
    VERBS,
    Repair,
    Spot,
    index_of,
)
from spark_iceberg_sql.syntax.identifiers import quoted
from spark_iceberg_sql.syntax.lexer import STRINGS, Kind, Token


def quotes(spot: Spot) -> Iterator[Repair]:
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


def keyword(spot: Spot) -> Iterator[Repair]:
    """A misspelt keyword."""
    # The grammar may accept a misspelt keyword as a name, and then stops one token later.
    for i in dict.fromkeys((spot.at, spot.at - 1)):
        if not 0 <= i < len(spot.tokens) or spot.tokens[i].kind is not Kind.WORD:
            continue
        token = spot.tokens[i]
        for word in near(token.text, KEYWORDS):
            if word != spot.words[i]:
                yield Repair(
                    f"write `{word}`",
                    (Edit(token.start, token.end, word),),
                    f"`{token.text}` is not a keyword: did you mean `{word}`?",
                )


def separator(spot: Spot) -> Iterator[Repair]:
    """A semicolon before another statement."""
    if 0 < spot.at < len(spot.tokens) and spot.words[spot.at] in VERBS:
        end = spot.tokens[spot.at - 1].end
        word = spot.words[spot.at]
        yield Repair(
            f"write `;` before {word}", (Edit(end, end, ";"),), f"a `;` is missing before {word}"
        )


def comma(spot: Spot) -> Iterator[Repair]:
    """A comma between two fields, between a number and a column, between two columns with their types."""
    if not 0 < spot.at < len(spot.tokens) or spot.words[spot.at] in CLAUSES:
        return
    before, after = spot.tokens[spot.at - 1], spot.tokens[spot.at]
    number = before.kind is Kind.NUMBER and after.kind in (Kind.WORD, Kind.QUOTED)
    kinds = [token.kind for token in spot.tokens[spot.at : spot.at + 2]]
    in_list = spot.words[0] == "CREATE" and not CLAUSES & set(spot.words[: spot.at])
    column = in_list and len(kinds) == 2 and set(kinds) <= {Kind.WORD, Kind.QUOTED}
    if before.text != ")" and not number and not column:
        return
    what = (Edit(before.end, before.end, ","),)
    yield Repair(f"write `,` before `{after.text}`", what, "a comma is missing")


def words(spot: Spot) -> Iterator[Repair]:
    """Two words where one name can stand: a transform without brackets, a name with a blank."""
    if not 0 < spot.at < len(spot.tokens) or spot.words[spot.at] in CLAUSES:
        return
    first, second = spot.tokens[spot.at - 1], spot.tokens[spot.at]
    if first.kind is not Kind.WORD or second.kind not in (Kind.WORD, Kind.QUOTED):
        return
    record = BY_SPELLING.get(first.text.lower())
    if record is not None and record.in_ddl and record.parameter is None:
        clause = record.clause(second.text)
        yield Repair(
            f"write `{clause}`",
            (Edit(first.start, second.end, clause),),
            f"`{first.text}` takes its column in parentheses",
        )
    opening = spot.words[spot.at - 2] if spot.at > 1 else ""
    in_call = spot.at > 4 and spot.words[spot.at - 5].lower() in BY_SPELLING  # bucket(4, my col)
    if second.kind is Kind.WORD and (in_call or opening == "("):
        name = f"`{first.text} {second.text}`"
        yield Repair(
            f"write `` {name} ``, if that is one name",
            (Edit(first.start, second.end, name),),
            "a name with a space needs backticks",
        )


def quoted_names(spot: Spot) -> Iterator[Repair]:
    """Names in quotes: the one at which the parser stops, with its path, or all in the same quotes."""
    sign = spot.tokens[spot.at].text[0]
    last = spot.at
    while spot.words[last + 1 : last + 2] == ["."] and last + 2 < len(spot.tokens):
        last += 2
    first = spot.at
    while first > 1 and spot.words[first - 1] == ".":
        first -= 2
    path = [t for t in spot.tokens[first : last + 1] if t.kind in STRINGS]
    every = [t for t in spot.tokens if t.kind in STRINGS and t.text[0] == sign]
    for tokens in (path, every):
        edits = tuple(Edit(t.start, t.end, _unquoted(t)) for t in tokens)
        if tokens is path:
            names = "".join(
                _unquoted(t) if t.kind in STRINGS else t.text for t in spot.tokens[first : last + 1]
            )
            yield Repair(f"write `{names}`", edits)
        else:
            names = ", ".join(f"`{edit.text}`" for edit in edits[:4])
            yield Repair(f"write the names without quotes: {names}", edits)


def _unquoted(token: Token) -> str:
    return quoted(token.text[1:-1])


def bracket(spot: Spot) -> Iterator[Repair]:
    """A bracket that is opened but not closed."""
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
        if spot.at < len(spot.tokens) and spot.words[spot.at] in VERBS:
            yield Repair(
                f"write `{' '.join(shown.split())};`",
                (Edit(at, at, ")" * len(opened) + ";"),),
                f"{what}, and a `;` is missing before {spot.words[spot.at]}",
            )


def surplus(spot: Spot) -> Iterator[Repair]:
    """A surplus bracket or comma."""
    if spot.at < len(spot.tokens) and spot.words[spot.at] in (")", ","):
        token = spot.tokens[spot.at]
        yield Repair(
            f"remove this `{token.text}`",
            (Edit(token.start, token.end, ""),),
            f"unexpected `{token.text}`",
        )


def if_exists(spot: Spot) -> Iterator[Repair]:
    """IF EXISTS and IF NOT EXISTS left out, and nothing else."""
    count = 3 if spot.words[spot.at + 1 : spot.at + 2] == ["NOT"] else 2
    if spot.words[spot.at + count - 1 : spot.at + count] == ["EXISTS"]:
        yield from _left_out(spot, spot.at, spot.at + count)


def name_of_dropped(spot: Spot) -> Iterator[Repair]:
    """AS and a name behind a field that is dropped, left out."""
    if len(spot.tokens) == spot.at + 2:
        yield from _left_out(spot, spot.at, spot.at + 2)


def _left_out(spot: Spot, first: int, last: int) -> Iterator[Repair]:
    """Remove the tokens from `first` to `last` (exclusive), with the blank before them."""
    start, end = spot.tokens[first - 1].end, spot.tokens[last - 1].end
    if spot.text(start, spot.tokens[first].start).strip():  # a comment, which stays
        start = spot.tokens[first].start
    rest = [token for i, token in enumerate(spot.tokens) if not first <= i < last]
    made = "".join(
        f"{token.text} " if after is not None and token.end < after.start else token.text
        for token, after in zip(rest, [*rest[1:], None], strict=True)
    )
    yield Repair(f"write `{made}`", (Edit(start, end, ""),))


def column_word(spot: Spot) -> Iterator[Repair]:
    """COLUMN before a column's name; COLUMNS before several in brackets."""
    at = spot.node.at[0]
    word = "COLUMNS" if spot.words[spot.at : spot.at + 1] == ["("] else "COLUMN"
    verb = spot.text(spot.context.statement.start, at)
    made = " ".join((verb + f"{word} " + spot.text(at, spot.context.statement.end)).split())
    yield Repair(f"write `{made}`", (Edit(at, at, f"{word} "),))


def partition_column(spot: Spot) -> Iterator[Repair]:
    """ADD COLUMN dt STRING PARTITION."""
    if spot.words[spot.at :] != ["PARTITION"] or "COLUMN" not in spot.words[: spot.at]:
        return
    name = spot.tokens[index_of(spot, "COLUMN") or 0].end
    column = next(t.text for t in spot.tokens if t.start >= name)
    start, end = spot.tokens[spot.at - 1].end, spot.context.statement.end
    alter = f"ALTER TABLE {spot.table} ADD PARTITION FIELD {column}"
    yield Repair(
        f"partition by it afterwards: `{alter}`",
        (Edit(start, end, f";\n{alter}"),),
        "ADD COLUMN does not partition",
    )


def time_zone(spot: Spot) -> Iterator[Repair]:
    """TIMESTAMP(6) WITH TIME ZONE."""
    first = max(i for i, word in enumerate(spot.words[: spot.at]) if word == "TIMESTAMP")
    last = next((i for i in range(spot.at, len(spot.words)) if spot.words[i] == "ZONE"), spot.at)
    edit = Edit(spot.tokens[first].start, spot.tokens[last].end, "TIMESTAMP")
    yield Repair("write `TIMESTAMP`", (edit,))
