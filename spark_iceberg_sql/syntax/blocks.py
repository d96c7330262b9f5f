"""The block structure of Spark's SQL scripting: which END closes which BEGIN."""

from __future__ import annotations

from collections.abc import Iterable

_LOOPS = frozenset({"LOOP", "REPEAT"})
_HEADED = frozenset({"IF", "CASE", "WHILE", "FOR"})  # ... THEN, ... DO
_BRANCHES = frozenset({"ELSEIF", "WHEN"})


def block_ends(words: Iterable[tuple[int, str]]) -> dict[int, int]:
    """The index of each block's END, by the index of the word that opens the block.

    tokens: (index, upper-case text) of the tokens that are not trivia. A block's END is where a statement may
    begin; the END of a CASE expression and a column named `end` are not.
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
        # The body of DECLARE ... HANDLER FOR ... is a block, too.
        elif word == "BEGIN" and (fresh or handler):
            opened.append(place)
            fresh = True
        elif fresh and word in ("END", "UNTIL"):
            if opened:
                ends[opened.pop()] = place
            fresh = False
        elif fresh:
            # Outside of a BEGIN these words open no block.
            if opened and (word in _LOOPS or word in _HEADED):
                opened.append(place)
            header = word in _HEADED or word in _BRANCHES
            handler = word == "DECLARE"
            # After these words a statement may begin: the body of a loop or of ELSE; BEGIN [NOT] ATOMIC.
            fresh = word in _LOOPS or word in ("ELSE", "NOT", "ATOMIC")
            label = not fresh
            continue
        elif label and word == ":":
            fresh = True
        label = False
    return ends
