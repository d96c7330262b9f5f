"""The sort order in a CALL of rewrite_data_files, `sort_order => 'zorder(a, b)'`: what Iceberg refuses of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from spark_iceberg_sql.facts.call_conditions import missing_column
from spark_iceberg_sql.facts.call_refusals import Refused
from spark_iceberg_sql.facts.hidden_fields import hidden_field
from spark_iceberg_sql.lazy import regex
from spark_iceberg_sql.model.schema import Schema
from spark_iceberg_sql.model.spec import Specs
from spark_iceberg_sql.model.table import split_name
from spark_iceberg_sql.model.transforms import find_transform
from spark_iceberg_sql.model.types import Primitive
from spark_iceberg_sql.syntax.terms import Offsets

_Z_ORDER = "zorder"
_CALL = regex(r"(?P<name>[\w-]+)\s*\((?P<arguments>[^()]*)\)")
_COLUMN = regex(
    r"(?P<name>`[^`]+`(?:\.`[^`]+`)*|[\w.]+)(?:\s+(?:asc|desc))?(?:\s+nulls\s+(?:first|last))?", re.IGNORECASE
)

_QUOTED = regex(r"`[^`]*`")
_OPERATOR = regex(r"[+*/%<>=|]")
_WORDS = regex(r"(?:`[^`]+`|[\w.]+)(?:\s+\w+)+")


def refused_order(order: str, span: Offsets, schema: Schema | None, specs: Specs | None) -> Iterator[Refused]:
    """What Iceberg refuses about a sort order. span: of its string. schema, specs: None if they are unknown."""
    if not order.strip():
        yield Refused(span, "the sort order is empty", "leave it out, or name columns")
        return
    terms = _terms(order)
    calls = [call for call in (_CALL.fullmatch(term) for term in terms) if call is not None]
    z_orders = [call for call in calls if call["name"].lower().replace("-", "").replace("_", "") == _Z_ORDER]
    for call in z_orders:
        if call["name"] != _Z_ORDER:
            text = order.replace(call["name"], _Z_ORDER)
            message = f"Iceberg's sort orders have no `{call['name']}`"
            yield Refused(span, message, f"write `{text}`", _quoted(text))
            return
    if z_orders and len(terms) > 1:
        columns = ", ".join(call["arguments"].strip() for call in z_orders)
        message = "a sort order with `zorder` cannot have other columns"
        yield Refused(span, message, f"write `zorder({columns})`, or sort by columns alone")
        return
    for term in terms:
        if _WORDS.fullmatch(term) is not None and _COLUMN.fullmatch(term) is None:
            column = term.split()[0]
            message = f"Iceberg cannot read `{term}` in a sort order"
            yield Refused(span, message, f"write `{column} DESC NULLS LAST`, or `ASC` and `NULLS FIRST`")
            return
    if (wrong := _wrong_term(terms)) is not None:
        yield Refused(span, *wrong)
        return
    if schema is None:
        return
    if (wrong := _wrong_column(terms, schema)) is not None:
        yield Refused(span, *wrong)
        return
    names = [name.strip() for call in z_orders for name in call["arguments"].split(",")]
    names += [match["name"] for match in (_COLUMN.fullmatch(term) for term in terms) if match is not None]
    for name in names:
        if not name or "(" in name or schema.find_all(split_name(name)):
            continue
        field = hidden_field(specs, name)
        if field is not None:
            transform = field.transform.text
            message = f"the sort order names the partition field `{field.name}`, which is no column"
            yield Refused(span, message, f"write `{field.source}`, from which Iceberg derives it by {transform}")
        else:
            yield Refused(span, f"the sort order names `{name}`, which is no column", missing_column(schema, name))
        return


def _wrong_term(terms: Sequence[str]) -> tuple[str, str] | None:
    """The first term that is neither a column nor a transform of one, and what to write."""
    for term in terms:
        call = _CALL.match(term)
        if call is None:
            if term.isascii() and _OPERATOR.search(_QUOTED.sub("", term)) is not None:
                return f"Iceberg cannot read `{term}` in a sort order", "sort by columns, or by transforms of them"
            continue
        if not call["arguments"].strip():
            return f"`{call[0]}` has no column", "write its columns, such as `zorder(a, b)`"
        if call["name"] == _Z_ORDER:
            continue
        transform = find_transform(call["name"])
        if transform is None:
            return f"Iceberg's sort orders have no `{call['name']}`", "sort by columns, or by transforms of them"
        if any(argument.strip() == "0" for argument in call["arguments"].split(",")):
            return f"`{call[0]}` must have a number above 0", f"write `{call['name']}(16, id)`"
    return None


def _wrong_column(terms: Sequence[str], schema: Schema) -> tuple[str, str] | None:
    """The first column of another case, or with a type that cannot be sorted, and what to write.

    Iceberg looks for a column of a sort order by its exact name, and for those of a z-order by any case.
    """
    for term in terms:
        match, call = _COLUMN.fullmatch(term), _CALL.match(term)
        name = match["name"] if match is not None else ""
        if call is not None and call["name"] != _Z_ORDER:
            name = next((a.strip() for a in call["arguments"].split(",") if not a.strip().isdigit()), "")
        column = next(iter(schema.find_all(split_name(name))), None) if name else None
        if column is None:
            continue
        if not schema.find_all(split_name(name), case_sensitive=True):
            exact = f"`{column.name}`"
            return f"the sort order names `{name}`, but the column is {exact}", f"write {exact}"
        transform = find_transform(call["name"]) if call is not None else None
        if transform is None and not isinstance(column.field.type, Primitive):
            return f"`{name}` is a struct, a list or a map, by which nothing is sorted", "name one of its fields"
        if transform is not None and not transform.takes(column.field.type):
            return f"`{call[0] if call else name}` does not take a column of its type", f"sort by `{name}` itself"
    return None


def _terms(order: str) -> Sequence[str]:
    """The terms between the commas that are in no brackets."""
    terms, depth = [""], 0
    for character in order:
        depth += {"(": 1, ")": -1}.get(character, 0)
        if character == "," and not depth:
            terms.append("")
        else:
            terms[-1] += character
    return [term.strip() for term in terms]


def _quoted(text: str) -> str:
    return f"'{text}'" if "'" not in text else f'"{text}"'
