"""Calls of DataFrame writers in Scala and Java whose partitioning Spark refuses or ignores, for any table.

A method that a writer does not have is the compiler's; the rest is as in a Python program.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from spark_iceberg_sql.files.jvm.jvm_tokens import JvmToken
from spark_iceberg_sql.files.source import ExtractionProblem
from spark_iceberg_sql.lazy import regex
from spark_iceberg_sql.model.transforms import BY_SPELLING

PARTITIONING = regex(r"\.\s*partition(?:ed)?By\s*\(")
_ROOTS = ("write", "writeTo", "writeStream")
_ROW_METHODS = ("append", "overwrite", "overwritePartitions")
_CREATING = ("create", "createOrReplace", "replace")
_BRACKETS = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}


class _MethodCall(NamedTuple):
    """A method of a chain. start, end: its offsets. arguments: the tokens in its brackets."""

    method: str
    start: int
    end: int
    arguments: Sequence[JvmToken]


def writer_problems(text: str, tokens: Sequence[JvmToken], unit_index: int) -> Iterator[ExtractionProblem]:
    """The calls that Spark refuses, and those that it ignores. text: the program. unit_index: of its text unit."""
    for index, token in enumerate(tokens):
        if token.kind != "word" or token.text not in _ROOTS or not index or tokens[index - 1].text != ".":
            continue
        calls = list(_chain(tokens, index + 1))
        if token.text == "writeTo":
            yield from _of_table_writer(text, calls[1:], unit_index)
        else:
            yield from _of_path_writer(text, token.text, calls, unit_index)


def _chain(tokens: Sequence[JvmToken], index: int) -> Iterator[_MethodCall]:
    """The calls behind a writer; the first one of `writeTo` is its own, without a name."""
    method, start = "", tokens[index].start if index < len(tokens) else 0
    while index < len(tokens):
        if tokens[index].text == "(" and tokens[index].kind == "operator":
            end = _after_brackets(tokens, index)
            yield _MethodCall(method, start, tokens[end - 1].end, tokens[index + 1 : end - 1])
            index = end
        if index + 1 >= len(tokens) or tokens[index].text != "." or tokens[index + 1].kind != "word":
            return
        method, start = tokens[index + 1].text, tokens[index + 1].start
        index += 2
        if index >= len(tokens) or tokens[index].text != "(":  # without brackets, as `append` may be in Scala
            yield _MethodCall(method, start, tokens[index - 1].end, ())


def _after_brackets(tokens: Sequence[JvmToken], index: int) -> int:
    depth = 0
    while index < len(tokens):
        depth += _BRACKETS.get(tokens[index].text, 0) if tokens[index].kind == "operator" else 0
        index += 1
        if not depth:
            break
    return index


def _of_table_writer(text: str, calls: Sequence[_MethodCall], unit_index: int) -> Iterator[ExtractionProblem]:
    partitionings = [call for call in calls if call.method == "partitionedBy"]
    methods = [call.method for call in calls]
    row_method = next((method for method in methods if method in _ROW_METHODS), None)
    if row_method is not None:
        for call in partitionings:
            reason = f"`{row_method}` ignores `partitionedBy`: the rows get the partitions of the table"
            help_ = "leave out `partitionedBy`, or change the table: `ALTER TABLE ... ADD PARTITION FIELD ...`"
            yield ExtractionProblem(unit_index, call.start, call.end, reason, help_, is_ignored=True)
    elif any(method in _CREATING for method in methods):
        for call in partitionings[:-1]:
            fields = ", ".join(_source(text, partitioning) for partitioning in partitionings)
            reason = (
                f"the next `partitionedBy` replaces this one: the table is not partitioned by `{_source(text, call)}`"
            )
            help_ = f"write `partitionedBy({fields})`"
            yield ExtractionProblem(unit_index, call.start, call.end, reason, help_, is_ignored=True)


def _of_path_writer(text: str, root: str, calls: Sequence[_MethodCall], unit_index: int) -> Iterator[ExtractionProblem]:
    inserts = any(call.method == "insertInto" for call in calls)
    for call in calls:
        if call.method != "partitionBy":
            continue
        transform = _transform(text, call)
        if root == "write" and inserts:
            reason = "Spark refuses `insertInto` after `partitionBy`: the table has its own partitioning"
            help_ = "leave out `partitionBy`: the table's own partitioning applies"
            yield ExtractionProblem(unit_index, call.start, call.end, reason, help_, is_refused=True)
        elif root == "write" and transform is not None:
            reason = f"`partitionBy` takes column names only, not `{transform}`"
            help_ = (
                f'create the table first, with `PARTITIONED BY ({transform})`, or use `writeTo(...).using("iceberg")`'
            )
            yield ExtractionProblem(unit_index, call.start, call.end, reason, help_, is_refused=True)
        elif transform is not None:
            reason = (
                f"`partitionBy` of a stream takes names of columns: Spark refuses `{transform}` for a new table, and "
                "ignores it for one that exists"
            )
            help_ = f"create the table first, with `PARTITIONED BY ({transform})`, and leave out `partitionBy`"
            yield ExtractionProblem(unit_index, call.start, call.end, reason, help_, is_ignored=True)


def _transform(text: str, call: _MethodCall) -> str | None:
    """The first argument that is a string with a transform, `"days(ts)"`."""
    for token in call.arguments:
        if token.kind == "string" and not token.text:
            content = text[slice(*token.content)]
            name, bracket, _ = content.partition("(")
            if bracket and name.strip().lower() in BY_SPELLING:
                return content
    return None


def _source(text: str, call: _MethodCall) -> str:
    return " ".join(text[call.arguments[0].start : call.arguments[-1].end].split()) if call.arguments else ""
