"""The names that Iceberg's runtime reads, as a module: `python -m tests.iceberg_names` writes it from the jars.

They are constants in class files of the jar, which this reads without Java: table properties, options of the
procedures that rewrite files. Names of every version that is looked at stay in the module.
"""

from __future__ import annotations

import struct
import sys
import zipfile
from pathlib import Path

MODULE = Path(__file__).parents[1] / "spark_iceberg_sql" / "model" / "runtime" / "iceberg_names.py"
TABLE_PROPERTIES = "TableProperties"
# The procedures, and the classes whose options each takes; those of a strategy or a later version may be absent.
_PLANNER = "actions/SizeBasedFileRewritePlanner"
OPTIONS = {
    "rewrite_data_files": (
        "actions/RewriteDataFiles", _PLANNER, "actions/SizeBasedFileRewriter", "actions/SizeBasedDataRewriter",
        "actions/BinPackRewriteFilePlanner", "spark/actions/SparkShufflingFileRewriteRunner",
        "spark/actions/SparkShufflingDataRewriter", "spark/actions/SparkZOrderFileRewriteRunner",
        "spark/actions/SparkZOrderDataRewriter", "spark/actions/SparkSortDataRewriter",
    ),
    "rewrite_position_delete_files": (
        "actions/RewritePositionDeleteFiles", _PLANNER, "actions/SizeBasedFileRewriter",
        "actions/SizeBasedPositionDeletesRewriter",
    ),
}  # fmt: skip
# The classes whose options only a strategy of rewrite_data_files takes.
STRATEGIES = {
    "sort": (
        "spark/actions/SparkShufflingFileRewriteRunner", "spark/actions/SparkShufflingDataRewriter",
        "spark/actions/SparkSortDataRewriter",
    ),
    "zorder": ("spark/actions/SparkZOrderFileRewriteRunner", "spark/actions/SparkZOrderDataRewriter"),
}  # fmt: skip
_NO_NAMES = frozenset({"Z_COLUMN"})
# Sizes of the entries of a class file's constant pool by their tags; those of 5 and 6 take two places.
_SIZES = {3: 4, 4: 4, 5: 8, 6: 8, 7: 2, 8: 2, 9: 4, 10: 4, 11: 4, 12: 4, 15: 3, 16: 2, 17: 4, 18: 4, 19: 2, 20: 2}


def string_constants(data: bytes) -> dict[str, str]:
    """The fields of a class that are constant strings. data: the class file."""
    texts: dict[int, str] = {}
    strings: dict[int, int] = {}
    count = _short(data, 8)
    offset, index = 10, 1
    while index < count:
        tag = data[offset]
        if tag == 1:
            length = _short(data, offset + 1)
            texts[index] = data[offset + 3 : offset + 3 + length].decode("utf-8", "replace")
            offset += 3 + length
        else:
            if tag == 8:
                strings[index] = _short(data, offset + 1)
            offset += 1 + _SIZES[tag]
        index += 2 if tag in (5, 6) else 1
    offset += 8 + 2 * _short(data, offset + 6)
    constants = {}
    fields, offset = _short(data, offset), offset + 2
    for _ in range(fields):
        name, attributes, offset = texts[_short(data, offset + 2)], _short(data, offset + 6), offset + 8
        for _ in range(attributes):
            kind, (length,) = texts[_short(data, offset)], struct.unpack_from(">I", data, offset + 2)
            value = strings.get(_short(data, offset + 6)) if kind == "ConstantValue" else None
            if value is not None:
                constants[name] = texts[value]
            offset += 6 + length
    return constants


def _short(data: bytes, offset: int) -> int:
    return int(struct.unpack_from(">H", data, offset)[0])


def names_in(jar: Path, *classes: str) -> set[str]:
    """The names that classes of `org.apache.iceberg` have as constants, without default values. jar: the runtime's."""
    names: set[str] = set()
    with zipfile.ZipFile(jar) as archive:
        present = set(archive.namelist())
        for path in (f"org/apache/iceberg/{name}.class" for name in classes):
            constants = string_constants(archive.read(path)) if path in present else {}
            names |= {value for key, value in constants.items() if not _is_value(key)}
    return names


def _is_value(constant: str) -> bool:
    """True for a constant that is a value of a property, not the name of one."""
    return (
        constant in _NO_NAMES
        or "_DEFAULT_SINCE" in constant
        or (constant.endswith("_DEFAULT") and constant != "METRICS_MODE_DEFAULT")
        or constant.startswith("WRITE_DISTRIBUTION_MODE_")
    )


def module_text(jars: list[Path]) -> str:
    """The text of the module, with the names of all jars."""
    from spark_iceberg_sql.model.runtime import iceberg_names as present

    properties = set(present.TABLE_PROPERTIES).union(*(names_in(jar, TABLE_PROPERTIES) for jar in jars))
    lines = [
        '"""Names that Iceberg reads: written by `python -m tests.iceberg_names` from the jars of its runtime."""',
        "",
        "from __future__ import annotations",
        "",
        "# Those that end with a dot are prefixes of a column's name.",
        "TABLE_PROPERTIES = (",
        *(f'    "{name}",' for name in sorted(properties)),
        ")",
        "# The options of procedures.",
        "CALL_OPTIONS = {",
    ]
    for procedure, classes in OPTIONS.items():
        options = set(present.CALL_OPTIONS.get(procedure, ())).union(*(names_in(jar, *classes) for jar in jars))
        lines += [f'    "{procedure}": (', *(f'        "{name}",' for name in sorted(options)), "    ),"]
    lines += ["}", "# Those of rewrite_data_files that only a strategy takes.", "STRATEGY_OPTIONS = {"]
    for strategy, classes in STRATEGIES.items():
        options = set(present.STRATEGY_OPTIONS.get(strategy, ())).union(*(names_in(jar, *classes) for jar in jars))
        lines.append(
            f'    "{strategy}": ({"".join(f"{chr(34)}{name}{chr(34)}, " for name in sorted(options)).rstrip(" ,")}),'
        )
    return "\n".join((*lines, "}", ""))


if __name__ == "__main__":
    MODULE.write_text(module_text([Path(argument) for argument in sys.argv[1:]]), encoding="utf-8")
