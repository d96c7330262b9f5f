"""PlainFigures: what a glance lets pass has no fault, by Iceberg's own order and the specification."""

from __future__ import annotations

import itertools
import struct
from typing import Any

import pytest
from pyspark.sql import SparkSession

from spark_iceberg_sql.spark.bridge.jvm import compiler

DAY, HOUR = 86_400_000_000, 3_600_000_000
LONGS = (-(2**63), -1, 0, 1, 255, 256, 65_536, 2**40, 2**63 - 1)
VALUES: dict[str, tuple[Any, ...]] = {
    "INTEGER": (-(2**31), -256, -1, 0, 1, 255, 256, 2**31 - 1),
    "LONG": LONGS,
    "TIMESTAMP": (*LONGS, 19_000 * DAY, 19_000 * DAY + 1, 10_000 * DAY * 365),
    "DOUBLE": (float("-inf"), -1.5, -0.0, 0.0, 5e-324, 2.0, 1e300, float("inf"), float("nan")),
    "STRING": ("", "a", "aa", "ab", "b", "Z", "\u00e9", "\uffee", "\U0001f600", "a\u00e9"),
}
UNITS = {"day": DAY, "hour": HOUR}
PACKED = {"INTEGER": "<i", "LONG": "<q", "TIMESTAMP": "<q", "DOUBLE": "<d"}
TIMES = (-DAY, -1, 0, 1, HOUR - 1, HOUR, DAY - 1, DAY, 5 * DAY + HOUR, 2**40 * 1000)


class Java:
    """The classes, the types and files for them."""

    def __init__(self, spark: SparkSession) -> None:
        jvm: Any = spark._jvm
        self.jvm = jvm
        loader = compiler.relation_facts().getClass().getClassLoader()
        self.array = spark.sparkContext._gateway.new_array  # type: ignore[union-attr]
        self.classes = {
            name: loader.loadClass(f"sparkicebergsql.{name}")
            for name in ("PlainFigures", "FileUnits", "PartitionOverflow")
        }
        types = jvm.org.apache.iceberg.types.Types
        self.types = {
            "INTEGER": types.IntegerType.get(),
            "LONG": types.LongType.get(),
            "TIMESTAMP": types.TimestampType.withZone(),
            "DOUBLE": types.DoubleType.get(),
            "STRING": types.StringType.get(),
        }

    def call(self, of: str, method: str, *arguments: Any) -> Any:
        (java_method,) = [m for m in self.classes[of].getMethods() if m.getName() == method]
        passed = self.array(self.jvm.java.lang.Object, len(arguments))
        for i, argument in enumerate(arguments):
            passed[i] = argument
        return java_method.invoke(None, passed)

    def bound(self, kind: str, value: Any) -> Any:
        """As the Iceberg specification writes it (appendix D, single-value serialization)."""
        packed = value.encode() if kind == "STRING" else struct.pack(PACKED[kind], value)
        return self.jvm.java.nio.ByteBuffer.wrap(packed)

    def file(self, format_name: str) -> Any:
        spec = self.jvm.org.apache.iceberg.PartitionSpec.unpartitioned()
        builder = self.jvm.org.apache.iceberg.DataFiles.builder(spec).withPath(f"memory:/x.{format_name}")
        return builder.withFormat(format_name).withFileSizeInBytes(10).withRecordCount(1).build()


@pytest.fixture(scope="module")
def java(spark: SparkSession) -> Java:
    return Java(spark)


@pytest.mark.parametrize("kind", VALUES)
def test_bounds(java: Java, kind: str) -> None:
    comparator = java.jvm.org.apache.iceberg.types.Comparators.forType(java.types[kind])
    parquet, orc = java.file("parquet"), java.file("orc")
    passed = 0
    for low, high in itertools.product(VALUES[kind], repeat=2):
        bounds = java.bound(kind, low), java.bound(kind, high)
        assert not java.call("PlainFigures", "areBounds", orc, java.types[kind], *bounds)
        if not java.call("PlainFigures", "areBounds", parquet, java.types[kind], *bounds):
            continue
        passed += 1
        assert comparator.compare(low, high) <= 0 if kind == "STRING" else low <= high, (low, high)
        assert kind != "TIMESTAMP" or not java.call("FileUnits", "isSuspect", low, high)
    assert passed >= len(VALUES[kind])


@pytest.mark.parametrize(
    ("kind", "transform", "values", "numbers"),
    [
        ("TIMESTAMP", "day", TIMES, (-1, 0, 1, 5)),
        ("TIMESTAMP", "hour", TIMES, (-1, 0, 1, 23, 121, (2**40 * 1000 // HOUR) % 2**32)),
        ("TIMESTAMP", "month", TIMES, (0, 1)),
        ("INTEGER", "identity", VALUES["INTEGER"], (-(2**31), 0, 255)),
        ("LONG", "identity", VALUES["LONG"], (0, 255)),
        ("INTEGER", "truncate", VALUES["INTEGER"], (0, 250)),
    ],
)
def test_partition_values(
    java: Java, kind: str, transform: str, values: tuple[int, ...], numbers: tuple[int, ...]
) -> None:
    types = java.jvm.org.apache.iceberg.types.Types
    source = types.NestedField.optional(1, "x", java.types[kind])
    columns = java.array(types.NestedField, 1)
    columns[0] = source
    builder = java.jvm.org.apache.iceberg.PartitionSpec.builderFor(java.jvm.org.apache.iceberg.Schema(columns))
    (field,) = (
        (builder.truncate("x", 10) if transform == "truncate" else getattr(builder, transform)("x")).build().fields()
    )
    file = java.file("parquet")
    passed = 0
    for low, high in itertools.product(values, repeat=2):
        for number in numbers:
            bounds = java.bound(kind, low), java.bound(kind, high)
            if low > high or not java.call("PlainFigures", "isPartition", file, field, source, number, *bounds):
                continue
            passed += 1
            assert [end // UNITS.get(transform, 1) for end in (low, high)] == [number, number]
            assert java.call("PartitionOverflow", "of", file, field, source, number, low, high) is None
    assert (passed > 0) == (transform in ("day", "hour") or (kind, transform) == ("INTEGER", "identity"))
