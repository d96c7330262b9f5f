"""Installation on a minor version of Spark, or with an Iceberg, that is not in the table of versions, or with two.

Everything in the package behaves as on the newest line that is known. Each part is tested in the session, what fails
its test is removed again, and one warning names what works and what does not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from spark_iceberg_sql.model.functions.table_functions import FUNCTIONS
from spark_iceberg_sql.model.transforms import TRANSFORMS
from spark_iceberg_sql.sessions import dry_run_functions, self_tests, statement_functions
from spark_iceberg_sql.spark import versions
from spark_iceberg_sql.spark.bridge.functions import python_table_functions, registries
from spark_iceberg_sql.spark.bridge.gate import user_warnings
from spark_iceberg_sql.spark.bridge.jvm import gateway, iceberg_jars, iceberg_version, logs
from spark_iceberg_sql.spark.gate import intercept
from spark_iceberg_sql.spark.modes import validated_mode
from spark_iceberg_sql.spark.optimizer import injection, rule_listing, rule_records
from spark_iceberg_sql.spark.tables.functions import by_path, discovery, metadata_functions
from spark_iceberg_sql.spark.transforms import functions
from spark_iceberg_sql.syntax.identifiers import string_literal

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_ANSWERS = (*statement_functions.STATEMENT_FUNCTIONS, *dry_run_functions.ANSWERS)
_FUNCTIONS, _TABLE_FUNCTIONS = "functions iceberg_*", "table functions"
_RULES, _CHECK = "optimizer rules", "check of partition DDL"
_NO_ROWS = "they are tested only in local mode, since executors elsewhere do not see the driver's files"


@dataclass(slots=True)
class Results:
    """Results of the self-tests. faults: by part, then by name, the reason; the part's own name if all of it fails."""

    faults: dict[str, dict[str, str]] = field(default_factory=dict)

    def add(self, part: str, faults: Mapping[str, str]) -> None:
        """Add the faults of a part, none if it passes."""
        self.faults.setdefault(part, {}).update(faults)

    def failed(self, part: str, name: str | None = None) -> bool:
        """True if a part fails as a whole; with a name, also if that alone fails."""
        faults = self.faults.get(part, {})
        return part in faults or (name is not None and name in faults)


# Per JVM, i.e. per gateway: the JVM outlives SparkSession.stop().
_RESULTS: WeakKeyDictionary[Any, Results] = WeakKeyDictionary()


def reason(spark: SparkSession) -> str | None:
    """Why what is on the class path is not tested, in a sentence; None if it is."""
    return (
        iceberg_jars.several() or iceberg_jars.misfit() or versions.untested(spark.version, iceberg_version.version())
    )


def install(spark: SparkSession, ddl: str) -> SparkSession:
    """Install what passes its self-test; an IcebergSqlWarning names the rest.

    Raises IcebergSqlError for a mode that does not exist.
    """
    validated_mode(ddl)  # no fault of this Spark
    results = _register(spark)
    if results.failed(_CHECK):
        ddl = "off"
    try:
        intercept.install(spark, ddl)
        fault = None if ddl == "off" else self_tests.failing_check(spark)
    except Exception as error:
        fault = self_tests.first_line(error)
    if fault is not None:
        results.add(_CHECK, {_CHECK: fault})
        intercept.uninstall(spark)
    elif ddl != "off":
        results.add(_CHECK, {})
    _warn(spark, results)
    return spark


def register(spark: SparkSession) -> None:
    """Register the functions and table functions that pass their self-tests; an IcebergSqlWarning names the rest."""
    _warn(spark, _register(spark))


def _register(spark: SparkSession) -> Results:
    """Register what passes; the tests run once per JVM."""
    results = _RESULTS.get(gateway.gateway())
    first = results is None
    if results is None:
        results = _RESULTS[gateway.gateway()] = Results()
        results.add(_FUNCTIONS, {})
    results.add(_RULES, _rule_faults(spark))
    for part, registration in ((_FUNCTIONS, functions.register), (_TABLE_FUNCTIONS, _register_table_functions)):
        if not results.failed(part):
            results.add(part, _attempt(part, registration, spark))
    if first:
        try:
            _test(spark, results)
        except BaseException:  # an interrupted test has passed nothing
            del _RESULTS[gateway.gateway()]
            _remove(spark, Results({part: {part: ""} for part in (_FUNCTIONS, _TABLE_FUNCTIONS)}))
            raise
    _remove(spark, results)
    return results


def _rule_faults(spark: SparkSession) -> dict[str, str]:
    try:
        return injection.faults(spark)
    except Exception as error:  # some may be injected, and are not tested
        fault = self_tests.first_line(error)
        injection.disable((rule.name for rule in rule_records.RULES), fault)
        return {_RULES: fault}


def _attempt(part: str, registration: Callable[[SparkSession], None], spark: SparkSession) -> dict[str, str]:
    try:
        registration(spark)
    except Exception as error:
        return {part: self_tests.first_line(error)}
    return {}


def _register_table_functions(spark: SparkSession) -> None:
    by_path.register(spark)
    metadata_functions.register(spark)
    discovery.register(spark)
    python_table_functions.register(spark, _ANSWERS)


def _test(spark: SparkSession, results: Results) -> None:
    if not results.failed(_FUNCTIONS):
        with logs.without_error_logs():
            results.add(_FUNCTIONS, self_tests.wrong_functions(spark))
    if not (spark.sparkContext.master or "").startswith("local"):
        results.add(_TABLE_FUNCTIONS, {_TABLE_FUNCTIONS: _NO_ROWS})
        return
    try:
        with self_tests.trial(spark) as table:
            _test_rows(table, results)
    except Exception as error:
        fault = f"no table can be written to test with: {self_tests.first_line(error)}"
        results.add(_FUNCTIONS, {_FUNCTIONS: fault})
        results.add(_TABLE_FUNCTIONS, {_TABLE_FUNCTIONS: fault})


def _test_rows(table: self_tests.TrialTable, results: Results) -> None:
    names = {name for transform in TRANSFORMS for name in transform.functions}
    without = names if results.failed(_FUNCTIONS) else names & set(results.faults[_FUNCTIONS])
    if (wrong := self_tests.wrong_rules(table, without)) is not None:
        rules, condition = wrong
        fault = f"WHERE {condition} returns wrong rows"
        if rules:
            injection.disable(rules, fault)
            results.add(_RULES, dict.fromkeys(rules, fault))
        else:
            results.add(_FUNCTIONS, {_FUNCTIONS: fault})
    if results.failed(_TABLE_FUNCTIONS):
        return
    local = (f for f in FUNCTIONS if f.store in ("any", "local"))
    over_paths = [name for function in local for name in (function.name, *function.aliases)]
    faults = self_tests.wrong_table_functions(table, over_paths)
    if faults:  # the stores share the plan
        results.add(_TABLE_FUNCTIONS, {_TABLE_FUNCTIONS: "; ".join(sorted(set(faults.values())))})
        return
    results.add(_TABLE_FUNCTIONS, self_tests.failing_metadata_functions(table))
    results.add(_TABLE_FUNCTIONS, self_tests.failing_queries(table, _queries(table.path)))


def _queries(path: str) -> dict[str, str]:
    """A query for each of the other table functions that needs no catalog."""
    query = string_literal(f"SELECT * FROM iceberg({string_literal(path)}) WHERE year(ts) = 2024")
    return {
        "iceberg_tables": f"SELECT * FROM iceberg_tables({string_literal(path)})",
        "iceberg_check": "SELECT * FROM iceberg_check('ALTER TABLE db.t ADD PARTITION FIELD bucket(0, id)')",
        "iceberg_explain": f"SELECT * FROM iceberg_explain({query})",
    }


def _remove(spark: SparkSession, results: Results) -> None:
    """Remove the functions that failed."""
    if results.failed(_FUNCTIONS):
        functions.unregister(spark)
    _unregister(spark, registries.SCALAR, results.faults.get(_FUNCTIONS, {}))
    if results.failed(_TABLE_FUNCTIONS):
        by_path.unregister(spark)
        metadata_functions.unregister(spark)
        discovery.unregister(spark)
        python_table_functions.unregister(spark, _ANSWERS)
    _unregister(spark, registries.TABLE, results.faults.get(_TABLE_FUNCTIONS, {}))


def _unregister(spark: SparkSession, kind: str, names: Iterable[str]) -> None:
    for name in names:
        registries.unregister_function(spark, kind, name)


def _warn(spark: SparkSession, results: Results) -> None:
    passing = ", ".join(part for part in results.faults if not results.failed(part)) or "nothing"
    lines = []
    for part, faults in results.faults.items():
        for names, fault in rule_listing.by_reason(faults):
            label = f"the {part}" if part in faults else f"{names} of the {part}"
            lines.append(f"not installed: {label}: {fault}")
    exception = ", except what is named below" if lines else ""
    head = (
        f"{reason(spark)}. Passed self-tests in this session: {passing}{exception}; the rest of the package is untested"
    )
    if iceberg_jars.misfit() is not None:
        lines.append(f"help: {iceberg_jars.remedy()}")
    user_warnings.warn("\n".join((head, *lines)))
