"""Random expressions that return numbers and text, from everything that the rules support."""

from __future__ import annotations

from adversary.nodes import Node, leaf, make
from adversary.rows import extreme
from adversary.times import OFFSETS, Times
from adversary.zones import SHIFTS

PATTERNS = (
    *("yyyy", "yyyy-MM", "yyyyMM", "yyyy-MM-dd", "yyyyMMdd", "yyyy/MM/dd HH", "yyyy-MM-dd HH:mm"),
    *("yyyy-MM-dd HH:mm:ss", "dd.MM.yyyy", "HH", "HH:mm", "yyyyMMddHH", "yyyy-DDD", "MM", "y", "yyyyMMddHHmm"),
)
PARTS = ("month", "quarter", "day", "dayofweek", "dayofyear", "weekofyear", "weekday")
CLOCK = ("hour", "hour", "hour", "minute", "second")
DAYTIME = ("INTERVAL '1' SECOND", "INTERVAL '1' HOUR", "INTERVAL '1' DAY", "INTERVAL '90' MINUTE")
FACTORS = (2, 10, 12, 60, 100, 1000, 10_000, 3600, 86_400, 1_000_000, 1_000_000_000, -1, -100, 3, 7)
WIDTHS = (1, 2, 3, 7, 10, 10, 16, 100, 100, 1000, 86_400, 65_536, 1_000_000_007, 2_147_483_647)


class Expressions(Times):
    """Generates expressions of every kind."""

    def next(self) -> Node:
        """An expression of some kind."""
        kinds = ("ts", "ntz", "date", "int", "long", "dec", "text", "bytes", "span", "bool")
        kind = self.rng.choices(kinds, (14, 5, 14, 26, 20, 4, 18, 2, 3, 1))[0]
        return self.make(kind, self.rng.choice(self.depths))

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
            return make("int", f"{rng.choice(CLOCK)}({{}})", self.make(self.pick("ts", "ts", "ntz"), less))
        if kind == 4:
            ends = self.pick("datediff({}, %s)", "datediff(%s, {})") % f"to_date({self.moment()})"
            return make("int", ends, self.date(less))
        if kind == 5:
            unit = self.pick("years", "months", "year", "month")
            return make("int", self.call() + unit.rstrip("s") + "s({})", self.when(less))
        if kind == 6:
            return make("int", self.call() + "hours({})", self.make(self.pick("ts", "ts", "ntz"), min(less, 1)))
        if kind == 7:
            source = self.make(self.pick("int", "long", "text", "date", "ts", "dec", "bytes", "ntz"), min(less, 0))
            return make("int", f"{self.call()}bucket({rng.choice((2, 3, 4, 4, 8, 16))}, {{}})", source)
        if kind in (8, 9):
            return make(
                "int", f"{self.call()}truncate({rng.choice(WIDTHS)}, {{}})", self.int(rng.choice((0, 0, 0, less)))
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
            return make(kind, form, part if kind == "int" else make(kind, "CAST({} AS bigint)", part))
        return make(kind, form, self.inner(kind, depth))

    def inner(self, kind: str, depth: int) -> Node:
        """An operand for arithmetic: often a truncated number or a divided interval."""
        rng = self.rng
        chance = rng.random()
        if chance < 0.3:
            return make(kind, f"{self.call()}truncate({rng.choice(WIDTHS)}, {{}})", self.make(kind, 0))
        if chance < 0.5 and kind == "long":
            return make("long", f"({{}} div {rng.choice(DAYTIME)})", self.span(depth))
        return self.make(kind, max(depth, 1) if rng.random() < 0.8 else 0)

    def long(self, depth: int) -> Node:
        rng = self.rng
        if depth <= 0 or rng.random() < 0.08:
            return self.column("l")
        less, kind = depth - 1, rng.randrange(11)
        if kind in (0, 1):
            unit = self.pick("timestamp", "timestamp", "seconds", "millis", "micros")
            return make("long", f"unix_{unit}({{}})", self.ts(less))
        if kind in (2, 3):
            return make(
                "long", f"{self.call()}truncate({rng.choice(WIDTHS)}, {{}})", self.long(rng.choice((0, 0, 0, less)))
            )
        if kind == 4:
            return make("long", f"({{}} div {rng.choice(DAYTIME)})", self.span(less))
        if kind == 10:  # milliseconds, microseconds or nanoseconds of whole seconds
            seconds = make("long", "({} div INTERVAL '1' SECOND)", self.span(less))
            if rng.random() < 0.3:
                seconds = make("long", "unix_seconds({})", self.ts(less))
            factor = self.pick("1000", "1000000", "1000000000", "1000000000")
            return make("long", f"({{}} * {factor})", seconds)
        if kind == 5:
            return make("long", self.pick("CAST({} AS bigint)", "bigint({})"), self.make(self.pick("int", "ts"), less))
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
            return make("dec", f"({{}} {rng.choice('+-*')} {self.pick('1', '0.5', '1000', '-3')})", self.dec(depth - 1))
        return make("dec", "CAST({} AS decimal(20,2))", self.make(self.pick("int", "long"), depth - 1))

    def text(self, depth: int) -> Node:
        rng = self.rng
        if depth <= 0 or rng.random() < 0.08:
            return self.column(self.pick("s", "s", "st.s"))
        less, kind = depth - 1, rng.randrange(11)
        if kind in (0, 1, 2):
            return make("text", f"date_format({{}}, '{rng.choice(PATTERNS)}')", self.when(less))
        if kind in (3, 4):
            return make(
                "text", "CAST({} AS string)", self.make(self.pick("ts", "ts", "date", "ntz", "int", "long"), less)
            )
        if kind == 5:
            form = self.pick("substring({}, 1, %d)", "left({}, %d)", "substr({}, 1, %d)", "substring({}, 3, %d)")
            return make("text", form % rng.randint(1, 19), self.text(less))
        if kind in (6, 7):
            return make("text", f"{self.call()}truncate({rng.choice((1, 2, 3, 4, 10, 16, 50))}, {{}})", self.text(0))
        if kind == 8:
            return make(
                "text",
                self.pick("concat({}, 'x')", "{} || '-01'", "concat('a', {})", "upper({})", "lower({})", "trim({})"),
                self.text(less),
            )
        if kind == 9:
            collation = self.pick("UTF8_LCASE", "UNICODE_CI", "UTF8_BINARY_RTRIM", "UNICODE")
            return make("text", f"{{}} COLLATE {collation}", self.text(less))
        return make("text", "from_unixtime(unix_timestamp({}))", self.ts(less))

    def bytes(self, depth: int) -> Node:
        if depth <= 0:
            return self.column("b")
        return make("bytes", f"{self.call()}truncate({self.rng.choice((1, 2, 16))}, {{}})", self.bytes(0))

    def about(self, column: str) -> Node:
        """A transform function of a column."""
        source = self.column(column)
        names = {
            "int": ("bucket(4, {})", "truncate(10, {})", "truncate(7, {})"),
            "long": ("bucket(4, {})", "truncate(10, {})", "truncate(100, {})"),
            "dec": ("bucket(4, {})", "truncate(50, {})"),
            "text": ("bucket(3, {})", "truncate(2, {})", "truncate(4, {})"),
            "bytes": ("bucket(2, {})", "truncate(1, {})"),
            "date": ("days({})", "months({})", "years({})", "bucket(4, {})"),
            "ts": ("days({})", "months({})", "years({})", "hours({})", "bucket(4, {})"),
            "bool": (),
        }
        names["ntz"] = names["ts"]
        if not names[source.kind]:
            return source
        form = self.rng.choice(names[source.kind])
        kinds = {"days": "date", "trun": source.kind}
        return make(kinds.get(form[:4], "int"), self.call() + form, source)

    def usual(self) -> list[Node]:
        """Always worth a try: the parts of a time, and transforms of the table's partition columns."""
        column = leaf("ts", self.pick("ts", "ts", "ts", "n"))
        nodes = [make("int", f"{part}({{}})", column) for part in ("hour", "day", self.rng.choice(PARTS))]
        nodes.append(make("date", "to_date({})", column))
        columns = (self.table.sources or ["i", "l", "s", "d", "ts"]) * 2
        shifted = self.shifted("timestamp", "seconds", self.rng.choice((1, -1)) * self.rng.choice(SHIFTS) * 3600)
        form = self.pick("CAST({} AS string)", "date_format({}, 'yyyy-MM-dd HH:mm')", "date_format({}, 'yyyyMMddHH')")
        nodes.append(make("text", form, shifted))
        nodes += [self.about(c) for c in columns[:5]]
        if any(extreme(row) for row in self.table.rows):
            for kind, name in (("int", "i"), ("long", "l")):
                form = f"{self.call()}truncate({self.rng.choice(WIDTHS[2:10])}, {{}})"
                nodes.append(make(kind, form, self.column(name)))
        return nodes

    def clocks(self) -> list[Node]:
        """The parts of a time, and times converted back from numbers: these are sensitive to time-zone transitions."""
        column = leaf("ts", "ts")
        nodes = [make("int", f"{part}({{}})", column) for part in ("hour", "minute", "second", *PARTS)]
        nodes += [make("date", form, column) for form in ("to_date({})", "CAST({} AS date)")]
        for unit, again in (("timestamp", "seconds"), ("seconds",) * 2, ("millis",) * 2, ("micros",) * 2):
            for hours in SHIFTS:
                moved = self.shifted(unit, again, self.rng.choice((1, -1)) * hours * 3600)
                form = self.pick("CAST({} AS string)", "date_format({}, 'yyyy-MM-dd HH:mm')")
                nodes += [make("text", form, moved), make("date", "to_date({})", moved)]
        return nodes

    def bool(self, depth: int) -> Node:
        return self.column("bo")
