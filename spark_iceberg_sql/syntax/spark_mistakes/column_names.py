"""Names of columns that need backticks, texts without quotes, and aliases that a clause cannot use."""

from __future__ import annotations

import re

from spark_iceberg_sql.similar_names import WORD, similar_name
from spark_iceberg_sql.syntax.identifiers import backticked, quoted
from spark_iceberg_sql.syntax.lexer import NAME_KINDS, TokenKind
from spark_iceberg_sql.syntax.spark_mistakes.refused_statement import Mistake, MistakeHelp, RefusedStatement

_COMPARISONS = frozenset({"=", "==", "<>", "!=", "LIKE", "ILIKE", "IN"})
_AFTER_RELATION = frozenset({
    "ON", "JOIN", "WHERE", "GROUP", "ORDER", "LIMIT", "USING", "LEFT", "RIGHT", "FULL", "INNER", "CROSS", "HAVING",
})  # fmt: skip
_AFTER_WHERE = ("GROUP", "HAVING", "ORDER", "SORT", "CLUSTER", "DISTRIBUTE", "LIMIT", "WINDOW", "UNION", ";")


def _unquoted_name(refused: RefusedStatement) -> MistakeHelp | None:
    """`Ship Mode` and `Sub-Category`, which are two names to Spark."""
    if refused.words[0] in ("DELETE", "UPDATE", "MERGE", "INSERT", "CREATE"):
        return None  # what is written, or filtered for it, is not guessed
    statement = refused.text[refused.tokens[0].start : refused.tokens[-1].end]
    offset = refused.tokens[0].start
    starts = {token.start: token for token in refused.tokens}
    ends = {token.end for token in refused.tokens}
    for column in sorted(refused.columns(), key=len, reverse=True):
        if quoted(column) == column or not re.search(r"[\s-]", column):
            continue
        pattern = re.compile(rf"(?<![\w`.]){re.escape(column)}(?![\w`])", re.IGNORECASE)
        spans = [
            (offset + match.start(), offset + match.end())
            for match in pattern.finditer(statement)
            if offset + match.start() in starts
            and starts[offset + match.start()].kind is TokenKind.WORD
            and offset + match.end() in ends
        ]
        if not spans:
            continue
        name = backticked(column).replace("\\", r"\\")
        replacement = pattern.sub(name, refused.text[spans[0][0] : spans[-1][1]])
        help = f"a name with a space or a sign needs backticks: write `` {backticked(column)} ``"
        return MistakeHelp(help, (spans[0][0], spans[-1][1], replacement), spans[0])
    return None


def _missing_name(refused: RefusedStatement) -> list[str]:
    return re.findall(r"`((?:[^`]|``)*)`", str(refused.parameters.get("objectName", "")))


def _index(refused: RefusedStatement) -> int | None:
    return next((i for i, token in enumerate(refused.tokens) if token.start == refused.span[0]), None)


def _unknown_relation(refused: RefusedStatement) -> MistakeHelp | None:
    """`a.city` where no table is called `a`."""
    parts = _missing_name(refused)
    if len(parts) != 2 or refused.words.count("SELECT") != 1 or refused.words[0] != "SELECT":
        return None
    names = _relations(refused)
    columns = {column.lower() for column in refused.columns()}
    if not names or parts[0].lower() in {name.lower() for name in names} or parts[0].lower() in columns:
        return None
    listed = ", ".join(f"`{name}`" for name in names)
    plural = "the tables are" if len(names) > 1 else "the table is"
    return MistakeHelp(f"no table or alias is called `{parts[0]}`: {plural} {listed}")


def _relations(refused: RefusedStatement) -> list[str]:
    """The names by which the columns of a query's tables can be qualified; none if that is not certain."""
    names: list[str] = []
    index = 0
    while index < len(refused.tokens):
        if refused.words[index] in ("FROM", "JOIN") or (names and refused.tokens[index].text == ","):
            end = refused.name_end(index + 1)
            if end == index + 1:
                return []
            last = end - 1
            if refused.words[end : end + 1] == ["AS"] and end + 1 < len(refused.tokens):
                last = end + 1
            elif end < len(refused.tokens) and refused.tokens[end].kind in NAME_KINDS:
                last = end - 1 if refused.words[end] in _AFTER_RELATION else end
            names.append(refused.tokens[last].text.strip("`"))
            index = last
        elif names and refused.words[index] in ("WHERE", "GROUP", "ORDER", "LIMIT", "HAVING"):
            break
        index += 1
    return names


def _unquoted_text(refused: RefusedStatement) -> MistakeHelp | None:
    """`region = South`, and the values of PIVOT."""
    parts, index = _missing_name(refused), _index(refused)
    if len(parts) != 1 or index is None or index < 2 or refused.words[0] not in ("SELECT", "WITH", "FROM"):
        return None
    before = refused.words[index - 1]
    is_in_list = before in ("(", ",") and "IN" in refused.words[max(0, index - 6) : index]
    if not (before in _COMPARISONS or is_in_list) or refused.tokens[index].kind not in NAME_KINDS:
        return None
    if similar_name(parts[0], refused.columns(), WORD) is not None:
        return None  # a misspelt column is more probable
    if not is_in_list:
        text = f"'{parts[0]}'"
        return MistakeHelp(f"a text is in quotes: write `{text}`", (*refused.span, text))
    end = next((i for i in range(index, len(refused.tokens)) if refused.tokens[i].text == ")"), index + 1)
    words = [refused.tokens[i] for i in range(index, end) if refused.tokens[i].kind in NAME_KINDS]
    replacement = ", ".join(f"'{token.text.strip('`')}'" for token in words)
    is_plain = len(words) * 2 - 1 == end - index
    edit = (refused.span[0], refused.tokens[end - 1].end, replacement) if is_plain else None
    return MistakeHelp(f"texts are in quotes: write `{replacement if is_plain else repr(parts[0])}`", edit)


def _alias_in_where(refused: RefusedStatement) -> MistakeHelp | None:
    """`SELECT row_number() OVER (...) AS rn ... WHERE rn = 1`."""
    parts, where, source = _missing_name(refused), refused.clause("WHERE"), refused.clause("FROM")
    if len(parts) != 1 or where is None or source is None or refused.words.count("SELECT") != 1:
        return None
    index = _index(refused)
    aliases = [
        i
        for i in range(2, source)
        if refused.words[i - 1] == "AS" and refused.tokens[i].text.strip("`").lower() == parts[0].lower()
    ]
    if not aliases or index is None or index < where or refused.words[0] != "SELECT":
        return None
    fact = f"WHERE cannot use `{parts[0]}`, an alias of the same SELECT"
    end = refused.clause_end(where, _AFTER_WHERE)
    condition = refused.source(where + 1, end)
    is_simple = re.fullmatch(rf"`?{re.escape(parts[0])}`?\s*[<>=!]+\s*[\w.']+", condition, re.IGNORECASE) is not None
    # Of several conditions, one may need a column that the subquery does not return.
    if not is_simple or end < len(refused.tokens):
        return MistakeHelp("filter by it outside: SELECT * FROM (SELECT ...) WHERE ...", None, None, fact)
    statement = f"SELECT * FROM ({refused.source(0, where)}) WHERE {condition}"
    edit = (refused.tokens[0].start, refused.tokens[-1].end, statement)
    return MistakeHelp("filter by it outside of a subquery", edit, None, fact)


def _ambiguous(refused: RefusedStatement) -> MistakeHelp | None:
    """A column of two tables."""
    candidates = re.findall(r"`[^,\]]+`", str(refused.parameters.get("referenceNames", "")))
    names = [".".join(quoted(part) for part in re.findall(r"`((?:[^`]|``)*)`", c)) for c in candidates]
    return MistakeHelp(f"say which: write {' or '.join(f'`{name}`' for name in names)}") if len(names) > 1 else None


def _field(refused: RefusedStatement) -> MistakeHelp | None:
    """A field that a struct does not have."""
    name = str(refused.parameters.get("fieldName", "")).strip("`")
    fields = re.findall(r"`([^`]*)`", str(refused.parameters.get("fields", "")))
    similar = similar_name(name, fields)
    if similar is None:
        return None
    start, end = refused.span
    offset = refused.text[start:end].find(f".{name}") + 1
    edit = (start + offset, start + offset + len(name), quoted(similar)) if offset else None
    return MistakeHelp(f"write `{similar}`", edit if refused.words[0] in ("SELECT", "WITH") else None)


NAMES: dict[str, tuple[Mistake, ...]] = {
    "PARSE_SYNTAX_ERROR": (_unquoted_name,),
    "UNRESOLVED_COLUMN": (_unquoted_name, _alias_in_where, _unknown_relation, _unquoted_text),
    "AMBIGUOUS_REFERENCE": (_ambiguous,),
    "FIELD_NOT_FOUND": (_field,),
}
