"""Parses a suppression comment to a directive: its rules and scope, and mistakes in it."""

from __future__ import annotations

import re

from spark_iceberg_sql.lazy import regex
from spark_iceberg_sql.records import record
from spark_iceberg_sql.rules.registry import ALL

_OPEN = r"(?:--|/\*|#)\s*"
_CODE = r"[A-Za-z]+[0-9]+"
_WORD = r"[A-Za-z][\w.-]*"
_NOQA = regex(
    rf"{_OPEN}noqa(?:\s*:\s*(?P<codes>{_WORD}(?:\s*,\s*{_WORD}|\s+{_CODE}\b)*))?(?![\w:])",
    re.IGNORECASE,
)
_OURS_AFTER = regex(rf"\W*(?P<word>{_CODE}|[a-z]+(?:-[a-z]+)+)", re.IGNORECASE)
_DIRECTIVE = regex(rf"{_OPEN}iceberg-sql:\s*(?P<word>[\w-]+)?", re.IGNORECASE)
_LIST = regex(r"\s*\[(?P<codes>[^\]\r\n]*)\]")
# Comments that look like one of these, with another word in its place. A line may be a ruler of thousands of dashes,
# or hold as many blanks: no part of a pattern reads them again from each place, so a word is no longer than one that
# resembles `iceberg-sql` (by `_near`), and blanks are in one place unless a mark parts them.
_NOQA_WORD = rf"(?P<word>[\w-]{{3,6}})\s*(?:[:;=-]\s*)?(?P<code>{_CODE})"
_DIRECTIVE_WORD = r"(?P<word>[\w-]{1,18})\s*(?::\s*)?(?:ignore\s*[\[(]|skip-file\b)"
_LIKE_NOQA = regex(_OPEN + _NOQA_WORD, re.IGNORECASE)
_LIKE_DIRECTIVE = regex(_OPEN + _DIRECTIVE_WORD, re.IGNORECASE)
# Any of these, or what looks like one: other texts need not be read for their comments.
MENTIONED = regex(
    rf"{_OPEN}(?:noqa|iceberg-sql:|{_NOQA_WORD}|{_DIRECTIVE_WORD.replace('(?P<word>', '(?:')})",
    re.IGNORECASE,
)
_CODES = frozenset(rule.code for rule in ALL)
_NAMES = {rule.name: rule.code for rule in ALL}


@record(frozen=True, slots=True)
class Words:
    """The content of one suppression comment. end: the offset in the comment at which the directive ends.

    codes: the rules that it names; empty for all rules, unless `mistake` is set. is_shared: other linters read it,
    too. applies_to_next: to the next statement and not to its line. skip_file: it excludes the
    file from the check. mistake: what is wrong in it; valid codes next to the mistake are in `codes`.
    """

    end: int
    codes: tuple[str, ...] = ()
    shared: bool = False
    next: bool = False
    skip_file: bool = False
    wrong: str | None = None

    @property
    def blanket(self) -> bool:
        """True if it applies to every rule."""
        return not self.codes and self.wrong is None


def read_comment(comment: str) -> Words | None:
    """Parse a comment, including its `--`, `/*` or `#`; None if it is not a suppression."""
    noqa = _NOQA.match(comment)
    if noqa is not None:
        return _noqa(comment, noqa)
    directive = _DIRECTIVE.match(comment)
    if directive is not None:
        return _directive(comment, directive)
    like = _LIKE_NOQA.match(comment)
    if like is not None and _is_ours(like["code"]) and _near(like["word"], ["noqa"], 0.6):
        word = like["word"]
        return Words(like.end(), wrong=f"unknown word `{word}`; write `noqa: {like['code']}`")
    like = _LIKE_DIRECTIVE.match(comment)
    if like is not None and _near(like["word"], ["iceberg-sql"], 0.75):
        return Words(like.end(), wrong=f"`{like['word']}` is not `iceberg-sql:`")
    return None


def _noqa(comment: str, noqa: re.Match[str]) -> Words:
    if noqa["codes"] is None:
        after = _OURS_AFTER.match(comment, noqa.end())
        if after is not None and _is_ours(after["word"]):
            return Words(after.end(), wrong=f"a colon is missing; write `noqa: {after['word']}`")
        return Words(noqa.end(), shared=True)
    words = re.findall(_WORD, noqa["codes"])
    codes, wrong = _resolved(words, 0.85)  # another linter has its own words
    return Words(noqa.end(), codes, shared=True, wrong=wrong)


def _directive(comment: str, directive: re.Match[str]) -> Words:
    word, end = (directive["word"] or "").lower(), directive.end()
    if word == "skip-file":
        return Words(end, skip_file=True)
    if word != "ignore":
        meant = _near(word, ["ignore", "skip-file"], 0.5)
        instead = f"; did you mean `{meant}`?" if meant else "; write `ignore[CODE]` or `skip-file`"
        fact = f"unknown word `{word}`" if word else "no word after `iceberg-sql:`"
        return Words(end, wrong=f"{fact}{instead}")
    listed = _LIST.match(comment, end)
    if listed is None:
        after = _OURS_AFTER.match(comment, end)
        rest = comment[end:].lstrip()
        if rest[:1] in ("[", "(", ":", "=") or (after is not None and _is_ours(after["word"])):
            named = after["word"] if after is not None else "CODE"
            return Words(end, next=True, wrong=f"write `ignore[{named}]`")
        return Words(end, next=True)
    words = re.findall(r"[^\s,]+", listed["codes"])
    if not words:
        return Words(listed.end(), next=True, wrong="no rule in `ignore[]`")
    codes, wrong = _resolved(words, 0.6)
    return Words(listed.end(), codes, next=True, wrong=wrong)


def _resolved(words: list[str], cutoff: float) -> tuple[tuple[str, ...], str | None]:
    """The codes of a list of codes and names, and the mistake in it, if there is one.

    cutoff: the similarity to a rule's name from which a word is a mistake and not another linter's rule.
    """
    codes, wrong = dict[str, None](), None
    for word in words:
        code = _NAMES.get(word.lower(), word if "-" in word else word.upper())
        meant = _meant(word, cutoff) if code not in _CODES else None
        if meant is None:
            codes[code] = None
        elif wrong is None:
            wrong = f"unknown rule `{word}`; did you mean `{meant}`?"
    return tuple(codes), wrong


def _meant(word: str, cutoff: float) -> str | None:
    """The code or name of a rule that a misspelt word resembles."""
    if re.fullmatch(r"SIS\w*", word, re.IGNORECASE):
        begun = sorted(code for code in _CODES if code.startswith(word.upper()))
        return begun[0] if begun else _near(word.upper(), sorted(_CODES), 0.5) or min(_CODES)
    return _near(word.lower(), list(_NAMES), cutoff)


def _near(word: str, words: list[str], cutoff: float) -> str | None:
    from difflib import get_close_matches  # only a mistake needs it: the command starts sooner

    found = get_close_matches(
        word.lower() if words[0].islower() else word, words, n=1, cutoff=cutoff
    )
    return found[0] if found else None


def _is_ours(word: str) -> bool:
    return word.upper() in _CODES or word.lower() in _NAMES
