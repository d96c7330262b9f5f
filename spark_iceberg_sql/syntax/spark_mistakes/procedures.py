"""Calls of procedures and table functions, and INSERT, with wrong names or too few values."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from spark_iceberg_sql.model.runtime.procedures import BY_NAME
from spark_iceberg_sql.similar_names import similar_name
from spark_iceberg_sql.syntax.lexer import Token
from spark_iceberg_sql.syntax.spark_mistakes.refused_statement import Mistake, MistakeHelp, RefusedStatement


def _too_few_values(refused: RefusedStatement) -> MistakeHelp | None:
    columns, values = (
        re.findall(r"`((?:[^`]|``)*)`", str(refused.parameters.get(key, ""))) for key in ("tableColumns", "dataColumns")
    )
    missing = columns[len(values) :]
    if not missing or "NOT_ENOUGH" not in refused.condition:
        return None
    names = ", ".join(f"`{name}`" for name in missing)
    return MistakeHelp(f"there is no value for {names}: add one, such as NULL")


def _procedure(refused: RefusedStatement) -> MistakeHelp | None:
    tokens = refused.tokens
    end = next((i for i, token in enumerate(tokens) if token.text == "("), 0)
    if tokens[0].word != "CALL" or not end:
        return None
    name = tokens[end - 1]
    similar = similar_name(name.text.strip("`").lower(), BY_NAME)
    if similar is None:
        return None
    if refused.words[max(0, end - 3) : end - 1] != ["SYSTEM", "."]:
        call = f"system.{similar}"
        return MistakeHelp(
            f"write `{call}`, after the name of its catalog if it is not the current one",
            (tokens[1].start, name.end, call),
        )
    if similar == name.text.lower():
        return None
    return MistakeHelp(f"write `{similar}`", (name.start, name.end, similar))


def _missing_argument(refused: RefusedStatement) -> MistakeHelp | None:
    """A CALL without an argument that its procedure needs."""
    name = next((t.text.lower() for t, following in pairwise(refused.tokens) if following.text == "("), "")
    missing = str(refused.parameters.get("parameterName", "")).strip("`")
    procedure = BY_NAME.get(name)
    if refused.words[0] != "CALL" or procedure is None or missing not in procedure.parameters:
        return None
    return MistakeHelp(f"add `{missing} => ...`; its arguments are {', '.join(procedure.parameters)}")


def _argument(refused: RefusedStatement) -> MistakeHelp | None:
    proposals = re.findall(r"`([^`]*)`", str(refused.parameters.get("proposal", "")))
    token = argument_token(refused.parameters, refused.tokens)
    if token is None:
        return None
    similar = similar_name(token.text.strip("`").lower(), proposals)
    return None if similar is None else MistakeHelp(f"write `{similar}`", (token.start, token.end, similar))


def argument_token(parameters: Mapping[str, Any], tokens: Sequence[Token]) -> Token | None:
    """The name before `=>` that a function or a procedure does not have; None if there is not exactly one like it.

    parameters: of Spark's message about it.
    """
    name = str(parameters.get("argumentName", "")).strip("`").lower()
    named = [
        token
        for token, arrow in pairwise(tokens)
        if token.text.strip("`").lower() == name and arrow.text.startswith("=")
    ]
    return named[0] if len(named) == 1 else None


CALLS: dict[str, tuple[Mistake, ...]] = {
    "INSERT_COLUMN_ARITY_MISMATCH": (_too_few_values,),
    "FAILED_TO_LOAD_ROUTINE": (_procedure,),
    "ROUTINE_NOT_FOUND": (_procedure,),
    "REQUIRED_PARAMETER_NOT_FOUND": (_missing_argument,),
    "UNRECOGNIZED_PARAMETER_NAME": (_argument,),
}
