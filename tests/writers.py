# ruff: noqa: E501 - a case is a line
"""Programs that state partitioning in calls, with what must be found in each: for the checker, and for the runtime.

A case is the text of a call; `{t}` is the name of its own table. found: the code and the text at which it must
be found; none where the call must run. A warning runs as well.
"""

from __future__ import annotations

from typing import NamedTuple


class Case(NamedTuple):
    call: str
    found: tuple[tuple[str, str], ...] = ()
    runs: bool = False

    @property
    def fails(self) -> bool:
        """Whether the runtime must refuse it."""
        return not self.runs and any(not code.startswith("SIS5") for code, _ in self.found)


COLUMNS = "id BIGINT, ts TIMESTAMP, name STRING, d DATE, f DOUBLE, tn TIMESTAMP_NTZ, amount DECIMAL(9, 2)"
IMPORTS = """\
import pyspark.sql.functions as F
from pyspark.sql.functions import bucket, col, days, expr, hours, lit, months, partitioning, years
from pyspark.sql.functions import days as by_day
"""
FRAME = f'df = spark.createDataFrame([], "{COLUMNS}")\n'


MADE = f'spark.sql("CREATE TABLE {{t}} ({COLUMNS}) USING iceberg PARTITIONED BY (name)")\n'

STREAM = (
    "import tempfile\nfolder = tempfile.mkdtemp()\n"
    'df.write.parquet(folder + "/in")\n'
    'frames = spark.readStream.schema(df.schema).parquet(folder + "/in")\n'
    'frames.writeStream.format("iceberg").option("checkpointLocation", folder + "/checks").trigger(availableNow=True)'
)


def _v2(terms: str, *findings: tuple[str, str]) -> Case:
    return Case(f'df.writeTo("{{t}}").using("iceberg").partitionedBy({terms}).create()', findings)


def _v1(terms: str, *findings: tuple[str, str]) -> Case:
    return Case(f'df.write.format("iceberg").partitionBy({terms}).saveAsTable("{{t}}")', findings)


WRITERS = [
    _v2('days("ts"), bucket(16, "id")'),
    _v2('days(col("ts")), bucket(16, col("ID"))'),
    _v2('days("TS")'),
    _v2('years("d"), bucket(numBuckets=4, col="name")'),
    _v2('partitioning.months("tn"), F.bucket(8, "amount")'),
    _v2('F.partitioning.hours("ts"), by_day("d")'),
    _v2("months(df.ts), df['name']"),
    _v2('"name", col("d")'),
    _v2('bucket(lit(4), "id")'),
    _v2('expr("name")'),
    _v2('"ts"', ("SIS501", "ts")),
    _v2('"f"', ("SIS503", "f")),
    _v2('days("name")', ("SIS202", "name")),
    _v2('hours("d")', ("SIS202", "d")),
    _v2('bucket(16, "f")', ("SIS202", "f")),
    _v2('bucket("id", 16)', ("SIS104", 'id", 16')),
    _v2('bucket(0, "id")', ("SIS103", "0")),
    _v2('bucket(-1, col("id"))', ("SIS103", "-1")),
    _v2('bucket(4294967312, "id")', ("SIS103", "4294967312")),
    _v2('bucket(16.0, "id")', ("SIS103", "16.0")),
    _v2('bucket("16", "id")', ("SIS103", '"16"')),
    _v2('days("nope")', ("SIS201", "nope")),
    _v2('"nope"', ("SIS201", "nope")),
    _v2('years("ts"), days("ts")', ("SIS303", 'days("ts")')),
    _v2('days("ts"), F.days("ts")', ("SIS301", 'F.days("ts")')),
    _v2('bucket(8, "id"), bucket(16, "id")', ("SIS302", 'bucket(16, "id")')),
    _v2('"id", "id"', ("SIS301", "id")),
    _v2('col("ts").desc()', ("SIS101", 'col("ts").desc()')),
    _v2('F.desc("id")', ("SIS101", 'F.desc("id")')),
    _v2('"days(ts)"', ("SIS101", '"days(ts)"')),
    _v2('expr("bucket(16, id)")', ("SIS101", 'expr("bucket(16, id)")')),
    _v2('F.year("ts")', ("SIS101", 'F.year("ts")')),
    _v2('F.to_date("ts")', ("SIS101", 'F.to_date("ts")')),
    _v2('F.date_trunc("day", "ts")', ("SIS101", 'F.date_trunc("day", "ts")')),
    _v2('col("ts").cast("date")', ("SIS101", 'col("ts").cast("date")')),
    _v2('["id", "name"]', ("SIS101", '["id", "name"]')),
    _v2('lit(1)', ("SIS101", "lit(1)")),
    Case('df.writeTo("{t}").using("iceberg").tableProperty("format-version", "7").partitionedBy("id").create()',
         (("SIS410", '"7"'),)),
    Case('df.writeTo("{t}").using("iceberg").partitionedBy(days("name")).createOrReplace()', (("SIS202", "name"),)),
    Case('df.select("id", "ts").writeTo("{t}").using("iceberg").partitionedBy("name").create()', (("SIS201", "name"),)),
    Case('df.filter("id > 1").withColumn("x", F.lit(1)).writeTo("{t}").using("iceberg").partitionedBy("x", days("ts")).create()'),
    Case('w = df.writeTo("{t}").using("iceberg").partitionedBy(days("name"))\nw.create()', (("SIS202", "name"),)),
    _v1('"id", "name"'),
    _v1('["id", "name"]'),
    _v1('"ID"'),
    _v1('"ts"', ("SIS501", "ts")),
    _v1('"nope"', ("SIS201", "nope")),
    _v1('"days(ts)"', ("SIS101", '"days(ts)"')),
    _v1('days("ts")', ("SIS101", 'days("ts")')),
    _v1('col("id")', ("SIS101", 'col("id")')),
    Case('df.write.saveAsTable("{t}", format="iceberg", mode="overwrite", partitionBy=["nope"])', (("SIS201", "nope"),)),
    *(Case(MADE + f"df.write.{before}.insertInto('{{t}}'{rest})", tuple(("SIS412", each) for each in found))
      for before, rest, found in (
          ('format("iceberg")', "", ()), ('mode("append").option("a", "b")', ", overwrite=True", ()),
          ('partitionBy("name")', "", ('partitionBy("name")',)), ("partitionBy()", ", True", ("partitionBy()",)),
          ('partitionBy(["nope"]).mode("append")', "", ('partitionBy(["nope"])',)),
          ('bucketBy(4, "id")', "", ('bucketBy(4, "id")',)),
          ('partitionBy("id").bucketBy(4, "id").sortBy("id")', "", ('partitionBy("id")', 'bucketBy(4, "id")')),
      )),
    Case(MADE + 'w = df.write.partitionBy("name").format("iceberg")\nw.mode("append")\nw.insertInto("{t}")', (("SIS412", 'partitionBy("name")'),)),
    # Methods that a writer does not have, and partitioning that it ignores.
    Case('df.write.format("iceberg").partitionedBy("id").saveAsTable("{t}")', (("SIS412", 'partitionedBy("id")'),)),
    Case('df.write.partitionedBy(days("ts"))', (("SIS412", 'partitionedBy(days("ts"))'),)),
    Case('df.writeTo("{t}").using("iceberg").partitionBy("id").create()', (("SIS412", 'partitionBy("id")'),)),
    Case(MADE + 'df.writeTo("{t}").partitionedBy(days("ts")).append()', (("SIS412", 'partitionedBy(days("ts"))'),), runs=True),
    Case(MADE + 'df.writeTo("{t}").partitionedBy("id").overwritePartitions()', (("SIS412", 'partitionedBy("id")'),), runs=True),
    Case('df.writeTo("{t}").using("iceberg").partitionedBy("id").partitionedBy("name").create()\n'
         'assert spark.table("{t}.partitions").schema["partition"].dataType.names == ["name"]',
         (("SIS412", 'partitionedBy("id")'),), runs=True),
    Case('df.write.format("iceberg").partitionBy("id").partitionBy("name").saveAsTable("{t}")\n'
         'assert spark.table("{t}.partitions").schema["partition"].dataType.names == ["name"]',
         (("SIS412", 'partitionBy("id")'),), runs=True),
    *(Case(before + STREAM + f'.partitionBy({terms}).toTable("{{t}}").stop()', tuple(("SIS412", f"partitionBy({terms})") for _ in found), runs=bool(before))
      for before in ("", MADE)
      for terms, found in (('"days(ts)"', (1,)), ('"name"', ()))),
    Case(STREAM + '.partitionedBy("name").toTable("{t}")', (("SIS412", 'partitionedBy("name")'),)),
    Case('df.write.mode("append").format("iceberg").partitionBy("days(ts)").saveAsTable("{t}")', (("SIS101", '"days(ts)"'),)),
]  # fmt: skip

PYICEBERG_IMPORTS = """\
from pyiceberg.catalog import load_catalog
from pyiceberg.schema import Schema
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.transforms import (
    BucketTransform, DayTransform, HourTransform, IdentityTransform, MonthTransform, TruncateTransform, YearTransform
)
from pyiceberg.types import DateType, DoubleType, IntegerType, LongType, NestedField, StringType, StructType, TimestampType
"""
PYICEBERG_SCHEMA = """\
schema = Schema(
    NestedField(1, "id", LongType(), required=True),
    NestedField(2, "ts", TimestampType()),
    NestedField(field_id=3, name="name", field_type=StringType()),
    NestedField(4, "p", StructType(NestedField(5, "x", IntegerType()))),
    NestedField(6, "d", DateType()),
    NestedField(7, "f", DoubleType()),
)
"""


def _spec(fields: str, *findings: tuple[str, str]) -> Case:
    return Case(f'catalog.create_table("{{t}}", schema, partition_spec=PartitionSpec({fields}))', findings)  # fmt: skip


def _update(changes: str, *findings: tuple[str, str]) -> Case:
    create = (
        'catalog.create_table("{t}", schema, partition_spec=PartitionSpec('
        'PartitionField(2, 1000, DayTransform(), "ts_day")))\ntable = catalog.load_table("{t}")\n'
    )
    return Case(f"{create}with table.update_spec() as update:\n    {changes}", findings)


# What a spec holds is written where it is refused: by the call, or, as `!` says, by the first append.
SPECS = [
    _spec('PartitionField(2, 1000, DayTransform(), "ts_day"), PartitionField(1, 1001, BucketTransform(16), "shard")'),
    _spec('PartitionField(source_id=3, field_id=1000, transform=TruncateTransform(4), name="prefix")'),
    _spec('PartitionField(5, 1000, IdentityTransform(), "p.x")'),
    _spec('PartitionField(1, 1000, IdentityTransform(), "id")'),
    _spec('PartitionField(2, 1000, "day", "ts_day")'),
    _spec('fields=[PartitionField(6, 1000, YearTransform(), "y")]'),
    _spec('PartitionField(schema.find_field("d").field_id, 1000, MonthTransform(), "m")'),
    _spec('PartitionField(2, 1000, IdentityTransform(), "ts")', ("SIS501", "2")),
    _spec('PartitionField(3, 1000, DayTransform(), "n_day")', ("SIS202", "3")),
    _spec('PartitionField(6, 1000, HourTransform(), "d_hour")', ("SIS202", "6")),
    _spec('PartitionField(4, 1000, IdentityTransform(), "q")', ("SIS203", "4")),
    _spec('PartitionField(99, 1000, DayTransform(), "b")', ("SIS201", "99")),
    _spec('PartitionField(1, 1000, BucketTransform(-1), "b")', ("SIS103", "BucketTransform(-1)")),
    _spec('PartitionField(1, 1000, BucketTransform(4), "id")', ("SIS304", '"id"')),
    _spec('PartitionField(1, 1000, BucketTransform(4), "name")', ("SIS304", '"name"')),
    _spec('PartitionField(2, 1000, "days", "b")', ("SIS101", '"days"')),
    _spec('PartitionField(2, 1000, DayTransform(), "a"), PartitionField(2, 1001, DayTransform(), "b")', ("SIS402", "DayTransform()")),
    _update('update.add_field("id", BucketTransform(16))'),
    _update('update.add_field("name", TruncateTransform(4), "prefix").remove_field("ts_day")'),
    _update('update.add_identity("d")'),
    _update('update.add_field("id", "bucket[4]", partition_field_name="shard")'),
    Case(_update("").call.replace("update_spec()", "update_spec(case_sensitive=False)").rstrip()
         + '\n    update.add_field("ID", IdentityTransform())'),
    Case(_update("").call.replace("update_spec()", "update_spec(case_sensitive=True)").rstrip()
         + '\n    update.add_field("ID", IdentityTransform())', (("SIS201", "ID"),)),
    _update('update.add_field("nope", IdentityTransform())', ("SIS201", "nope")),
    _update('update.add_field("ID", IdentityTransform())', ("SIS201", "ID")),
    _update('update.add_field("name", DayTransform(), "n_day")', ("SIS202", "name")),
    _update('update.add_field("p", IdentityTransform())', ("SIS203", "p")),
    _update('update.add_field("ts", DayTransform(), "again")', ("SIS402", "DayTransform()")),
    _update('update.add_field("id", IdentityTransform(), "ts_day")', ("SIS305", '"ts_day"')),
    _update('update.add_field("id", BucketTransform(16), "name")', ("SIS304", '"name"')),
    _update('update.add_field("id", "days")', ("SIS101", '"days"')),
    _update('update.remove_field("ts_dayy")', ("SIS401", "ts_dayy")),
    _update('update.remove_field("ts")', ("SIS401", "ts")),
]  # fmt: skip
