"""The files of a hypothetical table, without Spark: sizes, splits, bounds, specs, workloads, advice as text."""

from __future__ import annotations

import json
import math
import random
import re
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, timezone
from decimal import Decimal
from functools import cache
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

import pytest

from spark_iceberg_sql.errors import FileError, IcebergSqlError
from spark_iceberg_sql.insight.advise.layouts.candidate_fields import (
    alter_statements,
    ascending,
    candidate_fields,
    candidate_specs,
    field_per_column,
    orders_of,
    spec_variants,
)
from spark_iceberg_sql.insight.advise.layouts.candidate_layouts import (
    MAX_PAIRED_FIELDS,
    candidates,
    median_file_size,
    paired_fields,
)
from spark_iceberg_sql.insight.advise.layouts.counted_files import CountedPartition, rolled_up, with_counted_partitions
from spark_iceberg_sql.insight.advise.layouts.file_layout import assume_rows
from spark_iceberg_sql.insight.advise.layouts.layout import Sample, file_columns, hypothetical_table, slice_files
from spark_iceberg_sql.insight.advise.layouts.rank_bounds import RankedColumn, RankRange
from spark_iceberg_sql.insight.advise.layouts.z_order import z_order_keys
from spark_iceberg_sql.insight.advise.model import Advice, Proposal, QueryReads, proposal, with_today
from spark_iceberg_sql.insight.hypothetical.partitions import Bounds, HypotheticalFile, HypotheticalTable
from spark_iceberg_sql.insight.hypothetical.size_curve import DataFile
from spark_iceberg_sql.insight.hypothetical.values import lower_bound, ordinal, upper_bound
from spark_iceberg_sql.insight.hypothetical.written_files import (
    FileSizeModel,
    TaskOutput,
    TrialWrite,
    WriteSettings,
    map_status_size,
    sorting_tasks,
    task_of_outputs,
    trial_indexes,
)
from spark_iceberg_sql.insight.preview.existing_files import ManifestStats, partition_totals, round_to_total, units_of
from spark_iceberg_sql.insight.preview.model import partition_text
from spark_iceberg_sql.insight.specs import candidate_spec, clause
from spark_iceberg_sql.insight.workload import Query, skipped_statements, workload
from spark_iceberg_sql.model.schema import Schema
from spark_iceberg_sql.model.spec import PartitionField, Spec
from spark_iceberg_sql.model.table import SortField
from spark_iceberg_sql.model.transforms import BY_NAME
from spark_iceberg_sql.model.types import Field, Primitive, Struct

pytestmark = pytest.mark.tier("quick")  # many processes or many trials: `make fast` leaves them out


def column(field_id: int, name: str, kind: str, *arguments: int) -> Field:
    return Field(name, Primitive(kind, arguments), False, field_id)


SCHEMA = Schema(
    (
        column(1, "id", "long"),
        column(2, "ts", "timestamptz"),
        column(3, "name", "string"),
        Field("two words", Struct((column(5, "at", "timestamp"), column(6, "x", "double"))), False, 4),
        column(7, "price", "decimal", 9, 2),
    )
)


def fields(text: str) -> tuple[PartitionField, ...]:
    return candidate_spec(text, SCHEMA).spec.fields


# ------------------------------------------------------------------------------------- specs


@pytest.mark.parametrize(
    ("text", "clause"),
    [
        ("days(ts), bucket(16, id)", "days(ts), bucket(16, id)"),
        ("day( ts ) -- by day", "days(ts)"),
        ("", ""),
        ("hours(`two words`.at)", "hours(`two words`.at)"),
        ("identity(name)", "name"),
    ],
)
def test_a_spec_is_read_as_ddl_reads_it(text: str, clause: str) -> None:
    assert candidate_spec(text, SCHEMA).text == clause


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("days(name)", "SIS202"),
        ("bucket(id, 16)", "write `bucket(16, id)`"),
        ("nope", "no column `nope`"),
        ("days(ts)) AS SELECT 1 --", "`)` ends it"),
        ("id; DROP TABLE t", "`;` ends it"),
        ("days(ts", "a `)` is missing"),
        ("days(ts), hours(ts)", "SIS303"),
        ("void(id)", "SIS106"),
    ],
)
def test_a_spec_that_would_be_refused_says_why(text: str, message: str) -> None:
    with pytest.raises(IcebergSqlError) as error:
        candidate_spec(text, SCHEMA)
    assert message in str(error.value)


def test_advice_of_the_rules_does_not_refuse_a_spec() -> None:
    assert [w[:6] for w in candidate_spec("ts", SCHEMA).warnings] == ["SIS501"]


# ------------------------------------------------------------------------------------- files


def test_adaptive_execution_splits_where_the_next_map_output_would_be_too_much() -> None:
    settings = WriteSettings("hash", 1, advisory_size=100)
    assert task_of_outputs([60, 60, 60], settings) == [0, 1, 2]
    assert task_of_outputs([50, 50], settings) == [0, 0]  # not above it
    assert task_of_outputs([90, 90, 5], settings) == [0, 1, 1]  # a small rest joins its neighbour
    assert task_of_outputs([], settings) == []
    assert task_of_outputs([500], WriteSettings("hash", 1)) == [0]  # nothing is split


def test_the_driver_knows_map_outputs_in_steps_of_ten_percent() -> None:
    assert [map_status_size(size) for size in (0, 1, 2, 100, 1_000_000)] == [0, 1, 2, 106, 1_004_475]


def test_the_pieces_to_write_are_spread_over_the_bytes_and_the_sizes() -> None:
    task_outputs = [TaskOutput(n, n * 10) for n in range(1, 101)]
    chosen = trial_indexes(task_outputs, 12)
    assert {0, 99} <= set(chosen)
    assert 8 <= len(chosen) <= 12
    assert sum(i >= 40 for i in chosen) >= 4  # where the bytes are
    assert sum(i < 10 for i in chosen) >= 4  # where files compress worst
    assert trial_indexes(task_outputs[:5], 12) == [0, 1, 2, 3, 4]
    assert trial_indexes([], 12) == []


def test_how_larger_files_grow_and_by_how_much_a_partition_may_be_off() -> None:
    """The size grows as the power 0.9 of the rows, then as half of the way from there to 1."""
    files = [DataFile(n, n * 100, round((n * 100) ** 0.9)) for n in (10_000, 20_000, 40_000, 80_000, 160_000)]
    trials = [TrialWrite(TaskOutput(f.rows, f.raw_bytes), (f,), True) for f in files]
    sizes = FileSizeModel(trials, WriteSettings("hash", 1 << 40))
    assert sizes.predict(10 * files[-1].raw_bytes) == pytest.approx(10**0.95 * files[-1].size, rel=0.001)
    assert sizes.partition_error(files[-1].raw_bytes) == 0.05  # interpolated within 1 %
    scattered = [DataFile(f.rows, f.raw_bytes, round(f.size * (1.3 if i % 2 else 1))) for i, f in enumerate(files)]
    trials = [TrialWrite(TaskOutput(f.rows, f.raw_bytes), (f,), True) for f in scattered]
    assert FileSizeModel(trials, WriteSettings("hash", 1 << 40)).partition_error(files[-1].raw_bytes) > 0.3
    assert FileSizeModel(trials[:1], WriteSettings("hash", 1 << 40)).partition_error(1) == 1.0


def test_a_file_s_size_follows_those_that_were_written() -> None:
    files = [DataFile(n, n * 100, 500 + n * 20) for n in (100, 1000, 10_000, 100_000)]
    trials = [TrialWrite(TaskOutput(f.rows, f.raw_bytes), (f,), True) for f in files]
    sizes = FileSizeModel(trials, WriteSettings("hash", 1 << 40))
    for rows in (100, 300, 5_000, 70_000, 1_000_000):
        assert sizes.predict(rows * 100) == pytest.approx(500 + rows * 20, rel=0.06)
    assert sizes.predict(0) == 0
    assert 125 <= sizes.predict(1) <= 2500


def test_a_writer_rolls_where_the_trials_did() -> None:
    task_output = TaskOutput(5_000, 500_000)
    trial = TrialWrite(task_output, (DataFile(2_000, 200_000, 50_000),) * 2, True, (150_000.0, 150_000.0))
    sizes = FileSizeModel([trial], WriteSettings("hash", 150_000))
    assert [f.rows for f in sizes.files(task_output)] == [2_000, 2_000, 1_000]
    assert [f.rows for f in sizes.files(TaskOutput(4_000, 400_000))] == [2_000, 2_000]
    assert sizes.files(TaskOutput(0, 0)) == []


def test_a_page_that_is_not_full_counts_uncompressed() -> None:
    # 100 bytes a row, 10 of them compressed: below a page's 20,000 rows it is the former that reach the target.
    trial = TrialWrite(TaskOutput(1_000, 100_000), (DataFile(1_000, 100_000, 10_000),), True)
    assert FileSizeModel([trial], WriteSettings("hash", 500_000)).rows_per_file(100) == 5_000
    large = FileSizeModel([trial], WriteSettings("hash", 100_000_000)).rows_per_file(100)
    assert large == pytest.approx(10_000_000, rel=0.05)


# ------------------------------------------------------------------------------------- metadata


def test_bounds_are_packed_as_the_spec_says() -> None:
    def kind(name: str) -> Primitive:
        return Primitive(name)

    moment = datetime(1970, 1, 1, 0, 0, 1, tzinfo=timezone.utc)
    assert lower_bound(kind("long"), 34) == struct.pack("<q", 34)
    assert lower_bound(kind("date"), ordinal(kind("date"), date(1970, 1, 3))) == b"\2\0\0\0"
    assert lower_bound(kind("timestamptz"), ordinal(kind("timestamptz"), moment)) == struct.pack("<q", 1_000_000)
    assert lower_bound(kind("decimal"), Decimal("14.20")) == b"\x05\x8c"  # the spec's example
    assert lower_bound(kind("decimal"), Decimal("-0.01")) == b"\xff"
    assert lower_bound(kind("decimal"), Decimal("1.28")) == b"\x00\x80"
    assert lower_bound(kind("string"), "x" * 20) == b"x" * 16
    assert upper_bound(kind("string"), "x" * 20) == b"x" * 15 + b"y"
    assert upper_bound(kind("string"), "x" * 16) == b"x" * 16
    assert upper_bound(kind("string"), "\U0010ffff" * 20) is None
    assert upper_bound(kind("binary"), b"\xff" * 20) is None
    assert lower_bound(kind("double"), float("nan")) is None


def test_files_are_packed_with_each_distinct_value_once() -> None:
    spec = candidate_spec("days(ts), name", SCHEMA).spec
    bounds = {1: Bounds(3, 9, nulls=1), 6: Bounds(0.0, None, 10)}
    files = (
        HypotheticalFile((19723, None), 10, 0, bounds),
        HypotheticalFile((19723, "n"), 11, 5, {6: Bounds(-0.0, float("nan"), 2, nans=4)}),
    )
    table = HypotheticalTable(SCHEMA, spec, files)
    assert (table.partition_count, table.row_count, table.total_size) == (2, 21, 5)
    assert table.to_bytes() == b"".join(
        (
            struct.pack(">i 4q", 2, 10, 11, 0, 5),  # rows, and bytes
            struct.pack(">ii", 1, 4) + struct.pack("<i", 19723) + struct.pack(">2q", 0, 0),
            struct.pack(">ii", 1, 1) + b"n" + struct.pack(">2q", -1, 0),
            struct.pack(">i", 2),
            struct.pack(">i? 4q", 1, False, 1, -1, 0, 0),  # the second file has no bounds of `id`
            struct.pack(">ii", 1, 8) + struct.pack("<q", 3) + struct.pack(">2q", 0, -1),
            struct.pack(">ii", 1, 8) + struct.pack("<q", 9) + struct.pack(">2q", 0, -1),
            struct.pack(">i? 4q", 6, True, 10, 2, 0, 4),
            struct.pack(">ii", 2, 8) + struct.pack("<d", 0.0) + struct.pack(">i", 8),
            struct.pack("<d", -0.0) + struct.pack(">2q", 0, 1),
            struct.pack(">i 2q", 0, -1, -1),
        )
    )


def test_partitions_are_readable() -> None:
    spec = Spec(0, (*fields("months(ts)"), *fields("hours(`two words`.at)"), *fields("name")))
    text = partition_text(spec, (-1, 25, None))
    assert text == "ts_month=1969-12/two words.at_hour=1970-01-02-01/name=null"


def utc(year: int, month: int, day: int, hour: int = 0) -> datetime:
    return datetime(year, month, day, hour, tzinfo=timezone.utc)


class FileStats(NamedTuple):
    """A file. bounds: by field id, each column's lower and upper bound."""

    rows: int
    size: int
    bounds: Mapping[int, tuple[Any, Any]]


def by_column(files: Sequence[FileStats]) -> Iterator[ManifestStats]:
    """Two manifests of the files."""
    for part in (files[:2], files[2:]):
        pairs = {i: [file.bounds.get(i, (None, None)) for file in part] for i in (1, 2, 3)}
        bounds = {i: ([low for low, _ in pairs[i]], [high for _, high in pairs[i]]) for i in pairs}
        yield ManifestStats([file.rows for file in part], [file.size for file in part], bounds)


@pytest.mark.parametrize(
    ("text", "bounds", "shares"),
    [
        ("months(ts)", (utc(2024, 1, 16), utc(2024, 3, 1)), {648: 16, 649: 29, 650: 0}),
        ("years(ts)", (utc(1969, 12, 31), utc(1970, 1, 2)), {-1: 1, 0: 1}),
        ("days(ts)", (utc(2024, 1, 1, 12), utc(2024, 1, 2, 12)), {19723: 0.5, 19724: 0.5}),
    ],
)
def test_rows_are_spread_over_the_time_of_their_file(
    text: str, bounds: tuple[datetime, datetime], shares: dict[int, float]
) -> None:
    kind = Primitive("timestamptz")
    low, high = (ordinal(kind, moment) for moment in bounds)
    days = (high - low) / 86_400_000_000
    file = FileStats(1000, 5000, {2: (low, high)})
    totals = partition_totals(Spec(0, fields(text)), by_column([file, file]), {2: "timestamptz"})
    assert totals.keys() == {(value,) for value in shares}
    for value, share in shares.items():
        assert totals[(value,)].rows == pytest.approx(2000 * share / days, abs=0.1)
    assert sum(total.size for total in totals.values()) == pytest.approx(10_000)


def test_metadata_refuses_what_bounds_do_not_say() -> None:
    file_stats = FileStats(10, 100, {3: ("a", "a"), 1: (5, 5)})
    spec = Spec(0, fields("name, bucket(4, id)"))
    assert len(partition_totals(spec, by_column([file_stats]), {3: "string", 1: "long"})) == 4
    for bounds in ({3: ("a", "b")}, {}):
        with pytest.raises(IcebergSqlError, match="using => 'data'"):
            partition_totals(Spec(0, fields("name")), by_column([FileStats(10, 100, bounds)]), {3: "string"})
    wide_range = FileStats(10, 100, {1: (0, 10**9)})
    with pytest.raises(IcebergSqlError, match="1,000,000,001 values"):
        partition_totals(Spec(0, fields("id")), by_column([wide_range]), {1: "long"})
    files = by_column([FileStats(20, 200, {1: (-5, 14)})])
    tens = partition_totals(Spec(0, fields("truncate(10, id)")), files, {1: "long"})
    assert {key: round(total.rows) for key, total in tens.items()} == {(-10,): 5, (0,): 10, (10,): 5}


# ------------------------------------------------------------------------------------- candidates


def test_candidates_take_only_what_their_transform_accepts() -> None:
    names = {str(f.transform) for f in candidate_fields(SCHEMA, 2)}
    assert {"year", "month", "day", "hour", "bucket[16]"} <= names
    assert "identity" not in names  # each instant a partition
    assert candidate_fields(SCHEMA, 6) == ()  # a double
    assert candidate_fields(SCHEMA, 4) == ()  # a struct
    assert len({f.field_id for f in field_per_column(SCHEMA)}) == len(field_per_column(SCHEMA))


@pytest.mark.parametrize(("max_buckets", "count"), [(0, 256), (1500, 1024), (1e9, 4096)])
def test_the_counts_of_buckets(max_buckets: float, count: int) -> None:
    fields = candidate_fields(SCHEMA, 2, max_buckets=max_buckets)
    counts = [f.transform.parameter or 0 for f in fields if f.transform.transform.hashes]
    assert (counts[0], counts[-1]) == (4, count)


def test_every_pair_over_two_columns_is_tried() -> None:
    some = [*fields("days(ts)"), *fields("months(ts)"), *fields("bucket(4, id)")]
    tried = [{str(f.transform) for f in spec} for spec in candidate_specs(some)]
    assert tried == [set(), {"day"}, {"month"}, {"bucket[4]"}, {"day", "bucket[4]"}, {"month", "bucket[4]"}]


def test_the_alters_lead_from_one_spec_to_the_other() -> None:
    before = fields("days(ts), bucket(4, id)")
    after = fields("months(ts), name")
    assert alter_statements("db.t", before, after, SCHEMA) == (
        "ALTER TABLE db.t REPLACE PARTITION FIELD days(ts) WITH months(ts)",
        "ALTER TABLE db.t DROP PARTITION FIELD bucket(4, id)",
        "ALTER TABLE db.t ADD PARTITION FIELD name",
    )
    assert alter_statements("db.t", before, before, SCHEMA) == ()


# ------------------------------------------------------------------------------------- samples


def sample(sampled_rows: int, rows: int, target: int = 1 << 40) -> Sample:
    """Rows in the order of `id`; ten names in turn."""
    step = rows // sampled_rows
    day = 86_400_000_000
    ids = [i * step for i in range(sampled_rows)]
    keys = {
        fields("bucket(4, id)")[0].key: [i % 4 for i in ids],
        fields("name")[0].key: [f"n{i % 10}" for i in range(sampled_rows)],
        fields("days(ts)")[0].key: [i * 10 // rows for i in ids],
    }
    columns = {
        1: ids,
        2: [i * 10 * day // rows for i in ids],
        3: [None if i % 10 == 9 else f"n{i % 10}" for i in range(sampled_rows)],
    }
    files = [DataFile(n, n * 100, n * 10) for n in (1, 1_000, 100_000)]
    trials = [TrialWrite(TaskOutput(f.rows, f.raw_bytes), (f,), True) for f in files]
    sizes = FileSizeModel(trials, WriteSettings("hash", target))
    return Sample(rows, 100.0, columns, keys, sizes, sampled_rows)


def test_a_sample_s_partitions_keep_the_order_of_their_rows() -> None:
    some = sample(1000, 1000)
    table = hypothetical_table(some, SCHEMA, Spec(0, fields("name")), slice_files(some, fields("name")))
    assert (table.partition_count, table.row_count, len(table.files)) == (10, 1000, 10)
    assert table.files[0].bounds[1] == Bounds(0, 990)
    last = next(f for f in table.files if f.partition == ("n9",))
    assert last.bounds[3].low is None
    assert last.bounds[3].nulls == 100


def test_what_a_sample_has_not_seen_widens_the_bounds() -> None:
    some = sample(1000, 1_000_000)
    spec = Spec(0, fields("name"))
    file = hypothetical_table(some, SCHEMA, spec, slice_files(some, spec.fields)).files[5]
    assert file.rows == 100_000
    low, high = file.bounds[1].low, file.bounds[1].high
    assert low < 5_000 <= 995_000 < high
    by_day = Spec(0, fields("days(ts)"))
    first = hypothetical_table(some, SCHEMA, by_day, slice_files(some, by_day.fields)).files[0]
    assert first.bounds[2].high == 86_400_000_000  # the next partition's first value
    by_name = hypothetical_table(some, SCHEMA, spec, slice_files(some, spec.fields)).files
    assert all({f.bounds[3].low, f.bounds[3].high} <= {*f.partition, None} for f in by_name)


def test_a_spec_with_small_files_is_known_by_its_middle_file() -> None:
    some = sample(1000, 1_000_000)
    assert median_file_size(some, fields("name")) == pytest.approx(1_000_000, rel=0.01)
    assert median_file_size(some, fields("name, days(ts)")) == pytest.approx(100_000, rel=0.01)
    small = sample(1000, 1_000_000, target=200_000)
    cut = slice_files(small, ())
    assert sum(cut.sizes) == pytest.approx(10_000_000, rel=0.05)
    assert max(cut.sizes) < 400_000


def test_what_is_not_laid_out_is_listed_with_the_reason() -> None:
    some, days = sample(1000, 1_000_000), fields("days(ts)")[0]
    same = fields("months(ts)")[0]
    some = replace(some, field_values={**some.field_values, same.key: some.field_values[days.key]})
    tried = [days, same, *fields("bucket(4, id)"), *fields("name")]
    specs = candidates(some, tried, 500_000)
    assert {clause(Spec(0, spec), SCHEMA) for spec in specs.layouts} == {"", "days(ts)", "name"}
    reasons = {clause(Spec(0, spec), SCHEMA): reason for spec, reason in specs.ruled_out.items()}
    assert reasons.pop("days(ts), name").startswith("its median file would have")
    assert reasons == {
        "months(ts)": "it has the same partitions as days(ts)",
        "bucket(4, id)": "all rows would be in one partition",
    }


def test_of_many_fields_the_best_of_each_column_are_tried_in_pairs() -> None:
    """All pairs of a hundred fields are thousands of specs."""
    some = sample(1000, 1_000_000)
    of_id = [fields(f"truncate({width}, id)")[0] for width in range(10, 10 + MAX_PAIRED_FIELDS)]
    (day,) = fields("days(ts)")
    values = {f.key: [row // width for row in range(1000)] for width, f in enumerate(of_id, 10)}
    some = replace(some, field_values={**some.field_values, **values})
    assert max(map(len, candidates(some, [*of_id[1:], day], 0).layouts)) == 2
    alone = candidates(some, [*of_id, day], 0)
    assert {len(spec) for spec in alone.layouts} == {0, 1}
    assert alone.fields == [*of_id, day]
    worst_last = [(f,) for f in (*of_id, day)]
    assert paired_fields(alone.fields, worst_last) == [of_id[0], day, *of_id[1:-1]]
    assert paired_fields(alone.fields, worst_last[::-1]) == [day, of_id[-1], *of_id[-2:0:-1]]


def test_rows_in_the_order_of_a_column() -> None:
    """Nulls are where the order puts them, and each file then has its own range."""
    some = sample(1000, 1000)
    by_name = some.sorted_by([ascending(3)])
    assert by_name.columns[3] == sorted(some.columns[3], key=lambda name: name or "")
    assert sorted(by_name.columns[1]) == some.columns[1]
    last = SortField(3, ascending(3).transform, "DESC", "NULLS LAST")
    assert some.sorted_by([last]).columns[3] == by_name.columns[3][::-1]
    twice = some.sorted_by([ascending(3), SortField(1, last.transform, "DESC", "NULLS LAST")])
    assert twice.columns[1][:2] == [999, 989]  # the last row without a name first
    for ordered in (by_name, twice):  # the ranks are those that the values have
        ranked_anew = replace(ordered).ranked_columns
        assert ordered.ranked_columns.keys() == ranked_anew.keys()
        for key, column in ranked_anew.items():
            kept = ordered.ranked_columns[key]
            assert (kept.ranks, kept.nulls, kept.sorted_values) == (column.ranks, column.nulls, column.sorted_values)


def test_a_rewrite_that_sorts_counts_its_files_by_those_that_it_reads() -> None:
    """15 files are sorted by 15 tasks, whatever the sorted rows will fill: Iceberg's expectedOutputFiles."""
    for target, count in ((100, 15), (99, 15), (110, 13), (1500, 1), (1501, 1), (1400, 1), (800, 2), (750, 2)):
        assert sorting_tasks(1500, target) == count, target
    some = replace(sample(1000, 100_000, target=400_000).sorted_by([ascending(3)]), stored_row_bytes=60.0)
    assert len(some.files(100_000)) == 24  # tasks of 0.8 and 0.9 times the rows fill one file, the others two
    assert len(slice_files(some, ()).sizes) == 24
    wide = replace(some, stored_row_bytes=30.0)
    assert len(wide.files(100_000)) == 20  # 7 tasks of 14,286 rows: two files of 0.8 times as many, else three
    assert some.in_larger_files() is some
    assert len(slice_files(replace(some, stored_row_bytes=0.0), ()).sizes) == 25  # by the target size of new files


def test_a_rewrite_into_another_spec_mixes_the_order_of_its_tasks() -> None:
    """Each of ten tasks reads a tenth of the rows; what they write is fetched in any order."""
    (field,) = fields("bucket(2, id)")
    rows = replace(sample(1000, 100_000, target=400_000), stored_row_bytes=40.0, stored_fields=frozenset())
    positions = rows.places_in([field])
    assert len(set(positions)) == 1000
    order = sorted(range(1000), key=positions.__getitem__)
    starts = [row for previous, row in zip([-2, *order], order, strict=False) if row != previous + 1]
    assert len(starts) == 10
    assert sorted(starts) == list(range(0, 1000, 100))
    assert starts != sorted(starts)
    # Not into today's spec, nor without one, nor if the rows are sorted, nor if there is no table.
    assert rows.places_in([]) == ()
    assert replace(rows, stored_fields=frozenset([field.key])).places_in([field]) == ()
    assert replace(rows, stored_fields=None).places_in([field]) == ()
    assert rows.sorted_by([ascending(3)]).places_in([field]) == ()


def test_a_z_order_alternates_the_bits_of_the_columns() -> None:
    corners = [(x, y) for x in range(4) for y in range(4)]
    keys = z_order_keys([[x for x, _ in corners], [y for _, y in corners]])
    assert keys is not None
    by_key = [corner for _, corner in sorted(zip(keys, corners, strict=True))]
    assert by_key[:8] == [(0, 0), (0, 1), (1, 0), (1, 1), (0, 2), (0, 3), (1, 2), (1, 3)]
    signs = z_order_keys([[None, -5, 0, 7], ["", "a", "b", "ba"]])
    assert signs is not None
    assert signs == sorted(signs)
    assert z_order_keys([[1.5]]) is None
    # Every file of the z-order has a part of both ranges; sorted by one column, all of the other.
    columns = {1: [n % 64 for n in range(4096)], 2: [n // 64 for n in range(4096)]}
    rows = replace(sample(4096, 4096), columns=columns, field_values={})
    z_ordered = rows.z_ordered([1, 2])
    assert z_ordered is not None
    first = z_ordered.columns[1][:64], z_ordered.columns[2][:64]
    assert [len(set(values)) for values in first] == [8, 8]


def test_orders_of_two_columns() -> None:
    assert [(order.field_ids, order.is_z_order) for order in orders_of([3, 1])] == [
        ((3, 1), False),
        ((1, 3), False),
        ((3, 1), True),
    ]
    assert list(orders_of([3])) == []


def test_todays_spec_with_one_field_less_or_more() -> None:
    today = fields("days(ts), bucket(4, id)")
    specs = spec_variants(today, [*fields("name"), *fields("months(ts)")])
    assert [clause(Spec(0, spec), SCHEMA) for spec in specs] == [
        "days(ts), bucket(4, id)",
        "bucket(4, id)",
        "days(ts)",
        "days(ts), bucket(4, id), name",
    ]
    assert spec_variants([], fields("name")) == []


def test_a_table_without_rows_has_no_files() -> None:
    none = Sample(0, 1.0, {1: []}, {}, FileSizeModel([], WriteSettings("hash", 1000)), 0)
    assert slice_files(none, ()).file_ends == []
    assert median_file_size(none, ()) == 0
    assert candidates(none, [], 100).layouts.keys() == {()}


def test_partitions_of_one_sampled_row_are_of_unknown_size() -> None:
    """Such a row says only that its partition has at most the rows that it stands for."""
    sizes = FileSizeModel([], WriteSettings("hash", 1_000_000))
    keys = {fields("id")[0].key: range(1000)}
    assert median_file_size(Sample(10**9, 100.0, {}, keys, sizes, 1000), fields("id")) == 0
    assert median_file_size(Sample(1000, 100.0, {}, keys, sizes, 1000), fields("id")) > 0


# ------------------------------------------------------------------------------------- bounds


PARTITION_OF: dict[Any, Callable[[Any], Any]] = {
    fields("truncate(2, name)")[0].key: lambda name: name[:2],
    fields("months(ts)")[0].key: lambda time: units_of(BY_NAME["month"], "timestamptz", [time])[0],
}


@cache
def skewed(rows: int, share: float, seed: int) -> tuple[Sample, Sample]:
    """Rows in the order of their time with a skewed name, and a sample of them."""
    some = random.Random(seed)
    ids = [int(rows * some.random() * some.random()) for _ in range(rows)]
    times = [int(150 * math.sqrt(i / rows) * 86_400_000_000) for i in range(rows)]
    names = [f"c{int(60 * some.random() ** 3)}" for _ in range(rows)]
    columns: dict[int, list[Any]] = {1: ids, 2: times, 3: names}
    keys: dict[Any, list[Any]] = {
        fields("bucket(8, id)")[0].key: [i % 8 for i in ids],
        fields("truncate(2, name)")[0].key: [n[:2] for n in names],
        fields("months(ts)")[0].key: units_of(BY_NAME["month"], "timestamptz", times),
    }
    picked = [i for i in range(rows) if some.random() < share]
    sizes = FileSizeModel(
        [TrialWrite(TaskOutput(n, n * 100), (DataFile(n, n * 100, n * 10),), True) for n in (1, 1_000, 50_000)],
        WriteSettings("hash", 200_000),
    )
    full_sample, some_rows = (
        Sample(
            rows,
            100.0,
            {i: [column[n] for n in row_numbers] for i, column in columns.items()},
            {key: [column[n] for n in row_numbers] for key, column in keys.items()},
            sizes,
            len(row_numbers),
            {i: (min(column), max(column)) for i, column in columns.items()},
        )
        for row_numbers in (range(rows), picked)
    )
    return full_sample, some_rows


def read(some: Sample, spec: str, field_id: int, low: Any, high: Any) -> float:
    """The share of the bytes in files whose bounds and partition overlap a range."""
    of = fields(spec)
    table = hypothetical_table(some, SCHEMA, Spec(0, of), slice_files(some, of))
    ends = [
        (n, PARTITION_OF[f.key](low), PARTITION_OF[f.key](high))
        for n, f in enumerate(of)
        if f.source_id == field_id and f.key in PARTITION_OF
    ]
    kept = [
        f.size
        for f in table.files
        if f.bounds[field_id].low <= high
        and f.bounds[field_id].high >= low
        and all(lowest <= f.partition[n] <= highest for n, lowest, highest in ends)
    ]
    return sum(kept) / table.total_size


@pytest.mark.parametrize(
    "spec",
    [
        "",
        "bucket(8, id)",
        "truncate(2, name)",
        "months(ts)",
        "months(ts), truncate(2, name)",
        "bucket(8, id), truncate(2, name)",
    ],
)
def test_a_sample_s_files_are_kept_as_often_as_those_of_all_rows(spec: str) -> None:
    """Above all those with rare values at the end of a partition's range, and those with a range of times each."""
    off = []
    for seed in range(2):
        full_sample, some = skewed(30_000, 0.04, seed)
        for field_id, low, high in [
            *((3, f"c{n}", f"c{n}") for n in (0, 17, 29, 37, 48, 55)),
            *((2, day * 86_400_000_000, (day + 3) * 86_400_000_000) for day in (5, 40, 90, 140)),
            *((1, n, n) for n in (30, 20_000, 28_000)),
        ]:
            off.append(read(some, spec, field_id, low, high) - read(full_sample, spec, field_id, low, high))
    assert abs(mean(off)) < 0.035
    assert mean(map(abs, off)) < 0.06


def bounds_of(
    column: RankedColumn, ranks: Sequence[int], weight: float, partition_range: RankRange | None = None, files: int = 1
) -> list[Bounds]:
    """Of several files with the same sampled rows, of which none is NaN."""
    ends = [len(ranks) * (n + 1) for n in range(files)]
    ranges = [partition_range] * files if partition_range is not None else ()
    values, lows, highs, nulls, nans = column.of_files(
        [*ranks] * files, [r < 0 for r in ranks] * files, ends, weight, ranges
    )
    return [
        Bounds(values[low], values[high], *counts) for low, high, *counts in zip(lows, highs, nulls, nans, strict=True)
    ]


def test_bounds_that_a_sample_does_not_show() -> None:
    """A value may be missing by chance, or because each file has its own values."""
    column = RankedColumn([i // 10 for i in range(1000)])  # 100 values, in the order of the rows
    ranks = [r for r in column.ranks if 20 <= r < 40]
    assert bounds_of(column, ranks, 25.0) == [Bounds(19, 40, 0, 0)]
    assert bounds_of(column, ranks, 25.0, RankRange(20, 39, 20, 39)) == [Bounds(20, 39, 0, 0)]  # its partition
    # Values that the sample does not have lie before the next partition's.
    assert bounds_of(column, ranks, 25.0, RankRange(20, 39, 19, 40)) == [Bounds(19, 40, 0, 0)]
    assert bounds_of(column, ranks, 1.0) == [Bounds(20, 39, 0, 0)]  # every row
    spread_ = RankedColumn([i % 100 for i in range(1000)])
    some = spread_.ranks[2:98]
    assert bounds_of(spread_, some, 25.0) == [Bounds(0, 99, 0, 0)]
    assert bounds_of(spread_, [50] * 40, 25.0) == [Bounds(50, 50, 0, 0)]  # certainly of one value
    assert bounds_of(spread_, [50], 25.0) == [Bounds(0, 99, 0, 0)]  # nothing is known
    few = RankedColumn(["c5", "c6"] * 500)  # c57 is too rare to be sampled
    assert bounds_of(few, [0] * 500, 25.0, RankRange(0, 0, 0, 1)) == [Bounds("c5", "c6", 0, 0)]
    many = [bounds.high for bounds in bounds_of(few, [0] * 5, 2.0, RankRange(0, 0, 0, 1), files=1000)]
    assert 10 < many.count("c6") < 40  # one of the two or so rows that are missing, in one of 100 files
    rare = RankedColumn([None if i % 50 else i for i in range(1000)])
    assert bounds_of(rare, [-1] * 30, 25.0) == [Bounds(0, 950, 749, 0)]  # by chance all null
    assert bounds_of(rare, [-1] * 300, 25.0) == [Bounds(None, None, 7500, 0)]
    nearly = RankedColumn([None if i % 50 == 0 else i for i in range(1000)])
    assert [bounds.nulls for bounds in bounds_of(nearly, nearly.ranks[1:40], 25.0)] == [1]
    assert [bounds.nulls for bounds in bounds_of(nearly, nearly.ranks[1:40] * 10, 25.0)] == [0]


def test_the_files_of_an_estimate_are_packed_as_those_of_a_table() -> None:
    """Of an estimate, no object is made of a file; nulls and a NaN included."""
    some = sample(1000, 1_000_000, target=200_000)
    some = replace(some, columns={**some.columns, 6: [math.nan if i % 7 == 0 else -i / 3 for i in range(1000)]})
    bounds: list[Bounds] = []
    for text in ("name", "days(ts)", "bucket(4, id)"):
        spec = Spec(0, fields(text))
        slices = slice_files(some, spec.fields)
        table = hypothetical_table(some, SCHEMA, spec, slices)
        bounds += (column_bounds for file in table.files for column_bounds in file.bounds.values())
        assert file_columns(some, SCHEMA, spec, slices).to_bytes() == table.to_bytes()
    assert {b.low is None for b in bounds} == {b.nulls > 0 for b in bounds} == {b.nans > 0 for b in bounds}
    assert any(b.low is None for b in bounds)
    assert any(b.nans for b in bounds)


def test_counted_partitions_replace_what_a_sample_says() -> None:
    """Partitions that the sample does not have are there; those of one file are exact; large ones are cut alike."""
    some = sample(1000, 100_000, target=400_000)
    spec = Spec(0, fields("name"))
    size = some.size_model.rows_per_file(some.row_bytes)
    counted = [
        CountedPartition(("n0",), 3 * size - 1, {1: Bounds(500, 70_000), 3: Bounds("n0", "n0")}),
        CountedPartition(("n1",), 7, {1: Bounds(3, 9), 3: Bounds("n1", "n1")}),
        CountedPartition(("unseen",), 1, {1: Bounds(None, None, 1), 3: Bounds("unseen", "unseen")}),
    ]
    slices = slice_files(some, spec.fields, {part.values: part.rows for part in counted})
    table = with_counted_partitions(hypothetical_table(some, SCHEMA, spec, slices), counted, some)
    assert [(f.partition, f.rows) for f in table.files] == [
        *[(("n0",), size), (("n0",), size), (("n0",), size - 1)],
        *[(("n1",), 7), (("unseen",), 1)],
    ]
    first, middle_, last, small, unseen = table.files
    assert (small.bounds, unseen.bounds) == (counted[1].bounds, counted[2].bounds)
    assert first.bounds[1].low >= 500
    assert first.bounds[1].high < middle_.bounds[1].high <= last.bounds[1].high == 70_000
    assert first.bounds[1].low == 500  # a file has the partition's least value, and one its greatest
    counted[0] = CountedPartition(("n0",), 3 * size - 1, {1: Bounds(0, 10**6, 3), 3: Bounds("n0", "n0")})
    table = with_counted_partitions(hypothetical_table(some, SCHEMA, spec, slices), counted, some)
    assert (table.files[0].bounds[1], table.files[2].bounds[1].high) == (
        table.files[0].bounds[1]._replace(low=0, nulls=1),
        10**6,
    )
    for rows in range(1, 40):  # no file is empty
        for full in (1, 2, 3, 7, 10, 33):
            few = Sample(rows * 3, 1.0, {}, {spec.fields[0].key: ["a"] * rows}, Few(full), rows)
            cuts = slice_files(few, spec.fields, {("a",): rows * 3 - 1}).file_ends
            assert sorted({*cuts, rows} - {0}) == list(cuts)


def test_partitions_by_some_of_the_fields() -> None:
    """NaN is one value, however many fields it was counted with."""
    counted = [
        CountedPartition((1.0, "a"), 5, {1: Bounds(3, 9, 1), 3: Bounds("a", "b")}),
        CountedPartition((1.0, None), 2, {1: Bounds(None, None, 2), 3: Bounds("A", "\U0001f600")}),
        CountedPartition((float("nan"), "a"), 1, {1: Bounds(7, 7, 0, 1), 3: Bounds(None, None)}),
        CountedPartition((float("nan"), "b"), 3, {1: Bounds(2, 2, 0, 2), 3: Bounds(None, None)}),
    ]
    first, second = rolled_up(counted, [0])
    assert first == CountedPartition((1.0,), 7, {1: Bounds(3, 9, 3), 3: Bounds("A", "\U0001f600")})
    assert second[1:] == (4, {1: Bounds(2, 7, 0, 3), 3: Bounds(None, None)})
    assert [(partition.values, partition.rows) for partition in rolled_up(counted, [1])] == [
        (("a",), 6),
        ((None,), 2),
        (("b",), 3),
    ]
    assert rolled_up(counted, [1, 0])[0].values == ("a", 1.0)
    assert [partition.rows for partition in rolled_up(counted, [])] == [11]


def test_without_order_a_partition_s_files_span_it() -> None:
    """Without fanout writers, Spark sorts the rows by partition, which mixes them."""
    some = sample(1000, 100_000, target=400_000)
    spec = Spec(0, fields("name"))
    mixed = replace(some, size_model=FileSizeModel([], WriteSettings("hash", 400_000, keeps_order=False)))
    kept = [
        mean(f.bounds[1].high - f.bounds[1].low for f in table.files)
        for row_sample in (some, mixed)
        for table in (hypothetical_table(row_sample, SCHEMA, spec, slice_files(row_sample, spec.fields)),)
    ]
    assert kept[0] < 60_000 < 90_000 < kept[1]


class Few(FileSizeModel):
    """Files of a few rows."""

    def __init__(self, rows: int) -> None:
        super().__init__([], WriteSettings("hash", 1))
        self._rows = rows

    def rows_in_file(self, raw: float, widest: float = 0.0) -> int:
        """As given."""
        return self._rows


def test_estimated_rows_add_up_to_those_that_are_known() -> None:
    assert round_to_total([1.5, 1.5], 3) == [2, 1]
    assert round_to_total([1e-6, 10.0], 10) == [1, 9]
    assert round_to_total([1.0] * 7, 3) == [1, 1, 1, 0, 0, 0, 0]
    assert round_to_total([0.3] * 10 + [97.0], 100) == [1] * 10 + [90]
    assert round_to_total([], 0) == []


# ------------------------------------------------------------------------------------- workloads


def test_a_workload_is_its_queries_with_their_weights(tmp_path: Path) -> None:
    script = "-- the dashboard\nSELECT 1 FROM t;\nINSERT INTO t VALUES (1);\nWITH x AS (SELECT 2) SELECT * FROM x;"
    weighted_queries = workload([("SELECT 1 FROM t", 2), script, "SELECT 1 FROM t"])
    assert weighted_queries == (Query("SELECT 1 FROM t", 4.0), Query("WITH x AS (SELECT 2) SELECT * FROM x"))
    writing = "MERGE INTO t USING s ON a = b WHEN MATCHED THEN DELETE", "INSERT INTO t TABLE s"
    also = ("CREATE TABLE t AS SELECT 1", "CREATE VIEW v AS SELECT 1", "INSERT INTO t VALUES (1)", "SET a = 1")
    all_queries = workload(["SELECT 1", *writing, *also], writing=True)
    assert [query.write_keyword for query in all_queries] == [None, "MERGE", "INSERT", "CREATE", *[""] * 3]
    assert [query.number for query in all_queries] == list(range(1, 8))
    doubled = workload(["SELECT 1; SET a = 1; SELECT 1", "SELECT 2; SELEC 3"], writing=True)
    assert [(query.text, query.number) for query in doubled] == [
        *(("SELECT 1", 1), ("SET a = 1", 2), ("SELECT 2", 4), ("SELEC 3", 5))
    ]
    assert workload(["SELECT 1", *writing, *also]) == (Query("SELECT 1"),)
    for text, word in (
        ("WITH x AS (SELECT 2), y AS (SELECT 3) INSERT INTO t SELECT * FROM x", "INSERT"),
        ("WITH x AS (SELECT 2) FROM x INSERT INTO t SELECT *", "INSERT"),
        ("FROM (SELECT 1) AS s INSERT INTO t SELECT * INSERT INTO u SELECT *", "INSERT"),
        ("WITH x AS (SELECT 2) MERGE INTO t USING x ON a = b WHEN MATCHED THEN DELETE", "MERGE"),
        ("WITH x AS (SELECT 2) DELETE FROM t WHERE a IN (SELECT * FROM x)", "DELETE"),
        ("WITH insert AS (SELECT 2), delete(a) AS (SELECT 3) SELECT delete FROM insert", None),
        ("WITH x AS (SELECT 2) (SELECT delete FROM x)", None),
        ("WITH x AS (SELECT 2) FROM x SELECT insert", None),
        ("FROM insert SELECT *", None),
    ):
        (workload_query,) = workload(text, writing=True)
        assert (workload_query.text, workload_query.write_keyword) == (text, word)
    file = tmp_path / "q.sql"
    file.write_text("SELECT 3;\n\nSELECT 4", "utf-8")
    assert workload(str(file)) == (Query("SELECT 3"), Query("SELECT 4"))
    for name in ("my queries.sql", "select one.sql", "two words"):  # a file that exists is one
        (tmp_path / name).write_text("SELECT 5", "utf-8")
        assert workload(str(tmp_path / name)) == (Query("SELECT 5"),)
        assert list(skipped_statements(str(tmp_path / name))) == []
    assert workload("SELECT * FROM db.sql") == (Query("SELECT * FROM db.sql"),)
    for texts in ([], ["INSERT INTO t VALUES (1)"], "", "  ", ["SELEC 1"]):
        assert workload(texts) == ()
    for weight in (1e300, 10**400, -1, 0, float("nan"), float("inf")):
        with pytest.raises(IcebergSqlError, match=r"weight must be a positive number up to 1e\+12"):
            workload([("SELECT 1", weight)])
    for file in ("nowhere.sql", "no where.sql", "/no/where is/it.SQL"):
        with pytest.raises(IcebergSqlError, match=re.escape(file)):
            workload(file)


def test_advice_shows_what_each_query_reads_today_and_then() -> None:
    reads = (QueryReads("SELECT *\nFROM t WHERE a < 1", 1.0, 2, 2_000, 10, 10_000),)
    best = Proposal("days(ts)", 2, 2_000, 2_000, reads, 8, 1_000, ("ALTER TABLE t ADD ...",), "CALL x")
    today = Proposal("", 10, 10_000, 10_000, (), 10, 1_000, is_today=True)
    advice = Advice([best, today], source="t", basis="based on every row", tried=7, notes=("left out",))
    text = str(advice)
    assert "SELECT * FROM t WHERE a < 1: 10 (10.0 kB) -> 2 (2.0 kB)" in text
    assert "ALTER TABLE t ADD ...;" in text
    assert "unpartitioned (today)" in text
    assert "note: left out" in text
    assert advice.best is best
    assert advice.today is today
    assert "&lt;" not in advice._repr_html_()
    assert "today's spec costs the least of the 1 spec tried" in str(Advice([today], source="t", basis="b", tried=1))


def test_of_many_queries_the_text_has_those_that_change_most() -> None:
    """In the order in which they were given; a weight counts."""
    reads = tuple(QueryReads(f"SELECT {n}", 100.0 if n == 3 else 1.0, 1, 1_000, 1, 1_000 + n) for n in range(30))
    best = Proposal("days(ts)", 2, 2_000, 2_000, reads, 8, 1_000)
    lines = str(Advice([best], source="t", basis="b", tried=1)).splitlines()
    shown = [line.split(":")[0].strip() for line in lines if "SELECT" in line]
    assert shown == [f"SELECT {n}" for n in (3, *range(21, 30))]
    assert "    and 20 other queries with a smaller difference" in lines
    few = str(Advice([replace(best, per_query=reads[:10])], source="t", basis="b", tried=1))
    assert few.count("SELECT") == 10
    assert "other" not in few


def test_todays_spec_stays_unless_another_is_clearly_better() -> None:
    today = Proposal("", 10, 10_000, 10_000, (), 10, 1_000, is_today=True)
    better = Proposal("days(ts)", 9, 7_600, 7_600, (), 8, 1_000, error=0.25)
    kept, (note,) = with_today(today, [better])
    assert kept == [today, better]
    assert "days(ts), is estimated to cost 76% as much, and the estimate may be 25% off" in note
    text = str(Advice(kept, source="t", basis="b", tried=2))
    assert "today's spec stays: none is clearly better" in text
    best = Proposal("days(ts)", 9, 7_500, 7_500, (), 8, 1_000, error=0.25)
    assert with_today(today, [best]) == ([best, today], [])
    worse = Proposal("id", 11, 11_000, 11_000, (), 8, 1_000, error=0.1)
    assert with_today(today, [worse]) == ([today, worse], [])
    empty = Proposal("", 0, 0, 7_600, (), 0, 0, is_today=True)
    assert with_today(empty, [best]) == ([best, empty], [])


def test_where_files_are_cut_few_of_them_are_less_certain() -> None:
    few = [QueryReads("a", 1.0, 2, 200, 0, 0)]
    many = [QueryReads("a", 1.0, 200, 20_000, 0, 0)]
    errors = [
        proposal("id", reads, 10, [10**6], (), None, (), error=0.05, has_estimated_cuts=cut).error
        for reads, cut in ((few, True), (many, True), (few, False), ([], True))
    ]
    assert errors == pytest.approx([math.sqrt(1 / 12), 0.05, 0.05, 0.05])


def test_the_bytes_of_small_files_are_less_certain() -> None:
    reads = [QueryReads("a", 1.0, 10, 300_000, 0, 0)]
    errors = [
        proposal("id", reads, open_cost, [size] * 10, (), None, (), error=error).error
        for size, open_cost, error in (
            (30_000, 4_096, 0.05),
            (30_000, 4 << 20, 0.05),
            (10**6, 0, 0.05),
            (30_000, 0, 0.0),
        )
    ]
    assert errors == pytest.approx([0.15 * 300_000 / 340_960, 0.05, 0.05, 0.0])


def test_the_error_of_a_sample_shrinks_with_its_rows() -> None:
    assert [sample(sampled_rows, 10**6).error for sampled_rows in (50, 400, 10_000, 10**6)] == [1.0, 0.5, 0.1, 0.05]


def test_a_sample_from_bounds_alone() -> None:
    hour = 3_600_000_000
    kinds = {1: "long", 2: "timestamptz", 3: "string"}
    file_stats = [
        FileStats(1000, 10_000, {1: (0, 999), 2: (0, 24 * hour - 1), 3: ("a", "a")}),
        FileStats(3000, 30_000, {1: (0, 999), 2: (24 * hour, 25 * hour), 3: ("b", "c")}),
        FileStats(1, 10, {1: (5, 5), 2: (-1, -1), 3: ("x", "x")}),
    ]
    candidates = fields("days(ts), bucket(4, id), name")
    assumed = assume_rows(by_column(file_stats), kinds, candidates, 400, WriteSettings("hash", 1_000_000))
    sample = assumed.sample
    assert (sample.rows, sample.sampled_rows, sample.is_complete) == (4001, 401, False)
    assert sample.row_bytes == pytest.approx(10, rel=0.01)
    first = slice(0, 100)
    assert (min(sample.columns[1][first]), max(sample.columns[1][first])) == (0, 999)
    assert set(sample.columns[3]) == {"a", "b", "c", "x"}
    assert [f.clause for f in assumed.fields] == ["days(ts)", "bucket(4, id)"]
    assert "the bounds of `name` do not determine" in assumed.left_out[0]
    days = sample.field_values[candidates[0].key]
    assert set(days[first]) == {0}
    assert set(days[100:400]) == {1}
    assert days[400] == -1
    assert set(sample.field_values[candidates[1].key]) == {0, 1, 2, 3}
    again = assume_rows(by_column(file_stats), kinds, candidates, 400, WriteSettings("hash", 1_000_000))
    assert again.sample.columns == sample.columns
    identical_files = [FileStats(1000, 10_000, {1: (0, 10**9)})] * 200
    wide_ = assume_rows(by_column(identical_files), kinds, fields("id"), 2000, WriteSettings("hash", 1_000_000)).sample
    assert len(set(wide_.columns[1])) > 1500  # files with the same bounds have different rows
    # A file's two bounds are not its two values: more partitions than rows are never shown as a few.
    vast = assume_rows(
        by_column(identical_files), kinds, fields("id, truncate(10, id)"), 400, WriteSettings("hash", 1_000)
    )
    assert not vast.fields
    assert "allow more values than 400 assumed rows show" in vast.left_out[0]
    lost = [*file_stats, FileStats(1, 10, {1: (0, 1)})]
    assumed = assume_rows(by_column(lost), kinds, candidates, 400, WriteSettings("hash", 1_000_000))
    assert [f.clause for f in assumed.fields] == ["bucket(4, id)"]
    assert 2 not in assumed.sample.columns
    assert "some files have no bounds for `ts`" in assumed.left_out[0]
    assert assume_rows([], kinds, candidates, 400, WriteSettings("hash", 1_000_000)).sample.sampled_rows == 0


def test_a_workload_from_event_logs(tmp_path: Path) -> None:
    execution = "org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart"
    statement = "org.apache.spark.sql.hive.thriftserver.ui.SparkListenerThriftServerOperationStart"

    def line(kind: str, **more: object) -> str:
        return json.dumps({"Event": kind, **more}, separators=(",", ":"))

    def ran(text: str) -> str:
        return line(execution, executionId=1, description=text, sparkPlanInfo={})

    first = line("SparkListenerLogStart", **{"Spark Version": "4.1.2"})
    folder = tmp_path / "eventlog_v2_app-1"
    folder.mkdir()
    (folder / "appstatus_app-1").write_text("")
    (folder / "events_1_app-1").write_text(
        "\n".join([first, ran("SELECT 1"), ran("collect at a.py:1"), line("SparkListenerTaskEnd")])
    )
    (folder / "events_2_app-1.inprogress").write_text(
        "\n".join(
            [
                first,
                line(statement, statement="SELECT 1;"),
                ran("SELECT  2, 'text'"),
                ran("SELECT  2, 'text'"),
                ran("INSERT INTO t SELECT 3"),
                f'{{"Event":"{execution}","descr',  # still written
            ]
        )
    )
    weights = {query.text: query.weight for query in workload(str(folder))}
    assert weights == {"SELECT 1": 1, "SELECT  2, 'text'": 2}
    assert Query("INSERT INTO t SELECT 3", 1, "INSERT") in workload(str(folder), writing=True)
    assert "" not in [query.write_keyword for query in workload(str(folder), writing=True)]
    (only,) = workload([(str(folder / "events_1_app-1"), 3)])
    assert only == Query("SELECT 1", 3)
    (tmp_path / "calls").write_text(f"{first}\n{ran('collect at a.py:1')}\n")
    (tmp_path / "none").write_text(f"{first}\n")
    (tmp_path / "log.zstd").write_bytes(b"\x28\xb5")
    (tmp_path / "other").write_text("SELECT 5; SELECT 6")
    assert len(workload(str(tmp_path / "other"))) == 2  # a file of queries by another name
    for name, kind, message in (
        ("calls", IcebergSqlError, "no query text"),
        ("none", IcebergSqlError, "has no SQL execution"),
        ("log.zstd", FileError, "is compressed"),
    ):
        with pytest.raises(kind, match=message):
            workload(str(tmp_path / name))
