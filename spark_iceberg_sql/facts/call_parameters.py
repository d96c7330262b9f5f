"""The arguments of a CALL by their parameters: which are missing or given twice, and literals of another type."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date

from spark_iceberg_sql.facts.call_maps import wrong_map
from spark_iceberg_sql.facts.call_refusals import Refused, is_template
from spark_iceberg_sql.facts.call_times import time_to_write
from spark_iceberg_sql.lazy import regex
from spark_iceberg_sql.model.runtime.minor_version import Version
from spark_iceberg_sql.model.runtime.procedures import Procedure, ProcedureParameter
from spark_iceberg_sql.syntax import nodes
from spark_iceberg_sql.syntax.lexer import STRINGS, TRIVIA, Token, TokenKind, tokenize
from spark_iceberg_sql.syntax.literals import unescape

_INTEGER = regex(r"[0-9]{1,19}")
_NUMBER = regex(r"[0-9]*\.?[0-9]*(?:[eE][+-]?[0-9]+)?(?:BD|[LlSsYyDdFf])?")
_WHOLE_NUMBER = regex(r"\s*[+-]?[0-9]+(?:\.[0-9]*)?\s*")
_LIMITS = {"int": 2**31, "bigint": 2**63}
_SWITCH_WORDS = frozenset({"t", "true", "y", "yes", "1", "f", "false", "n", "no", "0"})
# A duration, or the milliseconds of a time: no form of Spark's times.
_NO_TIME = regex(r"\s*(?:[0-9]{8,}|-?[0-9]+\s*[a-z]+|interval\b.*)\s*")
_DURATION = regex(r"([0-9]{1,6})\s*(d|h|m|min|w)(?:ays?|ours?|utes?|eeks?)?")
_UNITS = {"d": "DAY", "h": "HOUR", "m": "MINUTE", "min": "MINUTE", "w": "WEEK"}
_DATE = regex(r"\s*([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})(?:[ T].*)?")
_HELPS = {
    "boolean": "write `true` or `false`",
    "int": "write a whole number",
    "bigint": "write a whole number",
    "timestamp": "write a time, such as `TIMESTAMP '2024-05-17 00:00:00'`",
    "map<string,string>": "write `map('name', 'value')`",
    "array<string>": "write `array('a', 'b')`",
    "array<bigint>": "write `array(1, 2)`",
}
_LEAST = {"retain_last": 1, "max_concurrent_deletes": 1, "parallelism": 1}
_PREFIX_MODES = ("ERROR", "IGNORE", "DELETE")


class Arguments:
    """The arguments of a call by the names of their parameters.

    procedure: that is called. arguments: as they are written. tokens: of the statement, without spaces and comments.
    iceberg: the version, if it is known.
    """

    def __init__(
        self,
        procedure: Procedure,
        arguments: Sequence[nodes.CallArgument],
        tokens: Sequence[Token],
        iceberg: Version | None,
    ) -> None:
        self.procedure = procedure
        self.iceberg = iceberg
        self._arguments = arguments
        self._tokens = tokens
        parameters = procedure.parameters_of(iceberg)
        self._parameters = {parameter.name: parameter for parameter in parameters}
        positional = [argument for argument in arguments if not argument.name]
        pairs = zip(positional, parameters, strict=False)
        self.by_name: Mapping[str, nodes.CallArgument] = {
            **{parameter.name: argument for argument, parameter in pairs},
            **{argument.name: argument for argument in arguments if argument.name},
        }

    def tokens(self, argument: nodes.CallArgument) -> list[Token]:
        """The tokens of an argument's value."""
        start, end = argument.value_span
        return [token for token in self._tokens if start <= token.start and token.end <= end]

    def refused(self, name_span: tuple[int, int]) -> Iterator[Refused]:
        """What is refused about the arguments without a look at any table. name_span: of the procedure's name."""
        order = next(self._wrong_order(), None)
        if order is not None:
            yield order
            return
        missing = [p.name for p in self._parameters.values() if p.required and not self._has(p.name)]
        unknown = [name for name in self.by_name if name not in self._parameters]
        # A misspelt one may be it, and a template may write it.
        is_filled_in = any(is_template(token.text) for a in self._arguments if not a.name for token in self.tokens(a))
        if missing and not unknown and not is_filled_in:
            names = " and ".join(f"`{name}`" for name in missing)
            clause = ", ".join(f"{name} => ..." for name in missing)
            yield Refused(name_span, f"the procedure `{self.procedure.name}` needs {names}", f"add `{clause}`")
        for name, argument in self.by_name.items():
            if name in self._parameters and (refused := self._wrong_value(self._parameters[name], argument)):
                yield refused
        yield from self._contradictions(name_span)

    def _has(self, name: str) -> bool:
        """Whether a parameter has a value: NULL is none."""
        argument = self.by_name.get(name)
        return argument is not None and [token.word for token in self.tokens(argument)] != ["NULL"]

    def _wrong_order(self) -> Iterator[Refused]:
        names = list(self._parameters)
        positions = 0
        seen: set[str] = set()
        has_name = False
        for argument in self._arguments:
            if not argument.name and has_name:
                message = "an argument without a name stands after one with a name"
                yield Refused(argument.value_span, message, "name it, or write it before them")
            name = argument.name or (names[positions] if positions < len(names) else "")
            positions += not argument.name
            has_name = has_name or bool(argument.name)
            if not name:
                message = f"the procedure `{self.procedure.name}` has only {len(names)} parameters"
                yield Refused(argument.value_span, message, f"leave it out: they are {', '.join(names)}")
            elif name in seen:
                yield Refused(argument.span, f"`{name}` has two values", "leave one of them out")
            seen.add(name)

    def _wrong_value(self, parameter: ProcedureParameter, argument: nodes.CallArgument) -> Refused | None:
        tokens = self.tokens(argument)
        value = argument.value
        if not tokens or any(is_template(token.text) for token in tokens):
            return None
        if parameter.type.startswith("map") and (wrong := wrong_map(parameter.name, tokens)) is not None:
            return wrong
        if not _is_of(parameter.type, tokens, value):
            if parameter.type.startswith("map") and tokens[0].word == "MAP":
                return _mixed_map(parameter, argument, tokens)
            message = f"`{parameter.name}` must be {_noun(parameter.type)}, not `{_short(tokens)}`"
            text = f"array({tokens[0].text})" if _fits_in_array(parameter.type, tokens) else None
            if parameter.type == "timestamp" and (time := _before_now(tokens, value)) is not None:
                help_ = f"write `{time}`, or for Spark 3.5 a literal, `TIMESTAMP '2024-05-17 00:00:00'`"
                return Refused(argument.value_span, message, help_, time)
            return Refused(argument.value_span, message, f"write `{text}`" if text else _HELPS[parameter.type], text)
        least = _LEAST.get(parameter.name)
        number = _number_of(tokens)
        if least is not None and number is not None and number < least:
            message = f"`{parameter.name}` must be at least {least}, not {number}"
            return Refused(argument.value_span, message, f"write a number from {least} on, or leave it out")
        if parameter.name == "prefix_mismatch_mode" and value is not None and value.upper() not in _PREFIX_MODES:
            modes = ", ".join(f"'{mode}'" for mode in _PREFIX_MODES)
            return Refused(argument.value_span, f"`{parameter.name}` has no value `{value}`", f"write one of {modes}")
        return None

    def _contradictions(self, name_span: tuple[int, int]) -> Iterator[Refused]:
        """Arguments that the procedure refuses together."""
        name, by_name = self.procedure.name, self.by_name
        if name == "set_current_snapshot" and self._has("snapshot_id") == self._has("ref"):
            has_both = self._has("ref")
            fact = "takes either `snapshot_id` or `ref`, not both" if has_both else "needs `snapshot_id` or `ref`"
            help_ = "leave one of them out" if has_both else "add `snapshot_id => ...` or `ref => 'main'`"
            if "table" in by_name:
                yield Refused(name_span, f"the procedure `{name}` {fact}", help_)
        if (
            name == "create_changelog_view"
            and self._is_true("net_changes")
            and not self._is("compute_updates", "FALSE")
        ):
            # Identifier columns alone compute updates, too.
            other = next((key for key in ("compute_updates", "identifier_columns") if self._has(key)), None)
            if other is not None:
                span = by_name["net_changes"].value_span
                yield Refused(span, f"`net_changes` cannot be computed with `{other}`", "leave one of them out")
        if name == "snapshot":
            source, table = (by_name[key].value if key in by_name else None for key in ("source_table", "table"))
            if source is not None and source == table:
                message = "a snapshot cannot have the name of its source"
                yield Refused(by_name["table"].value_span, message, "write another name for the new table")

    def _is_true(self, name: str) -> bool:
        return self._is(name, "TRUE")

    def _is(self, name: str, word: str) -> bool:
        argument = self.by_name.get(name)
        return argument is not None and [token.word for token in self.tokens(argument)] == [word]


def _is_of(type_: str, tokens: Sequence[Token], value: str | None) -> bool:
    """False if Spark refuses a literal as a value of a type; expressions and names are not looked at."""
    words = [token.word for token in tokens]
    is_number, is_boolean = _is_number(tokens), words in (["TRUE"], ["FALSE"])
    if type_.startswith("array") and words[0] == "ARRAY":
        return type_ != "array<bigint>" or not any(
            token.kind in STRINGS and before.text in ("(", ",") and after.text in (")", ",")
            for before, token, after in zip(tokens[1:], tokens[2:], tokens[3:], strict=False)
        )
    if type_ == "string" or (value is None and not is_number and not is_boolean and words[0] != "INTERVAL"):
        return not type_.startswith("map") or words[0] != "MAP" or not _is_mixed(tokens)
    if type_.startswith(("map", "array")):
        return False
    if type_ == "boolean":
        return not is_number and words[0] != "INTERVAL" and (value is None or value.strip().lower() in _SWITCH_WORDS)
    if type_ == "timestamp":
        return value is not None and _may_be_time(value)
    if value is not None:
        return _WHOLE_NUMBER.fullmatch(value) is not None and abs(int(value.partition(".")[0])) <= _LIMITS[type_]
    number = _number_of(tokens)
    return is_number and (number is None or -_LIMITS[type_] <= number < _LIMITS[type_])


def _before_now(tokens: Sequence[Token], value: str | None) -> str | None:
    """The time that a duration before now is, `7d` or `INTERVAL 7 DAYS`, as a CALL can have it."""
    interval = " ".join(token.text for token in tokens) if tokens[0].word == "INTERVAL" else ""
    if value is not None and (match := _DURATION.fullmatch(value.strip().lower())) is not None:
        interval = f"INTERVAL {match[1]} {_UNITS[match[2]]}"
    if not interval:
        return None
    time = time_to_write([token for token in tokenize(f"now() - {interval}") if token.kind not in TRIVIA])
    return None if time is None else time.text


def _may_be_time(value: str) -> bool:
    if _NO_TIME.fullmatch(value.lower()) is not None:
        return False
    if (match := _DATE.fullmatch(value)) is None:
        return True
    try:
        date(*(int(part) for part in match.groups()))
    except ValueError:
        return False
    return True


def _is_number(tokens: Sequence[Token]) -> bool:
    last = tokens[-1]
    signs = [token.text for token in tokens[:-1]]
    return last.kind is TokenKind.NUMBER and signs in ([], ["-"], ["+"]) and _NUMBER.fullmatch(last.text) is not None


def _number_of(tokens: Sequence[Token]) -> int | None:
    """The whole number that a literal is."""
    text = tokens[-1].text.rstrip("Ll")
    if not _is_number(tokens) or _INTEGER.fullmatch(text) is None:
        return None
    return -int(text) if tokens[0].text == "-" else int(text)


def _fits_in_array(type_: str, tokens: Sequence[Token]) -> bool:
    if len(tokens) != 1:
        return False
    return (type_ == "array<string>" and tokens[0].kind in STRINGS) or (
        type_ == "array<bigint>" and _number_of(tokens) is not None
    )


def _is_mixed(tokens: Sequence[Token]) -> bool:
    """True for a map of literals with texts beside numbers or TRUE and FALSE: Spark finds their type too late."""
    values = tokens[4:-1:4]  # after `MAP`, `(`, a name and a comma
    kinds = [_kind(token) for token in values]
    is_plain = tokens[1].text == "(" and all(token.text == "," for token in tokens[3:-1:2])
    return is_plain and None not in kinds and len(set(kinds)) > 1


def _kind(token: Token) -> str | None:
    if token.kind in STRINGS:
        return "text"
    if token.kind is TokenKind.NUMBER:
        return "number"
    return "switch" if token.word in ("TRUE", "FALSE") else None


def _mixed_map(parameter: ProcedureParameter, argument: nodes.CallArgument, tokens: Sequence[Token]) -> Refused:
    values = [token.text if token.kind in STRINGS else f"'{token.text}'" for token in tokens[2:-1:2]]
    text = f"map({', '.join(values)})"
    message = f"the values of `{parameter.name}` must be texts, all of them"
    return Refused(argument.value_span, message, f"write `{text}`", text)


def _noun(type_: str) -> str:
    nouns = {"boolean": "a boolean", "int": "an integer", "bigint": "an integer", "timestamp": "a time"}
    if type_ in nouns:
        return nouns[type_]
    return (
        "a map of texts" if type_.startswith("map") else f"an array of {'texts' if 'string' in type_ else 'integers'}"
    )


def _short(tokens: Sequence[Token]) -> str:
    text = unescape(tokens[0].text) if len(tokens) == 1 and tokens[0].kind in STRINGS else ""
    return text or " ".join(token.text for token in tokens).replace("- ", "-")
