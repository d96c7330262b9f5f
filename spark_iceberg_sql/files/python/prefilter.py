"""Whether a program may contain SQL, by its text alone: most programs need not be parsed.

The readers of this folder take the names of the calls from here. A name is looked for as Python normalizes it, and
cannot be composed. A word of a literal can, by escapes or by joined literals: then the program is parsed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

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
CASE_SENSITIVE = regex(r"spark\.sql\.caseSensitive", re.IGNORECASE)
# Keyword arguments of `.sql(...)` that are SQL.
SQL_ARGUMENTS = ("sqlQuery", "text")

# A program with one of these is parsed: DataFrame writers, magics, Airflow's operator, pyiceberg.
_CERTAIN_NAMES = ("saveAsTable", "insertInto", "writeTo", "MAGIC", *MAGIC_CALLS, SPARK_OPERATOR, "pyiceberg")
# Keyword arguments that are values and have no SQL.
_NAMED_VALUE = rf"""(?!(?:{"|".join(SQL_ARGUMENTS)})\b)\w+\s*=\s*(?:[\w.]+|"[^"\\\n]*"|'[^'\\\n]*')\s*"""
# An attribute `sql`: a line end or a comment may follow its dot. It is none of a session if a quote follows (the end of
# a file name), `import`, another attribute, or a call without positional arguments: `expression.sql(dialect="spark")`.
_SQL_ATTRIBUTE = regex(
    r"(?:\.|#[^\r\n#]*[\r\n])[\s\\]*sql\b"
    rf"""(?!['"]|\.[a-zA-Z]|\s+import\b|\s*=(?!=)|\s*\((?:\s*{_NAMED_VALUE},)*\s*(?:{_NAMED_VALUE})?\))"""
)
# A DataFrame whose columns may be known, and a filter of one.
_DATAFRAME = regex(r"createDataFrame|(?:\.|#[^\r\n#]*[\r\n])[\s\\]*table[\s\\]*[(#]")
_FILTER = regex(rf"\b(?:{'|'.join(FILTER_METHODS)})[\s\\]*[(#]")
_EXPRESSION = regex(rf"\b(?:{'|'.join(EXPRESSION_METHODS)})[\s\\]*[(#]")
_EXECUTE = regex("|".join((*EXECUTE_METHODS, *OTHER_OPERATORS)))
# Words that the literals of these calls must contain, in lower case: all of one line.
_EXPRESSION_WORDS = (("iceberg_",), ("system",))
_EXECUTE_WORDS = (("using", "iceberg"), ("partition", "field"))
_METHOD_WORDS = (('"sql"',), ("'sql'",))
# This package's function `sql`.
_PACKAGE_FUNCTION = regex(r"(?<![\w.-])sql\b(?!['\"])")
# A character of a literal that is written by its code, or a literal with a line end that is left out.
_CODED_CHARACTER = regex(r"\\[xuUN0-7]|\w\\\r?\n\w")


def may_contain_sql(text: str, callables: Sequence[str] = ()) -> bool:
    """False if a program certainly has no SQL that is checked, and no call that is reported.

    text: the program. callables: the functions of the settings that pass SQL to Spark.
    """
    names = text
    if not text.isascii():
        import unicodedata  # the command starts sooner

        names = unicodedata.normalize("NFKC", text)
    callable_names = [name.rpartition(".")[2] for name in callables]
    if any(name in names for name in (*_CERTAIN_NAMES, *callable_names)) or _SQL_ATTRIBUTE.search(names) is not None:
        return True
    literals = _Literals(text)
    return (
        ("spark_iceberg_sql" in names and _PACKAGE_FUNCTION.search(names) is not None)
        or ("getattr" in names and literals.may_say(_METHOD_WORDS))
        or (_EXECUTE.search(names) is not None and literals.may_say(_EXECUTE_WORDS))
        or (literals.may_say(_EXPRESSION_WORDS) and _EXPRESSION.search(names) is not None)
        or (_DATAFRAME.search(names) is not None and _FILTER.search(names) is not None)
        or "casesensitive" in literals.lower_text
    )


class _Literals:
    """Literals of a program, of which only its whole text is known. text: the program. lower_text: in lower case."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.lower_text = text.lower()

    def may_say(self, alternatives: Sequence[Sequence[str]]) -> bool:
        """True if a literal may contain all words of an alternative. A comment within a word is not considered."""
        return self._may_say_anything or any(all(map(self._may_say_word, words)) for words in alternatives)

    @cached_property
    def _may_say_anything(self) -> bool:
        return not self._text.isascii() or _CODED_CHARACTER.search(self._text) is not None

    def _may_say_word(self, word: str) -> bool:
        return word in self.lower_text or _cut_word(word).search(self.lower_text) is not None


@cache
def _cut_word(word: str) -> re.Pattern[str]:
    """A part of a word before the end of a literal, or after its beginning, that is joined with something."""
    heads, tails = ("|".join(parts) for parts in zip(*((word[:i], word[i:]) for i in range(1, len(word))), strict=True))
    quotes = r"""\w{0,2}['"]{1,3}"""
    return re.compile(rf"(?:{heads})['\"]{{1,3}}[\s\\)]*(?:\+|{quotes}\w)|\+[\s\\(]*{quotes}(?:{tails})")
