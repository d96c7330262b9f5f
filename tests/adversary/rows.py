"""Random rows: numbers, text and bytes including the limits of their types, times near time-zone transitions."""

from __future__ import annotations

from random import Random
from typing import Any

from adversary import zones
from adversary.zones import Change

INT, LONG = 2**31, 2**63
Row = tuple[Any, ...]
# The fields of a raw row, in order; `m` is microseconds since 1970, for ts, n and the struct's times.
RAW = ("r", "m", "nm", "d", "i", "l", "sm", "ty", "dec", "dec2", "s", "b", "bo")
WORDS = (
    *("", "a", "A", "ab", "abc", "abd", "ABC", "zz", "2", "ünïcödé", "Ünï", "straße", "日本語のテキスト"),
    *("x" * 15 + "a", "x" * 16, "x" * 16 + "y", "x" * 40, "é" * 20, "😀" * 17, "\uffff" * 3, "a ", "a%b_c"),
    *("2024-01-15", "10", "-5", "\U0010ffff" * 17),
)
BYTES = (b"", b"\x00", b"\x01", b"\x01\x02", b"\xff", b"\xff\xff", b"\xff" * 17, b"x" * 20, b"\x80")


def _whole(rng: Random, half: int) -> int:
    kind = rng.random()
    if kind < 0.12:
        return rng.choice((-half, -half, half - 1, -half + 1, half - 2, -half + rng.randint(0, 99)))
    if kind < 0.2:
        return rng.choice((-1, 1)) * min(half - 1, 2 ** rng.randint(0, 62) + rng.randint(-2, 2))
    if kind < 0.4:
        return min(half - 1, rng.choice((5, 50, 77, 100, 1000, 2024, 202401)))
    return rng.randint(max(-half, -120), min(half - 1, 300))


def _numbers(rng: Random, tame: bool) -> Row:
    def whole(half: int) -> int | None:
        if rng.random() < 0.05:
            return None
        return rng.randint(-100, 100) if tame else _whole(rng, half)

    dec = rng.choice((0, 2, 100, -123, 1055, 999_999_999, -999_999_999, rng.randint(-9999, 9999)))
    dec2 = rng.choice((0, 5, -5, 10**20 - 1, 1 - 10**20, rng.randint(-999, 999), 2**63, -(2**63)))
    if tame:
        dec, dec2 = dec % 10_000, dec2 % 1000
    some = [rng.random() > 0.05 for _ in range(5)]
    return (
        whole(INT),
        whole(LONG),
        whole(2**15),
        whole(2**7),
        f"{dec / 100:.2f}" if some[0] else None,
        str(dec2) if some[1] else None,
        rng.choice(WORDS) if some[2] else None,
        rng.choice(BYTES) if some[3] else None,
        rng.random() < 0.5 if some[4] else None,
    )


def moments(rng: Random, changes: list[Change], count: int, ends: bool) -> list[int | None]:
    """Microseconds since 1970; with `ends`, a few at the limits of the type."""
    microseconds: list[int | None] = [None]
    for change in changes:
        microseconds += zones.around(change, rng, count // (len(changes) + 1) + 2)
    while len(microseconds) < count:
        microseconds.append(zones.calendar(rng))
    microseconds = microseconds[:count]
    if ends:
        for _ in range(max(1, count // 20)):
            microseconds[rng.randrange(count)] = zones.extreme(rng)
    rng.shuffle(microseconds)
    return microseconds


def rows(rng: Random, changes: list[Change], count: int, ends: bool, tame: bool) -> tuple[Row, ...]:
    drawn_rows = []
    for r, m in enumerate(moments(rng, changes, count, ends)):
        nm = m if rng.random() < 0.6 else zones.calendar(rng)
        days = None if m is None else m // zones.DAY
        if days is not None and not -INT <= days < INT:
            days = 0
        if ends and rng.random() < 0.03:
            days = rng.choice((INT - 1, -INT, 2932896, -719162, -719163, 106_751_991))
        drawn_rows.append((r, m, nm, days, *_numbers(rng, tame)))
    return tuple(drawn_rows)


def to_millis(row: Row) -> Row:
    """The row with its time cut to milliseconds."""
    return (row[0], None if row[1] is None else row[1] // 1000 * 1000, *row[2:])


def as_orc_keeps(row: Row) -> Row:
    """The row without times in the last second before 1970: ORC itself, in Spark's own files, too, keeps them as times
    of the next second (`test_orc_filters.py` tries those)."""

    def kept(micros: int | None) -> int | None:
        return -1_000_000 if micros is not None and -1_000_000 < micros < 0 else micros

    return (row[0], kept(row[1]), kept(row[2]), *row[3:])


def extreme(row: Row) -> bool:
    """Whether its int or bigint is close to the minimum of the type."""
    return (row[4] is not None and row[4] < 99 - INT) or (row[5] is not None and row[5] < 99 - LONG)
