"""Java sources through py4j: compile them with Spark's own Janino, and load the result.

Janino compiles in milliseconds, and only on the driver: executors load classes of Spark and Iceberg,
but none of this package but those that executor_jars.py ships. A py4j proxy cannot replace it, because an
optimizer's Rule is a class.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from typing import Any
from weakref import WeakKeyDictionary
from zipfile import ZipFile

from py4j.protocol import Py4JJavaError

from spark_iceberg_sql.errors import IcebergSqlError
from spark_iceberg_sql.spark.bridge.jvm import class_cache, iceberg_version, java_sources, shims
from spark_iceberg_sql.spark.bridge.jvm.gateway import Java, class_exists, gateway, has_gateway, java_class
from spark_iceberg_sql.spark.bridge.jvm.iceberg_version import UnfitError
from spark_iceberg_sql.spark.bridge.jvm.java_records import exchange_source

EXTENSION = "sparkicebergsql.Extension"
_CLASS_COMPILER = "ClassCompiler"
# Per JVM, i.e. per gateway: the JVM outlives SparkSession.stop().
_REGISTRIES: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()
_SHARED_INSTANCES: WeakKeyDictionary[Any, dict[str, Java]] = WeakKeyDictionary()
_TOGETHER = threading.RLock()
_COMPILERS: WeakKeyDictionary[Any, Java | None] = WeakKeyDictionary()


def has_registry() -> bool:
    """True if `store_registry` has been called for this JVM."""
    return gateway() in _REGISTRIES


def rule_registry() -> Java | None:
    """The JVM's RuleRegistry; None if it could not be created."""
    return _REGISTRIES[gateway()]


def relation_facts() -> Java | None:
    """The JVM's RelationFacts; None without rules, or if it could not be compiled."""
    registry = rule_registry() if has_registry() else None
    return None if registry is None else registry.facts()


def store_registry(registry: Java | None) -> None:
    """Remember the RuleRegistry, or that there is none, for the life of the JVM."""
    _REGISTRIES[gateway()] = registry


def context_loader() -> Java:
    """The class loader with Spark and all added jars, including Iceberg's runtime."""
    return java_class("org.apache.spark.util.Utils").getContextOrSparkClassLoader()


@contextmanager
def together() -> Iterator[None]:
    """Within it, files that are compiled share what has been read of the class path; one file keeps the classes.

    One thread at a time: no query may be waited for, since the rules that it waits for are compiled within it.
    """
    with _TOGETHER, class_cache.together():
        try:
            yield
        finally:
            if (shared := _COMPILERS.get(gateway())) is not None:
                shared.forget()


def source(package: str, name: str) -> str:
    """The source of a Java file in a package's folder `java`, for this version of Spark and of Iceberg.

    If there are several for different versions of Iceberg, the first that compiles; without a JVM, the newest.
    """
    texts = java_sources.texts(package, name)
    return texts[0] if len(texts) == 1 or not has_gateway() else _fitting(gateway(), name, texts)


def sources(package: str, *names: str) -> list[tuple[str, str]]:
    """The Java files of some classes of a package and of the others of it that these use, name and text, each after
    those that it uses; otherwise like `source`.
    """
    return [(name, source(package, name)) for name in java_sources.in_order(package, names)]


@cache
def _fitting(py4j_gateway: Any, name: str, texts: tuple[str, ...]) -> str:
    for text in texts:
        if class_cache.find(_java_text(text)) is not None:
            return text  # only what fits is kept, and what does not is not tried in each process
    for text in texts:
        try:
            _compile(text, f"{name}.java", context_loader())
        except ValueError:
            continue
        return text
    return texts[0]


def shared_sources() -> list[tuple[str, str]]:
    """The Java files that those of all packages may use, name and text, each after those that it uses."""
    return [(name, source(java_sources.PACKAGE, name)) for name in java_sources.SHARED]


def base_loader() -> Java:
    """The context's class loader with the classes of `shared_sources` that compile."""
    return _base_loader(gateway())


@cache
def _base_loader(py4j_gateway: Any) -> Java:
    loader = context_loader()
    for name, text in shared_sources():
        with suppress(ValueError):
            loader = compile_java(text, f"{name}.java", loader)
    return loader


def with_records(parent: Java, *records: type) -> Java:
    """The class loader of the Java classes of exchanged records; otherwise like `compile_java`."""
    for record in records:
        parent = compile_java(exchange_source(record), f"{record.__name__}.java", parent)
    return parent


def compiled(package: str, name: str, parent: Java) -> Java:
    """The class loader of a compiled Java file from a package's folder `java`; otherwise like `compile_java`."""
    return compile_java(source(package, name), f"{name}.java", parent)


def shared_instance(package: str, name: str, *records: type) -> Java:
    """The one instance in this JVM of a compiled Java file's class; otherwise like `compile_java`.

    records: those that it exchanges with Python, each after those that it contains.
    """
    instances = _SHARED_INSTANCES.setdefault(gateway(), {})
    if name not in instances:  # py4j fails on a second class of the same name
        loader = with_records(base_loader(), *records)
        for file, text in sources(package, name):
            loader = compile_java(text, f"{file}.java", loader)
        instances[name] = instance(loader, f"sparkicebergsql.{name}")
    return instances[name]


def compile_java(text: str, file: str, parent: Java) -> Java:
    """Compile one Java file.

    parent: the class loader of the classes it uses. Returns the new class loader. Raises UnfitError, a ValueError, with
    what the class path lacks.
    """
    return _compile(text, file, parent)[0]


class ClassSet:
    """Java files that are compiled one after the other; those that fit are classes of one loader.

    parent: the class loader of the classes that they use; None for the context's. faults: why a file does not fit, by
    its name, also of files of the parent.
    """

    def __init__(self, parent: Java | None = None, faults: dict[str, str] | None = None) -> None:
        self.faults = {} if faults is None else faults
        self._parent = self._below = context_loader() if parent is None else parent
        self._class_files = java_class("java.util.HashMap")()

    def add(self, name: str, text: str) -> None:
        """Compile a file, which may use the ones before it; one that uses a file that does not fit does not either."""
        fault = next((self.faults[used] for used in java_sources.uses(text, self.faults)), None)
        if fault is None:
            try:
                self._below, class_files = _compile(text, f"{name}.java", self._below)
                self._class_files.putAll(class_files)
                return
            except ValueError as error:
                fault = str(error)
        self.faults[name] = fault

    def loader(self) -> Java:
        """The class loader of all that fit."""
        return _class_loader(self._class_files, self._parent)


def _class_loader(class_files: Java, parent: Java) -> Java:
    return java_class("org.codehaus.commons.compiler.util.reflect.ByteArrayClassLoader")(class_files, parent)


def classes(sources: Iterable[tuple[str, str]]) -> dict[str, bytes]:
    """The class files of Java files, by full class name.

    sources: name and text; each may use the ones before it. Raises ValueError with the compiler's message.
    """
    return loaded_classes(sources)[1]


def loaded_classes(sources: Iterable[tuple[str, str]]) -> tuple[Java, dict[str, bytes]]:
    """The class loader of Java files, and their class files by full class name; otherwise like `classes`."""
    class_files: dict[str, bytes] = {}
    loader = context_loader()
    for name, text in sources:
        loader, compiled_files = _compile(text, f"{name}.java", loader)
        class_files |= {str(name): bytes(content) for name, content in compiled_files.items()}
    return loader, class_files


def write_jar(file: str, classes: Mapping[str, bytes]) -> None:
    """Write a jar of class files. classes: by full class name."""
    with ZipFile(file, "w") as jar:
        for name, content in classes.items():
            jar.writestr(f"{name.replace('.', '/')}.class", content)


def digest(sources: Iterable[tuple[str, str]]) -> str:
    """A checksum of Java files, each a name and its text."""
    return hashlib.sha256(repr(list(sources)).encode()).hexdigest()


def from_jar(part: str, sources: Iterable[tuple[str, str]]) -> Java | None:
    """The object that this package's jar has created in this JVM; None without the jar. Each exists once per
    JVM.

    part: `rules` or `functions`. sources: the Java files that this package would compile itself. Raises
    IcebergSqlError if the jar was built from different sources.
    """
    if not class_exists(EXTENSION):
        return None
    jar_object = getattr(instance(context_loader(), EXTENSION), part)(digest(sources))
    if jar_object is None:
        raise IcebergSqlError(
            "the jar of spark-iceberg-sql on the class path was built by another version, or for another Iceberg\n"
            "help: rebuild it with `iceberg-sql jar`, or start Spark without it"
        )
    return jar_object


def _compile(text: str, file: str, parent: Java) -> tuple[Java, Java]:
    """The class loader of a Java file, and a Java map of its class files by full class name; otherwise like
    `compile_java`.
    """
    text = _java_text(text)
    if (kept := class_cache.find(text)) is not None:
        return _class_loader(kept, parent), kept
    try:
        loader, class_files = _compile_new(text, file.removesuffix(".java"), parent)
    except Py4JJavaError as error:
        name = file.removesuffix(".java")
        raise UnfitError(iceberg_version.lacks(name, _first_line(error), java_sources.since(text))) from None
    class_cache.keep(text, class_files)
    return loader, class_files


def _java_text(text: str) -> str:
    return shims.java_text(text, shims.scala_2_12(gateway()))


def _compile_new(text: str, name: str, parent: Java) -> tuple[Java, Java]:
    """The same, for a class that is not kept. Raises Py4JJavaError."""
    if (shared := _class_compiler()) is not None:
        loader = shared.compile(name, text, parent, class_cache.is_together())
        return loader, loader.classFiles()
    return _cooked(text, name, parent)


def _cooked(text: str, name: str, parent: Java) -> tuple[Java, Java]:
    compiler = java_class("org.codehaus.janino.SimpleCompiler")()
    compiler.setParentClassLoader(parent)
    compiler.setTargetVersion(8)
    compiler.cook(f"{name}.java", java_class("java.io.StringReader")(text))
    return compiler.getClassLoader(), compiler.getBytecodes()


def _class_compiler() -> Java | None:
    """The JVM's ClassCompiler; None if this Janino is not like the one that it was written for."""
    if gateway() not in _COMPILERS:
        _COMPILERS[gateway()] = None
        (text,) = java_sources.texts(java_sources.PACKAGE, _CLASS_COMPILER)
        with suppress(Py4JJavaError, ValueError):
            loader, _ = _cooked(text, _CLASS_COMPILER, context_loader())
            _COMPILERS[gateway()] = instance(loader, f"sparkicebergsql.{_CLASS_COMPILER}")
    return _COMPILERS[gateway()]


def instance(loader: Java, name: str) -> Java:
    """A new instance of a compiled class, from its no-argument constructor. Raises ValueError."""
    new_array = gateway().new_array
    try:
        constructor = loader.loadClass(name).getDeclaredConstructor(new_array(java_class("java.lang.Class"), 0))
        return constructor.newInstance(new_array(java_class("java.lang.Object"), 0))
    except Py4JJavaError as error:
        raise ValueError(_first_line(error)) from None


def _first_line(error: Py4JJavaError) -> str:
    return str(error.java_exception.toString()).splitlines()[0]
