"""Numbers of things and sizes, as the texts of this package have them."""

from __future__ import annotations

_SIZE_UNITS = ("B", "kB", "MB", "GB", "TB", "PB")


def plural(number: int, noun: str, nouns: str | None = None) -> str:
    """`1 file`, `2,000 files`; nouns: an irregular plural."""
    return f"{number:,} {noun if number == 1 else nouns or noun + 's'}"


def size(number: int) -> str:
    """A number of bytes in readable form: `3.4 MB`."""
    value, unit = float(number), 0
    while value >= 1000 and unit < len(_SIZE_UNITS) - 1:
        value, unit = value / 1000, unit + 1
    return f"{value:.{1 if unit else 0}f} {_SIZE_UNITS[unit]}"
