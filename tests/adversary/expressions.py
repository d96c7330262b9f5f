"""Random SQL expressions of a type over the columns of a table, out of everything that the rules may know."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from adversary import zones
from adversary.nodes import Node, leaf, make
from adversary.tables import Table

UNITS = ("year", "quarter", "month", "week", "day", "hour", "minute", "second")
PATTERNS = (
    *("yyyy", "yyyy-MM", "yyyyMM", "yyyy-MM-dd", "yyyyMMdd", "yyyy/MM/dd HH", "yyyy-MM-dd HH:mm"),
    *(
        "yyyy-MM-dd HH:mm:ss",
        "dd.MM.yyyy",
        "HH",
        "HH:mm",
        "yyyyMMddHH",
        "yyyy-DDD",
        "MM",
        "y",
        "yyyyMMddHHmm",
    ),
)
PARTS = ("month", "quarter", "day", "dayofweek", "dayofyear", "weekofyear", "weekday")
CLOCK = ("hour", "hour", "hour", "minute", "second")
INTERVALS = (
    *(
        "INTERVAL 7 DAYS",
        "INTERVAL 1 MONTH",
        "INTERVAL 36 HOURS",
        "INTERVAL 90 MINUTES",
        "INTERVAL 5 HOURS",
    ),
    *("INTERVAL '1-2' YEAR TO MONTH", "INTERVAL '3' YEAR", "INTERVAL '1 02:03:04.5' DAY TO SECOND"),
    *("make_interval(0, 1, 0, 3, 2)", "make_dt_interval(1, 2, 30, 0.5)", "INTERVAL 1 MICROSECOND"),
    *(
        "make_ym_interval(0, 13)",
        "INTERVAL 1 DAY 12 HOURS",
        "INTERVAL 1 YEAR 1 DAY",
        "INTERVAL 0 DAYS",
    ),
)
DAYTIME = ("INTERVAL '1' SECOND", "INTERVAL '1' HOUR", "INTERVAL '1' DAY", "INTERVAL '90' MINUTE")
FACTORS = (2, 10, 12, 60, 100, 1000, 10_000, 3600, 86_400, 1_000_000, 1_000_000_000, -1, -100, 3, 7)
OFFSETS = (
    1,
    -1,
    10,
    100,
    -18_000,
    18_000,
    5400,
    3600,
    -86_400,
    2_147_483_647,
    -2_147_483_648,
    1900,
)
WIDTHS = (1, 2, 3, 7, 10, 10, 16, 100, 100, 1000, 86_400, 65_536, 1_000_000_007, 2_147_483_647)
CALLS = ("iceberg_", "iceberg_", "local.system.")


class Expressions:
    """Makes expressions; `kind` is ts, ntz, date, int, long, dec, text, bytes, span (an interval) or bool."""

    def __init__(self, rng: Random, table: Table, ansi: bool) -> None:
        self.rng = rng
        self.careful = ansi and not table.tame  # arithmetic on such numbers mostly overflows
        self.depths = (0, 1, 1) if table.ends else (1, 2, 2, 3)
        self.moments = [row[1] for row in table.rows if row[1] is not None]
        self.makers: dict[str, Callable[[int], Node]] = {
            "ts": self.ts,
            "ntz": self.ntz,
            "date": self.date,
            "int": self.int,
            "long": self.long,
            "dec": self.dec,
            "text": self.text,
            "bytes": self.bytes,
            "span": self.span,
            "bool": lambda depth: self.column("bo"),
        }

    def pick(self, *choices: str) -> str:
        return self.rng.choice(choices)

    def next(self) -> Node:
        """An expression of some kind."""
        kinds = ("ts", "ntz", "date", "int", "long", "dec", "text", "bytes", "span", "bool")
        kind = self.rng.choices(kinds, (14, 5, 14, 26, 20, 4, 18, 2, 3, 1))[0]
        return self.make(kind, self.rng.choice(self.depths))

    def make(self, kind: str, depth: int) -> Node:
        if self.rng.random() < 0.06 and depth > 0:
            return self.wrapped(kind, depth - 1)
        return self.makers[kind](depth)

    def wrapped(self, kind: str, depth: int) -> Node:
        """What gives back the value, or another of the kind."""
        forms = (
            "coalesce({}, {})",
            "nvl({}, {})",
            "if(r % 2 = 0, {}, {})",
            "CASE WHEN r > 5 THEN {} ELSE {} END",
            "greatest({}, {})",
            "least({}, {})",
            "CASE WHEN {0} IS NULL THEN NULL ELSE {1} END",
            "ifnull({}, {})",
        )
        first = self.make(kind, depth)
        return make(
            kind,
            self.rng.choice(forms),
            first,
            first if self.rng.random() < 0.5 else self.make(kind, 0),
        )

    def column(self, name: str) -> Node:
        kinds = {
            "ts": "ts",
            "n": "ntz",
            "d": "date",
            "i": "int",
            "sm": "int",
            "ty": "int",
            "l": "long",
        }
        kinds |= {"dec": "dec", "dec2": "dec", "s": "text", "b": "bytes", "bo": "bool"}
        return leaf(kinds[name.removeprefix("st.")], name)

    def call(self) -> str:
        return self.rng.choice(CALLS)

    def moment(self) -> str:
        """A constant moment of the data, or a usual epoch."""
        if not self.moments or self.rng.random() < 0.3:
            return self.pick(
                "timestamp'1970-01-01'", "timestamp'2000-01-01 00:00:00'", "timestamp_micros(0)"
            )
        return f"timestamp_micros({self.rng.choice(self.moments)})"

    def when(self, depth: int) -> Node:
        """A date, timestamp or timestamp without zone."""
        return self.make(self.pick("ts", "ts", "ts", "ntz", "date"), depth)

    # ------------------------------------------------------------------------- times

    def ts(self, depth: int) -> Node:
        rng = self.rng
        if depth <= 0 or rng.random() < 0.12:
            return self.column(self.pick("ts", "ts", "ts", "st.ts"))
        kind = rng.randrange(11)
        less = depth - 1
        if kind == 0:
            return make("ts", f"{{}} {rng.choice('+-')} {rng.choice(INTERVALS)}", self.ts(less))
        if kind in (1, 2):
            return make("ts", f"date_trunc('{rng.choice(UNITS)}', {{}})", self.when(less))
        if kind == 3:
            name = self.pick("from_utc_timestamp", "to_utc_timestamp")
            return make("ts", f"{name}({{}}, '{rng.choice(zones.OTHERS)}')", self.ts(less))
        if kind in (4, 5):
            name, unit = rng.choice(
                (
                    ("seconds", "timestamp"),
                    ("seconds", "seconds"),
                    ("millis", "millis"),
                    ("micros", "micros"),
                )
            )
            scale = {"millis": 1000, "micros": 1_000_000}.get(unit, 1)
            shift = rng.choice((0, *OFFSETS[3:9], rng.randint(-40, 40) * 900)) * scale
            inner = make("long", f"unix_{unit}({{}})", self.ts(less))
            moved = make("long", f"{{}} {rng.choice('+-')} {abs(shift)}", inner) if shift else inner
            return make("ts", f"timestamp_{name}({{}})", moved)
        if kind == 6:
            return make("ts", "CAST({} AS timestamp)", self.make(self.pick("date", "ntz"), less))
        if kind == 7:
            unit = self.pick("HOUR", "DAY", "MONTH", "MINUTE", "YEAR")
            return make(
                "ts", f"timestampadd({unit}, {rng.choice((1, -1, 5, 30, 90))}, {{}})", self.ts(less)
            )
        if kind == 8:
            return make("ts", "to_timestamp({})", make("text", "CAST({} AS string)", self.ts(less)))
        if kind == 9:
            return make(
                "ts",
                "convert_timezone('UTC', 'Asia/Tokyo', CAST({} AS timestamp_ntz))",
                self.ts(less),
            )
        return make("ts", "CAST({} AS timestamp)", make("date", "to_date({})", self.ts(less)))

    def ntz(self, depth: int) -> Node:
        rng = self.rng
        if depth <= 0 or rng.random() < 0.2:
            return self.column(self.pick("n", "n", "st.n"))
        kind = rng.randrange(3)
        if kind == 0:
            return make(
                "ntz", f"{{}} {rng.choice('+-')} {rng.choice(INTERVALS)}", self.ntz(depth - 1)
            )
        if kind == 1:
            return make(
                "ntz", "CAST({} AS timestamp_ntz)", self.make(self.pick("ts", "date"), depth - 1)
            )
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
            return make(
                "date", f"{name}({{}}, {rng.choice((1, 7, -3, 40, 12, -1200))})", self.date(less)
            )
        if kind == 5:
            return make("date", "last_day({})", self.when(less))
        if kind == 6:
            return make(
                "date", f"next_day({{}}, '{self.pick('FR', 'Monday', 'su')}')", self.when(less)
            )
        if kind == 7:
            day = rng.choice((1, 1, 28, 31))
            return make(
                "date", f"make_date(year({{0}}), month({{0}}), {min(day, 28)})", self.when(less)
            )
        if kind == 8:
            span = self.pick(
                "INTERVAL '7' DAY",
                "INTERVAL '1' MONTH",
                "INTERVAL 1 WEEK",
                "INTERVAL '1-1' YEAR TO MONTH",
            )
            return make("date", f"CAST({{}} {rng.choice('+-')} {span} AS date)", self.date(less))
        if kind == 9:
            form = f"date_from_unix_date(unix_date({{}}) {rng.choice('+-')} {rng.choice((1, 30, 20_000))})"
            return make("date", form, self.date(less))
        return make(
            "date",
            self.call() + self.pick("days({})", "days({})").replace("day(", "days("),
            self.when(less),
        )

    def span(self, depth: int) -> Node:
        if self.rng.random() < 0.3:
            return make(
                "span",
                f"({{}} - DATE'{self.pick('1970-01-01', '2024-02-29')}')",
                self.date(depth - 1),
            )
        return make("span", f"({{}} - {self.moment()})", self.ts(depth - 1))

    # ----------------------------------------------------------------------- numbers

    def int(self, depth: int) -> Node:
        rng = self.rng
        if depth <= 0 or rng.random() < 0.07:
            return self.column(self.pick("i", "i", "sm", "ty", "st.i"))
        less, kind = depth - 1, rng.randrange(15)
        if kind == 0:
            return make("int", "year({})", self.when(less))
        if kind in (1, 2):
            part = rng.choice(PARTS)
            form = (
                f"extract({part} FROM {{}})"
                if part in ("month", "quarter", "day") and rng.random() < 0.2
                else f"{part}({{}})"
            )
            return make("int", form, self.when(less))
        if kind == 3:
            return make(
                "int", f"{rng.choice(CLOCK)}({{}})", self.make(self.pick("ts", "ts", "ntz"), less)
            )
        if kind == 4:
            ends = self.pick("datediff({}, %s)", "datediff(%s, {})") % f"to_date({self.moment()})"
            return make("int", ends, self.date(less))
        if kind == 5:
            unit = self.pick("years", "months", "year", "month")
            return make("int", self.call() + unit.rstrip("s") + "s({})", self.when(less))
        if kind == 6:
            return make(
                "int",
                self.call() + "hours({})",
                self.make(self.pick("ts", "ts", "ntz"), min(less, 1)),
            )
        if kind == 7:
            source = self.make(
                self.pick("int", "long", "text", "date", "ts", "dec", "bytes", "ntz"), min(less, 0)
            )
            return make(
                "int", f"{self.call()}bucket({rng.choice((2, 3, 4, 4, 8, 16))}, {{}})", source
            )
        if kind in (8, 9):
            return make(
                "int",
                f"{self.call()}truncate({rng.choice(WIDTHS)}, {{}})",
                self.int(rng.choice((0, 0, 0, less))),
            )
        if kind == 10:
            form = self.pick(
                "year({0}) * 100 + month({0})",
                "year({0}) * 12 + month({0}) - 1",
                "(year({0}) * 100 + month({0})) * 100 + day({0})",
                "10 * year({0}) + quarter({0})",
                "hour({0}) * 60 + minute({0})",
                "day({0}) * 100 + hour({0})",
            )
            source = self.ts(less) if "hour" in form else self.when(less)
            return make("int", form, source)
        if kind == 11:
            form = self.pick(
                "CAST(date_format({}, 'yyyyMM') AS int)",
                "CAST(date_format({}, 'yyyyMMdd') AS int)",
                "unix_date(to_date({}))",
            )
            return make("int", form, self.ts(less))
        return self.arithmetic("int", less)

    def arithmetic(self, kind: str, depth: int) -> Node:
        rng = self.rng
        number = f"{rng.choice(FACTORS)}{'L' if kind == 'long' and rng.random() < 0.2 else ''}"
        form = rng.choice(
            (
                f"({{}} * {number})",
                f"({{}} * {number})",
                f"({number} * {{}})",
                f"({{}} + {rng.choice(OFFSETS)})",
                f"({{}} - {abs(rng.choice(OFFSETS))})",
                f"({rng.choice(OFFSETS)} - {{}})",
                f"CAST(({{}} div {number}) AS {'bigint' if kind == 'long' else 'int'})",
                f"({{}} % {number})",
                "(- {})",
                "abs({})",
                f"pmod({{}}, {abs(rng.choice(FACTORS))})",
                f"CAST(floor({{}} / {number}) AS {'bigint' if kind == 'long' else 'int'})",
            )
        )
        if self.careful:
            part = make("int", f"{rng.choice(PARTS)}({{}})", self.when(depth))
            return make(
                kind, form, part if kind == "int" else make(kind, "CAST({} AS bigint)", part)
            )
        return make(kind, form, self.make(kind, max(depth, 1) if rng.random() < 0.8 else 0))

    def long(self, depth: int) -> Node:
        rng = self.rng
        if depth <= 0 or rng.random() < 0.08:
            return self.column("l")
        less, kind = depth - 1, rng.randrange(10)
        if kind in (0, 1):
            unit = self.pick("timestamp", "timestamp", "seconds", "millis", "micros")
            return make("long", f"unix_{unit}({{}})", self.ts(less))
        if kind in (2, 3):
            return make(
                "long",
                f"{self.call()}truncate({rng.choice(WIDTHS)}, {{}})",
                self.long(rng.choice((0, 0, 0, less))),
            )
        if kind == 4:
            return make("long", f"({{}} div {rng.choice(DAYTIME)})", self.span(less))
        if kind == 5:
            return make(
                "long",
                self.pick("CAST({} AS bigint)", "bigint({})"),
                self.make(self.pick("int", "ts"), less),
            )
        if kind == 6:
            unit = self.pick("SECOND", "HOUR", "DAY", "MONTH", "MINUTE", "YEAR")
            return make("long", f"timestampdiff({unit}, {self.moment()}, {{}})", self.ts(less))
        return self.arithmetic("long", less)

    def dec(self, depth: int) -> Node:
        rng = self.rng
        if depth <= 0:
            return self.column(self.pick("dec", "dec", "dec2"))
        kind = rng.randrange(4)
        if kind < 2:
            return make("dec", f"{self.call()}truncate({rng.choice(WIDTHS)}, {{}})", self.dec(0))
        if kind == 2:
            return make(
                "dec",
                f"({{}} {rng.choice('+-*')} {self.pick('1', '0.5', '1000', '-3')})",
                self.dec(depth - 1),
            )
        return make(
            "dec", "CAST({} AS decimal(20,2))", self.make(self.pick("int", "long"), depth - 1)
        )

    # -------------------------------------------------------------------------- text

    def text(self, depth: int) -> Node:
        rng = self.rng
        if depth <= 0 or rng.random() < 0.08:
            return self.column(self.pick("s", "s", "st.s"))
        less, kind = depth - 1, rng.randrange(11)
        if kind in (0, 1, 2):
            return make("text", f"date_format({{}}, '{rng.choice(PATTERNS)}')", self.when(less))
        if kind in (3, 4):
            return make(
                "text",
                "CAST({} AS string)",
                self.make(self.pick("ts", "ts", "date", "ntz", "int", "long"), less),
            )
        if kind == 5:
            form = self.pick(
                "substring({}, 1, %d)", "left({}, %d)", "substr({}, 1, %d)", "substring({}, 3, %d)"
            )
            return make("text", form % rng.randint(1, 19), self.text(less))
        if kind in (6, 7):
            return make(
                "text",
                f"{self.call()}truncate({rng.choice((1, 2, 3, 4, 10, 16, 50))}, {{}})",
                self.text(0),
            )
        if kind == 8:
            return make(
                "text",
                self.pick(
                    "concat({}, 'x')",
                    "{} || '-01'",
                    "concat('a', {})",
                    "upper({})",
                    "lower({})",
                    "trim({})",
                ),
                self.text(less),
            )
        if kind == 9:
            collation = self.pick("UTF8_LCASE", "UNICODE_CI", "UTF8_BINARY_RTRIM", "UNICODE")
            return make("text", f"{{}} COLLATE {collation}", self.text(less))
        return make("text", "from_unixtime(unix_timestamp({}))", self.ts(less))

    def bytes(self, depth: int) -> Node:
        if depth <= 0:
            return self.column("b")
        return make(
            "bytes", f"{self.call()}truncate({self.rng.choice((1, 2, 16))}, {{}})", self.bytes(0)
        )
