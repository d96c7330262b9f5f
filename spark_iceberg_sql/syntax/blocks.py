"""The block structure of Spark's SQL scripting: which END closes which BEGIN."""

from __future__ import annotations

from collections.abc import Iterable

_LOOPS = frozenset({"LOOP", "REPEAT"})
_HEADED = frozenset({"IF", "CASE", "WHILE", "FOR"})  # ... THEN, ... DO
_BRANCHES = frozenset({"ELSEIF", "WHEN"})


def block_ends(tokens: Iterable[tuple[int, str]]) -> dict[int, int]:
    """The index of each block's END, by the index of the word that opens the block.

    tokens: (index, upper-case text) of the tokens that are not trivia. A block's END is where a statement may begin;
    the END of a CASE expression and a column named `end` are not.
    """
    ends: dict[int, int] = {}
    open_blocks: list[int] = []
    at_statement_start, after_label = (True, False)  # a statement may begin here; the word before may be a label
    in_header = in_declare = False  # inside IF ... THEN, WHILE ... DO; inside DECLARE ... HANDLER
    open_cases = 0  # open CASE expressions of the header
    for index, word in tokens:
        if word == ";":
            at_statement_start, in_header, in_declare, open_cases = True, False, False, 0
        elif in_header:
            if word in ("CASE", "END"):
                open_cases += 1 if word == "CASE" else -1
            elif word in ("THEN", "DO") and open_cases <= 0:
                at_statement_start, in_header = True, False
        # The body of DECLARE ... HANDLER FOR ... is a block, too.
        elif word == "BEGIN" and (at_statement_start or in_declare):
            open_blocks.append(index)
            at_statement_start = True
        elif at_statement_start and word in ("END", "UNTIL"):
            if open_blocks:
                ends[open_blocks.pop()] = index
            at_statement_start = False
        elif at_statement_start:
            # Outside of a BEGIN these words open no block.
            if open_blocks and (word in _LOOPS or word in _HEADED):
                open_blocks.append(index)
            in_header = word in _HEADED or word in _BRANCHES
            in_declare = word == "DECLARE"
            # After these words a statement may begin: the body of a loop or of ELSE; BEGIN [NOT] ATOMIC.
            at_statement_start = word in _LOOPS or word in ("ELSE", "NOT", "ATOMIC")
            after_label = not at_statement_start
            continue
        elif after_label and word == ":":
            at_statement_start = True
        after_label = False
    return ends
