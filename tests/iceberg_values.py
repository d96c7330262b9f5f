"""The types of values that Iceberg's runtime reads, as a module: `python -m tests.iceberg_values JAR...` writes it.

The code that reads a property or an option names its type: PropertyUtil.propertyAsLong, confParser.longConf(). This
reads the instructions of the classes with such calls, as javap of the JDK prints them, and enumerations.
"""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from tests.iceberg_names import OPTIONS, TABLE_PROPERTIES, names_in, string_constants

MODULE = Path(__file__).parents[1] / "spark_iceberg_sql" / "model" / "runtime" / "iceberg_values.py"
WRITE_OPTIONS = "spark/SparkWriteOptions"
READ_OPTIONS = "spark/SparkReadOptions"
# Where a property or an option may have the constants of an enumeration.
ENUMERATIONS = {
    "distribution-mode": "DistributionMode",
    "isolation-level": "IsolationLevel",
    "row-level-mode": "RowLevelOperationMode",
    "delete-granularity": "deletes/DeleteGranularity",
    "rewrite-job-order": "RewriteJobOrder",
    "planning-mode": "PlanningMode",
    "avro-codec": "avro/Avro$Codec",
    "parquet-codec": "shaded/org/apache/parquet/hadoop/metadata/CompressionCodecName",
    "orc-codec": "shaded/org/apache/orc/CompressionKind",
    "orc-strategy": "shaded/org/apache/orc/OrcFile$CompressionStrategy",
}
_READING = (b"propertyAs", b"ConfParser", b"parseInt", b"parseLong", b"parseDouble")
_METHOD = re.compile(r"  \S.*\);$")
_STRING = re.compile(r"// String (.*)$")
_CONF = re.compile(r"Method (?:[\w/]+SparkConfParser\.)?(\w+)Conf:\(\)")
_CONF_KEY = re.compile(r"Method .*\.(option|tableProperty|sessionConf):")
_PROPERTY = re.compile(r"Method (?:[\w/]+PropertyUtil\.)?propertyAs(?:Nullable)?(\w+):")
_PARSED = re.compile(r"Method java/lang/(?:Integer|Long|Double)\.parse(Int|Long|Double):")
_TYPES = {"int": "int", "long": "long", "double": "double", "boolean": "boolean"}


def instructions(jar: Path) -> str:
    """The instructions of the classes that read values, as javap prints them. jar: the runtime's."""
    with zipfile.ZipFile(jar) as archive:
        names = [
            name.removesuffix(".class").replace("/", ".")
            for name in archive.namelist()
            if name.startswith("org/apache/iceberg/") and name.endswith(".class") and "/shaded/" not in name
            and any(word in archive.read(name) for word in _READING)
        ]  # fmt: skip
    command = ["javap", "-c", "-p", "-cp", str(jar), *names]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout


def types_in(text: str, names: frozenset[str]) -> tuple[dict[str, str], dict[str, str]]:
    """The types of the names that are read as properties, and of options of readers and writers, without texts.

    text: of `instructions`. names: of the properties and of the procedures' options.
    """
    properties: dict[str, str] = {}
    options: dict[str, str] = {}
    conf = ""
    strings: list[str] = []
    for line in text.splitlines():
        if _METHOD.match(line):
            conf, strings = "", []
        elif (string := _STRING.search(line)) is not None:
            strings.append(string[1])
        elif (begin := _CONF.search(line)) is not None:
            conf, strings = _TYPES.get(begin[1], ""), []
        elif (key := _CONF_KEY.search(line)) is not None:
            target = {"option": options, "tableProperty": properties}.get(key[1])
            if conf and strings and target is not None:
                target[strings[-1]] = conf
            strings = []
        elif (kind := _PROPERTY.search(line) or _PARSED.search(line)) is not None:
            property_names = [name for name in strings if name in names]
            if property_names and kind[1].lower() in _TYPES:
                properties[property_names[-1]] = _TYPES[kind[1].lower()]
            strings = []
    return properties, options


def constants_of(jar: Path) -> dict[str, tuple[str, ...]]:
    """The names of the enumerations' constants, in lower case, in order, of those that the runtime has."""
    names = {key: f"org.apache.iceberg.{name}".replace("/", ".") for key, name in ENUMERATIONS.items()}
    command = ["javap", "-p", "-cp", str(jar), *names.values()]
    text = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60).stdout
    constants = {key: re.findall(rf"public static final {re.escape(name)} (\w+);", text) for key, name in names.items()}
    return {key: tuple(map(str.lower, values)) for key, values in constants.items() if values}


def values_in(jar: Path) -> Mapping[str, Mapping[str, object]]:
    """What the module has, of one runtime."""
    names = names_in(jar, TABLE_PROPERTIES) | {name for classes in OPTIONS.values() for name in names_in(jar, *classes)}
    properties, options = types_in(instructions(jar), frozenset(names))
    return {
        "PROPERTY_TYPES": {k: v for k, v in properties.items() if k in names_in(jar, TABLE_PROPERTIES)},
        "CALL_OPTION_TYPES": {k: v for k, v in properties.items() if k not in names_in(jar, TABLE_PROPERTIES)},
        "WRITE_OPTIONS": {name: options.get(name, "") for name in sorted(_option_names(jar, WRITE_OPTIONS))},
        "READ_OPTIONS": {name: options.get(name, "") for name in sorted(_option_names(jar, READ_OPTIONS))},
        "ENUMERATIONS": dict(constants_of(jar)),
    }


def _option_names(jar: Path, name: str) -> Iterator[str]:
    with zipfile.ZipFile(jar) as archive:
        for constant, value in string_constants(archive.read(f"org/apache/iceberg/{name}.class")).items():
            if not constant.endswith("_DEFAULT"):
                yield value


def module_text(jars: list[Path]) -> str:
    """The text of the module, with the values of all jars."""
    merged: dict[str, dict[str, object]] = {}
    for jar in jars:
        for name, values in values_in(jar).items():
            entries = merged.setdefault(name, {})
            entries.update((key, value) for key, value in values.items() if value or key not in entries)
    lines = [_HEAD]
    for name, comment in _COMMENTS.items():
        kind = "tuple[str, ...]" if name == "ENUMERATIONS" else "str"
        lines += [f"# {comment}", f"{name}: dict[str, {kind}] = {{"]
        lines += [f'    "{key}": {_literal(value)},' for key, value in sorted(merged[name].items())]
        lines.append("}")
    return "\n".join((*lines, ""))


def _literal(value: object) -> str:
    if isinstance(value, tuple):
        return "(" + ", ".join(f'"{item}"' for item in value) + ")"
    return f'"{value}"'


_HEAD = '''"""Types of values that Iceberg reads: written by `python -m tests.iceberg_values` from runtimes' jars."""

from __future__ import annotations
'''
_COMMENTS = {
    "PROPERTY_TYPES": "Of table properties; those that are read as texts are not here.",
    "CALL_OPTION_TYPES": "Of the options of procedures.",
    "WRITE_OPTIONS": "All options of writers; the type is empty for texts.",
    "READ_OPTIONS": "All options of readers; the type is empty for texts.",
    "ENUMERATIONS": "The constants of enumerations, in lower case.",
}


if __name__ == "__main__":
    MODULE.write_text(module_text([Path(argument) for argument in sys.argv[1:]]), encoding="utf-8")
