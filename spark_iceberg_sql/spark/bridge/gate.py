"""The gate in the JVM: compiles its parser for this Spark, and brings a refusal back to Python.

The Python exception of a refusal, with its report, stays in this process; the Java exception carries its key.
"""

from __future__ import annotations

import os
import uuid
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import accumulate
from typing import Any
from weakref import WeakKeyDictionary

from py4j.protocol import Py4JJavaError
from pyspark import SparkContext
from pyspark.errors.exceptions import captured
from pyspark.errors.exceptions.captured import CapturedException
from pyspark.sql import DataFrame, SparkSession

from spark_iceberg_sql.diagnostics import Edit
from spark_iceberg_sql.errors import IcebergSqlError, IcebergSqlWarning
from spark_iceberg_sql.report.shown import apply_ordered_edits
from spark_iceberg_sql.spark.bridge import compiler, jvm, lines
from spark_iceberg_sql.spark.bridge.java_records import from_json
from spark_iceberg_sql.spark.bridge.java_rows import BoundText, ReplacedMarker

_PACKAGE = "sparkicebergsql"
_SESSION_PARSER = f"{_PACKAGE}.SessionParser"
_PARSER = "org.apache.spark.sql.catalyst.parser.ParserInterface"
_CONDITION = "PARTITION_DDL_REFUSED"
_PINNED = os.environ.get("PYSPARK_PIN_THREAD", "true").lower() == "true"


class Asked:
    """A statement that the JVM passes to the check.

    spark: its session, which is the active one. text: as written by the user, or as derived from a plan.
    mode: `error` or `warn`. may_be_ddl: if False, it is only to be translated. is_plan: whether the text was
    derived from a plan.
    """

    def __init__(self, java: jvm.Java) -> None:
        context = SparkContext._active_spark_context
        assert context is not None
        self._java = java
        self.spark = SparkSession(context, jsparkSession=java.session())
        self.text = str(java.text())
        self.mode = str(java.mode())
        self.may_be_ddl = bool(java.mayBeDdl())
        self.is_plan = bool(java.isPlan())

    def bound(self, text: str) -> list[Edit]:
        """The edits that replace the statement's parameter markers by their values.

        Empty if it has none, if Spark refuses them, and before Spark 4.1, which does not substitute them in
        the text.
        """
        try:
            bound_json = self._java.bound(text)
        except (Py4JJavaError, CapturedException):
            return []
        if bound_json is None:
            return []
        bound = from_json(BoundText, bound_json)
        # Java's offsets count UTF-16 units, Python's count code points.
        units = accumulate((1 if c < "\U00010000" else 2 for c in text), initial=0)
        places = {unit: point for point, unit in enumerate(units)}
        replaced = sorted(bound.replacements, key=lambda marker: (marker.start, marker.end))
        if all(marker.start in places and marker.end in places for marker in replaced):
            edits = [Edit(places[m.start], places[m.end], m.text) for m in replaced]
            if apply_ordered_edits(text, edits) == bound.text:
                return edits
        return [Edit(0, len(text), bound.text)]

    def rows(self, query: str, *, bound: bool = False) -> DataFrame:
        """The rows of a query within the statement; nothing is run.

        bound: whether its parameters are replaced already.
        """
        return DataFrame(self._java.rows(query, bound), self.spark)


Judge = Callable[[Asked], str]  # the text to parse; raises IcebergSqlError, IcebergSqlWarning

# Per JVM, i.e. per gateway: the JVM outlives SparkSession.stop().
_GATES: WeakKeyDictionary[Any, jvm.Java] = WeakKeyDictionary()
# Recent refusals, by the key of their exception in the JVM.
_refused: OrderedDict[str, Exception] = OrderedDict()
_KEPT = 64


def existing() -> jvm.Java | None:
    """This JVM's gate, if it has one."""
    return _GATES.get(jvm.gateway())


def made(sources: Iterable[tuple[str, str]], functions: Iterable[str], judge: Judge) -> jvm.Java:
    """This JVM's gate; compiled if there is none.

    sources: package and name of its Java files; each may use the ones before it. functions: names of the
    table functions whose calls may need translation. admit: checks a statement.
    Raises ValueError with the compiler's message if they do not compile for this Spark.
    """
    own = jvm.gateway()
    if own not in _GATES:
        loader = compiler.with_records(compiler.context_loader(), ReplacedMarker, BoundText)
        for package, name in sources:
            loader = compiler.compiled(package, name, loader)
        loader = compiler.compile_java(_parser_source(), "SessionParser.java", loader)
        gate = compiler.instance(loader, f"{_PACKAGE}.Gate")
        names = jvm.java_class("java.util.ArrayList")()
        for name in functions:
            names.add(name.lower())
        asks = jvm.scala_function(lambda asked: _answer(gate, judge, asked))
        gate.prepare(loader.loadClass(_SESSION_PARSER), names, asks)
        _GATES[own] = gate
    # pyspark has no hook for its conversion of Java exceptions.
    if captured.convert_exception is not _converted:
        captured.convert_exception = _converted  # type: ignore[assignment]
    return _GATES[own]


def _answer(gate: jvm.Java, judge: Judge, asked: jvm.Java) -> str:
    """The text to parse for a statement; a refusal leaves as a Java exception with the key of the Python
    one.
    """
    try:
        return judge(Asked(asked))
    # The callback turns these into Java exceptions itself (jvm._Callback).
    except (jvm.Refusal, Py4JJavaError, CapturedException):
        raise
    except (IcebergSqlError, IcebergSqlWarning) as refusal:
        key = uuid.uuid4().hex
        _refused[key] = refusal
        while len(_refused) > _KEPT:
            _refused.popitem(last=False)
        thrown = gate.python().refusal(str(refusal), key)
    except Exception as error:
        first = str(error).partition("\n")[0]
        thrown = gate.python().failure(f"{type(error).__name__}: {first}")
    raise Py4JJavaError("refused", thrown)


_plainly_converted = captured.convert_exception


def _converted(error: Any) -> Any:
    """The Python exception for a Java exception: for a refusal, the check's own, with its report."""
    kind = jvm.java_class("org.apache.spark.sql.AnalysisException")
    if kind._java_lang_class.isInstance(error) and lines.condition(error) == _CONDITION:
        key = error.getMessageParameters().get("refusal")
        return _refused.get(key) or IcebergSqlError(str(error.getMessage()))
    return _plainly_converted(error)


def _parser_source() -> str:
    """A class with all methods of this Spark's ParserInterface, which delegates to the wrapped parser."""
    methods = []
    # The methods of ParserInterface differ between versions of Spark; a class that is generated from the
    # interface fits each of them.
    for method in jvm.java_class(_PARSER)._java_lang_class.getMethods():
        name, kinds = method.getName(), [kind.getName() for kind in method.getParameterTypes()]
        if "$" in name:
            continue
        given = [f"a{i}" for i in range(len(kinds))]
        call = f"wrapped.{name}({', '.join(given)})"
        if name.startswith("parsePlan"):
            values = given[1] if len(given) > 1 else "null"
            rest = "".join(f", {value}" for value in given[1:])
            call = f"marked(wrapped.{name}(admitted(a0, {values}){rest}))"
        parameters = ", ".join(f"{kind} {value}" for kind, value in zip(kinds, given, strict=True))
        methods.append(
            f"  public {method.getReturnType().getName()} {name}({parameters}) {{\n"
            f"    try {{ return {call}; }}\n"
            "    catch (Exception e) { org.apache.spark.unsafe.Platform.throwException(e); return null; }\n  }\n"
        )
    return (
        f"package {_PACKAGE};\npublic class SessionParser extends GateParser {{\n"
        + "".join(methods)
        + "}\n"
    )


def parser_behind(spark: SparkSession) -> jvm.Java:
    """The session's parser without the gate."""
    parser = jvm.java_session(spark).sessionState().sqlParser()
    while str(parser.getClass().getName()) == _SESSION_PARSER:
        parser = parser.wrapped()
    return parser


def mode(spark: SparkSession) -> str:
    """`error`, `warn` or `off`: the session's own mode, or else the strictest in its family."""
    gate = existing()
    return "off" if gate is None else str(gate.mode(jvm.java_session(spark)))


def shut() -> bool:
    """True if any session of this process's Spark application is checked."""
    gate, context = existing(), SparkContext._active_spark_context
    return gate is not None and context is not None and bool(gate.isEnforced(context.applicationId))


def concerns(spark: SparkSession, text: str) -> bool:
    """True if the JVM would pass this statement to the check."""
    gate = existing()
    return gate is not None and bool(gate.concerns(jvm.java_session(spark), text))


@contextmanager
def during(mode: str, text: str | None = None) -> Iterator[None]:
    """Use another mode on this thread within the context; with a text, only for that text.

    It is bound to a JVM thread. If PYSPARK_PIN_THREAD=false lets Python's threads share one, `off` has no
    effect.
    """
    gate = existing()
    if gate is None or (mode == "off" and not _PINNED):
        yield
        return
    gate.overrideMode(mode, text)
    try:
        yield
    finally:
        gate.endOverride()
