"""The syntax tree of a program, without the warnings that its text causes."""

from __future__ import annotations

import ast
import warnings
from contextlib import suppress


def parse_python(text: str) -> ast.Module | None:
    """The syntax tree of a program; None if it is not valid Python."""
    with warnings.catch_warnings():
        # Warnings such as that about "\\d" are not for this check to report.
        warnings.simplefilter("ignore")
        with suppress(SyntaxError, ValueError, RecursionError, MemoryError):
            return ast.parse(text)
    return None
