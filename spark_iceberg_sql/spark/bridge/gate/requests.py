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

from spark_iceberg_sql.diagnostics import Edit, apply_edits
from spark_iceberg_sql.errors import IcebergSqlError, IcebergSqlWarning
from spark_iceberg_sql.spark.bridge.jvm import compiler, gateway, shims
from spark_iceberg_sql.spark.bridge.jvm.java_records import from_json
from spark_iceberg_sql.spark.bridge.jvm.java_rows import BoundText, ReplacedMarker

_PACKAGE = "sparkicebergsql"
_SESSION_PARSER = f"{_PACKAGE}.SessionParser"
_PARSER = "org.apache.spark.sql.catalyst.parser.ParserInterface"
_CONDITION = "PARTITION_DDL_REFUSED"
_HAS_PINNED_THREADS = os.environ.get("PYSPARK_PIN_THREAD", "true").lower() == "true"


class PendingStatement:
    """A statement that the JVM passes to the check.

    spark: its session, which is the active one. text: as written by the user, or as derived from a plan.
    mode: `error` or `warn`. may_be_ddl: if False, it is only to be translated. is_plan: whether the text was
    derived from a plan.
    """

    def __init__(self, java: gateway.Java) -> None:
        context = SparkContext._active_spark_context
        assert context is not None
        self._java = java
        self.spark = SparkSession(context, jsparkSession=java.session())
        self.text = str(java.text())
        self.mode = str(java.mode())
        self.may_be_ddl = bool(java.mayBeDdl())
        self.is_plan = bool(java.isPlan())

    def parameter_edits(self, text: str) -> list[Edit]:
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
        offsets = {unit: point for point, unit in enumerate(units)}
        replaced = sorted(bound.replacements, key=lambda marker: (marker.start, marker.end))
        if all(marker.start in offsets and marker.end in offsets for marker in replaced):
            edits = [Edit(offsets[m.start], offsets[m.end], m.text) for m in replaced]
            if apply_edits(text, edits) == bound.text:
                return edits
        return [Edit(0, len(text), bound.text)]

    def providers(self, text: str) -> list[str | None] | None:
        """The formats of the tables that a text creates or whose partitioning it changes, None for one that it does not
        name, as the session's parser reads it; None if that cannot read it.
        """
        try:
            return [None if name is None else str(name) for name in self._java.providers(text)]
        except (Py4JJavaError, CapturedException):
            return None

    def rows(self, query: str, *, bound: bool = False) -> DataFrame:
        """The rows of a query within the statement; nothing is run.

        bound: whether its parameters are replaced already.
        """
        return DataFrame(self._java.rows(query, bound), self.spark)


AdmissionCheck = Callable[[PendingStatement], str]  # the text to parse; raises IcebergSqlError, IcebergSqlWarning

# Per JVM, i.e. per gateway: the JVM outlives SparkSession.stop().
_GATES: WeakKeyDictionary[Any, gateway.Java] = WeakKeyDictionary()
# Recent refusals, by the key of their exception in the JVM.
_refusals: OrderedDict[str, Exception] = OrderedDict()
_MAX_REFUSALS = 64


def existing_gate() -> gateway.Java | None:
    """This JVM's gate, if it has one."""
    return _GATES.get(gateway.gateway())


def ensure_gate(sources: Iterable[tuple[str, str]], functions: Iterable[str], admit: AdmissionCheck) -> gateway.Java:
    """This JVM's gate; compiled if there is none.

    sources: name and text of its Java files; each may use the ones before it. functions: names of the
    table functions whose calls may need translation. admit: checks a statement.
    Raises ValueError with the compiler's message if they do not compile for this Spark.
    """
    py4j_gateway = gateway.gateway()
    if py4j_gateway not in _GATES:
        loader = compiler.with_records(compiler.context_loader(), ReplacedMarker, BoundText)
        for name, text in sources:
            loader = compiler.compile_java(text, f"{name}.java", loader)
        loader = compiler.compile_java(_parser_source(), "SessionParser.java", loader)
        gate = compiler.instance(loader, f"{_PACKAGE}.Gate")
        names = [name.lower() for name in functions]
        check_function = gateway.scala_function(lambda java_statement: _admit(gate, admit, java_statement))
        gate.prepare(loader.loadClass(_SESSION_PARSER), names, check_function)
        _GATES[py4j_gateway] = gate
    # pyspark has no hook for its conversion of Java exceptions.
    if captured.convert_exception is not _convert_exception:
        captured.convert_exception = _convert_exception  # type: ignore[assignment]
    return _GATES[py4j_gateway]


def _admit(gate: gateway.Java, admit: AdmissionCheck, java_statement: gateway.Java) -> str:
    """The text to parse for a statement; a refusal leaves as a Java exception with the key of the Python
    one.
    """
    try:
        return admit(PendingStatement(java_statement))
    # The callback turns these into Java exceptions itself (jvm._Callback).
    except (gateway.Refusal, Py4JJavaError, CapturedException):
        raise
    except (IcebergSqlError, IcebergSqlWarning) as refusal:
        key = uuid.uuid4().hex
        _refusals[key] = refusal
        while len(_refusals) > _MAX_REFUSALS:
            _refusals.popitem(last=False)
        thrown = gate.python().refusal(java_statement.session(), str(refusal), key)
    except Exception as error:
        first_line = str(error).partition("\n")[0]
        thrown = gate.python().failure(f"{type(error).__name__}: {first_line}")
    raise Py4JJavaError("refused", thrown)


_pyspark_convert_exception = captured.convert_exception


def _convert_exception(error: Any) -> Any:
    """The Python exception for a Java exception: for a refusal, the check's own, with its report."""
    exception_class = gateway.java_class("org.apache.spark.sql.AnalysisException")
    if exception_class._java_lang_class.isInstance(error) and shims.condition(error) == _CONDITION:
        key = error.getMessageParameters().get("refusal")
        return _refusals.get(key) or IcebergSqlError(str(error.getMessage()))
    return _pyspark_convert_exception(error)


def _parser_source() -> str:
    """A class with all methods of this Spark's ParserInterface, which delegates to the wrapped parser."""
    methods = []
    # The methods of ParserInterface differ between versions of Spark; a class that is generated from the
    # interface fits each of them.
    for method in gateway.java_class(_PARSER)._java_lang_class.getMethods():
        name, types = (method.getName(), [parameter_type.getName() for parameter_type in method.getParameterTypes()])
        if "$" in name:
            continue
        arguments = [f"a{i}" for i in range(len(types))]
        call = f"parser.{name}({', '.join(arguments)})"
        if name.startswith("parsePlan"):
            values = arguments[1] if len(arguments) > 1 else "null"
            call = f"marked(Parameters.parsed(parser, admitted(a0, {values}), {values}))"
        parameters = ", ".join(
            f"{parameter_type} {value}" for parameter_type, value in zip(types, arguments, strict=True)
        )
        methods.append(
            f"  public {method.getReturnType().getName()} {name}({parameters}) {{\n"
            f"    for ({_PARSER} parser = wrapped;;) {{\n"
            f"      try {{ return {call}; }}\n"
            "      catch (UnsupportedOperationException e) { parser = implementing(parser, e); }\n"
            "      catch (Exception e) { org.apache.spark.unsafe.Platform.throwException(e); return null; }\n"
            "    }\n  }\n"
        )
    # Java lists methods in another order in each process: sorted, the text is one that has been kept.
    body = "".join(sorted(methods))
    return f"package {_PACKAGE};\npublic class SessionParser extends GateParser {{\n{body}}}\n"


def parser_without_gate(spark: SparkSession) -> gateway.Java:
    """The session's parser without the gate."""
    parser = gateway.java_session(spark).sessionState().sqlParser()
    while str(parser.getClass().getName()) == _SESSION_PARSER:
        parser = parser.wrapped()
    return parser


def mode(spark: SparkSession) -> str:
    """`error`, `warn` or `off`: the session's own mode, or else the strictest in its family."""
    gate = existing_gate()
    return "off" if gate is None else str(gate.mode(gateway.java_session(spark)))


def is_enforced() -> bool:
    """True if any session of this process's Spark application is checked."""
    gate, context = existing_gate(), SparkContext._active_spark_context
    return gate is not None and context is not None and bool(gate.isEnforced(context.applicationId))


def needs_check(spark: SparkSession, text: str) -> bool:
    """True if the JVM would pass this statement to the check."""
    gate = existing_gate()
    return gate is not None and bool(gate.concerns(gateway.java_session(spark), text))


@contextmanager
def mode_override(mode: str, text: str | None = None) -> Iterator[None]:
    """Use another mode on this thread within the context; with a text, only for that text.

    It is bound to a JVM thread. If PYSPARK_PIN_THREAD=false lets Python's threads share one, `off` has no
    effect.
    """
    gate = existing_gate()
    if gate is None or (mode == "off" and not _HAS_PINNED_THREADS):
        yield
        return
    gate.overrideMode(mode, text)
    try:
        yield
    finally:
        gate.endOverride()
