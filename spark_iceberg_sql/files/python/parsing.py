"""The syntax tree of a program, without the warnings that its text causes."""

from __future__ import annotations

import ast
import sys
import warnings
from contextlib import suppress
from functools import lru_cache

_NEWEST = (3, 14)  # whose strings are rewritten for an older Python


def parse_python(text: str) -> ast.Module | None:
    """The syntax tree of a program; None if it is not valid Python."""
    with suppress(SyntaxError, ValueError, RecursionError, MemoryError):
        return syntax_tree(text)
    return None


@lru_cache(maxsize=1)  # the readers of a program, of which none changes the tree, come one after the other
def syntax_tree(text: str) -> ast.Module:
    """The syntax tree of a program. Raises what `ast.parse` raises for invalid Python, or for too deep nesting."""
    with warnings.catch_warnings():
        # Warnings such as that about "\\d" are not for this check to report.
        warnings.simplefilter("ignore")
        try:
            return ast.parse(text)
        except SyntaxError:
            from spark_iceberg_sql.files.python.newer_fstrings import with_older_fstrings  # few programs need it

            older_text = with_older_fstrings(text) if sys.version_info < _NEWEST else text
            if older_text == text:
                raise
        return ast.parse(older_text)
