"""The configuration in the file of a dbt model: `{{ config(...) }}`, `dbt.config(...)`."""

from __future__ import annotations

import ast
import re
from typing import NamedTuple

from spark_iceberg_sql.files.projects.dbt_values import Config, value_of_expression
from spark_iceberg_sql.files.python.parsing import parse_python
from spark_iceberg_sql.files.python.program import Program
from spark_iceberg_sql.files.source_map import Offsets
from spark_iceberg_sql.files.templates import template_spans

_CALL = re.compile(r"\{\{[-+]?\s*(?=config\s*\()")
_CONFIG = re.compile(r"\bconfig\s*\(")
# A call that is only part of a `{{ }}`; `config.get` and the like only read.
_NESTED_CALL = re.compile(r"(?<![\w.])config\s*\(")
_WORD = re.compile(r"\{%[-+]?\s*(\w+)")
_CLOSE = re.compile(r"\s*[-+]?\}\}$")
_CONDITIONAL_BLOCKS = frozenset({"if", "for", "macro", "call", "filter", "materialization", "test"})
_NO_LINE_END = re.compile(r"[^\r\n]")


class OwnConfig(NamedTuple):
    """The configuration in a model's file.

    config: by key; the last call wins. calls: the offsets of each `{{ config(...) }}`. unread_span: the position of a
    call that cannot be read, or that is conditional.
    """

    config: Config
    calls: tuple[Offsets, ...] = ()
    unread_span: Offsets | None = None


def sql_config(text: str) -> OwnConfig:
    """The configuration of a model or snapshot in SQL."""
    if _CONFIG.search(text) is None:
        return OwnConfig({})
    config: Config = {}
    calls: list[Offsets] = []
    unread_span: Offsets | None = None
    depth = 0
    for start, end in template_spans(text):
        tag_text = text[start:end]
        keyword = _WORD.match(tag_text)
        if keyword is not None and keyword[1] in _CONDITIONAL_BLOCKS:
            depth += 1
        elif keyword is not None and keyword[1].startswith("end") and keyword[1][3:] in _CONDITIONAL_BLOCKS:
            depth -= 1
        if tag_text.startswith("{#") or _CONFIG.search(tag_text) is None:
            continue
        opening = _CALL.match(tag_text)
        call_config = _read_call(text, start + opening.end(), end) if opening is not None else None
        if call_config is not None and not depth:
            config |= call_config
            calls.append((start, end))
        elif opening is not None or _NESTED_CALL.search(tag_text):
            unread_span = start, end
    return OwnConfig(config, tuple(calls), unread_span)


def _read_call(text: str, opening: int, end: int) -> Config | None:
    """The arguments of a call; None if they are not valid Python, too.

    The text around the call becomes blank, within brackets, so that offsets stay the same.
    """
    closing = _CLOSE.search(text[:end], opening)
    if closing is None:
        return None
    stop = closing.start()
    first = len(text) - len(text.lstrip("\r\n"))  # brackets go where no line ends
    prefix = _NO_LINE_END.sub(" ", text[first + 1 : opening])
    suffix = _NO_LINE_END.sub(" ", text[stop : end - 2])
    source = f"{text[:first]}({prefix}{text[opening:stop]}{suffix}) "
    tree = parse_python(source)
    body = tree.body if tree is not None else []
    if len(body) != 1 or not isinstance(body[0], ast.Expr):
        return None
    return config_arguments(Program(text, 0, tree or ast.Module([], []), ""), body[0].value)


def config_arguments(program: Program, call: ast.expr) -> Config | None:
    """The arguments of a call of `config`, or its single mapping; None if they are not literals."""
    if not isinstance(call, ast.Call):
        return None
    config: Config = {}
    for value in call.args:
        fields = value_of_expression(program, value).fields
        if fields is None:
            return None
        config |= fields
    if any(keyword.arg is None for keyword in call.keywords):
        return None
    return config | {k.arg: value_of_expression(program, k.value) for k in call.keywords if k.arg}


def python_config(text: str) -> OwnConfig:
    """The configuration of a model in Python: `dbt.config(...)` in its function `model`."""
    tree = parse_python(text) if _CONFIG.search(text) else None
    function = next(
        (n for n in (tree.body if tree else ()) if isinstance(n, ast.FunctionDef) and n.name == "model"), None
    )
    if tree is None or function is None:
        return OwnConfig({})
    config: Config = {}
    calls: list[Offsets] = []
    program = Program(text, 0, tree, "")
    for node in ast.walk(function):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        if node.func.attr == "config" and program.source(node.func.value) == "dbt":
            config |= config_arguments(program, node) or {}
            calls.append(program.span(node))
    return OwnConfig(config, tuple(calls))
