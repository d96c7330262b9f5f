"""The arguments of `partitionedBy` and `partitionBy` as the terms of PARTITIONED BY, with their positions."""

from __future__ import annotations

import ast
import re

from spark_iceberg_sql.files.python.program import Program
from spark_iceberg_sql.files.source_map import FragmentBuilder, MessageOverride
from spark_iceberg_sql.model.transforms import SPARK_PARSES, TIMES, TRANSFORMS

_FUNCTIONS = re.compile(r"pyspark\.sql(?:\.connect)?\.functions(?:\.\w+)*\.(\w+)")
_PLAIN_NAME = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*", re.ASCII)
_PART = re.compile(r"`((?:[^`]|``)+)`|([^`.]+)")
_TRANSFORM_TEXT = re.compile(r"(\w+)\s*\(\s*(?:(\d+)\s*,\s*)?([A-Za-z_][\w.]*)\s*(?:,\s*(\d+)\s*)?\)")
_NON_NAME_CHAR = re.compile(r"[^\w.`]", re.ASCII)
# The transform that corresponds to a function on values, and the one that corresponds to a unit of `date_trunc`.
_BY_VALUE_FUNCTION = {
    name: transform.spelling
    for transform in TRANSFORMS
    if transform.spark_parses
    for name in (transform.name, transform.spelling, *transform.value_functions)
}
_BY_UNIT = {unit: transform.spelling for transform in TIMES for unit in transform.date_trunc_units}


class PartitionTerms:
    """Writes the terms of a call.

    frame: the DataFrame. names_only: True if the call accepts only column names, like `partitionBy`.
    overrides: messages about arguments that are neither columns nor transforms.
    """

    def __init__(self, program: Program, frame: ast.expr, *, names_only: bool = False) -> None:
        self._program = program
        self._frame = program.source(frame)
        self._names_only = names_only
        self.overrides: list[MessageOverride] = []

    def mentions_iceberg(self, terms: list[ast.expr]) -> bool:
        """True if the program uses Iceberg tables: it contains the word, or a transform."""
        return "iceberg" in self._program.full_text.lower() or any(
            isinstance(term, ast.Call) and self._function(term) in SPARK_PARSES for term in terms
        )

    def add_clause(self, builder: FragmentBuilder, call: ast.Call, terms: list[ast.expr]) -> None:
        """PARTITIONED BY (...), from the arguments of a call."""
        if self._names_only and len(terms) == 1 and isinstance(terms[0], ast.List | ast.Tuple):
            terms = terms[0].elts
        if not terms:
            return
        start, end = self._program.span(call.func)
        builder.add(" PARTITIONED BY (", start, end)
        for number, term in enumerate(terms):
            if number:
                builder.add(", ", self._program.span(term)[0], self._program.span(term)[0])
            self._add_term(builder, term)
        end = self._program.span(call)[1]
        builder.add(")", end, end)

    def _add_term(self, builder: FragmentBuilder, term: ast.expr) -> None:
        function = self._function(term)
        text = self._program.string_value(term)
        if text is not None:
            if _NON_NAME_CHAR.search(text) and text.isascii() and "`" not in text:
                self._add_refused_term(builder, term, text=text)
            else:
                add_name(self._program, term, builder)
        elif self._names_only:
            if function:
                self._add_refused_term(builder, term)
            else:
                self._add_placeholder(builder, term)
        elif function in SPARK_PARSES and isinstance(term, ast.Call):
            self._add_transform(builder, term, function)
        elif (column := self._column(term)) is not None:
            add_name(self._program, column, builder)
        elif self._is_refused(term, function):
            self._add_refused_term(builder, term)
        else:
            self._add_placeholder(builder, term)

    def _add_placeholder(self, builder: FragmentBuilder, value: ast.expr) -> None:
        start, end = self._program.span(value)
        builder.add_placeholder(start, end, self._program.text[start:end])

    def _add_transform(self, builder: FragmentBuilder, call: ast.Call, name: str) -> None:
        """A transform with its arguments, in the order of the parameters."""
        parameter_names = ("numBuckets", "col") if name == "bucket" else ("col",)
        keywords = {k.arg: k.value for k in call.keywords}
        arguments = [*call.args, *(keywords[key] for key in parameter_names[len(call.args) :] if key in keywords)]
        if len(arguments) != len(parameter_names) or len(call.args) + len(keywords) != len(arguments):
            # Arguments that do not fit the parameters, or `*` and `**`: the term is unknown.
            self._add_placeholder(builder, call)
            return
        builder.add(name, *self._program.span(call.func))
        offset = self._program.span(arguments[0])[0]
        builder.add("(", offset, offset)
        for number, value in enumerate(arguments):
            if number:
                builder.add(", ", *([self._program.span(value)[0]] * 2))
            self._add_argument(builder, value, is_count=name == "bucket" and number == 0)
        end = self._program.span(call)[1]
        builder.add(")", end, end)

    def _add_argument(self, builder: FragmentBuilder, value: ast.expr, *, is_count: bool) -> None:
        start, end = self._program.span(value)
        column = self._column(value)
        text = self._program.string_value(value)
        constant = self._number_text(value)
        if constant is not None:
            builder.add(constant, start, end)
        elif is_count and text is not None and text.strip().isdecimal():
            builder.add(string(text), start, end)
        elif column is not None and not (text is not None and _NON_NAME_CHAR.search(text)):
            add_name(self._program, column, builder)
        else:
            self._add_placeholder(builder, value)

    def _number_text(self, value: ast.expr) -> str | None:
        """A number, as in SQL; None if the argument is not one."""
        if isinstance(value, ast.Call) and self._function(value) == "lit" and len(value.args) == 1:
            value = value.args[0]
        definition = self._program.definition(value) or value
        sign = ""
        if isinstance(definition, ast.UnaryOp) and isinstance(definition.op, ast.USub):
            sign, definition = "-", definition.operand
        number = definition.value if isinstance(definition, ast.Constant) else None
        return f"{sign}{number}" if isinstance(number, int | float) and not isinstance(number, bool) else None

    def _column(self, value: ast.expr) -> ast.expr | None:
        """The expression that contains a column's name; None if the value is not a column."""
        if self._program.string_value(value) is not None:
            return value
        if isinstance(value, ast.Call):
            function = self._function(value)
            inner = value.args[0] if len(value.args) == 1 and not value.keywords else None
            text = self._program.string_value(inner) if inner is not None else None
            if function in ("col", "column") and text not in (None, "*"):
                return inner
            return inner if function == "expr" and text and _PLAIN_NAME.fullmatch(text) else None
        if isinstance(value, ast.Attribute) and self._program.source(value.value) == self._frame:
            return value
        if isinstance(value, ast.Subscript) and self._program.source(value.value) == self._frame:
            return value.slice if self._program.string_value(value.slice) is not None else None
        return None

    def _function(self, call: ast.expr) -> str:
        """The name of the called function of `pyspark.sql.functions`; empty for other functions."""
        name = self._program.imports.full_name(call.func) if isinstance(call, ast.Call) else None
        match = _FUNCTIONS.fullmatch(name or "")
        return match[1] if match is not None else ""

    def _is_refused(self, term: ast.expr, function: str) -> bool:
        """True if Spark certainly refuses an expression in `partitionedBy`."""
        if isinstance(term, ast.Call) and isinstance(term.func, ast.Attribute) and not function:
            owner = term.func.value
            is_modified = term.func.attr in ("asc", "desc", "cast", "astype", "alias", "substr")
            return is_modified and self._column(owner) is not None and not isinstance(owner, ast.Constant)
        returns_column = bool(function) and function not in ("udf", "pandas_udf", "call_udf", "call_function")
        return returns_column or isinstance(term, ast.List | ast.Tuple)

    def _add_refused_term(self, builder: FragmentBuilder, term: ast.expr, text: str | None = None) -> None:
        """An argument that Spark refuses: an unknown transform in SQL, with its own message."""
        start, end = self._program.span(term)
        source = self._program.text[start:end]
        display_text = source if len(source) <= 60 and "\n" not in source else f"{source[:50].split(chr(10))[0]}..."
        accepted = "`partitionedBy` takes columns, and `years`, `months`, `days`, `hours` and `bucket` of them"
        if self._names_only:
            accepted = "`partitionBy` takes column names only"
        display_text = display_text.replace("`", "'")
        message = f"{accepted}, not `{display_text}`"
        self.overrides.append(MessageOverride(start, end, message, self._help(term, text)))
        # No transform has this name: SIS101 reports it, and the override replaces message and help.
        builder.add("partition_expression", start, end)
        builder.add("(1)", end, end)

    def _help(self, term: ast.expr, text: str | None) -> str:
        """The help: the term to write instead."""
        name, number, column = _transform_parts(text) if text is not None else self._call_parts(term)
        transform = _BY_VALUE_FUNCTION.get(name)
        if isinstance(term, ast.List | ast.Tuple):
            return "write the columns one by one, or `*` before the list"
        if name == "truncate":
            return "DataFrame writers have no `truncate`: use CREATE TABLE with `PARTITIONED BY (truncate(...))`"
        if transform is None or not column:
            column_help = f'write `"{column}"`' if column and not name else ""
            return column_help or 'write a column, as `"id"`, or a transform, as `days("ts")`'
        clause = f'{transform}({number or 16}, "{column}")' if transform == "bucket" else f'{transform}("{column}")'
        return f"write `df.writeTo(...).partitionedBy({clause})`" if self._names_only else f"write `{clause}`"

    def _call_parts(self, term: ast.expr) -> tuple[str, str, str]:
        """Function, number and column of an expression; empty if unknown."""
        if not isinstance(term, ast.Call):
            return "", "", ""
        function = self._function(term)
        texts = [self._program.string_value(value) or "" for value in term.args]
        if function == "expr" and texts:
            return _transform_parts(texts[0])
        if not function and isinstance(term.func, ast.Attribute):  # col("ts").desc()
            owner = self._column(term.func.value)
            column_name = self._program.string_value(owner) if owner is not None else None
            type_name = texts[0].lower() if texts else ""
            is_date_cast = term.func.attr in ("cast", "astype") and type_name == "date"
            return "days" if is_date_cast else "", "", column_name or ""
        columns = [self._column(value) for value in term.args]
        column_names = [self._program.string_value(c) or "" for c in columns if c is not None]
        if function in ("date_trunc", "trunc"):
            unit_match = next((w.lower() for w in column_names if w.lower() in _BY_UNIT), "")
            source_columns = [w for w in column_names if w.lower() not in _BY_UNIT]
            return (_BY_UNIT.get(unit_match, function), "", source_columns[0] if source_columns else "")
        if function in ("asc", "desc", "lit"):
            return "" if function != "lit" else "lit", "", column_names[0] if column_names else ""
        numbers = [c for value in term.args if (c := self._number_text(value)) is not None]
        return function, numbers[0] if numbers else "", column_names[0] if column_names else ""


def _transform_parts(text: str) -> tuple[str, str, str]:
    """Function, number and column of `bucket(16, id)` in a string."""
    match = _TRANSFORM_TEXT.fullmatch(text.strip())
    if match is None:
        return ("other", "", "")
    return match[1].lower(), match[2] or match[4] or "", match[3]


def add_name(program: Program, value: ast.expr, builder: FragmentBuilder) -> None:
    """The name of a table or a column: as written if it is a valid SQL name, otherwise in backticks."""
    start, end = program.span(value)
    if isinstance(value, ast.Attribute):  # df.ts
        builder.add(f"`{value.attr}`", end - len(value.attr), end)
        return
    text = program.string_value(value)
    if text is not None and _PLAIN_NAME.fullmatch(text):
        builder.begin_literal(is_exclusive=False)
        program.add(value, builder, "", is_exclusive=True)
    elif text and "".join(m.group() for m in _PART.finditer(text)) == text.replace(".", ""):
        parts = [m[1].replace("``", "`") if m[1] else m[2] for m in _PART.finditer(text)]
        builder.begin_literal(is_exclusive=False)
        builder.add(".".join("`" + part.replace("`", "``") + "`" for part in parts), start, end)
    elif text is None and isinstance(program.resolve(value), ast.JoinedStr | ast.BinOp | ast.Call):
        builder.begin_literal(is_exclusive=False)
        program.add(value, builder, "", is_exclusive=False)
    else:
        builder.add_placeholder(start, end, program.text[start:end])
    builder.begin_literal(is_exclusive=False)


def string(text: str) -> str:
    """A string literal of SQL."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n")
    return f"'{escaped}'"
