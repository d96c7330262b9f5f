"""Rows that are difficult for pruning, and random predicates over them; all from a seed.

The columns are id, name, ts (timestamp), n (timestamp_ntz), d (date) and s, a struct of ts and d.
"""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from random import Random
from zoneinfo import ZoneInfo

HOUR = 3_600_000_000
DAY = 24 * HOUR

ZONES = (
    "America/New_York",
    "Europe/Berlin",
    "Asia/Kolkata",
    "Pacific/Apia",  # skipped a day in 2011, had one twice in 1892
    "America/St_Johns",  # a minute past midnight, so a date was repeated
    "America/Sao_Paulo",  # the clocks changed at midnight
    "Australia/Lord_Howe",  # by half an hour
    "UTC",
)
# Transitions in these zones, and the ends of local mean time.
CHANGES = (
    *("2024-03-10T07:00", "2024-11-03T06:00", "1883-11-18T17:00"),
    *("2024-03-31T01:00", "2024-10-27T01:00", "1893-03-31T23:06:32"),
    *("1941-09-30T18:30", "1945-10-14T17:30", "1905-12-31T18:38:50"),
    *("2011-12-30T10:00", "1892-07-04T11:26:56"),
    *("2006-10-29T02:31", "2007-03-11T03:31", "1935-03-30T03:30:52"),
    *("2018-11-04T03:00", "2018-02-18T02:00", "1914-01-01T03:06:28"),
    *("2024-04-06T15:00", "2024-10-05T15:30"),
)
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def micros(moment: datetime) -> int:
    return (moment - EPOCH) // timedelta(microseconds=1)


def _year(year: int) -> int:
    """Near the start of a year, which may be outside datetime's range."""
    return round((year - 1970) * 365.2425) * DAY


def moments(zone: str, seed: int, count: int) -> list[int]:
    """Microseconds since 1970: around transitions, around starts of calendar units, and anywhere."""
    rng = Random(seed)
    zone_info = ZoneInfo(zone)
    near = (0, 0, -1, 1, -1_000_000, HOUR // 2, -HOUR // 2, HOUR, -HOUR, 3 * HOUR, -3 * HOUR, DAY, -DAY)
    timestamps = [_year(year) for year in (-4000, -200, -1, 0, 1, 2, 99, 100, 101, 9899, 9900, 9999, 10_000, 15_000)]
    timestamps += [_year(-2023) + 40 * DAY, _year(1582) + 280 * DAY]
    changes = [datetime.fromisoformat(text + "+00:00") for text in CHANGES]
    second = timedelta(seconds=1)
    zone_changes = [
        t for t in changes if t.astimezone(zone_info).utcoffset() != (t - second).astimezone(zone_info).utcoffset()
    ]
    while len(timestamps) < count:
        kind = rng.random()
        if kind < 0.25:
            change = micros(rng.choice(zone_changes or changes))
            timestamps.append(change + rng.choice((*near, rng.randint(-2 * HOUR, 2 * HOUR))))
            continue
        if kind < 0.35:
            base = micros(rng.choice(changes))
        elif kind < 0.7:
            year = rng.choice((2024, 2023, rng.randint(1850, 2040)))
            day = rng.choice((1, 1, rng.randint(1, 28)))
            base = micros(
                datetime(year, rng.choice((1, rng.randint(1, 12))), day, rng.choice((0, 0, 23, 5)), tzinfo=zone_info)
            )
        else:
            timestamps.append(rng.randint(_year(1890), _year(2045)))
            continue
        timestamps.append(base + rng.choice(near))
    return timestamps[:count]


class Predicates:
    """Random predicates as SQL text; each can be evaluated for every row of `moments`."""

    def __init__(self, zone: str, seed: int) -> None:
        self.rng = Random(seed)
        self.here = ZoneInfo(zone)
        self.known = moments(zone, seed, 400)[16:]

    def next(self) -> str:
        rng = self.rng
        kind = rng.random()
        if kind < 0.6:
            return self._one()
        if kind < 0.7:
            return f"({self._one()}) AND ({self._one()})"
        if kind < 0.8:
            return f"({self._one()}) OR ({self._one()})"
        if kind < 0.85:
            return f"NOT ({self._one()})"
        if kind < 0.9:
            return f"NOT (({self._one()}) OR ({self._recurring()})) AND ({self._one()})"
        if kind < 0.95:
            return f"(({self._one()}) AND ({self._recurring()})) OR ({self._one()})"
        return f"({self._one()}) IS TRUE AND coalesce({self._one()}, false)"

    def _one(self) -> str:
        return self.rng.choice(
            (
                self._number,
                self._trunc,
                self._text,
                self._shift,
                self._digits,
                self._calendar,
                self._called,
                self._plain,
            )
        )()

    # -- what is compared, and with what

    def _moment(self) -> int:
        return self.rng.choice(self.known)

    def _date(self) -> datetime:
        """A time in the zone, or rarely in UTC."""
        at = EPOCH + timedelta(microseconds=self._moment())
        return at.astimezone(self.here) if self.rng.random() < 0.8 else at

    def _time(self) -> str:
        return self.rng.choice(("ts", "ts", "ts", "n", "s.ts"))

    def _day(self) -> str:
        return self.rng.choice(("d", "ts", "n", "s.d", "to_date(ts)", "cast(n AS date)"))

    def _at(self) -> str:
        return f"timestamp_micros({self._moment()})"

    def _on(self) -> str:
        return f"date_from_unix_date({self._moment() // DAY})"

    def _compare(self, left: str, literal: object) -> str:
        """literal: text, or a function that returns a new text on each call."""
        value = literal if callable(literal) else lambda: str(literal)
        kind = self.rng.random()
        if kind < 0.1:
            return f"{left} BETWEEN {value()} AND {value()}"
        if kind < 0.2:
            return f"{left} IN ({', '.join(value() for _ in range(self.rng.choice((1, 2, 5, 12, 20))))})"
        if kind < 0.23:
            return f"{left} NOT IN ({value()}, {value()})"
        op = self.rng.choice(("=", "=", "=", "<", "<=", ">", ">=", "<>", "<=>"))
        return f"{value()} {op} {left}" if self.rng.random() < 0.2 else f"{left} {op} {value()}"

    # -- kinds of predicates

    def _number(self) -> str:
        rng = self.rng
        t = self._time()
        kind = rng.randrange(9)
        if kind == 0:
            return self._compare(f"unix_timestamp({rng.choice((t, 'd'))})", lambda: str(self._moment() // 1_000_000))
        if kind == 1:
            unit, size = rng.choice((("seconds", 1_000_000), ("millis", 1000), ("micros", 1)))
            return self._compare(f"unix_{unit}(ts)", lambda: str(self._moment() // size))
        if kind == 2:
            return self._compare(f"floor(unix_timestamp({t}) / 3600)", lambda: str(self._moment() // HOUR))
        if kind == 3:
            return self._compare(f"unix_timestamp({t}) div 86400", lambda: str(self._moment() // DAY))
        if kind == 4:
            return self._compare(f"2100 - year({self._day()})", lambda: str(2100 - self._date().year))
        if kind == 5:
            return self._compare(f"year({self._day()}) * 2 + 1", lambda: str(2 * self._date().year + rng.randint(0, 1)))
        if kind == 6:
            return self._compare("cast(ts AS double)", lambda: f"{self._moment() / 1e6!r}D")
        field = rng.choice(("year", "yearofweek"))
        return self._compare(
            f"extract({field} FROM {self._day()})", lambda: str(self._date().year + rng.randint(-1, 1))
        )

    def _trunc(self) -> str:
        rng = self.rng
        units = ("year", "quarter", "month", "week", "day", "hour", "minute", "second", "millisecond")
        unit = rng.choice(units)
        if rng.random() < 0.3:
            unit = rng.choice(("year", "quarter", "MM", "week"))
            return self._compare(f"trunc({self._day()}, '{unit}')", lambda: f"trunc({self._on()}, '{unit}')")
        t = rng.choice(
            (
                self._time(),
                self._time(),
                "d",
                "from_utc_timestamp(ts, 'Asia/Tokyo')",
                "to_utc_timestamp(ts, 'America/New_York')",
            )
        )
        if rng.random() < 0.3:
            return self._compare(f"date_trunc('{unit}', {t})", self._at)
        return self._compare(f"date_trunc('{unit}', {t})", lambda: f"date_trunc('{unit}', {self._at()})")

    def _text(self) -> str:
        rng = self.rng
        t = rng.choice((self._time(), "d", "ts + INTERVAL 9 DAYS"))
        if rng.random() < 0.4:
            patterns = (
                "yyyy",
                "yyyy-MM",
                "yyyyMM",
                "yyyy-MM-dd",
                "yyyyMMdd",
                "yyyy/MM/dd HH",
                "yyyy-MM-dd HH:mm",
                "dd.MM.yyyy",
                "yyyy-dd",
                "MM",
            )
            pattern = rng.choice(patterns)
            return self._compare(f"date_format({t}, '{pattern}')", lambda: f"date_format({self._at()}, '{pattern}')")
        written = self._date().strftime("%Y-%m-%d %H:%M:%S")
        if rng.random() < 0.6:
            prefix = written[: rng.randint(1, 19)]
            negated, wildcard = rng.choice(("", "", "NOT ")), rng.choice(("%", "", "_%", "%5"))
            return f"cast({t} AS string) {negated}LIKE '{prefix}{wildcard}'"
        if rng.random() < 0.5:
            length = rng.randint(1, 19)
            return self._compare(
                f"substring(cast({t} AS string), 1, {length})",
                lambda: f"'{self._date().strftime('%Y-%m-%d %H:%M:%S')[:length]}'",
            )
        return self._compare(f"cast({t} AS string)", lambda: f"'{written[: rng.randint(4, 19)]}'")

    def _shift(self) -> str:
        rng = self.rng
        kind = rng.randrange(4)
        if kind == 0:
            name = rng.choice(("date_add", "date_sub", "add_months"))
            return self._compare(f"{name}({self._day()}, {rng.choice((1, 7, -3, 40))})", self._on)
        if kind == 1:
            ends = rng.choice((("{0}", "{1}"), ("{1}", "{0}")))
            days = f"datediff({ends[0]}, {ends[1]})".format(self._day(), self._on())
            return self._compare(days, lambda: str(rng.randint(-400, 400)))
        intervals = (
            "INTERVAL 7 DAYS",
            "INTERVAL 1 MONTH",
            "INTERVAL 36 HOURS",
            "INTERVAL 90 MINUTES",
            "INTERVAL '1-2' YEAR TO MONTH",
            "make_interval(0, 1, 0, 3, 2)",
            "make_interval(0, 0, 0, 0, 5)",
        )
        step = f"{rng.choice('+-')} {rng.choice(intervals)}"
        if kind == 2:
            return self._compare(
                f"date_trunc('{rng.choice(('day', 'month', 'hour'))}', {self._time()} {step})", self._at
            )
        return self._compare(f"{self._time()} {step}", self._at)

    def _digits(self) -> str:
        x = self._day()
        forms = (
            (f"year({x}) * 100 + month({x})", lambda t: t.year * 100 + t.month),
            (f"year({x}) * 12 + month({x}) - 1", lambda t: t.year * 12 + t.month - 1),
            (f"year({x}) * 10000 + month({x}) * 100 + day({x})", lambda t: t.year * 10000 + t.month * 100 + t.day),
            (f"10 * year({x}) + quarter({x})", lambda t: t.year * 10 + (t.month + 2) // 3),
            (f"year({x}) * 10 + month({x})", lambda t: t.year * 10 + t.month),  # not monotonic
        )
        expression, value = self.rng.choice(forms)
        return self._compare(expression, lambda: str(value(self._date())))

    def _recurring(self) -> str:
        rng = self.rng
        part, maximum = rng.choice(
            (
                ("month", 12),
                ("month", 12),
                ("quarter", 4),
                ("day", 31),
                ("dayofweek", 7),
                ("dayofyear", 366),
                ("weekofyear", 53),
            )
        )
        if rng.random() < 0.2:
            return self._compare("hour(ts)", lambda: str(rng.randint(0, 23)))
        return self._compare(f"{part}({self._day()})", lambda: str(rng.randint(1, maximum)))

    def _calendar(self) -> str:
        at = self._date()
        x = self._day()
        start = self.rng.choice(
            (
                f"year({x}) = {at.year}",
                f"year({x}) = {at.year} AND month({x}) = {at.month}",
                f"to_date({x}) = {self._on()}",
                f"year({x}) BETWEEN {at.year - 1} AND {at.year}",
                f"last_day({x}) = last_day({self._on()})",
                f"next_day({x}, 'FR') >= {self._on()}",
            )
        )
        return start + "".join(
            f" AND ({self._recurring().replace('(ts)', f'({x})', 1)})" for _ in range(self.rng.randint(1, 2))
        )

    def _called(self) -> str:
        rng = self.rng
        kind = rng.random()
        if kind < 0.2:
            return self._compare(f"iceberg_bucket({rng.choice((2, 4, 8, 12, 7))}, id)", lambda: str(rng.randint(0, 11)))
        if kind < 0.35:
            width = rng.choice((3, 10, 64))
            return self._compare(f"iceberg_truncate({width}, id)", lambda: str(width * rng.randint(-2, 40)))
        if kind < 0.5:
            width = rng.choice((1, 3, 5))
            return self._compare(
                f"iceberg_truncate({width}, name)", lambda: f"'{('n' + str(rng.randint(0, 400)))[:width]}'"
            )
        unit, size = rng.choice(
            (("hours", HOUR), ("days", DAY), ("months", 2_629_746_000_000), ("years", 31_556_952_000_000))
        )
        x = self._time() if unit == "hours" else rng.choice((self._time(), "d"))
        if unit == "days":
            return self._compare(f"iceberg_days({x})", self._on)
        return self._compare(f"iceberg_{unit}({x})", lambda: str(self._moment() // size + rng.randint(-1, 1)))

    def _plain(self) -> str:
        return self._compare("ts", self._at) if self.rng.random() < 0.6 else self._compare("d", self._on)
