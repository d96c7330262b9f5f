"""The names that a misspelt one may mean, in whatever case, by one distance: the ratio of `difflib`.

How similar a name must be depends on what a wrong guess costs; WORD still finds a swap in four letters (`FORM`).
"""

from __future__ import annotations

from collections.abc import Iterable

ONE_OF = 0.5  # it can only be one of a few names: a rule, an option, a key
NAME = 0.6  # a name of the user's, which does not exist: a column, a table
WORD = 0.75  # a word that a statement has instead of another one
LIKELY = 0.8  # a name that may be somebody else's: a procedure, a function
CERTAIN = 0.9  # a key that nobody refuses: one wrong letter or two, not another word


def similar_names(name: str, names: Iterable[str], at_least: float = NAME, *, count: int = 3) -> tuple[str, ...]:
    """The names that are similar to a name, the most similar first, at most `count`.

    at_least: the least similarity, from 0 to 1.
    """
    from difflib import get_close_matches  # only a mistake needs it: the command starts sooner

    by_lower_case: dict[str, str] = {}
    for candidate in names:
        by_lower_case.setdefault(candidate.lower(), candidate)
    return tuple(by_lower_case[match] for match in get_close_matches(name.lower(), by_lower_case, count, at_least))


def similar_name(name: str, names: Iterable[str], at_least: float = NAME) -> str | None:
    """The name that is most similar to a name; None if none is."""
    return next(iter(similar_names(name, names, at_least, count=1)), None)


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """The clause `; did you mean ...?` for a name that must be one of a few; an empty text if none is similar."""
    similar = similar_name(name, names, ONE_OF)
    return f"; did you mean `{similar}`?" if similar is not None else ""
