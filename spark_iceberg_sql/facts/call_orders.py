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
from spark_iceberg_sql.syntax.terms import Offsets

_Z_ORDER = "zorder"
_CALL = regex(r"(?P<name>[\w-]+)\s*\((?P<arguments>[^()]*)\)")
_COLUMN = regex(
    r"(?P<name>`[^`]+`(?:\.`[^`]+`)*|[\w.]+)(?:\s+(?:asc|desc))?(?:\s+nulls\s+(?:first|last))?", re.IGNORECASE
)

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
    if schema is None:
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
