"""The branches of a program in Scala or Java: blocks in braces, and the cases of a match or a switch."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from spark_iceberg_sql.files.jvm.jvm_tokens import JvmToken
from spark_iceberg_sql.files.source_map import Branch

# What is directly in the body of one of these runs in its order.
_TYPES = frozenset({"class", "object", "trait", "interface", "enum", "record", "package", "import"})
_CONDITIONS = frozenset(
    {"if", "else", "for", "while", "do", "try", "catch", "finally", "match", "switch", "synchronized"}
)
_EXITS = frozenset({"return", "throw", "continue", "break"})
_HEAD_ENDS = frozenset({";", "{", "}"})


def jvm_branches(tokens: Sequence[JvmToken]) -> list[Branch]:
    """The branches of a program, in order, an outer one before those in it."""
    branches: list[Branch] = []
    open_blocks: list[tuple[int, list[int]]] = []  # the index of the brace, and those of the cases in it
    for index, token in enumerate(tokens):
        if token.text == "{" and token.kind == "operator":
            open_blocks.append((index, []))
        elif token.text in ("case", "default") and open_blocks and tokens[index + 1 : index + 2]:
            if tokens[index + 1].text not in ("class", "object"):
                open_blocks[-1][1].append(index)
        elif token.text == "}" and token.kind == "operator" and open_blocks:
            start, cases = open_blocks.pop()
            branches += _branches_of_block(tokens, start, index, cases)
    return sorted(branches, key=lambda branch: (branch.start, -branch.end))


def _branches_of_block(tokens: Sequence[JvmToken], start: int, end: int, cases: list[int]) -> list[Branch]:
    head = _head(tokens, start)
    if _TYPES & head and "def" not in head:
        return []
    is_function = not _CONDITIONS & head or "def" in head
    spans = [(tokens[start].start, tokens[end].end)]
    exits = [_exits(tokens, start + 1, end)]
    for first, last in pairwise([*cases, end]):
        spans.append((tokens[first].start, tokens[last].start))
        exits.append(False)
    return [
        Branch(0, *span, is_function and number == 0, always_exits and not cases)
        for number, (span, always_exits) in enumerate(zip(spans, exits, strict=True))
    ]


def _head(tokens: Sequence[JvmToken], start: int) -> set[str]:
    """The words before a brace, back to what ends the statement before it."""
    words: set[str] = set()
    index, depth = start - 1, 0
    while index >= 0 and (depth or tokens[index].text not in _HEAD_ENDS):
        token = tokens[index]
        if token.kind == "operator":
            depth += {")": 1, "(": -1}.get(token.text, 0)
            if depth < 0:  # an argument, such as a lambda's body
                return {"("}
        elif token.kind == "word" and not depth:
            words.add(token.text)
            # Scala's statements end with their lines.
            if token.text in ("def", "class", "object", "trait", "if", "else", "while", "for", "try", "catch"):
                break
        index -= 1
    return words


def _exits(tokens: Sequence[JvmToken], start: int, end: int) -> bool:
    """True if the last statement of a block leaves it, by its first word."""
    depth, index = 0, end - 1
    while index >= start:
        text = tokens[index].text
        if tokens[index].kind == "operator":
            depth += {"}": 1, ")": 1, "{": -1, "(": -1}.get(text, 0)
            if text == ";" and not depth and index < end - 1:
                return False
        elif text in _EXITS and not depth:
            return True
        index -= 1
    return False


def is_guarded(tokens: Sequence[JvmToken], index: int) -> bool:
    """True if the expression that begins at a token is the branch of an `if` or a loop without braces."""
    if index and tokens[index - 1].text in ("else", "then", "do", "yield"):
        return True
    if not index or tokens[index - 1].text != ")":
        return False
    depth, index = 0, index - 1
    while index >= 0:
        depth += {")": 1, "(": -1}.get(tokens[index].text, 0) if tokens[index].kind == "operator" else 0
        if not depth:
            return index > 0 and tokens[index - 1].text in ("if", "while", "for")
        index -= 1
    return False
