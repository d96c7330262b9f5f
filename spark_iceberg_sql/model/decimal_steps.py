"""The step of `truncate` over a decimal: the width is in units of the last digit (spec: Truncate Details)."""

from __future__ import annotations

from spark_iceberg_sql.model.types import Primitive, Type


def decimal_step(data_type: Type, width: int) -> str | None:
    """The distance of neighbouring values of `truncate`: `1.00` for a width of 100 over DECIMAL(10, 2).

    data_type: the source column's. width: of truncate. None unless the column is a decimal with a scale.
    """
    if not isinstance(data_type, Primitive) or data_type.name != "decimal" or len(data_type.arguments) != 2:
        return None
    scale = data_type.arguments[1]
    if scale <= 0:
        return None
    digits = str(width).rjust(scale + 1, "0")
    return f"{digits[:-scale]}.{digits[-scale:]}"


def steps_text(clause: str, data_type: Type, width: int | None) -> str | None:
    """The remark on a field of `truncate` over a decimal; None for any other. clause: the field's in DDL."""
    step = decimal_step(data_type, width) if width is not None else None
    return f"`{clause}` has steps of {step}" if step is not None else None
