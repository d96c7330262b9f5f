"""Optimizer rules through py4j: compile their Java source with Spark's own Janino, and access the result.

Janino compiles in tens of milliseconds, only on the driver: executors load Spark's and Iceberg's classes, but
none of this package. A py4j proxy cannot do this, as Rule is a class.
"""

from __future__ import annotations

from importlib import resources
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from py4j.protocol import Py4JJavaError

from spark_iceberg_sql.spark.bridge import lines
from spark_iceberg_sql.spark.bridge.jvm import EXPRESSIONS, Java, gateway, java_class

if TYPE_CHECKING:
    from importlib.abc import Traversable

# Per JVM, that is per gateway: the JVM outlives SparkSession.stop().
_TABLES: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()


def knows_table() -> bool:
    """Whether `keep_table` has been called for this JVM."""
    return gateway() in _TABLES


def table() -> Java | None:
    """The JVM's RuleRegistry; None if it could not be created."""
    return _TABLES[gateway()]


def keep_table(made: Java | None) -> None:
    """Remember the RuleRegistry, or that there is none, for as long as the JVM lives."""
    _TABLES[gateway()] = made


def withheld(call: Java) -> Java:
    """A call of Iceberg's function as an equivalent expression that is not pushed down.

    call: the StaticInvoke of V2ExpressionUtils.resolveScalarFunction. Neither Spark's push-down nor Iceberg's
    rule ReplaceStaticInvoke looks inside the tag around it, which costs nothing at run time. The rule `guard`
    removes it where the scan returns correct results.
    """
    return java_class(f"{EXPRESSIONS}.KnownNullable")(call)


def context_loader() -> Java:
    """The class loader that sees Spark and the jars that were added to it, Iceberg's runtime among them."""
    return java_class("org.apache.spark.util.Utils").getContextOrSparkClassLoader()


def source(package: str, name: str) -> str:
    """The source of a Java file in a package's folder `java`, or in the folder there for this line of Spark.

    Such a folder is named after the first line that its files are for.
    """
    return _file(resources.files(package) / "java", f"{name}.java").read_text("utf-8")


def _file(folder: Traversable, name: str) -> Traversable:
    firsts = [_number(entry.name) for entry in folder.iterdir() if entry.name[0].isdigit()]
    for first in sorted((f for f in firsts if f <= lines.LINE), reverse=True):
        if (found := folder / ".".join(map(str, first)) / name).is_file():
            return found
    return folder / name


def _number(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split("."))


def compiled(package: str, name: str, parent: Java) -> Java:
    """The class loader of a Java file in a package's folder `java`; else as `compile_java`."""
    return compile_java(source(package, name), f"{name}.java", parent)


def compile_java(text: str, file: str, parent: Java) -> Java:
    """Compile one Java file.

    parent: the class loader of the classes that it uses. Returns its class loader. Raises ValueError with the
    compiler's message.
    """
    compiler = java_class("org.codehaus.janino.SimpleCompiler")()
    compiler.setParentClassLoader(parent)
    compiler.setTargetVersion(8)
    try:
        text = lines.java_text(text, lines.scala_2_12(gateway()))
        compiler.cook(file, java_class("java.io.StringReader")(text))
    except Py4JJavaError as error:
        raise ValueError(_words(error)) from None
    return compiler.getClassLoader()


def instance(loader: Java, name: str) -> Java:
    """A new instance of a compiled class, by its constructor without arguments. Raises ValueError."""
    empty = gateway().new_array
    try:
        made = loader.loadClass(name).getDeclaredConstructor(
            empty(java_class("java.lang.Class"), 0)
        )
        return made.newInstance(empty(java_class("java.lang.Object"), 0))
    except Py4JJavaError as error:
        raise ValueError(_words(error)) from None


def _words(error: Py4JJavaError) -> str:
    return str(error.java_exception.toString()).splitlines()[0]
