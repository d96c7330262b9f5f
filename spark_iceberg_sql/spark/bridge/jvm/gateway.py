"""The bridge to Spark's JVM: only this folder touches py4j and pyspark's underscore attributes.

A callback is a Python callable that Spark calls while it analyses a statement. It runs on the JVM thread of
that statement, so it takes its session from `active_session()` and never stores one. It refuses a call by
raising `Refusal`; the user then sees pyspark's AnalysisException with a condition, an SQLSTATE and the position
in the query.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

from py4j.protocol import Py4JJavaError
from pyspark import SparkContext
from pyspark.errors.exceptions.captured import CapturedException, convert_exception
from pyspark.java_gateway import ensure_callback_server_started

from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.spark.bridge.jvm import logs, process, shims

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Java = Any  # an object in the JVM: py4j has no static types

EXPRESSIONS = "org.apache.spark.sql.catalyst.expressions"
ANALYSIS = "org.apache.spark.sql.catalyst.analysis"


class Refusal(IcebergSqlError):  # noqa: N818 - not an internal error
    """Raised in a callback: the user gets an AnalysisException instead of a result.

    condition: one of Spark's error conditions, such as `INVALID_PARAMETER_VALUE.PATTERN`. parameters: all
    parameters of its message template. Spark adds the position of the call.
    """

    def __init__(self, condition: str, **parameters: str) -> None:
        super().__init__(f"[{condition}] {parameters}")
        self.condition = condition
        self.parameters = parameters


def wrong_count(function: str, expected: str, count: int) -> Refusal:
    """The refusal of a call with too few or too many arguments. expected: the valid count, as text. count: the
    actual one.
    """
    return Refusal(
        "WRONG_NUM_ARGS.WITHOUT_SUGGESTION",
        functionName=f"`{function}`",
        expectedNum=expected,
        actualNum=str(count),
        docroot="https://spark.apache.org/docs/latest",
    )


def invalid_value(function: str, argument: str, message: str) -> Refusal:
    """The refusal of an argument's value. message: the fact and what to write instead."""
    return Refusal(
        "INVALID_PARAMETER_VALUE.PATTERN", parameter=f"`{argument}`", functionName=f"`{function}`", value=message
    )


_TASK_LOGGERS = (
    "org.apache.spark.executor.Executor",
    "org.apache.spark.scheduler.TaskSetManager",
    "org.apache.spark.sql.execution.datasources.v2",
    "org.apache.spark.util.Utils",  # `Aborting task`
)


def log_tasks(is_enabled: bool) -> None:
    """Set whether Spark logs the stack of each failed task; an error that fails the query is raised
    anyway.
    """
    if is_running():
        levels = java_class("org.apache.logging.log4j.Level")
        configurator = java_class("org.apache.logging.log4j.core.config.Configurator")
        for name in _TASK_LOGGERS:
            configurator.setLevel(name, levels.ERROR if is_enabled else levels.OFF)


# ---------------------------------------------------------------------------------- JVM, sessions


def gateway() -> Any:
    """The py4j gateway of this process. Raises IcebergSqlError if there is none, or if its JVM has ended."""
    py4j_gateway = SparkContext._gateway
    if process.has_ended():
        raise process.ended_error()
    if py4j_gateway is None:
        raise IcebergSqlError("no Spark session is running in this process")
    return py4j_gateway


def has_gateway() -> bool:
    """True if this process has a JVM."""
    return SparkContext._gateway is not None


@cache
def _class(py4j_gateway: Any, name: str) -> Java:
    return getattr(py4j_gateway.jvm, shims.versioned_class_name(name))


@cache
def _module(py4j_gateway: Any, name: str) -> Java:
    return getattr(getattr(py4j_gateway.jvm, shims.versioned_class_name(name) + "$"), "MODULE$")


def java_class(name: str) -> Java:
    """A Java or Scala class by its full name: call it to construct, or call its static methods."""
    return _class(gateway(), name)


def scala_object(name: str) -> Java:
    """A Scala object (companion or not) by its full name without the `$`."""
    return _module(gateway(), name)


def is_running() -> bool:
    """True if a Spark context runs in this process."""
    return SparkContext._active_spark_context is not None


def java_session(spark: SparkSession) -> Java:
    """The JVM's session behind a pyspark session.

    Raises IcebergSqlError for a Spark Connect session, whose JVM is not accessible.
    """
    gateway()
    session = getattr(spark, "_jsparkSession", None)
    if session is None:
        raise IcebergSqlError(
            "a Spark Connect session cannot have native functions: its JVM is not accessible\n"
            "help: call this in the process that starts the Spark Connect server, on a classic SparkSession"
        )
    return session


def active_session() -> Java:
    """The JVM's session whose statement is being analysed on this thread."""
    return java_class("org.apache.spark.sql.classic.SparkSession").active()


@contextmanager
def active(session: Java) -> Iterator[None]:
    """Make a JVM session the active one of this thread, temporarily."""
    session_class = java_class("org.apache.spark.sql.classic.SparkSession")
    previous = session_class.getActiveSession()
    session_class.setActiveSession(session)
    try:
        yield
    finally:
        if previous.isDefined():
            session_class.setActiveSession(previous.get())
        else:
            session_class.clearActiveSession()


def class_exists(name: str) -> bool:
    """True if the JVM can load a class, including from `spark.jars`."""
    try:
        java_class("org.apache.spark.util.Utils").classForName(name, False, False)
    except (Py4JJavaError, CapturedException):
        return False
    return True


# ---------------------------------------------------------------------------------- conversions


def to_seq(items: Iterable[Java]) -> Java:
    """A Scala immutable Seq of Python or JVM values."""
    return java_class("org.apache.spark.api.python.PythonUtils").toSeq(list(items))


def from_seq(seq: Java) -> list[Java]:
    """The elements of a Scala Seq."""
    return [seq.apply(i) for i in range(seq.size())]


def from_list(items: Java) -> list[Java]:
    """The elements of a Java list. Iterated over, it ends with an error of the JVM, which takes long to convert."""
    return [items.get(i) for i in range(items.size())]


def array(class_name: str, items: Iterable[Java]) -> Java:
    """A Java array of a class."""
    values = list(items)
    java_array = gateway().new_array(java_class(class_name), len(values))
    for i, value in enumerate(values):
        java_array[i] = value
    return java_array


def to_map(items: Mapping[str, str]) -> Java:
    """A Scala immutable Map of strings."""
    return java_class("org.apache.spark.api.python.PythonUtils").toScalaMap(dict(items))


def to_option(value: Java = None) -> Java:
    """Scala's Some(value), or None."""
    return scala_object("scala.Option").apply(value)


def from_option(option: Java) -> Java:
    """The value of a Scala Option, or None."""
    return option.get() if option.isDefined() else None


# ---------------------------------------------------------------------------------- callbacks


class _Callback:
    """A Python callable as Spark's Java interface `Function`, whose `call` may throw anything.

    (Implementing scala.Function1 itself would not work: a dynamic proxy turns AnalysisException, a checked
    exception, into UndeclaredThrowableException.)
    """

    def __init__(self, body: Callable[[Java], Java]) -> None:
        self._body = body

    def call(self, argument: Java) -> Java:
        """Run the callable for the JVM; every exception leaves as a Java exception."""
        try:
            with logs.in_callback():
                return self._body(argument)
        except Refusal as refusal:
            thrown = _analysis_exception(refusal)
        except Py4JJavaError as error:
            thrown = error.java_exception
        except CapturedException as error:
            logs.refused_messages.append(shims.message(error))
            thrown = error._origin
        except Exception as error:
            message = f"spark_iceberg_sql failed: {type(error).__name__}: " + str(error).partition("\n")[0]
            # An AnalysisException without a condition would make pyspark fail with a NullPointerException.
            thrown = _analysis_exception(Refusal("INTERNAL_ERROR", message=message))
        raise logs.CallbackError("refused", thrown)

    class Java:
        """Declares the interface to py4j."""

        implements = ["org.apache.spark.api.java.function.Function"]  # noqa: RUF012


def _analysis_exception(refusal: Refusal) -> Java:
    condition, parameters = shims.refusal(refusal.condition, refusal.parameters)
    message = java_class("org.apache.spark.SparkThrowableHelper").getMessage(condition, parameters)
    logs.refused_messages.append(message)
    thrown = java_class("org.apache.spark.sql.AnalysisException")(condition, to_map(parameters))
    # The Thrift server sends stacks to its clients, and this one would be of py4j: no statement's.
    thrown.setStackTrace(gateway().new_array(java_class("java.lang.StackTraceElement"), 0))
    return thrown


def to_python_exception(refusal: Refusal) -> Exception:
    """The pyspark AnalysisException for a refusal outside a statement."""
    return convert_exception(_analysis_exception(refusal))


def scala_function(body: Callable[[Java], Java]) -> Java:
    """A Python callable of one argument as a real scala.Function1, which propagates exceptions.

    Lives as long as the JVM holds it. Runs on the Python thread that belongs to the calling JVM
    thread, so several may run at once.
    """
    py4j_gateway = gateway()
    ensure_callback_server_started(py4j_gateway)  # type: ignore[no-untyped-call]
    # Off by default: without it the user sees a Python traceback inside "An exception was raised by the
    # Python Proxy". PySpark runs py4j's ClientServer, whose parameters have the first name.
    for name in ("python_parameters", "callback_server_parameters"):
        if (parameters := py4j_gateway.__dict__.get(name)) is not None:
            parameters.propagate_java_exceptions = True
    logs.install_filter()
    return scala_object("org.apache.spark.api.java.JavaPairRDD").toScalaFunction(_Callback(body))
