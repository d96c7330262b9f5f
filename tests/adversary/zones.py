"""Time zones with their transitions, from Java, and times that are difficult there."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random
from typing import Any

SECOND = 1_000_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR
EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001  # local and UTC times alike, as numbers
MOST, LEAST = 2**63 - 1, -(2**63)

# Half-hour and odd shifts, transitions at midnight and a minute past it, skipped and repeated days, late local
# mean time, summer time in winter; the rest of tzdata is used less often.
IRREGULAR = [
    "America/Caracas",
    "Pacific/Chatham",
    "Asia/Pyongyang",
    "Africa/Monrovia",
    "America/St_Johns",
    "America/Goose_Bay",
    "Antarctica/Casey",
    "America/Moncton",
    "Pacific/Apia",
    "Pacific/Kwajalein",
    "Australia/Lord_Howe",
    "Antarctica/Troll",
    "Asia/Kathmandu",
    "Europe/Amsterdam",
    "Europe/Dublin",
    "America/New_York",
    "America/Sao_Paulo",
    "Asia/Tehran",
    "Pacific/Kiritimati",
    "Asia/Hong_Kong",
    "Asia/Singapore",
    "Asia/Bishkek",
    "Asia/Gaza",
    "America/Guyana",
    "Asia/Kolkata",
    "Africa/Cairo",
    "America/Havana",
    "Asia/Beirut",
    "Pacific/Norfolk",
    "Australia/Eucla",
    "Asia/Colombo",
    "Europe/Berlin",
    "Asia/Manila",
    "America/Juneau",
    "Pacific/Fakaofo",
    "Africa/Casablanca",
    "Europe/London",
    "UTC",
]
SHIFTS = (5, 10, 24)  # hours by which expressions shift times, and rows are off transitions
# Zones for from_utc_timestamp and similar functions.
OTHERS = ("Asia/Tokyo", "America/New_York", "+05:30", "UTC", "Pacific/Chatham", "America/St_Johns")
_TRANSITION = re.compile(r"Transition\[(Gap|Overlap) at ([0-9T:-]+?)(Z|[+-][\d:]+) to (Z|[+-][\d:]+)\]")


@dataclass(frozen=True)
class Change:
    """A time-zone transition: the instant in microseconds, the shift and the local time before it."""

    at: int
    shift: int
    local: int

    @property
    def behind(self) -> bool:
        """Whether midnight is repeated: the transition goes back across it."""
        return 0 <= self.local % DAY < -self.shift

    @property
    def ragged(self) -> bool:
        """Whether its shift is not a whole number of hours, or its time is not on the hour."""
        return bool(self.shift % HOUR or self.local % HOUR)

    @property
    def halved(self) -> bool:
        """Whether it skips the middle of an hour, but not the whole hour."""
        middle = -(-(self.local - HOUR // 2) // HOUR) * HOUR + HOUR // 2
        return self.ragged and self.local <= middle < self.local + self.shift

    @property
    def weight(self) -> int:
        """How often to try it."""
        return 40 if self.behind else 20 if self.halved else 10 if self.ragged else 5 if self.odd else 1

    @property
    def odd(self) -> bool:
        """Whether it is unusual: not by whole hours, not on the hour, or near midnight."""
        hour = self.local % DAY
        return self.ragged or hour <= HOUR or hour + abs(self.shift) >= DAY


def _seconds(offset: str) -> int:
    if offset == "Z":
        return 0
    parts = [int(p) for p in offset[1:].split(":")] + [0, 0]
    return (parts[0] * 3600 + parts[1] * 60 + parts[2]) * (-1 if offset[0] == "-" else 1)


class Zones:
    """The zones of the running Java; a zone's transitions are read once."""

    def __init__(self, jvm: Any) -> None:
        self._zone = jvm.java.time.ZoneId
        self._instant = jvm.java.time.Instant
        self.all = sorted(
            z for z in self._zone.getAvailableZoneIds() if "/" in z and not z.startswith(("Etc/", "SystemV/"))
        )
        self._known: dict[str, list[Change]] = {}

    def pick(self, rng: Random) -> str:
        """A zone; four times out of five one with an irregular history, the oddest first."""
        kind = rng.random()
        if kind < 0.55:
            return rng.choice(IRREGULAR[:13])
        return rng.choice(IRREGULAR if kind < 0.8 else self.all)

    def pick_with(self, rng: Random, kind: str) -> str:
        """A zone that has had such transitions: `behind` or `halved`."""
        return rng.choice([z for z in IRREGULAR if any(getattr(c, kind) for c in self.changes(z))])

    def changes(self, zone: str) -> list[Change]:
        if zone not in self._known:
            rules = self._zone.of(zone).getRules()
            text = rules.getTransitions().toString()
            after = self._instant.ofEpochSecond(1_740_000_000)  # 2025: from here by the rules
            for _ in range(12):
                after = rules.nextTransition(after)
                if after is None:
                    break
                text += after.toString()
                after = after.getInstant()
            self._known[zone] = sorted({_change(*m) for m in _TRANSITION.findall(text)}, key=_at)
        return self._known[zone]

    def some(self, zone: str, rng: Random, count: int, kind: str | None = None) -> list[Change]:
        """Transitions of a zone, weighted towards unusual ones, or those that are `behind` or `halved`."""
        transitions = [c for c in self.changes(zone) if kind is None or getattr(c, kind)]
        if not transitions:
            return []
        return rng.choices(transitions, [c.weight for c in transitions], k=count)


def _at(change: Change) -> int:
    return change.at


def _change(_kind: str, local: str, before: str, after: str) -> Change:
    moment = (datetime.fromisoformat(local) - EPOCH) // timedelta(microseconds=1)
    start, end = _seconds(before) * SECOND, _seconds(after) * SECOND
    return Change(moment - start, end - start, moment)


def around(change: Change, rng: Random, count: int) -> list[int]:
    """Times near a transition: off by seconds, minutes, half hours, hours and days."""
    fine = rng.choice((5, 7, 10, 15, 20)) * MINUTE
    reach = max(3 * HOUR, abs(change.shift) + HOUR)
    if abs(change.shift) > 4 * HOUR:
        fine = 100 * MINUTE
    grid = range(-reach, reach, fine)
    jitter = rng.choice((0, 30 * SECOND, 15 * SECOND))
    near = [change.at + g + jitter for g in grid]
    near += [change.at + d for d in (0, -1, 1, -SECOND, SECOND, 30 * SECOND, -MINUTE, MINUTE, change.shift)]
    midnight = change.at - change.local % DAY
    near += [midnight + d * DAY + e for d in (0, 1) for e in (0, -1, -SECOND, 30 * SECOND, change.shift, -change.shift)]
    near += [change.at + h * HOUR + 30 * MINUTE for h in (5, 8, 11, 15, -5, -9)]
    for hours in SHIFTS:  # where a time shifted by this much meets the transition
        near += [change.at + rng.choice((1, -1)) * hours * HOUR + m * MINUTE for m in (-40, -20, 10, 30, 50)]
    near += [change.at + d * DAY + jitter for d in (-25, -2, -1, 1, 2, 6)]
    rng.shuffle(near)
    return near[:count]


def calendar(rng: Random) -> int:
    """A time near the start of a calendar unit of some year, in UTC."""
    year = rng.choice((2024, 2023, 1970, 1969, 2000, 1900, rng.randint(1600, 2100)))
    start = datetime(year, rng.choice((1, 3, 12, rng.randint(1, 12))), rng.choice((1, 1, 28)))  # noqa: DTZ001
    moment = (start - EPOCH) // timedelta(microseconds=1)
    return moment + rng.choice((0, -1, 1, HOUR, -HOUR, HOUR // 2, DAY, -DAY, rng.randint(0, DAY)))


def _year(year: int) -> int:
    return round((year - 1970) * 365.2425) * DAY


def extreme(rng: Random) -> int:
    """A time at a notable limit of the type or the calendar."""
    ends = (MOST, MOST - HOUR, LEAST, LEAST + DAY, _year(294_000), _year(-290_000))
    years = (1, 2, 0, -1, -44, -2023, 99, 100, 1582, 1500, 9998, 9999, 10_000, 15_000)
    if rng.random() < 0.3:
        return rng.choice(ends)
    return _year(rng.choice(years)) + rng.choice((0, -1, 1, 280 * DAY, HOUR, 40 * DAY))
