"""The partition fields that a faulty statement intends, parsed leniently and written as valid DDL.

It accepts any syntax: another engine's, quoted, nested, with the arguments in the wrong order. The result is only used
for help, with the user's own columns; it is None if the text cannot be interpreted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from spark_iceberg_sql.model.transforms import BY_SPELLING, BY_SUFFIX, DATE, HASH
from spark_iceberg_sql.rules.transform_inference import infer_transform, pick_parameter
from spark_iceberg_sql.syntax.brackets import between_commas
from spark_iceberg_sql.syntax.identifiers import quoted
from spark_iceberg_sql.syntax.lexer import NAME_KINDS, STRINGS, Token, TokenKind, tokenize

_BRACKETS = "()[]<>"
_TIMES = frozenset({"DATE", "TIMESTAMP", "TIMESTAMP_NTZ", "DATETIME"})
# Words that appear among arguments and are not columns.
_NOT_COLUMNS = frozenset({*_TIMES, "AS", "INTERVAL", "INTO", "BUCKETS", "STRING", "INT", "BIGINT"})
# Words of clauses and orders, and units of time.
_INSIGNIFICANT_WORDS = frozenset({
    *_NOT_COLUMNS, "ADD", "ALTER", "ARRAY", "BY", "COLUMN", "COLUMNS", "DROP", "FIELD", "FIELDS",
    "ON", "PARTITION", "PARTITIONED", "PARTITIONED_BY", "PARTITIONING", "PROPERTIES", "SET",
    "SPEC", "TABLE", "WITH", "ASC", "DESC", "NULLS", "FIRST", "LAST", "RENAME", "REPLACE", "TO",
    *(name.upper() for name, t in BY_SPELLING.items() if t.granularity is not None),
})  # fmt: skip
_SUFFIX_ALTERNATIVES = "|".join(suffix for suffix, transform in BY_SUFFIX.items() if transform.in_ddl)
_SUFFIX = re.compile(rf"(\w+)_(?:({_SUFFIX_ALTERNATIVES})(?:_(\d+))?)")


def parse_fields(tokens: Sequence[Token]) -> list[str] | None:
    """The fields of a list, as DDL writes them; None if any of them cannot be interpreted."""
    tokens = without_brackets([token for token in tokens if token.kind is not TokenKind.STRAY])
    clauses = [_parse_field(item) for item in list_items(tokens) if item]
    return [text for text in clauses if text] if clauses and all(clauses) else None


def field_of_name(name: str) -> str | None:
    """The transform implied by Iceberg's default field name: `ts_day` is days(ts)."""
    match = _SUFFIX.fullmatch(name)
    if match is None:
        return None
    column, suffix, number = match.groups()
    return BY_SUFFIX[suffix].clause(column, int(number) if number else None)


def without_brackets(tokens: list[Token]) -> list[Token]:
    """The tokens without the brackets that enclose them all."""
    opened: list[int] = []
    closes: dict[int, int] = {}
    for index, token in enumerate(tokens):
        if token.text in _BRACKETS[::2]:
            opened.append(index)
        elif token.text in _BRACKETS[1::2] and opened:
            closes[opened.pop()] = index
    depth = 0
    # A pair encloses everything if its closing bracket is as far from the end as the opening one from the start.
    while closes.get(depth) == len(tokens) - 1 - depth:
        depth += 1
    return tokens[depth : len(tokens) - depth]


def list_items(tokens: Sequence[Token]) -> list[list[Token]]:
    """The tokens between top-level commas."""
    return between_commas(tokens, _BRACKETS)


def _parse_field(tokens: list[Token]) -> str | None:
    if len(tokens) == 1 and tokens[0].kind in STRINGS:
        inner_fields = parse_fields(_significant_tokens(tokens[0].text[1:-1]))
        return ", ".join(inner_fields) if inner_fields else None
    columns = list(_columns(tokens))
    if not columns:
        return None
    column = columns[0]
    call = next((t.text for t, next_text in _words_with_next_text(tokens) if next_text == "("), None)
    numbers = [int(digits[1]) for t in tokens if (digits := re.fullmatch(r"'?(\d{1,9})\w?'?", t.text))]
    if call is None:
        has_modulo = "%" in [t.text for t in tokens] and numbers
        return HASH.clause(column, numbers[0]) if has_modulo else column
    if call.upper() in ("CAST", "TRY_CAST"):
        return DATE.clause(column) if tokens[-2].text.upper() in _TIMES else column
    inferred_transform = infer_transform(call, [token.text for token in tokens[1:]])
    if inferred_transform is None:
        return None
    computed = not {"+", "-", "*", "/"}.isdisjoint(token.text for token in tokens)
    # `bucket(8 + 8, id)` has no certain number.
    is_number_certain = not inferred_transform.is_misspelling or (len(set(numbers)) == 1 and not computed)
    return inferred_transform.transform.clause(
        column, pick_parameter(inferred_transform.transform, numbers if is_number_certain else [])
    )


def lost_words(tokens: Sequence[Token], new_text: str) -> set[str]:
    """Columns, names, numbers and words inside strings that the tokens have and the new text lacks.

    Function names may be lost, as may the words that identify the transform.
    """
    return _content_words(tokens) - _content_words(_significant_tokens(new_text))


def loses_content(tokens: Sequence[Token], new_text: str) -> bool:
    """True if anything other than a number is lost, so that the new text means something else."""
    return not all(word.isdigit() for word in lost_words(tokens, new_text))


def _content_words(tokens: Sequence[Token]) -> set[str]:
    content: set[str] = set()
    for token, next_text in _with_next_text(tokens):
        text = token.text
        if token.kind in STRINGS or token.kind is TokenKind.QUOTED:
            inner_text = text[1:-1] if token.kind in STRINGS else text.strip("`")
            content |= _content_words(_significant_tokens(inner_text))
        elif token.kind is TokenKind.WORD and next_text != "(" and text.upper() not in _INSIGNIFICANT_WORDS:
            content.add(text.lower())
        elif number := re.match(r"\d+", text):
            content.add(number[0])
    return content


def _significant_tokens(text: str) -> list[Token]:
    return [token for token in tokenize(text) if token.kind not in (TokenKind.SPACE, TokenKind.COMMENT)]


def _with_next_text(tokens: Sequence[Token]) -> Iterator[tuple[Token, str]]:
    """Each token with the text of the one after it."""
    for index, token in enumerate(tokens, 1):
        yield token, tokens[index].text if index < len(tokens) else ""


def _words_with_next_text(tokens: Sequence[Token]) -> Iterator[tuple[Token, str]]:
    for token, next_text in _with_next_text(tokens):
        if token.kind in NAME_KINDS:
            yield token, next_text


def _columns(tokens: Sequence[Token]) -> Iterator[str]:
    """Every dotted name that is neither a function nor a keyword; a string if there is no other."""
    previous_path = ""
    path = ""
    units = _units(tokens)
    for token, next_text in _words_with_next_text(tokens):
        text = token.text
        can_be_column = token.kind is TokenKind.QUOTED or text.upper() not in _NOT_COLUMNS
        if path and next_text == "(":  # a.bucket(...): a call
            path = ""
            continue
        if not path and (next_text == "(" or not can_be_column or text.lower() in units):
            continue
        path += text if token.kind is TokenKind.QUOTED else quoted(text)
        if next_text == ".":
            path += "."
            continue
        yield path
        previous_path, path = path, ""
    if not previous_path:
        for token in tokens:
            if token.kind in STRINGS and re.fullmatch(r"[A-Za-z_]\w*", token.text[1:-1]):
                yield token.text[1:-1]


def _units(tokens: Sequence[Token]) -> set[str]:
    """The bare words among arguments that name a time unit, if another word can be the column."""
    bare_words = [t.text.lower() for t, next_text in _words_with_next_text(tokens) if next_text != "("]
    units = {text for text in bare_words if getattr(BY_SPELLING.get(text), "granularity", None) is not None}
    return units if set(bare_words) - units else set()
