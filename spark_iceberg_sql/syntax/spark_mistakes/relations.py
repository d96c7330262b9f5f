"""What stands after FROM: files, table functions and times as other engines write them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from spark_iceberg_sql.model.runtime.write_options import wrong_read_option
from spark_iceberg_sql.syntax.brackets import closing_index
from spark_iceberg_sql.syntax.lexer import NAME_KINDS, STRINGS, Token, TokenKind
from spark_iceberg_sql.syntax.metadata_tables import metadata_table_name
from spark_iceberg_sql.syntax.spark_mistakes.refused_statement import Mistake, MistakeHelp, RefusedStatement

_AFTER_RELATION = frozenset({"WHERE", "GROUP", "ORDER", "JOIN", "LIMIT", "ON", "HAVING", "LEFT", "CROSS", "INNER"})
_FORMATS = ("parquet", "csv", "json", "orc", "avro")


def quoted_file(refused: RefusedStatement) -> MistakeHelp | None:
    """`FROM 'a.parquet'`."""
    for before, token in zip(refused.tokens, refused.tokens[1:], strict=False):
        if before.word in ("FROM", "JOIN") and token.kind in STRINGS:
            help = f"read a file by its path: write {_file(token)}{_header(token)}"
            return MistakeHelp(help, (token.start, token.end, _file(token)))
    return None


def _file(token: Token) -> str:
    """A path in quotes as Spark reads it: by its ending, or as an Iceberg table."""
    path = token.text[1:-1]
    file_format = next((name for name in _FORMATS if re.search(rf"\.{name}(\.gz)?$", path.rstrip("/*"))), None)
    return f"iceberg('{path}')" if file_format is None else f"{file_format}.`{path}`"


def _header(path: Token) -> str:
    """The statement that reads a CSV file whose first line has the names of its columns."""
    name = re.search(r"([A-Za-z_]\w*)\.csv(?:\.gz)?.$", path.text)
    if name is None:
        return ""
    options = f"path {path.text}, header true, inferSchema true"
    view = f"CREATE TEMPORARY VIEW {name[1].lower()} USING csv OPTIONS ({options})"
    return f"; if its first line has the names of the columns, {view}"


def _unnamed_columns(refused: RefusedStatement) -> MistakeHelp | None:
    """A column of FROM csv.`a.csv`, whose columns are `_c0`, `_c1`, ..."""
    if "_c0" not in str(refused.parameters.get("proposal", "_c0")):
        return None
    for i, token in enumerate(refused.tokens[:-3]):
        file_format, dot, path = refused.tokens[i + 1 : i + 4]
        is_file = file_format.word == "CSV" and dot.text == "." and path.kind is TokenKind.QUOTED
        if token.word in ("FROM", "JOIN") and is_file:
            header = _header(Token(TokenKind.STRING, f"'{path.text[1:-1]}'", *path.span)).removeprefix("; ")
            return MistakeHelp(f"the columns of a CSV file are `_c0`, `_c1` and so on{': ' * bool(header)}{header}")
    return None


def reading_function(refused: RefusedStatement) -> MistakeHelp | None:
    """`FROM read_parquet('a.parquet')`."""
    for i, token in enumerate(refused.tokens[:-3]):
        name, (bracket, path, following) = token.text.lower(), refused.tokens[i + 1 : i + 4]
        file_format = name.removeprefix("read_").removesuffix("_auto")
        closing = min(closing_index(refused.tokens, i + 1), len(refused.tokens) - 1)
        end = refused.tokens[closing]
        # Options, such as `header = true`, have no place after a path: the help has the statement for them.
        is_call = bracket.text == "(" and following.text in (")", ",") and path.kind in STRINGS
        if is_call and name.startswith("read_") and file_format in _FORMATS:
            call = f"{file_format}.`{path.text[1:-1]}`"
            help = f"Spark reads a file by its format: write {call}{_header(path)}"
            return MistakeHelp(help, (token.start, end.end, call))
    return None


def at_time(refused: RefusedStatement) -> MistakeHelp | None:
    """`FROM t AT (TIMESTAMP => ...)`."""
    tokens = refused.tokens
    for i, token in enumerate(tokens[:-4]):
        kind = tokens[i + 2].word
        if (token.word, tokens[i + 1].text) != ("AT", "(") or kind not in ("TIMESTAMP", "VERSION", "SNAPSHOT"):
            continue
        end = next((j for j in range(i + 3, len(tokens)) if tokens[j].text == ")"), None)
        start = next((j for j in range(i + 3, len(tokens)) if tokens[j].text not in ("=", ">", "=>", ":")), None)
        if start is not None and end is not None and start < end:
            value = refused.text[tokens[start].start : tokens[end - 1].end]
            clause = f"{'TIMESTAMP' if kind == 'TIMESTAMP' else 'VERSION'} AS OF {value}"
            return MistakeHelp(f"write `{clause}`", (token.start, tokens[end].end, clause))
    return None


def _file_as_table(refused: RefusedStatement) -> MistakeHelp | None:
    """`FROM sales.csv`."""
    for i, token in enumerate(refused.tokens[:-3]):
        name, dot, ending = refused.tokens[i + 1 : i + 4]
        is_file = dot.text == "." and ending.text.lower() in _FORMATS and name.kind in NAME_KINDS
        if token.word in ("FROM", "JOIN") and is_file:
            path = Token(TokenKind.STRING, f"'{refused.text[name.start : ending.end].replace('`', '')}'", *ending.span)
            help = f"if it is a file, write {_file(path)}{_header(path)}"
            return MistakeHelp(help, (name.start, ending.end, _file(path)))
    return None


def _as_of(refused: RefusedStatement) -> MistakeHelp | None:
    """`AS OF TIMESTAMP '...'`."""
    words = refused.words
    for i in range(len(words) - 3):
        kind, value = words[i + 2], refused.tokens[i + 3]
        if words[i : i + 2] == ["AS", "OF"] and kind in ("TIMESTAMP", "VERSION", "SYSTEM_TIME"):
            clause = f"{'VERSION' if kind == 'VERSION' else 'TIMESTAMP'} AS OF {value.text}"
            is_value = value.kind in (*STRINGS, TokenKind.NUMBER)
            edit = (refused.tokens[i].start, value.end, clause) if is_value else None
            return MistakeHelp(f"write `{clause if is_value else f'{kind} AS OF ...'}`", edit)
    return None


def _version(refused: RefusedStatement) -> MistakeHelp | None:
    """`FROM t@v1`, and a query after VERSION AS OF."""
    words = refused.words
    for i in range(1, len(words) - 1):
        is_version = words[i] == "@" and refused.tokens[i].start == refused.tokens[i - 1].end
        if is_version or (words[i - 2 : i] == ["AS", "OF"] and words[i : i + 2] == ["(", "SELECT"]):
            start = max((j + 1 for j in range(i) if words[j] in ("FROM", "JOIN")), default=None)
            table = refused.source(start, refused.name_end(start)) if start is not None else "t"
            name = tuple(table.replace("`", "").split("."))
            snapshots = metadata_table_name(name, "snapshots", refused.full_name)
            help = "write `VERSION AS OF` and the id of a snapshot, or the name of a branch or a tag in quotes"
            return MistakeHelp(f"{help}; `SELECT * FROM {snapshots}` lists the ids")
    return None


def _unnest(refused: RefusedStatement) -> MistakeHelp | None:
    """`FROM t, UNNEST(a) AS e`, and `LATERAL FLATTEN(input => a) f` of Snowflake."""
    for i, token in enumerate(refused.tokens[1:-2], 1):
        closing = closing_index(refused.tokens, i + 1)
        is_call = refused.tokens[i + 1].text == "(" and closing < len(refused.tokens)
        if token.word not in ("UNNEST", "FLATTEN") or not is_call:
            continue
        alias = closing + (2 if refused.words[closing + 1 : closing + 2] == ["AS"] else 1)
        is_name = alias < len(refused.tokens) and refused.tokens[alias].kind in NAME_KINDS
        has_alias = is_name and refused.words[alias] not in _AFTER_RELATION
        last = refused.tokens[alias if has_alias else closing]
        arguments = re.sub(r"^input\s*=>\s*", "", refused.source(i + 2, closing), flags=re.IGNORECASE)
        if token.word == "FLATTEN":
            clause = f"LATERAL VIEW explode({arguments}) {last.text if has_alias else 'f'} AS value"
            start = i - 1 if refused.words[i - 1] == "LATERAL" else i
            has_comma = refused.words[start - 1] == ","
            edit_start = refused.tokens[start - has_comma].start
            return MistakeHelp(f"write `{clause}`", (edit_start, last.end, f"{' ' if has_comma else ''}{clause}"))
        if refused.words[i - 1] == "LATERAL":
            return None
        clause, end = f"LATERAL explode({arguments})", refused.tokens[closing].end
        if has_alias and refused.words[alias + 1 : alias + 2] != ["("]:
            clause, end = f"{clause} AS elements({last.text})", last.end
        return MistakeHelp(f"write `{clause}`", (token.start, end, clause), token.span)
    return None


def options_hint(refused: RefusedStatement) -> MistakeHelp | None:
    """`/*+ OPTIONS('split-size' = '1') */` of Flink; with commas, Spark reads the hint and ignores it."""
    for i, words in enumerate(zip(refused.words, refused.words[1:], refused.words[2:], strict=False)):
        if words[1:] != ("OPTIONS", "(") or not is_in_hint(refused.words, i + 1):
            continue
        closing = min(closing_index(refused.tokens, i + 2), len(refused.tokens) - 1)
        strings = [token.text for token in refused.tokens[i + 3 : closing] if token.kind in STRINGS]
        pairs = ", ".join(f"{key} = {value}" for key, value in zip(strings[::2], strings[1::2], strict=False))
        start = next((n + 1 for n, word in enumerate(refused.words) if word in ("FROM", "INTO", "TABLE")), None)
        table = refused.source(start, refused.name_end(start)) if start is not None else ""
        end = min(closing + 1, len(refused.tokens) - 1)
        is_whole = words[0] == "/*+"
        span = (refused.tokens[i if is_whole else i + 1].start, refused.tokens[end if is_whole else closing].end)
        help = f"write the options behind the table, for Spark 4: `{table or 't'} WITH ({pairs})`"
        names = [string[1:-1].lower() for string in strings[::2]]
        if len(strings) == 2 and names[0] in _TIME_TRAVEL:
            help = f"write `{table or 't'} {_TIME_TRAVEL[names[0]]} AS OF {_travel_value(names[0], strings[1])}`"
        return MistakeHelp(help, None, span, "Spark has no hint OPTIONS")
    return None


def _travel_value(name: str, text: str) -> str:
    """A snapshot's id is a number; the milliseconds of a time are one, too, and are written as a time."""
    value = text[1:-1]
    if name == "as-of-timestamp" and value.isdigit():
        return f"timestamp_millis({value})"
    return value if value.isdigit() else f"'{value}'"


def is_in_hint(keywords: Sequence[str], index: int) -> bool:
    """True if a word stands in `/*+ ... */`."""
    before = [keyword for keyword in keywords[:index] if keyword in ("/*+", "*/")]
    return before[-1:] == ["/*+"]


def _wrong_option(refused: RefusedStatement) -> MistakeHelp | None:
    """`FROM t WITH ('split-size' = '128MB')`."""
    for key, sign, value in zip(refused.tokens, refused.tokens[1:], refused.tokens[2:], strict=False):
        if key.kind in STRINGS and sign.text == "=" and value.kind in STRINGS:
            wrong = wrong_read_option(key.text[1:-1], value.text[1:-1])
            if wrong is not None and wrong.is_refused:
                return MistakeHelp(wrong.help, None, value.span, wrong.reason)
    return None


_TIME_TRAVEL = {
    "snapshot-id": "VERSION", "versionasof": "VERSION", "branch": "VERSION", "tag": "VERSION",
    "as-of-timestamp": "TIMESTAMP", "timestampasof": "TIMESTAMP",
}  # fmt: skip
SYNTAX: tuple[Mistake, ...] = (options_hint, quoted_file, at_time, _as_of, _version, _unnest)
UNRESOLVED: dict[str, tuple[Mistake, ...]] = {
    "UNRESOLVABLE_TABLE_VALUED_FUNCTION": (reading_function,),
    "MISSING_CATALOG_ABILITY": (reading_function,),
    "NumberFormatException": (_wrong_option,),
    "TABLE_OR_VIEW_NOT_FOUND": (_file_as_table,),
    "UNRESOLVED_COLUMN": (_unnest, _unnamed_columns),
}
