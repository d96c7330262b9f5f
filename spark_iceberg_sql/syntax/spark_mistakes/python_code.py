"""Python in a cell of SQL."""

from __future__ import annotations

import ast
import re

from spark_iceberg_sql.syntax.spark_mistakes.refused_statement import MistakeHelp, RefusedStatement


def python_code(refused: RefusedStatement) -> MistakeHelp | None:
    """A statement that Python parses, and that begins like one."""
    first = refused.tokens[0]
    code = refused.text[first.start : refused.tokens[-1].end]
    if not re.match(r"(import|from|def|for|print|with)\b|\w+\s*=[^=]|\w+(\.\w+)*\(|\w+(\.\w+)+$", code):
        return None
    try:
        ast.parse(code)
    except (SyntaxError, ValueError):
        return None
    return MistakeHelp("this is Python, not SQL: run it in a cell of its own, without the line of the magic")
