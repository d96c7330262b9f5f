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
_MEANT = frozenset({"STABLE", "TABLES", "TABLET", "REPLICA", "REPLICATE"})
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
def near(word: str, *keywords: str) -> str:
    """The keyword that a word misspells; empty if there is none, or if the word is a keyword itself.

    One edit counts as a misspelling, in a long word two: a letter missing, added, replaced, or swapped with its
    neighbour.
    """
    if word in _KEYWORDS or word in _MEANT or not _WORD.fullmatch(word):
        return ""
    for keyword in keywords:
        allowed = 2 if len(keyword) > 6 else 1
        if len(keyword) > 4 and sorted(word) == sorted(keyword):
            return keyword  # ALERT for ALTER
        alike = len(keyword) > 3 and abs(len(word) - len(keyword)) <= allowed
        if alike and _distance(word, keyword) <= allowed:
            return keyword
    return ""


def _distance(a: str, b: str) -> int:
    """The edit distance of two words; a swap of neighbours is one edit (optimal string alignment)."""
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        earlier, before = before, row
        row = [i]
        for j, y in enumerate(b, 1):
            replaced = before[j - 1] if x == y else before[j - 1] + 1
            best = min(row[-1] + 1, before[j] + 1, replaced)
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                best = min(best, earlier[j - 2] + 1)
            row.append(best)
    return row[-1]


def is_verb(word: str) -> bool:
    """True if a statement's first word is ALTER, CREATE, REPLACE or DROP, possibly misspelt."""
    return word in _VERBS or word in _JOINED or near(word, *_VERBS) != ""


def opening(words: Sequence[str]) -> tuple[int, str] | None:
    """The misspelt keyword in `ALTER TABLE`, `CREATE OR REPLACE TABLE` and so on: its index and the keyword.

    first_words: those of a statement, in upper case. None if nothing is misspelt.
    """
    if words and words[0] in _JOINED:
        return 0, _JOINED[words[0]]
    verb = words[0] if words and words[0] in _VERBS else near(words[0], *_VERBS) if words else ""
    if not verb:
        return None
    slips = [(0, verb)] if verb != words[0] else []
    at = 1
    while verb == "CREATE" and at < len(words) - 1:
        meant = words[at] if words[at] in _BETWEEN else near(words[at], *_BETWEEN)
        if not meant:
            break
        slips += [(at, meant)] if meant != words[at] else []
        at += 1
    if at >= len(words):
        return None
    if words[at] != "TABLE":
        if near(words[at], "TABLE") == "":
            return None
        slips.append((at, "TABLE"))
    return slips[0] if slips else None


def change(words: Sequence[str]) -> tuple[int, str] | None:
    """The misspelt keyword after ALTER TABLE t: its index, and the keyword; None if there is none."""
    for phrase in _CHANGES:
        slips = []
        for i, keyword in enumerate(phrase):
            word = words[i] if i < len(words) else ""
            if word == keyword:
                continue
            if near(word, keyword) or (keyword == "BY" and _about_by(word)):
                slips.append((i, keyword))
            else:
                break
        else:
            if slips:
                return slips[0]
    return None


def _about_by(word: str) -> bool:
    """True if a word of two letters has a letter in common with BY."""
    return len(word) == 2 and word.isalpha() and bool(set(word) & set("BY"))


def among(word: str, expected: Iterable[str]) -> str:
    """The keyword in a list of expectations that a word misspells, for example in "`,` or `PARTITIONED BY
    (...)`".
    """
    keywords = re.findall(r"\b[A-Z]{4,}\b", " ".join(expected))
    return near(word, *keywords)
