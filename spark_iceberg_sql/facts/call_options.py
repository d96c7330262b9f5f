"""The options of a CALL, `options => map('name', 'value', ...)`: which of them Iceberg refuses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from spark_iceberg_sql.lazy import regex
from spark_iceberg_sql.model.iceberg_names import CALL_OPTIONS
from spark_iceberg_sql.records import record
from spark_iceberg_sql.syntax.lexer import STRINGS, Token
from spark_iceberg_sql.syntax.literals import unescape
from spark_iceberg_sql.syntax.terms import Offsets

_INTEGER = regex(r"[+-]?[0-9]{1,19}")
_SIZE = regex(r"([0-9]{1,9})\s*([kmgt])i?b?")
_ORDERS = ("none", "bytes-asc", "bytes-desc", "files-asc", "files-desc")
_TARGET, _MIN, _MAX = "target-file-size-bytes", "min-file-size-bytes", "max-file-size-bytes"
# Options that Iceberg reads as integers, and refuses with the first word that is none.
_INTEGERS = frozenset({
    _TARGET, _MIN, _MAX, "max-file-group-size-bytes", "max-file-group-input-files", "min-input-files",
    "delete-file-threshold", "max-concurrent-file-group-rewrites", "partial-progress.max-commits",
    "partial-progress.max-failed-commits",
})  # fmt: skip
_POSITIVE = frozenset({_TARGET, "min-input-files", "max-file-group-size-bytes", "max-file-group-input-files"})


@record(frozen=True, slots=True)
class Option:
    """A pair of a map of literals, with the spans of its two strings in the text."""

    key: str
    value: str
    key_span: Offsets
    value_span: Offsets


@record(frozen=True, slots=True)
class RefusedOption:
    """What Iceberg refuses about an option. text: to write in place of the span; None if it is not one text.

    is_certain: false if a later version may take it.
    """

    span: Offsets
    message: str
    help: str
    text: str | None = None
    is_certain: bool = True


def options_of(tokens: Sequence[Token]) -> list[Option] | None:
    """The options in `map('name', 'value', ...)`; None if it is another expression. tokens: without spaces."""
    if len(tokens) < 3 or tokens[0].word != "MAP" or tokens[1].text != "(" or tokens[-1].text != ")":
        return None
    values, marks = tokens[2:-1:2], tokens[3:-1:2]
    if len(values) % 2 or any(token.kind not in STRINGS for token in values) or any(m.text != "," for m in marks):
        return None
    texts = [unescape(token.text) for token in values]
    return [Option(texts[i], texts[i + 1], values[i].span, values[i + 1].span) for i in range(0, len(values), 2)]


def refused_options(procedure: str, options: Sequence[Option], version: str) -> Iterator[RefusedOption]:
    """The options that a procedure refuses. version: Iceberg's, whose options are known."""
    names = CALL_OPTIONS.get(procedure)
    if names is None:
        return
    for option in options:
        if any("{" in text or "$" in text for text in (option.key, option.value)):
            continue
        if option.key not in names:
            yield _unknown(procedure, option, names, version)
        elif (refused := _refused_value(option)) is not None:
            yield refused
    yield from _contradictions(options)


def _unknown(procedure: str, option: Option, names: Sequence[str], version: str) -> RefusedOption:
    from spark_iceberg_sql.model.schema import similar_names  # the command starts sooner

    message = f"`{procedure}` has no option `{option.key}`"
    similar = next(iter(similar_names(option.key, names)), None)
    if similar is not None:
        return RefusedOption(option.key_span, message, f"write '{similar}'", f"'{similar}'")
    known = ", ".join(names)
    return RefusedOption(
        option.key_span, f"{message} in Iceberg {version}", f"leave it out: its options are {known}", is_certain=False
    )


def _refused_value(option: Option) -> RefusedOption | None:
    value = option.value
    if option.key == "rewrite-job-order" and value.lower() not in _ORDERS:
        orders = ", ".join(f"'{order}'" for order in _ORDERS)
        return RefusedOption(option.value_span, f"`{option.key}` has no value `{value}`", f"write one of {orders}")
    if option.key not in _INTEGERS:
        return None
    if _INTEGER.fullmatch(value) is None:
        text = None
        if option.key.endswith("-bytes") and (size := _SIZE.fullmatch(value.strip().lower())) is not None:
            text = f"'{int(size[1]) << 10 * ' kmgt'.index(size[2])}'"
        help_ = "write a whole number" if text is None else f"write the number of bytes: {text}"
        return RefusedOption(option.value_span, f"`{option.key}` must be an integer, not `{value}`", help_, text)
    if option.key in _POSITIVE and int(value) <= 0:
        return RefusedOption(option.value_span, f"`{option.key}` must be above 0, not `{value}`", "write at least '1'")
    return None


def _contradictions(options: Sequence[Option]) -> Iterator[RefusedOption]:
    """Sizes of which Iceberg refuses the order: the target lies between the smallest and the largest."""
    numbers = {o.key: (int(o.value), o) for o in options if _INTEGER.fullmatch(o.value) is not None}
    for low, high in ((_MIN, _TARGET), (_TARGET, _MAX), (_MIN, _MAX)):
        if low in numbers and high in numbers and numbers[low][0] >= numbers[high][0]:
            span = numbers[low][1].value_span
            yield RefusedOption(span, f"`{low}` must be below `{high}`", f"write a number below {numbers[high][0]}")
            return
