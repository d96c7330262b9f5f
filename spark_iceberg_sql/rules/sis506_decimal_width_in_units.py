"""A decimal that is truncated in steps of one unit or less.

## Why
The width of truncate counts in units of the decimal's last digit: on DECIMAL(10, 2), `truncate(100, price)` does not
round down to hundreds, but in steps of 1.00. Prices from 0 to 10,000 would be ten thousand partitions, each with its
own files. The rule reports widths whose step is at most 1, if the type has room for more than a thousand steps and for
the same number of whole units.

## Instead
The width in the last digit: for steps of 100.00 on DECIMAL(10, 2), `truncate(10000, price)`.

## Examples
```sql bad
CREATE TABLE orders (id BIGINT, price DECIMAL(10, 2)) USING iceberg PARTITIONED BY (truncate(100, price));
```
```sql good
CREATE TABLE orders (id BIGINT, price DECIMAL(10, 2)) USING iceberg PARTITIONED BY (truncate(10000, price));
```
"""

from __future__ import annotations

from spark_iceberg_sql.diagnostics import Severity
from spark_iceberg_sql.facts.context import Context
from spark_iceberg_sql.model.decimal_steps import decimal_step
from spark_iceberg_sql.model.types import Primitive
from spark_iceberg_sql.rules.base import Category, Finding, Findings, rule
from spark_iceberg_sql.rules.message_format import type_with_article
from spark_iceberg_sql.syntax import nodes

_FEW_STEPS = 1000


@rule(Severity.WARNING, on=(nodes.Create, nodes.AddField, nodes.ReplaceField), category=Category.ADVICE)
def decimal_width_in_units(context: Context) -> Findings:
    """A width of truncate that is most likely meant in whole units of a decimal."""
    for facts in context.new_terms:
        transform, width = facts.transform, facts.parameter
        # A width of 1 leaves every value as it is: SIS110 reports it.
        if transform is None or not transform.truncates or width is None or width == 1 or transform.parameter is None:
            continue
        column = facts.column
        data_type = column.field.type if column is not None else None
        if not isinstance(data_type, Primitive) or (step := decimal_step(data_type, width)) is None:
            continue
        precision, scale = data_type.arguments
        in_units, greatest = width * 10**scale, 10**precision
        if width > 10**scale or greatest // width <= _FEW_STEPS or in_units >= greatest:
            continue
        if in_units > transform.parameter.maximum:
            help_ = "partition by a transform of another column"
        else:
            whole_steps = decimal_step(data_type, in_units)
            help_ = f"for steps of {whole_steps}, write `{transform.clause(facts.source_text, in_units)}`"
        name = facts.source_text
        yield Finding(
            facts.term.literals[0].span,
            f"`{name}` is {type_with_article(data_type)}: width {width} counts in its last digit, in steps of {step}",
            help_,
        )
