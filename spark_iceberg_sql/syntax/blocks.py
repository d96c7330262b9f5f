"""The block structure of Spark's SQL scripting: which END closes which BEGIN."""

from __future__ import annotations

from collections.abc import Iterable

_LOOPS = frozenset({"LOOP", "REPEAT"})
_HEADED = frozenset({"IF", "CASE", "WHILE", "FOR"})  # ... THEN, ... DO
_BRANCHES = frozenset({"ELSEIF", "WHEN"})


def block_ends(words: Iterable[tuple[int, str]]) -> dict[int, int]:
    """The place of each block's END by the place of the word that opens the block.

    words: (place, upper-case text) of the tokens that are no trivia. A block's END stands where a
    statement may begin, which no END of a CASE expression and no column named `end` does.
    """
    ends: dict[int, int] = {}
    opened: list[int] = []
    fresh, label = True, False  # a statement may begin here; the word before may be a label
    header = handler = False  # inside IF ... THEN, WHILE ... DO; inside DECLARE ... HANDLER
    cases = 0  # open CASE expressions of the header
    for place, word in words:
        if word == ";":
            fresh, header, handler, cases = True, False, False, 0
        elif header:
            if word in ("CASE", "END"):
                cases += 1 if word == "CASE" else -1
            elif word in ("THEN", "DO") and cases <= 0:
                fresh, header = True, False
        elif word == "BEGIN" and (fresh or handler):
            opened.append(place)
            fresh = True
        elif fresh and word in ("END", "UNTIL"):
            if opened:
                ends[opened.pop()] = place
            fresh = False
        elif fresh:
            if opened and (word in _LOOPS or word in _HEADED):
                opened.append(place)
            header = word in _HEADED or word in _BRANCHES
            handler = word == "DECLARE"
            fresh = word in _LOOPS or word in ("ELSE", "NOT", "ATOMIC")
            label = not fresh
            continue
        elif label and word == ":":
            fresh = True
        label = False
    return ends
