"""Numbers of things, sizes and durations, as the texts of this package have them."""

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


def duration(seconds: float) -> str:
    """A time span in readable form, in at most two units: `1.3 s`, `42 s`, `3 min 20 s`, `2 h 5 min`."""
    if round(seconds, 1) < 10:
        return f"{seconds:.1f} s"
    rounded = round(seconds)
    if rounded < 60:
        return f"{rounded} s"
    minutes, remainder = divmod(rounded, 60)
    if minutes < 60:
        return f"{minutes} min {remainder} s"
    return f"{minutes // 60:,} h {minutes % 60} min"
