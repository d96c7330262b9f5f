"""The partition fields that a faulty statement intends, parsed leniently and written as valid DDL.

It accepts any syntax: another engine's, quoted, nested, with the arguments in the wrong order. The result
is only used for help, with the user's own columns; it is None if the text cannot be interpreted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from spark_iceberg_sql.model.transforms import BY_SPELLING, BY_SUFFIX, DATE, HASH
from spark_iceberg_sql.rules.meant_transform import meant, parameter
from spark_iceberg_sql.syntax.brackets import between_commas
from spark_iceberg_sql.syntax.identifiers import quoted
from spark_iceberg_sql.syntax.lexer import STRINGS, Kind, Token, tokenize

_BRACKETS = "()[]<>"
_TIMES = frozenset({"DATE", "TIMESTAMP", "TIMESTAMP_NTZ", "DATETIME"})
# Words that appear among arguments and are not columns.
_NOT_COLUMNS = frozenset({*_TIMES, "AS", "INTERVAL", "INTO", "BUCKETS", "STRING", "INT", "BIGINT"})
# Words of clauses and orders, and units of time.
_SAYING_NOTHING = frozenset({
    *_NOT_COLUMNS, "ADD", "ALTER", "ARRAY", "BY", "COLUMN", "COLUMNS", "DROP", "FIELD", "FIELDS",
    "ON", "PARTITION", "PARTITIONED", "PARTITIONED_BY", "PARTITIONING", "PROPERTIES", "SET",
    "SPEC", "TABLE", "WITH", "ASC", "DESC", "NULLS", "FIRST", "LAST", "RENAME", "REPLACE", "TO",
    *(name.upper() for name, t in BY_SPELLING.items() if t.granularity is not None),
})  # fmt: skip
_NAMED = "|".join(suffix for suffix, transform in BY_SUFFIX.items() if transform.in_ddl)
_SUFFIX = re.compile(rf"(\w+)_(?:({_NAMED})(?:_(\d+))?)")


def fields(tokens: Sequence[Token]) -> list[str] | None:
    """The fields of a list, as DDL writes them; None if any of them cannot be interpreted."""
    tokens = unwrapped([token for token in tokens if token.kind is not Kind.STRAY])
    found = [_field(item) for item in items(tokens) if item]
    return [text for text in found if text] if found and all(found) else None


def field_of_name(name: str) -> str | None:
    """The transform implied by Iceberg's default field name: `ts_day` is days(ts)."""
    match = _SUFFIX.fullmatch(name)
    if match is None:
        return None
    column, suffix, number = match.groups()
    return BY_SUFFIX[suffix].clause(column, int(number) if number else None)


def unwrapped(tokens: list[Token]) -> list[Token]:
    """The tokens without the brackets that enclose them all."""
    opened: list[int] = []
    closes: dict[int, int] = {}
    for at, token in enumerate(tokens):
        if token.text in _BRACKETS[::2]:
            opened.append(at)
        elif token.text in _BRACKETS[1::2] and opened:
            closes[opened.pop()] = at
    outer = 0
    # A pair encloses everything if its closing bracket is as far from the end as the opening one from the
    # start.
    while closes.get(outer) == len(tokens) - 1 - outer:
        outer += 1
    return tokens[outer : len(tokens) - outer]


def items(tokens: Sequence[Token]) -> list[list[Token]]:
    """The tokens between top-level commas."""
    return between_commas(tokens, _BRACKETS)


def _field(tokens: list[Token]) -> str | None:
    if len(tokens) == 1 and tokens[0].kind in STRINGS:
        inside = fields([t for t in tokenize(tokens[0].text[1:-1]) if _counts(t)])
        return ", ".join(inside) if inside else None
    columns = list(_columns(tokens))
    if not columns:
        return None
    column = columns[0]
    call = next((t.text for t, after in _pairs(tokens) if after == "("), None)
    numbers = [
        int(digits[1]) for t in tokens if (digits := re.fullmatch(r"'?(\d{1,9})\w?'?", t.text))
    ]
    if call is None:
        remainder = "%" in [t.text for t in tokens] and numbers
        return HASH.clause(column, numbers[0]) if remainder else column
    if call.upper() in ("CAST", "TRY_CAST"):
        return DATE.clause(column) if tokens[-2].text.upper() in _TIMES else column
    found = meant(call, [token.text for token in tokens[1:]])
    if found is None:
        return None
    computed = not {"+", "-", "*", "/"}.isdisjoint(token.text for token in tokens)
    sure = len(set(numbers)) == 1 and not computed  # bucket(8 + 8, id) has no certain number
    sure = sure or not found.slip
    return found.record.clause(column, parameter(found.record, numbers if sure else []))


def lost(tokens: Sequence[Token], made: str) -> set[str]:
    """Columns, names, numbers and words inside strings that the tokens have and the new text lacks.

    Function names may be lost, as may the words that identify the transform.
    """
    return _said(tokens) - _said([token for token in tokenize(made) if _counts(token)])


def loses(tokens: Sequence[Token], made: str) -> bool:
    """True if anything other than a number is lost, so that the new text means something else."""
    return not all(word.isdigit() for word in lost(tokens, made))


def _said(tokens: Sequence[Token]) -> set[str]:
    said: set[str] = set()
    for token, after in _followed(tokens):
        text = token.text
        if token.kind in STRINGS:
            inside = [t for t in tokenize(text[1:-1]) if _counts(t)]
            said |= _said(inside)
        elif token.kind is Kind.QUOTED:
            said |= _said([t for t in tokenize(text.strip("`")) if _counts(t)])
        elif token.kind is Kind.WORD and after != "(" and text.upper() not in _SAYING_NOTHING:
            said.add(text.lower())
        elif number := re.match(r"\d+", text):
            said.add(number[0])
    return said


def _counts(token: Token) -> bool:
    return token.kind not in (Kind.SPACE, Kind.COMMENT)


def _followed(tokens: Sequence[Token]) -> Iterator[tuple[Token, str]]:
    """Each token with the text of the one after it."""
    for number, token in enumerate(tokens, 1):
        yield token, tokens[number].text if number < len(tokens) else ""


def _pairs(tokens: Sequence[Token]) -> Iterator[tuple[Token, str]]:
    for token, after in _followed(tokens):
        if token.kind in (Kind.WORD, Kind.QUOTED):
            yield token, after


def _columns(tokens: Sequence[Token]) -> Iterator[str]:
    """Every dotted name that is neither a function nor a keyword; a string if there is no other."""
    before = ""
    path = ""
    units = _units(tokens)
    for token, after in _pairs(tokens):
        text = token.text
        named = token.kind is Kind.QUOTED or text.upper() not in _NOT_COLUMNS
        if path and after == "(":  # a.bucket(...): a call
            path = ""
            continue
        if not path and (after == "(" or not named or text.lower() in units):
            continue
        path += text if token.kind is Kind.QUOTED else quoted(text)
        if after == ".":
            path += "."
            continue
        yield path
        before, path = path, ""
    if not before:
        for token in tokens:
            if token.kind in STRINGS and re.fullmatch(r"[A-Za-z_]\w*", token.text[1:-1]):
                yield token.text[1:-1]


def _units(tokens: Sequence[Token]) -> set[str]:
    """The bare words among arguments that name a time unit, if another word can be the column."""
    bare = [t.text.lower() for t, after in _pairs(tokens) if after != "("]
    units = {
        text for text in bare if getattr(BY_SPELLING.get(text), "granularity", None) is not None
    }
    return units if set(bare) - units else set()
