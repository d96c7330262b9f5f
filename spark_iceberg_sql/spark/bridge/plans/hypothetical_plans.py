"""Queries planned on another table than the one they name; nothing is read or run."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spark_iceberg_sql.spark.bridge.jvm import compiler, gateway, interrupts, logs, sessions, shims
from spark_iceberg_sql.spark.bridge.jvm.gateway import ANALYSIS, Java, java_class, scala_object
from spark_iceberg_sql.spark.bridge.jvm.java_errors import JVM_ERRORS, message
from spark_iceberg_sql.spark.bridge.plans import iceberg_filters, read_notes, relations
from spark_iceberg_sql.spark.session_settings import PREFIX

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FOLDER = "memory:/hypothetical"  # of hypothetical tables
_SCAN = "DataSourceV2ScanRelation"
# The scan of a table whose queries must have a filter: a hypothetical one has the real one's properties.
_RELATION = "DataSourceV2Relation"
_PUSH_DOWN = "spark.sql.iceberg.aggregate-push-down.enabled"
# The optimizer rules that conclude from the metadata of files: those of a hypothetical table are estimated, and what is
# compared with it is planned likewise. And the one that groups tables, which tries physical plans: it changes neither
# files nor filters.
_SWITCHED_OFF = tuple(f"{PREFIX}{rule}" for rule in ("aggregates", "limit", "topk", "values", "colocate"))
# Analyzer.executeSameContext, under the mangled name of a private Scala method.
_ANALYSE = "org$apache$spark$sql$catalyst$analysis$Analyzer$$executeSameContext"


@dataclass(frozen=True, slots=True)
class PlannedScan:
    """One scan of a planned query.

    scan: Iceberg's object. filters: those pushed to it, as Iceberg expressions. texts: the same as JSON. is_plain:
    whether the filters are these under every spec.
    """

    scan: Java
    filters: tuple[Java, ...]
    texts: tuple[Any, ...]
    is_plain: bool = False


@dataclass(frozen=True, slots=True)
class ScanRead:
    """What one scan of a plan reads.

    table: the table's uuid. texts: as in `PlannedScan`. is_by_rule: whether a rule has chosen its files; otherwise
    these are those that the filters keep.
    """

    table: str
    texts: tuple[Any, ...]
    is_by_rule: bool


@contextmanager
def substitute_table(table: Java, names: Sequence[tuple[str, ...]]) -> Iterator[None]:
    """Resolve names to another Iceberg table while this thread analyses with `scans`.

    names: full names, catalog first, as the queries write them.
    """
    interrupts.check()
    context = scala_object(f"{ANALYSIS}.AnalysisContext")
    field = context.getClass().getDeclaredField("value")
    field.setAccessible(True)
    of_thread = field.get(context)  # with Scala 2.13, the field is static
    previous = of_thread.get()  # an analysis that calls a table function may be in progress
    context.reset()
    relation = relations.relation(relations.spark_table(table))
    # The analyzer looks a relation up in this cache before it asks a catalog, so no catalog has to change.
    cache = context.get().relationCache()
    alias = scala_object("org.apache.spark.sql.catalyst.plans.logical.SubqueryAlias")
    for name in names:
        parts = gateway.to_seq(name)  # a column may be qualified by any of the last ones
        cache.put(java_class("scala.Tuple2")(parts, gateway.to_option()), alias.apply(parts, relation))
    try:
        yield
    finally:
        of_thread.set(previous)


@contextmanager
def counting_by_files(spark: SparkSession) -> Iterator[None]:
    """Iceberg does not answer count(*), min and max from metadata alone: such a scan has no filters.

    Of an empty table it always could; of an imported table whose first spec remains, it cannot.
    """
    with _disabled(spark, (_PUSH_DOWN,)):
        yield


@contextmanager
def _disabled(spark: SparkSession, keys: Sequence[str]) -> Iterator[None]:
    previous = {key: spark.conf.get(key, None) for key in keys}
    for key in keys:
        spark.conf.set(key, "false")
    try:
        yield
    finally:
        for key, value in previous.items():
            if value is None:
                spark.conf.unset(key)
            else:
                spark.conf.set(key, value)


@contextmanager
def _planning(spark: SparkSession, table: Java) -> Iterator[Java]:
    """Within it, the session plans queries of a table that its metadata does not answer."""
    # The bounds of a hypothetical table are estimates: whether they agree with its partition values says nothing.
    is_hypothetical = str(table.location()).startswith(FOLDER)
    rules = (*_SWITCHED_OFF, f"{PREFIX}bounds") if is_hypothetical else _SWITCHED_OFF
    working = sessions.working_in(spark)
    with working, logs.without_error_logs(), relations.separate_origin(), _disabled(spark, rules):
        yield gateway.java_session(spark)


def is_answered_by_metadata(spark: SparkSession, text: str, table: Java, names: Sequence[tuple[str, ...]]) -> bool:
    """True if the optimizer's rules answer a query from the metadata of a table's files, so that no scan of it is left.

    Arguments as for `scans`, of which the query has at least one.
    """
    with sessions.working_in(spark), logs.without_error_logs(), relations.separate_origin():
        session = gateway.java_session(spark)
        optimized = _execution(session, _analysed(session, text, table, names)).optimizedPlan()
        return not any(
            _is_same_table(leaf.relation().table(), table) for leaf in _leaves(optimized, _SCAN)
        ) and not any(_is_same_table(leaf.table(), table) for leaf in _leaves(optimized, _RELATION))


def scans(
    spark: SparkSession, text: str, table: Java, names: Sequence[tuple[str, ...]], join_keys: Sequence[Java] = ()
) -> list[PlannedScan]:
    """The scans of a table in a query's optimized plan.

    table: an Iceberg table, read instead of `names`; a name of one part is the table even if a temporary view has it.
    join_keys: conditions of `join_keys` that the scans receive, too.
    """
    with _planning(spark, table) as session:
        analysed = _analysed(session, text, table, names)
        if not _reads(analysed, table):
            return []
        if join_keys:
            analysed = _join_keys().filtered(analysed, table.uuid(), list(join_keys))
        optimized = _execution(session, analysed).optimizedPlan()
        is_plain = bool(compiler.shared_instance(__package__, "PlainConditions").hold(optimized, table.uuid()))
        leaves = [leaf for leaf in _leaves(optimized, _SCAN) if _is_same_table(leaf.relation().table(), table)]
        return [_scan(leaf.scan(), is_plain=is_plain) for leaf in leaves]


def no_keys() -> Java:
    """A map of the keys that `join_keys` has read."""
    return java_class("java.util.HashMap")()


def join_keys(
    spark: SparkSession, text: str, table: Java, names: Sequence[tuple[str, ...]], known_keys: Java
) -> list[Java]:
    """What a query's joins with tables small enough to be broadcast leave of a table, as conditions for `scans`.

    Reads the keys of the small tables. known_keys: of `no_keys`: other tables and queries are joined with the same
    small tables, whose keys are then read once. Other arguments as for `scans`.
    """
    with _planning(spark, table) as session:
        analysed = _analysed(session, text, table, names)
        if not _reads(analysed, table):
            return []
        optimized = _execution(session, analysed).optimizedPlan()
        java_keys = _join_keys()
        conditions = []
        for equality in java_keys.equalities(analysed, optimized, table.uuid()):
            plan = equality.keys().canonicalized()
            if (rows := known_keys.get(plan)) is None:
                rows = _execution(session, equality.keys()).executedPlan().executeCollect()
                known_keys.put(plan, rows)
            conditions.append(java_keys.condition(equality, rows))
        return [condition for condition in conditions if condition is not None]


def _execution(session: Java, plan: Java) -> Java:
    # As EXPLAIN does: `FROM a INSERT INTO b` is not executed.
    mode = scala_object("org.apache.spark.sql.execution.CommandExecutionMode").SKIP()
    return session.sessionState().executePlan(plan, mode)


def _join_keys() -> Java:
    return compiler.shared_instance(__package__, "JoinKeys")


def referenced_kind(
    spark: SparkSession, text: str, table: Java, real_table: Java, names: Sequence[tuple[str, ...]]
) -> str | None:
    """The table that a query refers to without a scan of it.

    "table": the hypothetical one. "snapshot": a snapshot or branch of the real one. None: neither of them.
    table, names: as for `scans`. real_table: the table that the names really refer to; None if there is none.
    """
    with sessions.working_in(spark), logs.without_error_logs(), relations.separate_origin():
        analysed = _analysed(gateway.java_session(spark), text, table, names)
        spark_tables = [leaf.table() for leaf in _leaves(analysed, _RELATION)]
    if any(_is_same_table(spark_table, table) for spark_table in spark_tables):
        return "table"
    is_snapshot = real_table is not None and any(
        _is_same_table(spark_table, real_table) for spark_table in spark_tables
    )
    return "snapshot" if is_snapshot else None


def parse_error(spark: SparkSession, text: str) -> str | None:
    """The parser's error for a statement that Spark cannot parse; None if it can."""
    session = gateway.java_session(spark)
    try:
        with sessions.working_in(spark), logs.without_error_logs(), relations.separate_origin():
            session.sessionState().sqlParser().parsePlan(text)
    except JVM_ERRORS as error:
        return message(error)
    return None


def _analysed(session: Java, text: str, table: Java, names: Sequence[tuple[str, ...]]) -> Java:
    plan = session.sessionState().sqlParser().parsePlan(text)
    full_names = [name for name in names if len(name) > 1]
    for (name,) in (name for name in names if len(name) == 1):
        if session.sessionState().catalog().isTempView(gateway.to_seq([name])):  # Spark would prefer the view
            full_name = next(full_name for full_name in full_names if full_name[-1] == name)
            java_relations = compiler.shared_instance(__package__, "QualifiedRelations")
            plan = java_relations.qualified(plan, name, gateway.to_seq(full_name))
    with substitute_table(table, full_names):
        return getattr(session.sessionState().analyzer(), _ANALYSE)(plan)


def _reads(analysed: Java, table: Java) -> bool:
    return any(_is_same_table(leaf.table(), table) for leaf in _leaves(analysed, _RELATION))


def tables_read(analysed: Java) -> frozenset[str]:
    """The uuids of the Iceberg tables that a query refers to, also by a snapshot or branch."""
    spark_tables = [leaf.table() for leaf in _leaves(analysed, _RELATION)]
    return frozenset(str(t.table().uuid()) for t in spark_tables if t.getClass().getSimpleName() == "SparkTable")


def _is_same_table(spark_table: Java, table: Java) -> bool:
    """True if a table of a plan is an Iceberg table, or one of its snapshots or branches."""
    return bool(
        spark_table.getClass().getSimpleName() == "SparkTable" and spark_table.table().uuid().equals(table.uuid())
    )


def _leaves(plan: Java, class_name: str) -> Iterator[Java]:
    """Every leaf of a class, including those of subqueries, which are no children of a plan."""
    for part in (plan, *gateway.from_seq(plan.subqueriesAll())):
        for leaf in gateway.from_seq(part.collectLeaves()):
            if leaf.getClass().getSimpleName() == class_name:
                yield leaf


def _scan(scan: Java, *, is_plain: bool = False) -> PlannedScan:
    if scan.getClass().getSimpleName() == read_notes.REFUSING_SCAN:
        scan = scan.icebergScan()
    filters = tuple(_filters(scan))
    parser = java_class("org.apache.iceberg.expressions.ExpressionParser")
    texts = tuple(json.loads(parser.toJson(f)) for f in filters)
    of_columns = not any(isinstance(predicate["term"], dict) for predicate in _predicates(texts))
    return PlannedScan(scan, filters, texts, is_plain and of_columns)


def _filters(scan: Java) -> Iterator[Java]:
    """The filters of a SparkScan; empty for a scan answered from metadata."""
    scan_class = scan.getClass()
    while scan_class is not None and scan_class.getSimpleName() != "SparkScan":
        scan_class = scan_class.getSuperclass()
    if scan_class is None:
        return
    method = scan_class.getDeclaredMethod(
        shims.SCAN_FILTERS, gateway.gateway().new_array(java_class("java.lang.Class"), 0)
    )
    method.setAccessible(True)
    java_filters = method.invoke(scan, gateway.gateway().new_array(java_class("java.lang.Object"), 0))
    for i in range(int(java_filters.size())):
        yield java_filters.get(i)


def scan_reads(optimized: Java) -> list[ScanRead] | None:
    """What the scans of a plan with all rules read; None if a table has no scan, or if rows are in memory."""
    if any(any(_leaves(optimized, name)) for name in ("InMemoryRelation", _RELATION)):
        return None
    reads = []
    for leaf in _leaves(optimized, _SCAN):
        spark_table = leaf.relation().table()
        if spark_table.getClass().getSimpleName() == "SparkTable":
            is_by_rule = read_notes.reason(leaf) is not None
            reads.append(ScanRead(str(spark_table.table().uuid()), _scan(leaf.scan()).texts, is_by_rule))
    return reads


def read_by(scan: Java) -> tuple[int, int]:
    """The files and bytes that Spark would read for a scan. Iceberg plans it and reads only manifests."""
    metrics = iceberg_filters.planning_metrics(scan) or {}
    return metrics.get("resultDataFiles", 0), metrics.get("totalDataFileSize", 0)


@dataclass(frozen=True, slots=True)
class FilteredColumn:
    """How filters use a column.

    is_compared: whether one does more than exclude its nulls, as every join does. is_equality: whether one compares it
    by equality. prefixes: of a string, the lengths of prefixes that tell the literals apart: those of LIKE, and one
    more than all others have in common. widths: of a number, those of ranges, rounded up to one digit.
    """

    is_compared: bool = False
    is_equality: bool = False
    prefixes: frozenset[int] = frozenset()
    widths: frozenset[int] = frozenset()

    def __or__(self, other: FilteredColumn) -> FilteredColumn:
        return FilteredColumn(
            self.is_compared or other.is_compared,
            self.is_equality or other.is_equality,
            self.prefixes | other.prefixes,
            self.widths | other.widths,
        )


def columns_in(texts: Sequence[Any]) -> dict[str, FilteredColumn]:
    """The columns in filters, by name. texts: as in `PlannedScan`."""
    columns: dict[str, FilteredColumn] = {}
    literals: dict[str, list[Any]] = {}
    for predicate in _predicates(texts):
        term, kind = predicate["term"], predicate.get("type")
        is_transform = isinstance(term, dict)
        name = term.get("term") if is_transform else term
        columns.setdefault(name, FilteredColumn())
        if kind == "not-null":
            continue
        values = [*predicate.get("values", ()), *([predicate["value"]] if "value" in predicate else ())]
        prefixes = frozenset(len(v) for v in values if kind == "starts-with" and isinstance(v, str))
        if not prefixes and not is_transform:
            literals.setdefault(name, []).extend(values)
        columns[name] |= FilteredColumn(True, is_transform or kind in ("eq", "in"), prefixes)
    for name, values in literals.items():
        columns[name] |= FilteredColumn(prefixes=_distinguishing_length(values), widths=_range_width(values))
    return columns


def _distinguishing_length(values: Sequence[Any]) -> frozenset[int]:
    """One more than the letters that all strings have in common."""
    strings = {value for value in values if isinstance(value, str)}
    if len(strings) < 2:
        return frozenset()
    letters = enumerate(zip(*strings, strict=False))
    common = next((i for i, at in letters if len(set(at)) > 1), min(map(len, strings)))
    return frozenset({common + 1})


def _range_width(values: Sequence[Any]) -> frozenset[int]:
    """The distance from the least to the greatest whole number, rounded up to one digit."""
    numbers = [value for value in values if isinstance(value, int) and not isinstance(value, bool)]
    width = max(numbers) - min(numbers) + 1 if numbers else 0
    if not 1 < width < 2**31:
        return frozenset()
    power = 10 ** (len(str(width)) - 1)
    return frozenset({-(-width // power) * power})


def _predicates(texts: Any) -> Iterator[Mapping[str, Any]]:
    """The predicates in filters."""
    if isinstance(texts, (list, tuple)):
        for text in texts:
            yield from _predicates(text)
    elif isinstance(texts, dict) and "term" not in texts:
        yield from _predicates([*texts.values()])
    elif isinstance(texts, dict):
        yield texts
