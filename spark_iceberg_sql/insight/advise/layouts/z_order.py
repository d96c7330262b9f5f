"""The z-order of rows, as rewrite_data_files with `sort_order => 'zorder(a, b)'` writes them.

The bits of the columns' values alternate, the highest ones first, so that rows that are near in each column are near
each other. Source: Iceberg's ZOrderByteUtils, which takes eight bytes of each value.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

_BYTES = 8  # of each value


def z_order_keys(columns: Sequence[Sequence[Any]]) -> list[int] | None:
    """Each row's place in the z-order of columns; None for values other than whole numbers, times and texts."""
    if not all(value is None or type(value) in (int, str) for column in columns for value in column):
        return None
    return [interleaved([_ordered_bytes(value) for value in row]) for row in zip(*columns, strict=True)]


def _ordered_bytes(value: int | str | None) -> bytes:
    """Eight bytes in the order of the values: a number's with its sign turned round, the first ones of a text."""
    if value is None:
        return bytes(_BYTES)
    if isinstance(value, str):
        return value.encode()[:_BYTES].ljust(_BYTES, b"\0")
    return (value + (1 << (8 * _BYTES - 1))).to_bytes(_BYTES, "big")


def interleaved(columns: Sequence[bytes]) -> int:
    """A number of the first bits of all columns, then their second bits, and so on."""
    number = 0
    for column_bytes in zip(*columns, strict=True):
        spread = 0
        for position, byte in enumerate(column_bytes):
            spread |= _spread(byte, len(columns)) << (len(columns) - 1 - position)
        number = number << (8 * len(columns)) | spread
    return number


@cache
def _spread(byte: int, distance: int) -> int:
    """The bits of a byte, each at this distance from the next one."""
    return sum(((byte >> bit) & 1) << (bit * distance) for bit in range(8))
