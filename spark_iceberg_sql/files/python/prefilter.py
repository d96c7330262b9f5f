"""Whether a program may contain SQL, by its text alone: most programs need not be parsed.

A program is left unparsed only if no reader of this folder can find SQL in it, or a call to report. `_SIGNS` lists what
the text must contain for each of them; the readers take the names of the calls from here. A name is searched for as
Python normalizes it, and cannot be composed. The text of a literal can, by escapes or by joined literals.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from spark_iceberg_sql.files.databricks import SQL_MAGICS
from spark_iceberg_sql.lazy import cached_property, regex

# Methods and functions that take SQL expressions; the first two may filter a table.
FILTER_METHODS = ("filter", "where")
EXPRESSION_METHODS = (*FILTER_METHODS, "expr", "selectExpr")
# Methods and Airflow's operators that pass SQL to an engine which may be another one than Spark.
EXECUTE_METHODS = ("execute", "executemany")
OTHER_OPERATORS = ("SQLExecuteQueryOperator", "HiveOperator", "BaseSQLOperator")
SPARK_OPERATOR = "SparkSqlOperator"
# IPython's calls for magics: the argument that is the SQL of a SQL magic.
MAGIC_CALLS = {"run_line_magic": "line", "run_cell_magic": "cell"}
# The setting that decides how the rest of a program is checked.
_CASE_SETTING = "spark.sql.caseSensitive"
CASE_SENSITIVE = regex(re.escape(_CASE_SETTING), re.IGNORECASE)
# Keyword arguments of `.sql(...)` that are SQL.
SQL_ARGUMENTS = ("sqlQuery", "text")

# Keyword arguments that are values and have no SQL.
_NAMED_VALUE = rf"""(?!(?:{"|".join(SQL_ARGUMENTS)})\b)\w+\s*=\s*(?:[\w.]+|"[^"\\\n]*"|'[^'\\\n]*')\s*"""
# What follows an attribute in an expression, if a word does; any other word is prose: `the file a.sql must exist`.
_WORD_OPERATORS = "if|else|for|in|and|or|is|not|as|async|from"
# An attribute `sql`: a line end or a comment may follow its dot. It is none of a session if a quote follows (the end of
# a file name), `import`, another attribute, or a call without positional arguments: `expression.sql(dialect="spark")`.
_SQL_ATTRIBUTE = regex(
    r"(?:\.|#[^\r\n#]*[\r\n])[\s\\]*sql\b"
    rf"""(?!['"]|\.[a-zA-Z]|\s+import\b|\s*=(?!=)|\s*\((?:\s*{_NAMED_VALUE},)*\s*(?:{_NAMED_VALUE})?\)"""
    rf"|[ \t]+(?!(?:{_WORD_OPERATORS})\b)\w)"
)
# The same without its context. A pattern that begins with a word is searched for in a fraction of the time.
_SQL_NAME = regex(r"sql(?<=[.\s\\]sql)\b")
# A `getattr` whose second argument is not certainly another name.
_GETATTR = regex(r"""getattr(?!\s*\(\s*[\w.]+\s*,\s*(['"])(?!sql\1)\w+\1\s*[,)])""")
# A DataFrame whose columns may be known.
_DATAFRAME = regex(r"createDataFrame|(?:\.|#[^\r\n#]*[\r\n])[\s\\]*table[\s\\]*[(#]")
# This package's function `sql`.
_PACKAGE_FUNCTION = regex(r"(?<![\w.-])sql\b(?!['\"])")
_DATABRICKS_CELL = regex(r"MAGIC[ \t]*%")
# A character of a literal that is written by its code, or a line end that a literal leaves out of a word.
_CODED_CHARACTER = regex(r"\\(?:[xuUN]|[0-7]{2}|(?<=\w\\)[\r\n]+\w)")
# Characters that are equal to `s`, `i` and `k` if case is ignored.
_FOLDED_CHARACTER = regex("[\u017f\u0130\u0131\u212a]")
_BLANKS = r"(?:\s|\\.)*"  # in a literal, some of them as escapes
_QUOTE = "['\"]"
# Between two literals that Python joins without an operator, and the quotes around it.
_ADJACENT = rf"{_QUOTE}+(?:[\s()\\]|#[^\r\n]*[\r\n])*\w{{0,2}}{_QUOTE}"


class _Phrase:
    """Words in literals with blanks between them, in lower case.

    start, end: patterns of what encloses them. is_joined: the readers join literals and names by operators, too, and
    not only adjacent literals. Of a phrase that is cut, one literal ends with a beginning of the phrase, and another
    one begins with an end of it.
    """

    def __init__(self, *words: str, start: str = "", end: str = "", is_joined: bool = False) -> None:
        first, *others = [part for word in words for part in (_BLANKS, *word)][1:]
        heads = "|".join("".join(others[:index]) for index in range(len(others)))
        tails = "|".join("".join(others[index:]) for index in range(len(others)))
        whole = _beginning(words[0], start) + "".join(others[len(words[0]) - 1 :]) + end
        head = f"{_beginning(first, start)}(?:{heads}){_BLANKS}{_QUOTE if is_joined else _ADJACENT}"
        self._whole, self._head = regex(whole, re.DOTALL), regex(head, re.DOTALL)
        self._tail = regex(f"{_QUOTE}{_BLANKS}(?:{tails}){end}", re.DOTALL) if is_joined else None

    def may_be_in(self, text: str) -> bool:
        """True if literals of a program may contain the phrase. text: the program, in lower case."""
        if self._whole.search(text) is not None:
            return True
        return self._head.search(text) is not None and (self._tail is None or self._tail.search(text) is not None)


def _beginning(letters: str, start: str) -> str:
    """The first letters of a phrase; that a word begins with them, also after `\\n` or `%2s`, is tested after them."""
    return start + letters if start else rf"{letters}(?:(?<=\W{letters})|(?<=[\\%)\d+-]\w{letters}))"


class _Sign(NamedTuple):
    """What the text of a program contains if a reader can find something in it.

    names: one of these. calls: a call of one of these functions. patterns: a match of each of these among the names.
    phrases: one of these in literals.
    """

    names: tuple[str, ...] = ()
    calls: tuple[re.Pattern[str], ...] = ()
    patterns: tuple[re.Pattern[str], ...] = ()
    phrases: tuple[_Phrase, ...] = ()

    def is_in(self, program: _ProgramText) -> bool:
        """True if a program has the sign."""
        return (
            (not self.names or any(name in program.names for name in self.names))
            and (not self.calls or any(call.search(program.names) is not None for call in self.calls))
            and all(pattern.search(program.names) is not None for pattern in self.patterns)
            and (not self.phrases or program.may_contain(self.phrases))
        )


def _calls(names: Sequence[str]) -> tuple[re.Pattern[str], ...]:
    """Patterns of calls, one for each name: a pattern that begins with a word is fast."""
    return tuple(regex(rf"{name}[\s\\]*[(#]") for name in names)


def _literal(word: str) -> _Phrase:
    """A literal that is only this word."""
    return _Phrase(word, start=_QUOTE, end=_QUOTE)


_SIGNS = (
    # DataFrame writers, pyiceberg, Airflow's operator.
    _Sign(("saveAsTable", "insertInto", "writeTo", "partitionedBy", "pyiceberg", SPARK_OPERATOR)),
    _Sign(("writeStream",), calls=_calls(("partitionBy",))),
    _Sign(("write", "writeStream"), calls=_calls(("option", "options")), phrases=(_literal("iceberg"),)),
    _Sign(("MAGIC",), patterns=(_DATABRICKS_CELL,)),
    _Sign(("sql",), patterns=(_SQL_NAME, _SQL_ATTRIBUTE)),
    _Sign(("spark_iceberg_sql",), patterns=(_PACKAGE_FUNCTION,)),
    _Sign(("getattr",), patterns=(_GETATTR,), phrases=(_literal("sql"),)),
    _Sign(tuple(MAGIC_CALLS), phrases=tuple(map(_literal, sorted(SQL_MAGICS)))),
    _Sign(
        (*EXECUTE_METHODS, *OTHER_OPERATORS),
        phrases=tuple(
            _Phrase(*words, end=r"(?!\w)", is_joined=True) for words in (("using", "iceberg"), ("partition", "field"))
        ),
    ),
    # `iceberg_days(ts)` and `catalog.system.days(ts)`, whose parts may be in literals of their own.
    _Sign(
        calls=_calls(EXPRESSION_METHODS),
        phrases=(_Phrase("iceberg_"), _Phrase("system", start=f"[.'\"]{_BLANKS}", end=f"{_BLANKS}[.'\"]")),
    ),
    # A DataFrame and a filter of it.
    _Sign(("createDataFrame", "table"), calls=_calls(FILTER_METHODS), patterns=(_DATAFRAME,)),
)


def may_contain_sql(text: str, callables: Sequence[str] = ()) -> bool:
    """False if a program certainly has no SQL that is checked, and no call that is reported.

    text: the program. callables: the functions of the settings that pass SQL to Spark.
    """
    if not text.isascii() and _FOLDED_CHARACTER.search(text) is not None:
        return True
    program = _ProgramText(text)
    callable_names = tuple(name.rpartition(".")[2] for name in callables)
    return (
        any(name in program.names for name in callable_names)
        or any(sign.is_in(program) for sign in _SIGNS)
        or _CASE_SETTING.lower() in program.lower_text
    )


def normalized_names(text: str) -> str:
    """The text of a program, or of some, with its names as Python normalizes them."""
    if text.isascii():
        return text
    import unicodedata  # the command starts sooner

    return unicodedata.normalize("NFKC", text)


class _ProgramText:
    """The text of a program. names: with its names as Python normalizes them. lower_text: in lower case."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.names = normalized_names(text)

    @cached_property
    def lower_text(self) -> str:
        return self._text.lower()

    @cached_property
    def _has_coded_characters(self) -> bool:
        return _CODED_CHARACTER.search(self._text) is not None

    def may_contain(self, phrases: Sequence[_Phrase]) -> bool:
        """True if literals of the program may contain one of some phrases."""
        return self._has_coded_characters or any(phrase.may_be_in(self.lower_text) for phrase in phrases)
