"""Parses a suppression comment to a directive: its rules and scope, and mistakes in it."""

from __future__ import annotations

import re

from spark_iceberg_sql.lazy import regex
from spark_iceberg_sql.records import record
from spark_iceberg_sql.rules.registry import ALL
from spark_iceberg_sql.similar_names import CERTAIN, NAME, ONE_OF, WORD, similar_name

_OPEN = r"(?:--|/\*|#)\s*"
_CODE = r"[A-Za-z]+[0-9]+"
_WORD = r"[A-Za-z][\w.-]*"
_NOQA = regex(rf"{_OPEN}noqa(?:\s*:\s*(?P<codes>{_WORD}(?:\s*,\s*{_WORD}|\s+{_CODE}\b)*))?(?![\w:])", re.IGNORECASE)
_RULE_AFTER = regex(rf"\W*(?P<word>{_CODE}|[a-z]+(?:-[a-z]+)+)", re.IGNORECASE)
_DIRECTIVE = regex(rf"{_OPEN}iceberg-sql:\s*(?P<word>[\w-]+)?", re.IGNORECASE)
_LIST = regex(r"\s*\[(?P<codes>[^\]\r\n]*)\]")
# Comments that look like one of these, with another word in its place. A line may be a ruler of thousands of dashes,
# or hold as many blanks: no part of a pattern reads them again from each place, so a word is no longer than one that
# resembles `iceberg-sql` (by `_near`), and blanks are in one place unless a mark parts them.
_NOQA_WORD = rf"(?P<word>[\w-]{{3,6}})\s*(?:[:;=-]\s*)?(?P<code>{_CODE})"
_DIRECTIVE_WORD = r"(?P<word>[\w-]{1,18})\s*(?::\s*)?(?:ignore\s*[\[(]|skip-file\b)"
_NOQA_LOOKALIKE = regex(_OPEN + _NOQA_WORD, re.IGNORECASE)
_DIRECTIVE_LOOKALIKE = regex(_OPEN + _DIRECTIVE_WORD, re.IGNORECASE)
# Any of these, or what looks like one: other texts need not be read for their comments.
MENTION = regex(
    rf"{_OPEN}(?:noqa|iceberg-sql:|{_NOQA_WORD}|{_DIRECTIVE_WORD.replace('(?P<word>', '(?:')})", re.IGNORECASE
)
_REST_OF_LINE = regex(r"[^\r\n]*")
_CODES = frozenset(rule.code for rule in ALL)
_NAMES = {rule.name: rule.code for rule in ALL}


@record(frozen=True, slots=True)
class Directive:
    """The content of one suppression comment. end: the offset in the comment at which the directive ends.

    codes: the rules that it names; empty for all rules, unless `mistake` is set. is_shared: other linters read it, too.
    applies_to_next: to the next statement and not to its line. skip_file: it excludes the file from the check. mistake:
    what is wrong in it; valid codes next to the mistake are in `codes`.
    """

    end: int
    codes: tuple[str, ...] = ()
    is_shared: bool = False
    applies_to_next: bool = False
    skip_file: bool = False
    mistake: str | None = None

    @property
    def is_blanket(self) -> bool:
        """True if it applies to every rule."""
        return not self.codes and self.mistake is None

    @property
    def is_for_others(self) -> bool:
        """True if it names only rules of other linters, and therefore has no effect."""
        return self.is_shared and self.mistake is None and bool(self.codes) and _CODES.isdisjoint(self.codes)


def may_have_directives(program: str) -> bool:
    """False if no comment of a Python program is a suppression with an effect: it need not be read for its comments."""
    for mention in MENTION.finditer(program):
        if program.startswith("#", mention.start()):
            comment = _REST_OF_LINE.match(program, mention.start())
            directive = parse_directive(comment.group()) if comment is not None else None
            if directive is not None and not directive.is_for_others:
                return True
    return False


def parse_directive(comment: str) -> Directive | None:
    """Parse a comment, including its `--`, `/*` or `#`; None if it is not a suppression."""
    if (noqa_match := _NOQA.match(comment)) is not None:
        return _parse_noqa(comment, noqa_match)
    if (directive_match := _DIRECTIVE.match(comment)) is not None:
        return _parse_iceberg_sql(comment, directive_match)
    lookalike = _NOQA_LOOKALIKE.match(comment)
    if lookalike is not None and _is_own_rule(lookalike["code"]) and similar_name(lookalike["word"], ["noqa"]):
        mistake = f"unknown word `{lookalike['word']}`; write `noqa: {lookalike['code']}`"
        return Directive(lookalike.end(), mistake=mistake)
    lookalike = _DIRECTIVE_LOOKALIKE.match(comment)
    if lookalike is not None and similar_name(lookalike["word"], ["iceberg-sql"], WORD):
        return Directive(lookalike.end(), mistake=f"`{lookalike['word']}` is not `iceberg-sql:`")
    return None


def _parse_noqa(comment: str, match: re.Match[str]) -> Directive:
    if match["codes"] is None:
        rule_match = _RULE_AFTER.match(comment, match.end())
        if rule_match is not None and _is_own_rule(rule_match["word"]):
            return Directive(rule_match.end(), mistake=f"a colon is missing; write `noqa: {rule_match['word']}`")
        return Directive(match.end(), is_shared=True)
    names = re.findall(_WORD, match["codes"])
    codes, mistake = _resolve_names(names, CERTAIN)  # another linter has its own words
    return Directive(match.end(), codes, is_shared=True, mistake=mistake)


def _parse_iceberg_sql(comment: str, match: re.Match[str]) -> Directive:
    word, end = (match["word"] or "").lower(), match.end()
    if word == "skip-file":
        return Directive(end, skip_file=True)
    if word != "ignore":
        suggestion = similar_name(word, ["ignore", "skip-file"], ONE_OF)
        help_ = f"; did you mean `{suggestion}`?" if suggestion else "; write `ignore[CODE]` or `skip-file`"
        fact = f"unknown word `{word}`" if word else "no word after `iceberg-sql:`"
        return Directive(end, mistake=f"{fact}{help_}")
    code_list = _LIST.match(comment, end)
    if code_list is None:
        rule_match = _RULE_AFTER.match(comment, end)
        remaining = comment[end:].lstrip()
        if remaining[:1] in ("[", "(", ":", "=") or (rule_match is not None and _is_own_rule(rule_match["word"])):
            code = rule_match["word"] if rule_match is not None else "CODE"
            return Directive(end, applies_to_next=True, mistake=f"write `ignore[{code}]`")
        return Directive(end, applies_to_next=True)
    names = re.findall(r"[^\s,]+", code_list["codes"])
    if not names:
        return Directive(code_list.end(), applies_to_next=True, mistake="no rule in `ignore[]`")
    codes, mistake = _resolve_names(names, NAME)
    return Directive(code_list.end(), codes, applies_to_next=True, mistake=mistake)


def _resolve_names(names: list[str], at_least: float) -> tuple[tuple[str, ...], str | None]:
    """The codes of a list of codes and names, and the mistake in it, if there is one.

    at_least: the similarity to a rule's name from which a word is a mistake and not another linter's rule.
    """
    codes, mistake = dict[str, None](), None
    for name in names:
        code = _NAMES.get(name.lower(), name if "-" in name else name.upper())
        suggestion = _similar_rule(name, at_least) if code not in _CODES else None
        if suggestion is None:
            codes[code] = None
        elif mistake is None:
            mistake = f"unknown rule `{name}`; did you mean `{suggestion}`?"
    return tuple(codes), mistake


def _similar_rule(word: str, at_least: float) -> str | None:
    """The code or name of a rule that a misspelt word resembles."""
    if re.fullmatch(r"SIS\w*", word, re.IGNORECASE):
        matching_codes = sorted(code for code in _CODES if code.startswith(word.upper()))
        return matching_codes[0] if matching_codes else similar_name(word, sorted(_CODES), ONE_OF) or min(_CODES)
    return similar_name(word, _NAMES, at_least)


def _is_own_rule(word: str) -> bool:
    return word.upper() in _CODES or word.lower() in _NAMES
