"""Repairs of typos that any statement may have: quotes, keywords, commas, brackets."""

from __future__ import annotations

from collections.abc import Iterator

from spark_iceberg_sql.diagnostics import Edit
from spark_iceberg_sql.model.transforms import BY_SPELLING
from spark_iceberg_sql.rules.repairs.syntax_error_site import (
    CLAUSES,
    KEYWORDS,
    VERBS,
    Repair,
    SyntaxErrorSite,
    index_of,
)
from spark_iceberg_sql.similar_names import similar_names
from spark_iceberg_sql.syntax.identifiers import quoted
from spark_iceberg_sql.syntax.lexer import NAME_KINDS, STRINGS, Token, TokenKind


def typographic_quotes(site: SyntaxErrorSite) -> Iterator[Repair]:
    """Typographic quotes."""
    stray_tokens = [t for t in site.tokens if t.kind is TokenKind.STRAY and t.text[0] in "“”„‘’‚«»"]
    if stray_tokens:
        edits = tuple(Edit(t.start, t.end, "".join(c for c in t.text if c not in "“”„‘’‚«»")) for t in stray_tokens)
        quoted_text = next((t.text for t in site.tokens if t.start >= stray_tokens[0].end), "the name")
        yield Repair(f"write `{quoted_text}` without it", edits, f"`{stray_tokens[0].text[0]}` is a typographic quote")


def misspelt_keyword(site: SyntaxErrorSite) -> Iterator[Repair]:
    """A misspelt keyword."""
    # The grammar may accept a misspelt keyword as a name, and then stops one token later.
    for i in dict.fromkeys((site.token_index, site.token_index - 1)):
        if not 0 <= i < len(site.tokens) or site.tokens[i].kind is not TokenKind.WORD:
            continue
        token = site.tokens[i]
        for word in similar_names(token.text, KEYWORDS):
            if word != site.keywords[i]:
                yield Repair(
                    f"write `{word}`",
                    (Edit(token.start, token.end, word),),
                    f"`{token.text}` is not a keyword: did you mean `{word}`?",
                )


def missing_semicolon(site: SyntaxErrorSite) -> Iterator[Repair]:
    """A semicolon before another statement."""
    if 0 < site.token_index < len(site.tokens) and site.keywords[site.token_index] in VERBS:
        end = site.tokens[site.token_index - 1].end
        word = site.keywords[site.token_index]
        yield Repair(f"write `;` before {word}", (Edit(end, end, ";"),), f"a `;` is missing before {word}")


def missing_comma(site: SyntaxErrorSite) -> Iterator[Repair]:
    """A comma between two fields, between a number and a column, between two columns with their types."""
    if not 0 < site.token_index < len(site.tokens) or site.keywords[site.token_index] in CLAUSES:
        return
    previous_token, next_token = site.tokens[site.token_index - 1], site.tokens[site.token_index]
    is_number = previous_token.kind is TokenKind.NUMBER and next_token.kind in NAME_KINDS
    token_kinds = [token.kind for token in site.tokens[site.token_index : site.token_index + 2]]
    in_list = site.keywords[0] == "CREATE" and not CLAUSES & set(site.keywords[: site.token_index])
    is_column_list = in_list and len(token_kinds) == 2 and set(token_kinds) <= {TokenKind.WORD, TokenKind.QUOTED}
    if previous_token.text != ")" and not is_number and not is_column_list:
        return
    edits = (Edit(previous_token.end, previous_token.end, ","),)
    yield Repair(f"write `,` before `{next_token.text}`", edits, "a comma is missing")


def adjacent_words(site: SyntaxErrorSite) -> Iterator[Repair]:
    """Two words where one name can stand: a transform without brackets, a name with a blank."""
    if not 0 < site.token_index < len(site.tokens) or site.keywords[site.token_index] in CLAUSES:
        return
    first, second = site.tokens[site.token_index - 1], site.tokens[site.token_index]
    if first.kind is not TokenKind.WORD or second.kind not in NAME_KINDS:
        return
    transform = BY_SPELLING.get(first.text.lower())
    if transform is not None and transform.in_ddl and transform.parameter is None:
        clause = transform.clause(second.text)
        yield Repair(
            f"write `{clause}`",
            (Edit(first.start, second.end, clause),),
            f"`{first.text}` takes its column in parentheses",
        )
    opening = site.keywords[site.token_index - 2] if site.token_index > 1 else ""
    in_call = site.token_index > 4 and site.keywords[site.token_index - 5].lower() in BY_SPELLING  # bucket(4, my col)
    if second.kind is TokenKind.WORD and (in_call or opening == "("):
        name = f"`{first.text} {second.text}`"
        yield Repair(
            f"write `` {name} ``, if that is one name",
            (Edit(first.start, second.end, name),),
            "a name with a space needs backticks",
        )


def quoted_names(site: SyntaxErrorSite) -> Iterator[Repair]:
    """Names in quotes: the one at which the parser stops, with its path, or all in the same quotes."""
    quote_char = site.tokens[site.token_index].text[0]
    last = site.token_index
    while site.keywords[last + 1 : last + 2] == ["."] and last + 2 < len(site.tokens):
        last += 2
    first = site.token_index
    while first > 1 and site.keywords[first - 1] == ".":
        first -= 2
    path_strings = [t for t in site.tokens[first : last + 1] if t.kind in STRINGS]
    all_strings = [t for t in site.tokens if t.kind in STRINGS and t.text[0] == quote_char]
    for tokens in (path_strings, all_strings):
        edits = tuple(Edit(t.start, t.end, _unquoted(t)) for t in tokens)
        if tokens is path_strings:
            names = "".join(_unquoted(t) if t.kind in STRINGS else t.text for t in site.tokens[first : last + 1])
            yield Repair(f"write `{names}`", edits)
        else:
            names = ", ".join(f"`{edit.text}`" for edit in edits[:4])
            yield Repair(f"write the names without quotes: {names}", edits)


def _unquoted(token: Token) -> str:
    return quoted(token.text[1:-1])


def unclosed_bracket(site: SyntaxErrorSite) -> Iterator[Repair]:
    """A bracket that is opened but not closed."""
    open_brackets: list[Token] = []
    for token in site.tokens[: site.token_index]:
        if token.text == "(":
            open_brackets.append(token)
        elif token.text == ")" and open_brackets:
            open_brackets.pop()
    if not open_brackets or not site.token_index:
        return
    column = site.context.text.rfind("\n", 0, open_brackets[-1].start)
    message = f"the bracket at column {open_brackets[-1].start - column} is not closed"
    end = site.tokens[site.token_index - 1].end
    for offset in dict.fromkeys((end, site.tokens[-1].end)):
        edits = (Edit(offset, offset, ")" * len(open_brackets)),)
        closed_text = site.text(open_brackets[0].start, offset) + ")" * len(open_brackets)
        yield Repair(f"write `{' '.join(closed_text.split())}`", edits, message)
        if site.token_index < len(site.tokens) and site.keywords[site.token_index] in VERBS:
            yield Repair(
                f"write `{' '.join(closed_text.split())};`",
                (Edit(offset, offset, ")" * len(open_brackets) + ";"),),
                f"{message}, and a `;` is missing before {site.keywords[site.token_index]}",
            )


def surplus_token(site: SyntaxErrorSite) -> Iterator[Repair]:
    """A surplus bracket or comma."""
    if site.token_index < len(site.tokens) and site.keywords[site.token_index] in (")", ","):
        token = site.tokens[site.token_index]
        yield Repair(f"remove this `{token.text}`", (Edit(token.start, token.end, ""),), f"unexpected `{token.text}`")


def trailing_comma(site: SyntaxErrorSite) -> Iterator[Repair]:
    """A comma before the bracket that ends a list."""
    if site.keywords[site.token_index - 1 : site.token_index + 1] == [",", ")"]:
        comma = site.tokens[site.token_index - 1]
        yield Repair("leave out the last comma", (Edit(comma.start, comma.end, ""),))


def surplus_if_exists(site: SyntaxErrorSite) -> Iterator[Repair]:
    """IF EXISTS and IF NOT EXISTS left out, and nothing else."""
    count = 3 if site.keywords[site.token_index + 1 : site.token_index + 2] == ["NOT"] else 2
    if site.keywords[site.token_index + count - 1 : site.token_index + count] == ["EXISTS"]:
        yield from _without_tokens(site, site.token_index, site.token_index + count)


def surplus_set(site: SyntaxErrorSite) -> Iterator[Repair]:
    """SET or SET DATA before TYPE, left out."""
    yield from _without_tokens(site, site.token_index, site.keywords.index("TYPE", site.token_index))


def surplus_name(site: SyntaxErrorSite) -> Iterator[Repair]:
    """AS and a name behind a field that is dropped, left out."""
    if len(site.tokens) == site.token_index + 2:
        yield from _without_tokens(site, site.token_index, site.token_index + 2)


def _without_tokens(site: SyntaxErrorSite, first: int, last: int) -> Iterator[Repair]:
    """Remove the tokens from `first` to `last` (exclusive), with the blank before them."""
    start, end = site.tokens[first - 1].end, site.tokens[last - 1].end
    if site.text(start, site.tokens[first].start).strip():  # a comment, which stays
        start = site.tokens[first].start
    kept_tokens = [token for i, token in enumerate(site.tokens) if not first <= i < last]
    statement = "".join(
        f"{token.text} " if next_token is not None and token.end < next_token.start else token.text
        for token, next_token in zip(kept_tokens, [*kept_tokens[1:], None], strict=True)
    )
    yield Repair(f"write `{statement}`", (Edit(start, end, ""),))


def missing_column_keyword(site: SyntaxErrorSite) -> Iterator[Repair]:
    """COLUMN before a column's name; COLUMNS before several in brackets."""
    offset = site.node.error_span[0]
    word = "COLUMNS" if site.keywords[site.token_index : site.token_index + 1] == ["("] else "COLUMN"
    verb = site.text(site.context.statement.start, offset)
    statement = " ".join((verb + f"{word} " + site.text(offset, site.context.statement.end)).split())
    yield Repair(f"write `{statement}`", (Edit(offset, offset, f"{word} "),))


def partition_column(site: SyntaxErrorSite) -> Iterator[Repair]:
    """ADD COLUMN dt STRING PARTITION."""
    if site.keywords[site.token_index :] != ["PARTITION"] or "COLUMN" not in site.keywords[: site.token_index]:
        return
    column_keyword_end = site.tokens[index_of(site, "COLUMN") or 0].end
    column = next(t.text for t in site.tokens if t.start >= column_keyword_end)
    start, end = site.tokens[site.token_index - 1].end, site.context.statement.end
    alter = f"ALTER TABLE {site.table} ADD PARTITION FIELD {column}"
    yield Repair(
        f"partition by it afterwards: `{alter}`", (Edit(start, end, f";\n{alter}"),), "ADD COLUMN does not partition"
    )


def plain_new_name(site: SyntaxErrorSite) -> Iterator[Repair]:
    """RENAME COLUMN point.x TO point.y."""
    new_start = site.keywords.index("TO") + 1
    edit = Edit(site.tokens[new_start].start, site.tokens[-1].start, "")
    old_start = site.keywords.index("COLUMN") + 1
    is_same_struct = site.keywords[old_start : new_start - 2] == site.keywords[new_start:-1]
    old_path = "".join(token.text for token in site.tokens[old_start : new_start - 1])
    clause = f"ALTER TABLE {site.table} RENAME COLUMN {old_path} TO {site.tokens[-1].text}"
    yield Repair(f"write `{clause}`; a column stays in its struct", (edit,), is_complete=is_same_struct)


def missing_type_keyword(site: SyntaxErrorSite) -> Iterator[Repair]:
    """ALTER COLUMN id BIGINT."""
    if site.token_index < len(site.tokens):
        offset = site.tokens[site.token_index].start
        first = site.keywords.index("COLUMN")
        clause = f"{site.text(site.tokens[first - 1].start, offset)}TYPE {site.text(offset, site.tokens[-1].end)}"
        yield Repair(f"write `{' '.join(clause.split())}`", (Edit(offset, offset, "TYPE "),))
