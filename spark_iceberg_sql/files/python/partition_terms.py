"""The arguments of `partitionedBy` and `partitionBy` as the terms of PARTITIONED BY, with their positions."""

from __future__ import annotations

import ast
import re

from spark_iceberg_sql.files.python.program import Program
from spark_iceberg_sql.files.source_map import PieceMaker, Said
from spark_iceberg_sql.model.transforms import SPARK_PARSES, TIMES, TRANSFORMS

_FUNCTIONS = re.compile(r"pyspark\.sql(?:\.connect)?\.functions(?:\.\w+)*\.(\w+)")
_PLAIN = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*", re.ASCII)
_PART = re.compile(r"`((?:[^`]|``)+)`|([^`.]+)")
_IN_TEXT = re.compile(r"(\w+)\s*\(\s*(?:(\d+)\s*,\s*)?([A-Za-z_][\w.]*)\s*(?:,\s*(\d+)\s*)?\)")
_NO_NAME = re.compile(r"[^\w.`]", re.ASCII)
# The transform that corresponds to a function on values, and the one that corresponds to a unit of `date_trunc`.
_BY_VALUE_FUNCTION = {
    name: transform.spelling
    for transform in TRANSFORMS
    if transform.spark_parses
    for name in (transform.name, transform.spelling, *transform.value_functions)
}
_BY_UNIT = {unit: transform.spelling for transform in TIMES for unit in transform.date_trunc_units}


class Partitions:
    """Writes the terms of a call.

    frame: the DataFrame. names_only: True if the call accepts only column names, like `partitionBy`.
    overrides: messages about arguments that are neither columns nor transforms.
    """

    def __init__(self, program: Program, frame: ast.expr, *, names_only: bool = False) -> None:
        self._program = program
        self._frame = program.source(frame)
        self._names_only = names_only
        self.said: list[Said] = []

    def speaks_of_iceberg(self, terms: list[ast.expr]) -> bool:
        """True if the program uses Iceberg tables: it contains the word, or a transform."""
        if "iceberg" in self._program.everything.lower():
            return True
        return any(
            isinstance(term, ast.Call) and self._function(term) in SPARK_PARSES for term in terms
        )

    def clause(self, maker: PieceMaker, call: ast.Call, terms: list[ast.expr]) -> None:
        """PARTITIONED BY (...), from the arguments of a call."""
        if self._names_only and len(terms) == 1 and isinstance(terms[0], ast.List | ast.Tuple):
            terms = terms[0].elts
        if not terms:
            return
        start, end = self._program.place(call.func)
        maker.add(" PARTITIONED BY (", start, end)
        for number, term in enumerate(terms):
            if number:
                maker.add(", ", self._program.place(term)[0], self._program.place(term)[0])
            self._term(maker, term)
        end = self._program.place(call)[1]
        maker.add(")", end, end)

    def _term(self, maker: PieceMaker, term: ast.expr) -> None:
        start, end = self._program.place(term)
        function = self._function(term) if isinstance(term, ast.Call) else ""
        text = self._program.words(term)
        if text is not None:
            if _NO_NAME.search(text) and text.isascii() and "`" not in text:
                self._no_term(maker, term, text=text)
            else:
                add_name(self._program, term, maker)
        elif self._names_only:
            if function:
                self._no_term(maker, term)
            else:
                self._hole(maker, term)
        elif function in SPARK_PARSES and isinstance(term, ast.Call):
            self._transform(maker, term, function)
        elif (column := self._column(term)) is not None:
            add_name(self._program, column, maker)
        elif self._is_no_term(term, function):
            self._no_term(maker, term)
        else:
            maker.hole(start, end, self._program.text[start:end])

    def _hole(self, maker: PieceMaker, value: ast.expr) -> None:
        start, end = self._program.place(value)
        maker.hole(start, end, self._program.text[start:end])

    def _transform(self, maker: PieceMaker, call: ast.Call, name: str) -> None:
        """A transform with its arguments, in the order of the parameters."""
        wanted = ("numBuckets", "col") if name == "bucket" else ("col",)
        named = {k.arg: k.value for k in call.keywords}
        given = [*call.args, *(named[key] for key in wanted[len(call.args) :] if key in named)]
        if len(given) != len(wanted) or len(call.args) + len(named) != len(given):
            # Arguments that do not fit the parameters, or `*` and `**`: the term is unknown.
            self._hole(maker, call)
            return
        maker.add(name, *self._program.place(call.func))
        at = self._program.place(given[0])[0]
        maker.add("(", at, at)
        for number, value in enumerate(given):
            if number:
                maker.add(", ", *([self._program.place(value)[0]] * 2))
            self._argument(maker, value, number=name == "bucket" and number == 0)
        end = self._program.place(call)[1]
        maker.add(")", end, end)

    def _argument(self, maker: PieceMaker, value: ast.expr, *, number: bool) -> None:
        start, end = self._program.place(value)
        column = self._column(value)
        text = self._program.words(value)
        constant = self._constant(value)
        if constant is not None:
            maker.add(constant, start, end)
        elif number and text is not None and text.strip().isdecimal():
            maker.add(string(text), start, end)
        elif column is not None and not (text is not None and _NO_NAME.search(text)):
            add_name(self._program, column, maker)
        else:
            maker.hole(start, end, self._program.text[start:end])

    def _constant(self, value: ast.expr) -> str | None:
        """A number, as in SQL; None if the argument is not one."""
        if isinstance(value, ast.Call) and self._function(value) == "lit" and len(value.args) == 1:
            value = value.args[0]
        meant = self._program.bound(value) or value
        sign = ""
        if isinstance(meant, ast.UnaryOp) and isinstance(meant.op, ast.USub):
            sign, meant = "-", meant.operand
        number = meant.value if isinstance(meant, ast.Constant) else None
        if isinstance(number, int | float) and not isinstance(number, bool):
            return f"{sign}{number}"
        return None

    def _column(self, value: ast.expr) -> ast.expr | None:
        """The expression that contains a column's name; None if the value is not a column."""
        if self._program.words(value) is not None:
            return value
        if isinstance(value, ast.Call):
            function = self._function(value)
            inner = value.args[0] if len(value.args) == 1 and not value.keywords else None
            words = self._program.words(inner) if inner is not None else None
            if function in ("col", "column") and words not in (None, "*"):
                return inner
            return inner if function == "expr" and words and _PLAIN.fullmatch(words) else None
        if isinstance(value, ast.Attribute) and self._program.source(value.value) == self._frame:
            return value
        if isinstance(value, ast.Subscript) and self._program.source(value.value) == self._frame:
            return value.slice if self._program.words(value.slice) is not None else None
        return None

    def _function(self, call: ast.expr) -> str:
        """The name of the called function of `pyspark.sql.functions`; empty for other functions."""
        name = self._program.imports.full_name(call.func) if isinstance(call, ast.Call) else None
        found = _FUNCTIONS.fullmatch(name or "")
        return found[1] if found is not None else ""

    def _is_no_term(self, term: ast.expr, function: str) -> bool:
        """True if Spark certainly refuses an expression in `partitionedBy`."""
        if isinstance(term, ast.Call) and isinstance(term.func, ast.Attribute) and not function:
            owner = term.func.value
            changed = term.func.attr in ("asc", "desc", "cast", "astype", "alias", "substr")
            return (
                changed and self._column(owner) is not None and not isinstance(owner, ast.Constant)
            )
        if isinstance(term, ast.List | ast.Tuple):
            return True
        return bool(function) and function not in ("udf", "pandas_udf", "call_udf", "call_function")

    def _no_term(self, maker: PieceMaker, term: ast.expr, text: str | None = None) -> None:
        """An argument that Spark refuses: an unknown transform in SQL, with its own message."""
        start, end = self._program.place(term)
        source = self._program.text[start:end]
        shown = (
            source
            if len(source) <= 60 and "\n" not in source
            else f"{source[:50].split(chr(10))[0]}..."
        )
        takes = "columns, and `years`, `months`, `days`, `hours` and `bucket` of them"
        method = "partitionedBy"
        if self._names_only:
            method, takes = "partitionBy", "column names only"
        shown = shown.replace("`", "'")
        message = f"`{method}` takes {takes}, not `{shown}`"
        self.said.append(Said(start, end, message, self._instead(term, text)))
        # No transform has this name: SIS101 reports it, and the override replaces message and help.
        maker.add("partition_expression", start, end)
        maker.add("(1)", end, end)

    def _instead(self, term: ast.expr, text: str | None) -> str:
        """The help: the term to write instead."""
        name, number, column = _parsed(text) if text is not None else self._called(term)
        meant = _BY_VALUE_FUNCTION.get(name)
        if isinstance(term, ast.List | ast.Tuple):
            return "write the columns one by one, or `*` before the list"
        if name == "truncate":
            return "DataFrame writers have no `truncate`: use CREATE TABLE with `PARTITIONED BY (truncate(...))`"
        if meant is None or not column:
            plain = f'write `"{column}"`' if column and not name else ""
            return plain or 'write a column, as `"id"`, or a transform, as `days("ts")`'
        clause = (
            f'{meant}({number or 16}, "{column}")' if meant == "bucket" else f'{meant}("{column}")'
        )
        if self._names_only:
            return f"write `df.writeTo(...).partitionedBy({clause})`"
        return f"write `{clause}`"

    def _called(self, term: ast.expr) -> tuple[str, str, str]:
        """Function, number and column of an expression; empty if unknown."""
        if not isinstance(term, ast.Call):
            return "", "", ""
        function = self._function(term)
        texts = [self._program.words(value) or "" for value in term.args]
        if function == "expr" and texts:
            return _parsed(texts[0])
        if not function and isinstance(term.func, ast.Attribute):  # col("ts").desc()
            owner = self._column(term.func.value)
            words = self._program.words(owner) if owner is not None else None
            kind = texts[0].lower() if texts else ""
            days = term.func.attr in ("cast", "astype") and kind == "date"
            return "days" if days else "", "", words or ""
        columns = [self._column(value) for value in term.args]
        words_ = [self._program.words(c) or "" for c in columns if c is not None]
        if function in ("date_trunc", "trunc"):
            unit = next((w.lower() for w in words_ if w.lower() in _BY_UNIT), "")
            rest = [w for w in words_ if w.lower() not in _BY_UNIT]
            return _BY_UNIT.get(unit, function), "", rest[0] if rest else ""
        if function in ("asc", "desc", "lit"):
            return "" if function != "lit" else "lit", "", words_[0] if words_ else ""
        numbers = [c for value in term.args if (c := self._constant(value)) is not None]
        return function, numbers[0] if numbers else "", words_[0] if words_ else ""


def _parsed(text: str) -> tuple[str, str, str]:
    """Function, number and column of `bucket(16, id)` in a string."""
    found = _IN_TEXT.fullmatch(text.strip())
    if found is None:
        return ("other", "", "")
    return found[1].lower(), found[2] or found[4] or "", found[3]


def add_name(program: Program, value: ast.expr, maker: PieceMaker) -> None:
    """The name of a table or a column: as written if it is a valid SQL name, otherwise in backticks."""
    start, end = program.place(value)
    if isinstance(value, ast.Attribute):  # df.ts
        maker.add(f"`{value.attr}`", end - len(value.attr), end)
        return
    text = program.words(value)
    if text is not None and _PLAIN.fullmatch(text):
        maker.literal(own=False)
        program.add(value, maker, "", own=True)
    elif text and "".join(m.group() for m in _PART.finditer(text)) == text.replace(".", ""):
        parts = [m[1].replace("``", "`") if m[1] else m[2] for m in _PART.finditer(text)]
        maker.literal(own=False)
        maker.add(".".join("`" + part.replace("`", "``") + "`" for part in parts), start, end)
    elif text is None and isinstance(program.one(value), ast.JoinedStr | ast.BinOp | ast.Call):
        maker.literal(own=False)
        program.add(value, maker, "", own=False)
    else:
        maker.hole(start, end, program.text[start:end])
    maker.literal(own=False)


def string(text: str) -> str:
    """A string literal of SQL."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n")
    return f"'{escaped}'"
