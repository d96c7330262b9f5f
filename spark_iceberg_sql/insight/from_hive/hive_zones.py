"""Time zones of partitions: known names, and times of day that a clock shows only once."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, tzinfo
from functools import lru_cache
from zoneinfo import ZoneInfo

from spark_iceberg_sql.errors import IcebergSqlError

_OFFSET = re.compile(r"[+-](0\d|1[0-7]):[0-5]\d")
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


def is_unambiguous(wall_time: datetime, name: str) -> bool:
    """True if a wall clock shows this time once, so that every earlier moment shows less, and every later one
    more.

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
