"""Random expressions that return times: timestamps with and without a zone, dates, intervals."""

from __future__ import annotations

from adversary import zones
from adversary.expressions import Base
from adversary.nodes import Node, make

UNITS = ("year", "quarter", "month", "week", "day", "hour", "minute", "second")
OFFSETS = (1, -1, 10, 100, -18_000, 18_000, 5400, 3600, -86_400, 2_147_483_647, -2_147_483_648, 1900)
INTERVALS = (
    *("INTERVAL 7 DAYS", "INTERVAL 1 MONTH", "INTERVAL 36 HOURS", "INTERVAL 90 MINUTES", "INTERVAL 5 HOURS"),
    *("INTERVAL '1-2' YEAR TO MONTH", "INTERVAL '3' YEAR", "INTERVAL '1 02:03:04.5' DAY TO SECOND"),
    *("make_interval(0, 1, 0, 3, 2)", "make_dt_interval(1, 2, 30, 0.5)", "INTERVAL 1 MICROSECOND"),
    *("make_ym_interval(0, 13)", "INTERVAL 1 DAY 12 HOURS", "INTERVAL 1 YEAR 1 DAY", "INTERVAL 0 DAYS"),
)


class Times(Base):
    """Generates ts, ntz, date and span (an interval)."""

    def ts(self, depth: int) -> Node:
        rng = self.rng
        if depth <= 0 or rng.random() < 0.12:
            return self.column(self.pick("ts", "ts", "ts", "st.ts"))
        kind = rng.randrange(13)
        less = depth - 1
        if kind == 0:
            return make("ts", f"{{}} {rng.choice('+-')} {rng.choice(INTERVALS)}", self.ts(less))
        if kind in (1, 2):
            return make("ts", f"date_trunc('{rng.choice(UNITS)}', {{}})", self.when(less))
        if kind == 3:
            name = self.pick("from_utc_timestamp", "to_utc_timestamp")
            return make("ts", f"{name}({{}}, '{rng.choice(zones.OTHERS)}')", self.ts(less))
        if kind in (4, 5, 11, 12):
            target_unit, unit = rng.choice(
                (("seconds", "timestamp"), ("seconds", "seconds"), ("millis", "millis"), ("micros", "micros"))
            )
            hours = rng.choice((1, -1)) * rng.choice(zones.SHIFTS) * 3600
            return self.shifted(
                unit, target_unit, rng.choice((0, hours, hours, *OFFSETS[3:9], rng.randint(-40, 40) * 900)), less
            )
        if kind == 6:
            return make("ts", "CAST({} AS timestamp)", self.make(self.pick("date", "ntz"), less))
        if kind == 7:
            unit = self.pick("HOUR", "DAY", "MONTH", "MINUTE", "YEAR")
            return make("ts", f"timestampadd({unit}, {rng.choice((1, -1, 5, 30, 90))}, {{}})", self.ts(less))
        if kind == 8:
            return make("ts", "to_timestamp({})", make("text", "CAST({} AS string)", self.ts(less)))
        if kind == 9:
            return make("ts", "convert_timezone('UTC', 'Asia/Tokyo', CAST({} AS timestamp_ntz))", self.ts(less))
        return make("ts", "CAST({} AS timestamp)", make("date", "to_date({})", self.ts(less)))

    def shifted(self, unit: str, target_unit: str, seconds: int, depth: int = 0) -> Node:
        """A timestamp converted back from a number, after adding this many seconds to it."""
        number = make("long", f"unix_{unit}({{}})", self.ts(depth))
        amount = abs(seconds) * {"millis": 1000, "micros": 1_000_000}.get(unit, 1)
        if seconds:
            number = make("long", f"{{}} {'+' if seconds > 0 else '-'} {amount}", number)
        return make("ts", f"timestamp_{target_unit}({{}})", number)

    def ntz(self, depth: int) -> Node:
        rng = self.rng
        if depth <= 0 or rng.random() < 0.2:
            return self.column(self.pick("n", "n", "st.n"))
        kind = rng.randrange(3)
        if kind == 0:
            return make("ntz", f"{{}} {rng.choice('+-')} {rng.choice(INTERVALS)}", self.ntz(depth - 1))
        if kind == 1:
            return make("ntz", "CAST({} AS timestamp_ntz)", self.make(self.pick("ts", "date"), depth - 1))
        zone = rng.choice(zones.OTHERS)
        return make("ntz", f"convert_timezone('UTC', '{zone}', {{}})", self.ntz(depth - 1))

    def date(self, depth: int) -> Node:
        rng = self.rng
        if depth <= 0 or rng.random() < 0.12:
            return self.column(self.pick("d", "d", "st.d"))
        less, kind = depth - 1, rng.randrange(11)
        if kind in (0, 1, 2):
            form = self.pick("to_date({})", "CAST({} AS date)", "date({})")
            return make("date", form, self.make(self.pick("ts", "ts", "ts", "ntz"), less))
        if kind == 3:
            unit = self.pick("year", "quarter", "MM", "week", "mon", "YY")
            return make("date", f"trunc({{}}, '{unit}')", self.when(less))
        if kind == 4:
            name = self.pick("date_add", "date_sub", "add_months")
            return make("date", f"{name}({{}}, {rng.choice((1, 7, -3, 40, 12, -1200))})", self.date(less))
        if kind == 5:
            return make("date", "last_day({})", self.when(less))
        if kind == 6:
            return make("date", f"next_day({{}}, '{self.pick('FR', 'Monday', 'su')}')", self.when(less))
        if kind == 7:
            day = rng.choice((1, 1, 28, 31))
            return make("date", f"make_date(year({{0}}), month({{0}}), {min(day, 28)})", self.when(less))
        if kind == 8:
            span = self.pick(
                "INTERVAL '7' DAY", "INTERVAL '1' MONTH", "INTERVAL 1 WEEK", "INTERVAL '1-1' YEAR TO MONTH"
            )
            return make("date", f"CAST({{}} {rng.choice('+-')} {span} AS date)", self.date(less))
        if kind == 9:
            form = f"date_from_unix_date(unix_date({{}}) {rng.choice('+-')} {rng.choice((1, 30, 20_000))})"
            return make("date", form, self.date(less))
        return make("date", self.call() + self.pick("days({})", "days({})").replace("day(", "days("), self.when(less))

    def span(self, depth: int) -> Node:
        if self.rng.random() < 0.3:
            return make("span", f"({{}} - DATE'{self.pick('1970-01-01', '2024-02-29')}')", self.date(depth - 1))
        return make("span", f"({{}} - {self.moment()})", self.ts(depth - 1))
