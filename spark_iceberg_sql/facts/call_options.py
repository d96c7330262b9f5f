"""The options of a CALL, `options => map('name', 'value', ...)`: which of them Iceberg refuses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from spark_iceberg_sql.facts.call_names import spec_help, unknown_spec
from spark_iceberg_sql.facts.call_refusals import Refused, is_template
from spark_iceberg_sql.lazy import regex
from spark_iceberg_sql.model.runtime.iceberg_names import CALL_OPTIONS, STRATEGY_OPTIONS
from spark_iceberg_sql.model.runtime.iceberg_values import CALL_OPTION_TYPES, ENUMERATIONS
from spark_iceberg_sql.model.runtime.properties import TypedProperty
from spark_iceberg_sql.model.table import Table
from spark_iceberg_sql.records import record
from spark_iceberg_sql.similar_names import similar_name
from spark_iceberg_sql.syntax.lexer import STRINGS, Token
from spark_iceberg_sql.syntax.literals import unescape
from spark_iceberg_sql.syntax.terms import Offsets

_INTEGER = regex(r"[+-]?[0-9]{1,19}")
_SIZE = regex(r"([0-9]{1,9})\s*([kmgt])i?b?")
_ORDERS = tuple(constant.replace("_", "-") for constant in ENUMERATIONS["rewrite-job-order"])
_TARGET, _MIN, _MAX = "target-file-size-bytes", "min-file-size-bytes", "max-file-size-bytes"
_BITS = {"int": 32, "long": 64}
_POSITIVE = frozenset({
    _TARGET, "min-input-files", "max-file-group-size-bytes", "max-file-group-input-files", "max-files-to-rewrite",
    "max-concurrent-file-group-rewrites", "compression-factor", "shuffle-partitions-per-file", "max-output-size",
    "var-length-contribution",
})  # fmt: skip
# Iceberg looks at this one only where it commits while it rewrites.
_COMMITS, _PROGRESS = "partial-progress.max-commits", "partial-progress.enabled"
_RATIO = "delete-ratio-threshold"
_NOT_NEGATIVE = frozenset({_MIN, "delete-file-threshold"})
_SPEC = "output-spec-id"
_TARGET_PROPERTY = "write.target-file-size-bytes"
_DEFAULT_TARGET = 512 << 20
# Iceberg's bounds around a target, if they are not set.
_MIN_SHARE, _MAX_SHARE = 0.75, 1.8


@record(frozen=True, slots=True)
class CallOption:
    """A pair of a map of literals, with the spans of its two strings in the text."""

    key: str
    value: str
    key_span: Offsets
    value_span: Offsets


def options_of(tokens: Sequence[Token]) -> list[CallOption] | None:
    """The options in `map('name', 'value', ...)`; None if it is another expression. tokens: without spaces."""
    if len(tokens) < 3 or tokens[0].word != "MAP" or tokens[1].text != "(" or tokens[-1].text != ")":
        return None
    values, marks = tokens[2:-1:2], tokens[3:-1:2]
    if len(values) % 2 or any(token.kind not in STRINGS for token in values) or any(m.text != "," for m in marks):
        return None
    texts = [unescape(token.text) for token in values]
    return [CallOption(texts[i], texts[i + 1], values[i].span, values[i + 1].span) for i in range(0, len(values), 2)]


def refused_options(
    procedure: str, options: Sequence[CallOption], version: str, strategy: str | None = None, table: Table | None = None
) -> Iterator[Refused]:
    """The options that a procedure refuses.

    version: Iceberg's, whose options are known. strategy: of rewrite_data_files, `binpack`, `sort` or `zorder`; None if
    it is unknown. table: None if it is unknown, too.
    """
    names = CALL_OPTIONS.get(procedure)
    if names is None:
        return
    for option in options:
        if any(is_template(text) for text in (option.key, option.value)):
            continue
        if option.key not in names:
            yield _unknown(procedure, option, names, version)
        elif (other := _of_other_strategy(option.key, strategy)) is not None:
            message = f"`{option.key}` is an option of `{other}`, not of `{strategy}`"
            order = "zorder(a, b)" if other == "zorder" else "..."
            help_ = f"leave it out, or write `strategy => 'sort', sort_order => '{order}'`"
            yield Refused(option.key_span, message, help_)
        elif option.key == _SPEC and (unknown := unknown_spec(option.value, table)) is not None:
            yield Refused(option.value_span, unknown, spec_help(table))
        elif (refused := _refused_value(option, options)) is not None:
            yield refused
    yield from _contradictions(options, _target_of(table) if procedure == "rewrite_data_files" else None)


def _target_of(table: Table | None) -> int | None:
    """The target size of a table's data files; None if it is unknown."""
    if table is None:
        return None
    value = table.properties.get(_TARGET_PROPERTY, str(_DEFAULT_TARGET))
    return int(value) if _INTEGER.fullmatch(value) is not None else None


def _of_other_strategy(key: str, strategy: str | None) -> str | None:
    """The strategy that alone takes an option, if it is not this one; z-order takes what a sort takes."""
    if strategy is None:
        return None
    other = next((name for name, options in STRATEGY_OPTIONS.items() if key in options), None)
    return None if other is None or strategy == other or (other, strategy) == ("sort", "zorder") else other


def _unknown(procedure: str, option: CallOption, names: Sequence[str], version: str) -> Refused:
    message = f"`{procedure}` has no option `{option.key}`"
    similar = similar_name(option.key, names)
    if similar is not None:
        return Refused(option.key_span, message, f"write '{similar}'", f"'{similar}'")
    known = ", ".join(names)
    return Refused(
        option.key_span, f"{message} in Iceberg {version}", f"leave it out: its options are {known}", is_certain=False
    )


def _refused_value(option: CallOption, options: Sequence[CallOption]) -> Refused | None:
    value, type_ = option.value, CALL_OPTION_TYPES.get(option.key)
    if option.key == "rewrite-job-order" and value.lower() not in _ORDERS:
        orders = ", ".join(f"'{order}'" for order in _ORDERS)
        return Refused(option.value_span, f"`{option.key}` has no value `{value}`", f"write one of {orders}")
    if type_ == "boolean":
        if value.lower() in ("true", "false"):
            return None
        message = f"Iceberg reads `{value}` as false: `{option.key}` must be 'true' or 'false'"
        return Refused(option.value_span, message, "write 'true' or 'false'", is_certain=False)
    if type_ is None:
        return None
    numbers = TypedProperty("", bits=_BITS.get(type_, 0))
    if not numbers.takes(value):
        text = None
        if option.key.endswith("-bytes") and (size := _SIZE.fullmatch(value.strip().lower())) is not None:
            text = f"'{int(size[1]) << 10 * ' kmgt'.index(size[2])}'"
        noun = "an integer" if numbers.bits else "a number"
        help_ = f"write {'a whole' if numbers.bits else 'a'} number"
        help_ = help_ if text is None else f"write the number of bytes: {text}"
        return Refused(option.value_span, f"`{option.key}` must be {noun}, not `{value}`", help_, text)
    if value == "NaN":
        return None
    is_positive = option.key in _POSITIVE or (option.key == _COMMITS and _is_on(_PROGRESS, options))
    if is_positive and float(value.rstrip("dDfF")) <= 0:
        return Refused(option.value_span, f"`{option.key}` must be above 0, not `{value}`", "write at least '1'")
    if option.key in _NOT_NEGATIVE and float(value.rstrip("dDfF")) < 0:
        return Refused(option.value_span, f"`{option.key}` must not be negative, as `{value}` is", "write '0' or more")
    if option.key == _RATIO and not 0 <= float(value.rstrip("dDfF")) <= 1:
        message = f"`{option.key}` must be between 0 and 1, not `{value}`"
        return Refused(option.value_span, message, "write a share, such as '0.3'")
    return None


def _is_on(key: str, options: Sequence[CallOption]) -> bool:
    return any(option.key == key and option.value.lower() == "true" for option in options)


def _contradictions(options: Sequence[CallOption], table_target: int | None) -> Iterator[Refused]:
    """Sizes of which Iceberg refuses the order: the target lies between the smallest and the largest."""
    numbers = {o.key: (int(o.value), o) for o in options if _INTEGER.fullmatch(o.value) is not None}
    for low, high in ((_MIN, _TARGET), (_TARGET, _MAX), (_MIN, _MAX)):
        if low in numbers and high in numbers and numbers[low][0] >= numbers[high][0]:
            span = numbers[low][1].value_span
            yield Refused(span, f"`{low}` must be below `{high}`", f"write a number below {numbers[high][0]}")
            return
    yield from _outside_bounds(options, {key: number for key, (number, _) in numbers.items()}, table_target)


def _outside_bounds(
    options: Sequence[CallOption], numbers: Mapping[str, int], table_target: int | None
) -> Iterator[Refused]:
    """A bound on the wrong side of the table's target, or a target that leaves no room for Iceberg's bounds."""
    by_key = {option.key: option for option in options}
    target = numbers.get(_TARGET, table_target)
    if target is None or target <= 0 or (_TARGET in by_key and _TARGET not in numbers):
        return
    upper = min(int(_MAX_SHARE * target), 2**63 - 1)
    if _TARGET in by_key:
        if _MAX not in by_key and upper <= target:
            message = f"`{_TARGET}` has no size above it, of which its bounds could be"
            yield Refused(by_key[_TARGET].value_span, message, "write a number of bytes, such as '536870912'")
    elif numbers.get(_MIN, target - 1) >= target:
        yield _wrong_bound(by_key[_MIN], "below", target, int(_MIN_SHARE * target))
    elif numbers.get(_MAX, target + 1) <= target:
        yield _wrong_bound(by_key[_MAX], "above", target, upper)


def _wrong_bound(option: CallOption, side: str, target: int, bound: int) -> Refused:
    message = f"`{option.key}` must be {side} the target size, which is {target} for the table"
    return Refused(option.value_span, message, f"write a number {side} it, such as '{bound}', or add `{_TARGET}`")
