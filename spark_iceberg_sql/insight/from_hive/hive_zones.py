"""Time zones of partitions: known names, and times of day that a clock shows only once."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta, tzinfo
from functools import lru_cache
from zoneinfo import ZoneInfo, available_timezones

from spark_iceberg_sql.errors import IcebergSqlError

_OFFSET = re.compile(r"[+-](0\d|1[0-7]):[0-5]\d")
_REGIONS = ("Africa", "America", "Asia", "Atlantic", "Australia", "Europe", "Indian", "Pacific")
_NOT_REGIONS = ("localtime", "Factory", "posix", "right")  # files of the database that are no names
_RELIABLE_YEARS = range(1970, 2038)  # where all copies of the zone database have the same rules


@lru_cache
def zone_of(name: str) -> tzinfo | None:
    """A time zone by its name in the IANA database, or by its offset, `+02:00`; None if it is unknown."""
    if name.partition("/")[0] in _NOT_REGIONS:
        return None
    try:
        return ZoneInfo("UTC" if _OFFSET.fullmatch(name) else name)
    except (ValueError, OSError, KeyError):  # ZoneInfoNotFoundError is a KeyError
        return None


def refuse_unknown(name: str) -> None:
    """Raise IcebergSqlError if a time zone is unknown."""
    if name != "UTC" and zone_of(name) is None:
        raise IcebergSqlError(
            f"unknown time zone `{name}`",
            help="give a name of the IANA database, such as Europe/Paris, or an offset, such as +02:00",
            argument="zone",
        )


def fitting_zones(is_fit: Callable[[tzinfo], bool]) -> list[str]:
    """The names of the time zones that satisfy a condition: whole offsets first, then regions."""
    offsets = [f"{'-' if hours < 0 else '+'}{abs(hours):02}:00" for hours in range(-12, 15) if hours]
    regions = sorted(name for name in available_timezones() if name.partition("/")[0] in _REGIONS)
    zones = ((name, _fixed_offset(name) or zone_of(name)) for name in (*offsets, *regions))
    return [name for name, zone in zones if zone is not None and is_fit(zone)]


def _fixed_offset(name: str) -> tzinfo | None:
    """The zone of an offset, `+02:00`; None if the name is none."""
    return datetime.strptime(name, "%z").tzinfo if _OFFSET.fullmatch(name) else None


def is_unambiguous(wall_time: datetime, name: str) -> bool:
    """True if a wall clock shows this time once, so that every earlier moment shows less, and every later one more.

    Where a clock is put back over midnight, the next day begins, stops, and begins again: it is no range.
    name: of the zone, known; empty or UTC for none.
    """
    if name in ("", "UTC") or _OFFSET.fullmatch(name):
        return True
    zone = zone_of(name)
    if zone is None or wall_time.year not in _RELIABLE_YEARS:
        return False
    # PEP 495: the offsets of the two folds differ where the clock is put forward and where it is put back.
    offsets = [wall_time.replace(tzinfo=zone, fold=fold).utcoffset() for fold in (0, 1)]
    return offsets[0] == offsets[1] and isinstance(offsets[0], timedelta)
