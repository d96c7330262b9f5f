"""Misspelt keywords: `ALTER TABEL`, `REPALCE PARTITION FIELD`, `USNIG`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from spark_iceberg_sql.lazy import regex

_VERBS = ("ALTER", "CREATE", "REPLACE", "DROP")
# Keywords between CREATE and TABLE.
_BETWEEN = ("OR", "REPLACE", "EXTERNAL", "TEMPORARY", "GLOBAL")
# Keywords of other engines: not misspelt.
_NOT_TYPOS = frozenset({"STABLE", "TABLES", "TABLET", "REPLICA", "REPLICATE"})
# Two keywords written as one.
_JOINED = {verb + "TABLE": f"{verb} TABLE" for verb in _VERBS} | {
    "CREATE" + "OR": "CREATE OR",
    "CREATEORREPLACE": "CREATE OR REPLACE",
}
_WORD = regex(r"[A-Z]{4,16}")
# The clauses after ALTER TABLE t, by their first keywords.
_CHANGES = tuple(
    tuple(phrase.split())
    for phrase in (
        "ADD PARTITION FIELD",
        "DROP PARTITION FIELD",
        "REPLACE PARTITION FIELD",
        "WRITE ORDERED BY",
        "WRITE LOCALLY ORDERED BY",
        "WRITE DISTRIBUTED BY PARTITION",
        "WRITE UNORDERED",
        "SET IDENTIFIER FIELDS",
        "DROP IDENTIFIER FIELDS",
        "CREATE BRANCH",
        "CREATE OR REPLACE BRANCH",
        "REPLACE BRANCH",
        "DROP BRANCH",
        "CREATE TAG",
        "CREATE OR REPLACE TAG",
        "REPLACE TAG",
        "ADD COLUMN",
        "ADD COLUMNS",
        "DROP COLUMN",
        "DROP COLUMNS",
        "RENAME COLUMN",
        "ALTER COLUMN",
        "CHANGE COLUMN",
        "REPLACE COLUMNS",
        "RENAME TO",
        "SET TBLPROPERTIES",
        "UNSET TBLPROPERTIES",
        "SET LOCATION",
        "RECOVER PARTITIONS",
    )
)
# A keyword is never a misspelling of another one: ORDERED of UNORDERED, PARTITION of PARTITIONED.
_KEYWORDS = frozenset(word for phrase in _CHANGES for word in phrase) | {
    "PARTITIONED",
    "CLUSTERED",
    "CLUSTER",
    "LOCATION",
    "OPTIONS",
    "COMMENT",
    "USING",
    "FIRST",
    "AFTER",
    "TYPE",
    "CREATE",
    "ALTER",
    "TABLE",
    "SNAPSHOT",
    "SNAPSHOTS",
    "RETENTION",
    "LAST",
    "ROWS",
    "DAYS",
    "HOURS",
    "MINUTES",
    "LIKE",
    "WITH",
    "VIEW",
}


@lru_cache(maxsize=4096)
def nearest_keyword(word: str, *keywords: str) -> str:
    """The keyword that a word misspells; empty if there is none, or if the word is a keyword itself.

    One edit counts as a misspelling, in a long word two: a letter missing, added, replaced, or swapped with its
    neighbour.
    """
    if word in _KEYWORDS or word in _NOT_TYPOS or not _WORD.fullmatch(word):
        return ""
    return next((keyword for keyword in keywords if is_similar(word, keyword)), "")


def is_similar(word: str, keyword: str) -> bool:
    """Whether a word may be a misspelt keyword, as `nearest_keyword` decides."""
    if len(keyword) > 4 and sorted(word) == sorted(keyword):
        return True  # ALERT for ALTER
    max_distance = 2 if len(keyword) > 6 else 1
    has_similar_length = len(keyword) > 3 and abs(len(word) - len(keyword)) <= max_distance
    return has_similar_length and _distance(word, keyword) <= max_distance


def _distance(word: str, keyword: str) -> int:
    """The edit distance of two words; a swap of neighbours is one edit (optimal string alignment)."""
    previous_row: list[int] = []
    row = list(range(len(keyword) + 1))
    for i, x in enumerate(word, 1):
        row_before_previous, previous_row = previous_row, row
        row = [i]
        for j, y in enumerate(keyword, 1):
            replaced = previous_row[j - 1] if x == y else previous_row[j - 1] + 1
            best = min(row[-1] + 1, previous_row[j] + 1, replaced)
            if i > 1 and j > 1 and x == keyword[j - 2] and word[i - 2] == y:
                best = min(best, row_before_previous[j - 2] + 1)
            row.append(best)
    return row[-1]


def is_verb(word: str) -> bool:
    """True if a statement's first word is ALTER, CREATE, REPLACE or DROP, possibly misspelt."""
    return word in _VERBS or word in _JOINED or nearest_keyword(word, *_VERBS) != ""


def opening_typo(first_words: Sequence[str]) -> tuple[int, str] | None:
    """The misspelt keyword in `ALTER TABLE`, `CREATE OR REPLACE TABLE` and so on: its index and the keyword.

    first_words: those of a statement, in upper case. None if nothing is misspelt.
    """
    if first_words and first_words[0] in _JOINED:
        return 0, _JOINED[first_words[0]]
    verb = (
        first_words[0]
        if first_words and first_words[0] in _VERBS
        else nearest_keyword(first_words[0], *_VERBS)
        if first_words
        else ""
    )
    if not verb:
        return None
    typos = [(0, verb)] if verb != first_words[0] else []
    index = 1
    while verb == "CREATE" and index < len(first_words) - 1:
        keyword = (
            first_words[index] if first_words[index] in _BETWEEN else nearest_keyword(first_words[index], *_BETWEEN)
        )
        if not keyword:
            break
        typos += [(index, keyword)] if keyword != first_words[index] else []
        index += 1
    if index >= len(first_words):
        return None
    if first_words[index] != "TABLE":
        if nearest_keyword(first_words[index], "TABLE") == "":
            return None
        typos.append((index, "TABLE"))
    return typos[0] if typos else None


def change_typo(next_words: Sequence[str]) -> tuple[int, str] | None:
    """The misspelt keyword after ALTER TABLE t: its index, and the keyword; None if there is none."""
    for phrase in _CHANGES:
        typos = []
        for i, keyword in enumerate(phrase):
            word = next_words[i] if i < len(next_words) else ""
            if word == keyword:
                continue
            if nearest_keyword(word, keyword) or (keyword == "BY" and _resembles_by(word)):
                typos.append((i, keyword))
            else:
                break
        else:
            if typos:
                return typos[0]
    return None


def _resembles_by(word: str) -> bool:
    """True if a word of two letters has a letter in common with BY."""
    return len(word) == 2 and word.isalpha() and bool(set(word) & set("BY"))


def expected_typo(word: str, expected: Iterable[str]) -> str:
    """The keyword in a list of expectations that a word misspells, for example in "`,` or `PARTITIONED BY (...)`"."""
    return nearest_keyword(word, *re.findall(r"\b[A-Z]{4,}\b", " ".join(expected)))
