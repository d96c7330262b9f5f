"""Known faults of Iceberg's runtime, and of other writers of its files, by the number of their issue.

An installed session probes the Iceberg that it runs on; `iceberg_rules()` and a page of the reference show the results.
To add one: a record here and, if it can be decided in milliseconds without a job, a probe in IssueProbes.java.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class IcebergIssue:
    """A bug that costs rows, shows rows that do not exist, or makes right statements fail.

    reference: where it is reported, such as `apache/iceberg#18173`; a short name if it is not reported.
    cost: its effect, as a sentence. rule: the optimizer rule that corrects it; empty if none does. remedy: what
    this package does, or what to do. present_in: the versions of Iceberg that were tested and have it; empty for
    a defect of files, for which each table is checked. is_probed: true if a session probes its Iceberg for it; the
    others are tried by tests/spark/iceberg_faults.py.
    """

    reference: str
    cost: str
    rule: str
    remedy: str
    present_in: tuple[str, ...] = ()
    is_probed: bool = False


# The versions on which tests/spark/test_iceberg_versions.py probes and tries these, and of them those on which all
# tests of rows run.
PROBED_VERSIONS = ("1.5.2", "1.6.1", "1.7.1", "1.8.1", "1.9.2", "1.10.1", "1.11.0", "1.12.0")
TESTED_VERSIONS = ("1.11.0", "1.12.0")
_BEFORE_1_12 = PROBED_VERSIONS[:-1]

ISSUES: tuple[IcebergIssue, ...] = (
    IcebergIssue(
        "apache/iceberg#15502",
        "a filter on a function of a column that is a partition field itself compares the function's value with the "
        "column: wrong rows, or an error",
        "guard",
        "such a filter is not passed to Iceberg",
        PROBED_VERSIONS,
        is_probed=True,
    ),
    IcebergIssue(
        "apache/iceberg#18173",
        "the bounds of imported Parquet files with TIMESTAMP(MILLIS) are a thousand times too small: filters on the "
        "column lose rows, and min and max are wrong",
        "bounds",
        "filters on the column read such files in full; `health` has the CALL that rewrites them",
        PROBED_VERSIONS,
        is_probed=True,
    ),
    IcebergIssue(
        "milliseconds in a dictionary",
        "the vectorized reader returns times of 1970 from Parquet files that have TIMESTAMP(MILLIS) in a dictionary",
        "bounds",
        "tables with such files are read without vectorization",
        PROBED_VERSIONS,
    ),
    IcebergIssue(
        "ORC before 1582",
        "in ORC files, filters on dates and times before 15 October 1582 lose rows: the filter of ORC's reader uses "
        "another calendar",
        "bounds",
        "filters on the column read files with such old values in full",
        PROBED_VERSIONS,
    ),
    IcebergIssue(
        "apache/iceberg#17440",
        "the metadata tables entries and all_entries lose delete files where a filter on data_file.content is negative",
        "bounds",
        "filters on these tables are evaluated by Spark",
        _BEFORE_1_12[1:],
        is_probed=True,
    ),
    IcebergIssue(
        "apache/iceberg#17346",
        "the metadata table all_manifests loses rows where a filter on reference_snapshot_id is negated",
        "bounds",
        "filters on this table are evaluated by Spark",
        _BEFORE_1_12,
        is_probed=True,
    ),
    IcebergIssue(
        "apache/iceberg#14216",
        "uuids are compared as signed numbers, and their bounds are in the order of their bytes: filters on the column "
        "lose rows, = among them, in files with uuids on both sides of 80000000-...",
        "bounds",
        "ranges of uuids are not passed to Iceberg, nor = and IN where a file has bounds on both sides",
        PROBED_VERSIONS,
        is_probed=True,
    ),
    IcebergIssue(
        "apache/iceberg#9767",
        "truncate of the lowest integers overflows, in partition values and in filters: filters lose rows, and DELETE "
        "removes others; v > -2147483648 loses all rows",
        "bounds",
        "filters read files with such partition values, and constants that overflow are not passed to Iceberg",
        PROBED_VERSIONS,
        is_probed=True,
    ),
    IcebergIssue(
        "apache/iceberg#18111",
        "truncate of an INT by more than 2^30 overflows for positive values, too: filters lose rows",
        "bounds",
        "filters on the column are not passed to Iceberg",
        PROBED_VERSIONS,
        is_probed=True,
    ),
    IcebergIssue(
        "apache/iceberg#9713",
        "hours of times before the year -243013 and after 246953 overflow, in partition values and in filters: filters "
        "lose rows, and DELETE removes others",
        "bounds",
        "filters read files with such times, and constants that overflow are not passed to Iceberg",
        PROBED_VERSIONS,
        is_probed=True,
    ),
    IcebergIssue(
        "times before 1970 in .999999",
        "of times before 1970, those in the first second of an hour, day, month or year that end in .999999 get the "
        "partition before: filters lose them, and DELETE removes them with that partition",
        "bounds",
        "filters read files with such times",
        PROBED_VERSIONS,
        is_probed=True,
    ),
    IcebergIssue(
        "apache/iceberg#9130",
        "to Spark, NaN is above all numbers; the bounds of FLOAT and DOUBLE columns leave it out: >, >=, <> and NOT "
        "lose rows with NaN, and DELETE with < removes those that no count tells of",
        "floats",
        "v > 2 is passed to Iceberg as v > 2 OR is_nan(v), and so on",
        PROBED_VERSIONS,
        is_probed=True,
    ),
    IcebergIssue(
        "apache/iceberg#15069",
        "max of a FLOAT or DOUBLE column is answered from the bounds, which leave NaN out",
        "floats",
        "max is read from the rows where a file may have NaN",
        PROBED_VERSIONS[:6],
    ),
    IcebergIssue(
        "NaN without counts",
        "max of a FLOAT or DOUBLE column is answered from the bounds where files have no counts of NaN, as after "
        "add_files",
        "floats",
        "max is read from the rows where a file may have NaN",
        PROBED_VERSIONS,
    ),
    IcebergIssue(
        "apache/iceberg#16328",
        "min and max of a BINARY column are answered from the bounds, which are cut to 16 bytes unless a property says "
        "otherwise",
        "bounds",
        "they are read from the rows",
        PROBED_VERSIONS[:6],
    ),
    IcebergIssue(
        "apache/iceberg#16320",
        "min and max of a STRING column are answered from the bounds if the table's metrics are full now, also of "
        "files that were written with cut bounds",
        "bounds",
        "they are read from the rows",
        PROBED_VERSIONS[:6],
    ),
    IcebergIssue(
        "signed zeros",
        "Iceberg takes -0.0 for less than 0.0: filters with a zero on FLOAT and DOUBLE columns lose rows, or keep "
        "too many",
        "floats",
        "such a filter is passed to Iceberg with the numbers beside zero",
        PROBED_VERSIONS,
    ),
    IcebergIssue(
        "null partitions",
        "a null partition value is taken as the lowest: DELETE with col < ... removes the rows of such a partition; "
        "SELECT returns them for OR where files have no counts of nulls, as after add_files of a Hive table",
        "bounds",
        "such comparisons get IS NOT NULL",
        PROBED_VERSIONS,
    ),
    IcebergIssue(
        "null and <>",
        "a null counts as different from any constant: DELETE with <>, NOT LIKE or NOT of a boolean column removes "
        "files in which all other rows match, nulls included, and SELECT with OR returns the rows of null partitions",
        "bounds",
        "such comparisons get IS NOT NULL",
        PROBED_VERSIONS,
        is_probed=True,
    ),
    IcebergIssue(
        "null and LIKE",
        "LIKE 'prefix%' in an OR, and NOT LIKE, fail with a NullPointerException on a null partition value",
        "bounds",
        "the range of the texts with the prefix takes its place",
        PROBED_VERSIONS,
        is_probed=True,
    ),
    IcebergIssue(
        "null and IN",
        "IN in an OR or before IS NOT NULL, NOT IN, and IN of a subquery fail with a NullPointerException on a null "
        "partition value",
        "bounds",
        "a comparison for each value takes its place, or IS NOT NULL comes first",
        ("1.11.0",),
        is_probed=True,
    ),
    IcebergIssue(
        "metadata columns",
        "min, max and count of _pos, _file, _partition and other metadata columns fail, and so does DELETE with a "
        "condition on them",
        "bounds",
        "they are evaluated by Spark; copy-on-write still fails, but for _file in Spark 4.1",
        PROBED_VERSIONS,
    ),
    IcebergIssue(
        "ORC and IS DISTINCT FROM",
        "in ORC files, IS DISTINCT FROM a constant, which is NOT (v <=> 0), loses rows in which the column is null, "
        "and DELETE leaves them",
        "bounds",
        "<> or IS NULL takes its place",
        PROBED_VERSIONS,
    ),
    IcebergIssue(
        "ORC and null structs",
        "in ORC files, IS NULL of a field of a struct loses rows in which the struct itself is null",
        "bounds",
        "such conditions are evaluated by Spark",
        PROBED_VERSIONS,
    ),
    IcebergIssue(
        "counts in null structs",
        "the counts of FLOAT and DOUBLE fields of structs leave out the structs that are null, in Parquet files that "
        "Iceberg before 1.12 has written, and in ORC files: IS NULL of the field loses rows",
        "bounds",
        "such conditions are evaluated by Spark where a count is below the number of rows",
        PROBED_VERSIONS,
    ),
    IcebergIssue(
        "apache/iceberg#16690",
        "Parquet files that were written before a column was added have its default, but filters on the column take "
        "it for null: they lose all rows of these files",
        "bounds",
        "filters on the column are not passed to Iceberg",
        _BEFORE_1_12[2:],
        is_probed=True,
    ),
    IcebergIssue(
        "ORC and the second before 1970",
        "in ORC files, also in those of Spark without Iceberg, a time from 1969-12-31 23:59:59.001 on and before 1970 "
        "(UTC) is stored as the time a second later, but in the partition of the earlier one: filters lose such rows",
        "bounds",
        "filters read files with such times; the times stay as they are stored",
        PROBED_VERSIONS,
    ),
    IcebergIssue(
        "ORC and signed zeros",
        "in ORC files, also in those of Spark without Iceberg, a run of zeros is read with the sign of its first: the "
        "reader takes -0.0 and 0.0 for one value that repeats",
        "",
        "to Spark the two are equal; 1 / v tells them apart",
        TESTED_VERSIONS,
    ),
    IcebergIssue(
        "ORC, equality deletes and _partition",
        "in ORC files of a partitioned table, rows that equality deletes have removed come back where `_partition` is "
        "read and the columns of the deletes are not, as by DELETE, UPDATE and MERGE with merge-on-read; with columns "
        "of several types the statement may fail with a ClassCastException instead",
        "",
        "read the columns of the deletes as well, or compact the table first",
        ("1.5.2", "1.11.0"),
    ),
    IcebergIssue(
        "ORC and texts beyond U+FFFF",
        "in ORC files, comparisons of a text column with a constant that has a character from U+E000 on, such as an "
        "emoji, lose rows, = among them: the reader's filter compares texts by UTF-16, and the statistics of the files "
        "are in the order of UTF-8",
        "bounds",
        "such comparisons are evaluated by Spark",
        PROBED_VERSIONS,
    ),
    IcebergIssue(
        "ORC and constants before Christ",
        "in ORC files, comparisons of a DATE column with a constant before the year 1 lose rows: the reader's filter "
        "takes it for the date of the same year after Christ, so that d > DATE '-4000-01-01' keeps what is after 4000",
        "bounds",
        "such comparisons are evaluated by Spark",
        PROBED_VERSIONS,
    ),
    IcebergIssue(
        "NOT IN with a null",
        "an overwrite by a filter, such as REPLACE WHERE c NOT IN (NULL, 4), which is never true, removes all rows "
        "with other values: Iceberg leaves the null out",
        "null_constants",
        "such a condition is false",
        PROBED_VERSIONS,
    ),
    IcebergIssue(
        "NaN as a constant",
        "DELETE, UPDATE and MERGE with v <= NaN or v > NaN fail: Iceberg has no such literal",
        "floats",
        "IS NOT NULL, or what is never true, takes its place",
        PROBED_VERSIONS,
    ),
    IcebergIssue(
        "names of an old snapshot",
        "time travel with a filter on a column that was dropped or renamed later fails with 'Cannot find field', and "
        "loses rows where a partition field's column has got the name of another one since: Iceberg looks for the name "
        "in the table's schema",
        "bounds",
        "such filters are evaluated by Spark",
        TESTED_VERSIONS,
    ),
    IcebergIssue(
        "apache/iceberg#15268",
        "a table with equality deletes by a column that was dropped later cannot be read: 'Cannot find required field'",
        "",
        "rewrite the data files before the column is dropped, or read with Iceberg 1.12",
        ("1.11.0",),
    ),
    IcebergIssue(
        "defaults of decimals",
        "Parquet files that were written before a DECIMAL column with a default was added cannot be read: 'Cannot cast "
        "default value'",
        "",
        "read with Iceberg 1.12",
        ("1.11.0",),
    ),
    IcebergIssue(
        "NaN as a default",
        "a column with NaN or an infinity as its default, which Iceberg's API accepts, makes the table unreadable: "
        "the parser of its metadata fails with 'Cannot parse default', also for DROP TABLE",
        "",
        "set no such default; the metadata file before it can be registered as a table",
        TESTED_VERSIONS,
    ),
    IcebergIssue(
        "apache/iceberg#4604",
        "in ORC files, a struct cannot be read by a partition field in it alone, as in SELECT s.v of a table "
        "partitioned by s.v: the query fails with 'Missing ORC reader'",
        "",
        "select a field of the struct that is no partition field as well, or use Parquet",
        PROBED_VERSIONS,
    ),
    IcebergIssue(
        "structs of partition fields",
        "in Parquet files, a struct of which only partition fields are read, such as s.k of a table partitioned by it, "
        "can be null in every row, in some tables and not in others",
        "",
        "read such a table with Iceberg 1.9",
        ("1.5.2", "1.6.1", "1.7.1", "1.8.1"),
    ),
    IcebergIssue(
        "apache/iceberg#17320",
        "in Parquet files of a table partitioned by s.v itself, a struct s that is null is read as a struct of nulls: "
        "s IS NULL loses its row, and a rewritten file no longer has the null",
        "bounds",
        "a warning tells of it, since no reader of that Iceberg sees the null; Iceberg 1.12 reads it",
        _BEFORE_1_12,
        is_probed=True,
    ),
    IcebergIssue(
        "null structs of partition fields alone",
        "in Parquet files, a null struct whose fields are all partition fields, such as s STRUCT<k: INT> of a table "
        "partitioned by s.k, is read as a struct of nulls: s IS NULL loses its row",
        "bounds",
        "a warning tells of it, since no column of the files has the null",
        PROBED_VERSIONS,
    ),
    IcebergIssue(
        "null buckets",
        "from Spark 4.0 on, with spark.sql.sources.v2.bucketing.allowCompatibleTransforms.enabled, an outer join of "
        "tables with different numbers of buckets fails with a NullPointerException if it keeps the null partition of "
        "the one with more",
        "",
        "the rule colocate does without the setting, and spj proposes to turn it off",
        PROBED_VERSIONS[5:],
    ),
    IcebergIssue(
        "DELETE and replaced rows",
        "with merge-on-read and snapshot isolation, a DELETE succeeds although another writer has replaced rows that "
        "it removes: the new versions stay",
        "conflicts",
        "such a DELETE is refused with a conflict",
        PROBED_VERSIONS,
        is_probed=True,
    ),
    IcebergIssue(
        "apache/iceberg#18004",
        "from Spark 4.0 on, a copy-on-write UPDATE whose condition has a subquery too large to be broadcast may leave "
        "the rows of files without rows to change twice: its two reads choose the files at the same time",
        "updates",
        "the reads choose the files one after the other",
        PROBED_VERSIONS,
    ),
    IcebergIssue(
        "apache/iceberg#13873",
        "equality deletes of several columns, as Flink writes them, are kept by an executor with the columns in the "
        "order of the first query: others that read other columns return deleted rows",
        "",
        "installed sessions set spark.sql.iceberg.executor-cache.enabled to false, unless they have a value; a cluster "
        "that has read such tables before needs it from its start",
        PROBED_VERSIONS[:6],
        is_probed=True,
    ),
    IcebergIssue(
        "promoted columns of deletes",
        "an executor keeps the equality deletes that it has read in the type that their columns had then: after a "
        "promotion, as from INT to BIGINT, queries return deleted rows",
        "bounds",
        "for such a table, sessions set spark.sql.iceberg.executor-cache.enabled to false, unless they have a value",
        PROBED_VERSIONS,
    ),
    IcebergIssue(
        "DELETE and fields of structs",
        "DELETE with IS NULL of a field of a struct fails with 'Cannot filter by nested column'",
        "bounds",
        "such conditions are evaluated by Spark",
        PROBED_VERSIONS[:2],
        is_probed=True,
    ),
    IcebergIssue(
        "apache/iceberg#12178",
        "with Spark 3.5.4 and newer, rows of Parquet files with more than 5,000 are wrong, or the process ends: Spark "
        "frees what the vectorized reader still fills",
        "",
        "installed sessions set spark.sql.iceberg.vectorization.enabled to false, unless they have a value",
        PROBED_VERSIONS[:3],
        is_probed=True,
    ),
    IcebergIssue(
        "apache/iceberg#11221",
        "decimals are wrong in Parquet files of other writers, as of pyarrow, that store them with a fixed length, and "
        "only some pages with a dictionary: the vectorized reader puts them into other rows",
        "",
        "installed sessions set spark.sql.iceberg.vectorization.enabled to false, unless they have a value",
        PROBED_VERSIONS[:2],
        is_probed=True,
    ),
    IcebergIssue(
        "apache/iceberg#13635",
        "in stores over the network, = and IN lose rows of Parquet files with Bloom filters that Iceberg before 1.8, "
        "Spark or Trino has written: the reader takes a part of the filter for all of it",
        "bounds",
        "in tables with the property for such filters, or with imported files, they are passed to Iceberg as ranges, "
        "which ask no Bloom filter",
        ("1.8.1", "1.9.2"),
        is_probed=True,
    ),
    IcebergIssue(
        "deletes by binary partitions",
        "equality deletes by several columns, one of them a BINARY column that is a partition field itself, leave "
        "deleted rows",
        "",
        "compact such a table with a newer Iceberg",
        PROBED_VERSIONS[:5],
    ),
    IcebergIssue(
        "delta-io/delta#7444",
        "Delta Lake's UniForm cuts bounds to milliseconds: a filter on the last millisecond of a file loses rows",
        "bounds",
        "in tables that UniForm has converted, ranges begin a millisecond earlier",
    ),
    IcebergIssue(
        "ClickHouse/ClickHouse#116499",
        "a lower bound above the upper one: any filter on the column loses the file's rows",
        "bounds",
        "filters on the column read such files in full",
    ),
    IcebergIssue(
        "ClickHouse/ClickHouse#118583",
        "before September 2026, ClickHouse wrote the day of the server's time zone as partition value, and 0 before "
        "1970: filters and joins on the column lose rows",
        "bounds",
        "a partition value is not used if the bounds of its column contradict it",
    ),
    IcebergIssue(
        "ClickHouse/ClickHouse#112414",
        "before August 2026, ClickHouse wrote the null counts of all files of a commit for each: IS NOT NULL and "
        "count lose rows",
        "bounds",
        "null counts are not used if the bounds of their column contradict them",
    ),
)
