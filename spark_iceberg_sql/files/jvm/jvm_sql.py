"""SQL in a program in Scala or Java: the string literals that it passes to `spark.sql(...)`, with their positions.

In: the text of a program. Out: its fragments in the order of the calls, each with its branches, and the calls that
cannot be read. An interpolated value, a joined name and a format field are placeholders, as in a Python program.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from spark_iceberg_sql.files.jvm.jvm_branches import is_guarded, jvm_branches
from spark_iceberg_sql.files.jvm.jvm_literals import INTERPOLATORS, read_jvm_literal
from spark_iceberg_sql.files.jvm.jvm_tokens import JvmToken, jvm_tokens
from spark_iceberg_sql.files.jvm.jvm_writers import PARTITIONING, writer_problems
from spark_iceberg_sql.files.source import ExtractionProblem
from spark_iceberg_sql.files.source_map import Branch, FragmentBuilder, SqlFragment, branch_paths, side_effect_marker
from spark_iceberg_sql.lazy import regex
from spark_iceberg_sql.records import replace

JVM_SUFFIXES = frozenset({".scala", ".java", ".sc"})
# A program without such a call has no SQL that is read.
_CALL = regex(r"\.\s*sql\s*\(")
_SPARKS_API = "org.apache.spark"
_RECEIVER = regex(r"spark|sqlContext|sqlc\b", re.IGNORECASE)
_RUNTIME_SQL = "the program builds this SQL at run time"
# Calls that create, change or drop tables in a way that is not read.
_SIDE_EFFECTS = frozenset({
    "sql", "writeTo", "saveAsTable", "insertInto", "toTable", "createTable", "createExternalTable", "dropTable",
    "renameTable", "purgeTable", "registerTable", "buildTable", "replaceTransaction", "newTransaction", "updateSchema",
    "updateSpec", "replaceSortOrder", "updateProperties", "createDatabase", "createNamespace",
})  # fmt: skip
# Methods of a literal that leave its SQL as it is.
_PLAIN_METHODS = frozenset({"trim", "strip", "stripIndent", "stripMargin", "stripLeading", "stripTrailing", "intern"})
_FORMAT_METHODS = frozenset({"format", "formatted"})
# A body without braces, as in Scala 3: where it ends is not read.
_UNBRACED = regex(
    r"\bdef\b[^\n{]*=[ \t]*\n|\b(?:then|else|do)[ \t]*\n|^[ \t]*(?:object|class|trait)\b[^\n{]*:[ \t]*$", re.MULTILINE
)


class _Operand(NamedTuple):
    """An operand of an argument.

    literal: None for an expression of which the value is decided at run time. has_margin, is_format: how the literal's
    text is changed. is_exclusive: nothing else uses it.
    """

    start: int
    end: int
    literal: JvmToken | None = None
    has_margin: bool = False
    is_format: bool = False
    is_exclusive: bool = True


def may_contain_jvm_sql(text: str) -> bool:
    """False if a program certainly has no SQL that is read, and no writer with a partitioning."""
    return ("sql" in text and _CALL.search(text) is not None) or _has_writers(text)


def _has_writers(text: str) -> bool:
    mentions_spark = _SPARKS_API in text or "iceberg" in text or "spark." in text
    return mentions_spark and "artition" in text and PARTITIONING.search(text) is not None


def jvm_sql(text: str, *, is_scala: bool, unit_index: int = 0) -> tuple[list[SqlFragment], list[ExtractionProblem]]:
    """The SQL of each `.sql(...)` of a session, in the order of the text, and the calls that cannot be read.

    text: the program. is_scala: it is not Java. unit_index: its index among the file's text units.
    """
    reader = _JvmReader(text, is_scala, unit_index)
    fragments = reader.fragments()
    return fragments, [*reader.problems, *reader.writer_problems()]


def _has_literal(operands: Sequence[_Operand]) -> bool:
    return any(operand.literal is not None for operand in operands)


def _formatted(operands: Sequence[_Operand]) -> list[_Operand]:
    """The operands of a format, with its fields; empty if they are not known, or are the text of another format."""
    if not _has_literal(operands) or any(operand.is_format for operand in operands):
        return []
    return [operand._replace(is_format=operand.literal is not None) for operand in operands]


class _JvmReader:
    def __init__(self, text: str, is_scala: bool, unit_index: int) -> None:
        self._text = text
        self._is_scala = is_scala
        self._unit_index = unit_index
        self._tokens, _ = jvm_tokens(text, is_scala=is_scala)
        self._uses_spark = _SPARKS_API in text
        self.problems: list[ExtractionProblem] = []

    def fragments(self) -> list[SqlFragment]:
        """The SQL of the calls, and a marker for each other change of tables."""
        tokens = self._tokens
        results: list[SqlFragment] = []
        spans: list[tuple[int, int]] = []
        guarded: list[Branch] = []
        is_unbraced = self._is_scala and _UNBRACED.search(self._text) is not None
        for index, token in enumerate(tokens):
            if token.kind != "word" or token.text not in _SIDE_EFFECTS or not self._is_call(index):
                continue
            position = token.start
            fragment = self._call_sql(index) if token.text == "sql" else None
            if fragment is None or is_unbraced:
                results.append(side_effect_marker(position, self._unit_index))
                spans.append((position, position + 1))
            if fragment is not None:
                results.append(fragment)
                spans.append((position, position + 1))
                if is_guarded(tokens, self._receiver_start(index)):
                    guarded.append(Branch(self._unit_index, position, position + 1))
        found = jvm_branches(tokens)
        branches = [Branch(self._unit_index, *branch[1:]) for branch in found] + guarded
        ranges = [(b.start, b.end, b) for b in sorted(branches, key=lambda branch: (branch.start, -branch.end))]
        paths = branch_paths(spans, ranges)
        return [
            replace(fragment, branch_ranges=tuple((0, len(fragment.sql), branch) for branch in path))
            if path and fragment.sql
            else fragment
            for fragment, path in zip(results, paths, strict=True)
        ]

    def writer_problems(self) -> list[ExtractionProblem]:
        """The calls of writers whose partitioning Spark refuses or ignores."""
        return list(writer_problems(self._text, self._tokens, self._unit_index)) if _has_writers(self._text) else []

    def _is_call(self, index: int) -> bool:
        return index + 1 < len(self._tokens) and self._tokens[index + 1].text == "("

    def _receiver_start(self, index: int) -> int:
        """The index of the first token of a call's chain of names, such as `spark.sql`."""
        while index >= 2 and self._tokens[index - 1].text == "." and self._tokens[index - 2].kind == "word":
            index -= 2
        return index

    def _call_sql(self, index: int) -> SqlFragment | None:
        """The SQL of a call of `sql`; None if it has none that is read."""
        tokens = self._tokens
        if index < 1 or tokens[index - 1].text != ".":
            return None  # a method of the program's, with text of its own making
        receiver = self._text[tokens[self._receiver_start(index)].start : tokens[index].start]
        if not self._uses_spark and _RECEIVER.search(receiver) is None:
            return None
        operands = self._argument(index + 2)
        if not _has_literal(operands):
            last = self._tokens[self._after_brackets(index + 1) - 1]
            if index + 2 < len(tokens) and tokens[index + 2] is not last:
                span = tokens[index + 2].start, last.start
                self.problems.append(ExtractionProblem(self._unit_index, *span, _RUNTIME_SQL))
            return None
        return self._fragment(operands)

    def _fragment(self, operands: Sequence[_Operand]) -> SqlFragment:
        builder = FragmentBuilder(self._unit_index)
        begins_here = operands[0].literal is not None
        for operand in operands:
            if operand.literal is not None:
                read_jvm_literal(
                    self._text, operand.literal, builder, is_scala=self._is_scala, has_margin=operand.has_margin,
                    is_format=operand.is_format, is_exclusive=begins_here and operand.is_exclusive,
                )  # fmt: skip
            else:
                builder.begin_literal(is_exclusive=False)
                builder.add_placeholder(operand.start, operand.end, self._text[operand.start : operand.end])
        return builder.build()

    def _argument(self, index: int) -> Sequence[_Operand]:
        """The operands from a token on, or those of its definition, if they are a name."""
        operands = self._operands(index)
        is_name = len(operands) == 1 and operands[0].end == self._tokens[index].end
        return (self._definition(index) if is_name else ()) or operands

    def _definition(self, index: int) -> Sequence[_Operand]:
        """The operands of the only definition, before it, of the name at a token; empty if there is no such one."""
        name = self._tokens[index].text
        if not name.isidentifier():
            return []
        uses = [n for n, token in enumerate(self._tokens) if token.kind == "word" and token.text == name]
        assigned = [n for n in uses if self._value_start(n) is not None]
        if len(assigned) != 1 or assigned[0] > index or any(map(self._is_parameter, {*uses} - {*assigned})):
            return []
        start = self._value_start(assigned[0])
        assert start is not None
        operands = self._argument(start)
        is_exclusive = len(uses) == 2  # its definition, and this one
        return [operand._replace(is_exclusive=is_exclusive and operand.is_exclusive) for operand in operands]

    def _is_parameter(self, index: int) -> bool:
        """True if the name at a token is declared there without a value, `String name` or `name: String`."""
        after = self._tokens[index + 1].text if index + 1 < len(self._tokens) else ""
        return (self._is_scala and after == ":") or (index > 0 and self._tokens[index - 1].text == "String")

    def _value_start(self, index: int) -> int | None:
        """Where the value begins that a name gets here; None if it gets none."""
        tokens, after = self._tokens, index + 1
        if tokens[after : after + 1] and tokens[after].text == ":":
            after += 2
        if after < len(tokens) and tokens[after].text in ("=", "+="):
            is_definition = index > 0 and tokens[index - 1].text in ("val", "var", "String")
            return after + 1 if is_definition and tokens[after].text == "=" else len(tokens)
        return None

    def _operands(self, index: int) -> list[_Operand]:
        """The operands that `+` joins from a token on, to the end of the argument or the statement."""
        operands: list[_Operand] = []
        while index < len(self._tokens):
            joined, index = self._format_call(index) if self._is_format_call(index) else self._operand(index)
            if not joined:
                return []
            operands += joined
            if index >= len(self._tokens) or self._tokens[index].text != "+":
                return operands if self._ends_here(index) else []
            index += 1
        return operands

    def _ends_here(self, index: int) -> bool:
        """True if an expression ends at a token: at a bracket, a comma, a semicolon, or with its line."""
        if index >= len(self._tokens) or self._tokens[index].text in (")", ",", ";", "}"):
            return True
        return self._is_scala and "\n" in self._text[self._tokens[index - 1].end : self._tokens[index].start]

    def _is_format_call(self, index: int) -> bool:
        return [token.text for token in self._tokens[index : index + 4]] == ["String", ".", "format", "("]

    def _format_call(self, index: int) -> tuple[list[_Operand], int]:
        """The operands of the format of `String.format(...)`, and the index of the token behind the call."""
        call = self._tokens[index]
        after = self._after_brackets(index + 3)
        operands = _formatted(self._argument(index + 4))
        return operands or [_Operand(call.start, self._tokens[after - 1].end)], after

    def _operand(self, index: int) -> tuple[list[_Operand], int]:
        """An operand and the index of the token behind it; nothing for an expression that is not read."""
        tokens, start = self._tokens, index
        token = tokens[index]
        literal: JvmToken | None = None
        if token.kind == "string":
            if token.text not in INTERPOLATORS:
                return [], index
            literal, index = token, index + 1
        elif token.kind == "word" and token.text not in ("if", "new", "match"):
            index += 1
        elif token.text == "(":
            index = self._after_brackets(index)
        else:
            return [], index
        methods = set()
        while index < len(tokens) and tokens[index].text in (".", "(", "["):
            if tokens[index].text == ".":
                methods.add(tokens[index + 1].text if index + 1 < len(tokens) else "")
                index += 2
            else:
                index = self._after_brackets(index)
        keeps_text = methods <= _PLAIN_METHODS | _FORMAT_METHODS
        has_margin, is_format = "stripMargin" in methods, bool(methods & _FORMAT_METHODS)
        end = tokens[min(index, len(tokens)) - 1].end
        if literal is not None:  # other methods: replace, split and the like
            return ([_Operand(token.start, end, literal, has_margin, is_format)] if keeps_text else []), index
        template = _formatted(self._definition(start)) if keeps_text and is_format and not has_margin else []
        return template or [_Operand(token.start, end)], index

    def _after_brackets(self, index: int) -> int:
        """The index behind the bracket that closes the one at an index."""
        depth = 0
        while index < len(self._tokens):
            text = self._tokens[index].text if self._tokens[index].kind == "operator" else ""
            depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(text, 0)
            index += 1
            if not depth:
                break
        return index
