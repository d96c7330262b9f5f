"""What health says of figures: without Spark."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from spark_iceberg_sql.insight.advise.model import Advice, Proposal, QueryReads
from spark_iceberg_sql.insight.health import workload
from spark_iceberg_sql.insight.health.findings import health, rewritten_once
from spark_iceberg_sql.insight.health.model import Health, HealthFinding, TableMetrics
from spark_iceberg_sql.insight.health.partition_counts import partition_counts
from spark_iceberg_sql.model.bound_transform import from_metadata
from spark_iceberg_sql.model.rewrite_steps import STEP_BYTES
from spark_iceberg_sql.model.spec import PartitionField

MB = 1_000_000
FINE = TableMetrics(
    title="x",
    name=("lake", "shop", "orders"),
    target_size=500 * MB,
    files=10,
    bytes=4000 * MB,
    partitions=10,
    largest=400 * MB,
    median=400 * MB,
    small=0,
    small_bytes=0,
    small_after=0,
    alone=0,
    old_files=0,
    old_bytes=0,
    delete_files=0,
    delete_bytes=0,
)


def test_counts_over_partitions() -> None:
    """Small files are counted where they share a partition; the files of an earlier spec are counted by themselves."""
    partitions = [
        (1, 1, 10, 1, 10),
        (1, 3, 130, 3, 130),
        (1, 2, 700, 1, 20),
        (1, 1, 300, 0, 0),
        (0, 4, 60, 4, 60),
        (0, 1, 5, 1, 5),
    ]
    assert partition_counts(partitions, 1, 100) == {
        "files": 12,
        "bytes": 1205,
        "partitions": 4,
        "largest": 700,
        "largest_files": 2,
        "median": 215,
        "small": 3,
        "small_bytes": 130,
        "small_after": 2,
        "alone": 1,
        "old_files": 5,
        "old_bytes": 65,
        "old_small": 5,
        "old_small_bytes": 65,
    }
    empty = partition_counts([], 0, 100)
    assert {*empty.values()} == {0}
    assert empty.keys() <= {*TableMetrics.__dataclass_fields__}


def problems(**changed: object) -> list[str]:
    return [finding.problem for finding in health(replace(FINE, **changed)).findings]


def test_a_healthy_table() -> None:
    assert problems() == []
    assert "no problems found" in str(health(FINE))
    assert "no problems found" in health(FINE)._repr_html_()


def test_each_problem_alone() -> None:
    assert problems(small=8, small_after=2, small_bytes=900 * MB) == ["small files"]
    assert problems(small=2, small_after=2) == []
    assert problems(small=20, small_after=11) == []  # a rewrite would mix what the files hold apart, for little
    assert problems(small=20, small_after=10) == ["small files"]
    assert problems(alone=9, median=2 * MB, old_files=1) == ["old specs"]
    assert problems(old_files=3, old_bytes=MB) == ["old specs"]
    assert problems(delete_files=3, delete_bytes=MB) == ["delete files"]
    assert problems(sort_column="id", sort_span=0.9) == ["unsorted"]
    assert problems(sort_column="id", sort_span=0.1) == []


def test_what_is_a_gain_for_some_queries_alone_has_no_call() -> None:
    def ruled_out(**changed: object) -> list[str]:
        assert problems(**changed) == []
        result = health(replace(FINE, **changed))
        assert all(finding.call is None for finding in result.ruled_out)
        assert ("with `queries`, that is computed" in str(result)) == bool(result.ruled_out)
        assert len(list(result.rows())) == len(result.ruled_out)
        return [finding.problem for finding in result.ruled_out]

    assert ruled_out(alone=9, median=2 * MB) == ["fine partitions"]
    assert ruled_out(alone=9, median=200 * MB) == []
    assert ruled_out(largest=5000 * MB) == ["skew"]
    (skew,) = health(replace(FINE, largest=5000 * MB, largest_files=11)).ruled_out
    assert (skew.files, skew.bytes) == (11, 5000 * MB)
    assert ruled_out(largest=90 * MB, median=MB, alone=0) == []  # no file is too large


def test_a_rewrite_of_old_specs_may_make_more_files() -> None:
    old = replace(FINE, old_files=3, old_bytes=MB)
    for then, detail in (
        (None, "may leave more files than there are"),
        (400, "leaves about 400 to 410 or more, more than there are now, estimated"),
        (4, "leaves about 4 to 14 or more, perhaps more than there are now, estimated"),
    ):
        assert detail in health(replace(old, files_after_rewrite=then)).findings[0].detail


def test_a_large_rewrite_of_old_specs_is_done_in_steps() -> None:
    (large,) = health(replace(FINE, old_files=3, old_bytes=STEP_BYTES + 1)).findings
    assert large.detail.endswith(
        f"`iceberg-sql repartition {FINE.title}` rewrites those files alone, in steps that can be stopped"
    )
    (small,) = health(replace(FINE, old_files=3, old_bytes=STEP_BYTES)).findings
    assert "iceberg-sql repartition" not in small.detail


def test_how_many_files_are_left() -> None:
    """rewrite_data_files puts the files of earlier specs together, and writes the current spec's partitions."""
    small = replace(FINE, small=8, small_after=2, small_bytes=900 * MB)
    old = replace(small, files=20, old_files=3, old_small=3, old_small_bytes=600 * MB)
    void = PartitionField(1, "id", from_metadata("void"), "id_bucket", 1000)
    day = PartitionField(1, "ts", from_metadata("day"), "ts_day", 1000)
    for figures, detail in (
        (small, "8 of 10 files are smaller than 75% of the target size of 500.0 MB and share a partition"),
        (replace(small, fields=(day,), old_small=1, old_files=1), "they fit into about 2 files"),
        (old, "they fit into about 4 files, since those of an earlier spec are grouped anew"),
        (replace(old, fields=(void,)), "11 of 20 files"),
    ):
        finding = health(figures).findings[0]
        assert detail in finding.detail
        assert finding.call is not None
    for figures, detail in (
        (old, "8 share a partition with others and fit into about 2 files, 3 belong to an earlier partition spec"),
        (replace(old, small=0, small_after=0), "500.0 MB: 3 belong to an earlier partition spec"),
    ):
        table_health = health(replace(figures, fields=(day,)))
        assert detail in table_health.findings[0].detail
        assert "the statement of `old specs` rewrites them" in table_health.findings[0].detail
        assert table_health.findings[0].call is None
        assert "how much it rewrites" not in str(table_health).partition("old specs")[0]


def test_names_are_quoted() -> None:
    metrics = replace(FINE, name=("lake", "my shop", "it's"), old_files=1)
    (finding,) = health(metrics).findings
    assert finding.call is not None
    assert "table => '`my shop`.`it\\'s`'" in finding.call


def test_a_large_partition_of_a_small_table_is_named_where_it_is_no_skew() -> None:
    """Splitting what fits into one file would contradict the advice to have fewer files."""
    small = replace(FINE, partitions=5, alone=4, largest=411_801, median=1_268, bytes=416_873)
    (finding,) = health(small).ruled_out
    assert finding.problem == "fine partitions"
    assert "411.8 kB, 325 times the median" in finding.detail


def test_what_a_call_rewrites_is_not_what_it_is_about() -> None:
    (old,) = health(replace(FINE, old_files=2, old_bytes=878)).findings
    assert "how much it rewrites is unknown" in str(health(replace(FINE, old_files=2)))
    measured_finding = replace(old, rewritten_files=4, rewritten_bytes=117_986)
    assert "-- rewrites 4 data files, 118.0 kB" in str(Health("t", 4, 117_986, (measured_finding,)))


def layout(files: int, size: int, **more: object) -> Proposal:
    """A spec under which the one query reads so many files and bytes."""
    reads = (QueryReads("q", 1.0, files, size, files, size),)
    return replace(Proposal("", files, size, size + 4 * files, reads, 10, 100), **more)


def advice(*proposals: Proposal) -> Advice:
    return Advice(proposals, source="lake.shop.orders", basis="based on every row", tried=12)


def judged(of: Health, advised: Advice, after: Callable[[HealthFinding], Proposal | None]) -> Health:
    """With files no larger than the target size."""
    return workload.judged_by_queries(of, advised, after, lambda best: best)


TODAY = layout(10, 1000, is_today=True)
SMALL = replace(FINE, small=8, small_after=2, small_bytes=900 * MB)


def test_queries_rule_out_what_would_let_them_read_more() -> None:
    for after, reason in (
        (layout(2, 1000), None),
        (layout(10, 1000), None),  # the table is smaller, and no query loses
        (layout(11, 900), "the queries would read more files: 11 files (900 B) instead of 10 (1.0 kB)"),
        (layout(2, 1200), "the queries would read more bytes: 2 files (1.2 kB) instead of 10 (1.0 kB)"),
        (
            layout(2, 990, error=0.05),
            "may read more bytes: 2 files (990 B) instead of 10 (1.0 kB), by an estimate that",
        ),
        (None, "what the queries would read afterwards is unknown"),
    ):
        result = judged(health(SMALL), advice(TODAY), lambda finding, after=after: after)
        (finding,) = result.ruled_out if reason else result.findings
        assert (reason or "") in (finding.reason or "")
        assert (finding.call is None) == (reason is not None)
        assert result.queries == 1
        assert "judged for 1 query" in str(result)
        assert ("the queries then read 2 files" in str(result)) == (after == layout(2, 1000))


def test_with_queries_the_best_spec_of_advise_is_proposed() -> None:
    ddl = ("ALTER TABLE lake.shop.orders ADD PARTITION FIELD days(ts)",)
    best = layout(2, 200, spec="days(ts)", ddl=ddl, rewrite="CALL lake.system.rewrite_data_files(...)")
    result = judged(health(replace(SMALL, alone=9, median=MB)), advice(best, TODAY), lambda finding: None)
    assert [finding.call for finding in result.findings] == [*ddl, best.rewrite]
    assert "with days(ts), the queries read 2 files (200 B) instead of 10 (1.0 kB), step 1 of 2" in str(result)
    assert [finding.problem for finding in result.ruled_out] == ["small files", "fine partitions"]
    anew = layout(2, 200, rewrite=best.rewrite)
    assert [f.problem for f in judged(health(FINE), advice(anew, TODAY), lambda finding: None).findings] == ["layout"]
    z_order = layout(2, 200, rewrite=best.rewrite, sort_order="zorder(a, b)")
    (finding,) = judged(health(FINE), advice(z_order, TODAY), lambda finding: None).findings
    assert finding.problem == "layout"
    assert finding.detail.startswith("with all files written anew in the order zorder(a, b), the queries read 2 files")
    small = judged(health(SMALL), advice(anew, TODAY), lambda finding: layout(2, 900))
    assert [finding.problem for finding in small.findings] == ["small files"]
    more = layout(2, 1200, spec="days(ts)", ddl=ddl)
    (spec,) = judged(health(FINE), advice(more, TODAY), lambda finding: None).ruled_out
    assert (spec.problem, spec.call) == ("spec", None)
    assert "read more bytes" in str(spec.reason)
    larger = workload.judged_by_queries(
        health(FINE), advice(best, TODAY), lambda finding: None, lambda proposal: layout(2, 1100)
    )
    (spec,) = larger.ruled_out
    assert str(spec.reason) == (
        "the queries may read more bytes, since a rewrite fills files beyond the target size: 2 files (1.1 kB) instead "
        "of 10 (1.0 kB)"
    )
    kept = judged(health(replace(FINE, alone=9, median=MB)), advice(TODAY), lambda finding: None)
    assert kept.findings == ()
    assert "of 12 specs tried, none is clearly better for the queries" in str(kept)


def test_wrong_rows_are_repaired_whatever_queries_read() -> None:
    wrong = HealthFinding("wrong bounds", "they are", 3, 300, "CALL x")
    result = judged(Health("t", 3, 300, (wrong,)), advice(TODAY), lambda finding: layout(99, 10**6))
    assert result.findings == (wrong,)


def test_what_one_statement_rewrites_another_does_not() -> None:
    """A table whose files are small and not in its order: the sort writes all of them anew."""
    both = health(replace(FINE, small=8, small_bytes=8 * MB, small_after=1, sort_span=0.9, sort_column="k"))
    assert [f.call is not None for f in both.findings] == [True, True]
    small, unsorted = rewritten_once(both).findings
    assert (small.problem, small.call) == ("small files", None)
    assert small.detail.endswith("the statement of `unsorted` rewrites them")
    assert unsorted.call is not None
    alone = health(replace(FINE, small=8, small_bytes=8 * MB, small_after=1))
    assert rewritten_once(alone) == alone


def test_one_statement_for_delete_files_and_what_is_rewritten_anyway() -> None:
    metrics = replace(FINE, old_files=3, old_bytes=MB, delete_files=2, delete_bytes=MB, small=4, small_after=1)
    small, old, deletes = rewritten_once(health(metrics)).findings
    assert [finding.call is None for finding in (small, old, deletes)] == [True, False, True]
    assert "'remove-dangling-deletes', 'true', 'use-starting-sequence-number', 'false'" in str(old.call)
    assert deletes.detail.endswith("; the statement of `old specs` rewrites their data files")
    dangling = rewritten_once(health(replace(metrics, dangling_deletes=2))).findings[2]
    assert dangling.detail.endswith("belong to no data file any more; the statement of `old specs` removes them")
    equality = health(replace(metrics, equality_deletes=1)).findings[1]
    assert "'remove-dangling-deletes', 'true')" in str(equality.call)  # their writers would be in conflict
    small, deletes = health(replace(FINE, delete_files=2, delete_bytes=MB, small=4, small_after=1)).findings
    both = replace(health(FINE), findings=(small, replace(deletes, rewritten_files=9)))
    assert rewritten_once(both) == both  # one of ten data files is without
    all_files = rewritten_once(replace(both, findings=(small, replace(deletes, rewritten_files=10))))
    assert [finding.call is None for finding in all_files.findings] == [True, False]


def test_delete_files_of_no_data_file() -> None:
    (finding,) = health(replace(FINE, delete_files=2, delete_bytes=MB, dangling_deletes=2)).findings
    assert "rewrite_position_delete_files(table => 'shop.orders'" in str(finding.call)
    assert (finding.rewritten_files, finding.rewritten_bytes) == (0, 0)
    assert finding.detail == "2 delete files with 1.0 MB belong to no data file any more"
    (finding,) = health(replace(FINE, delete_files=2, delete_bytes=MB, dangling_deletes=1)).findings
    assert "rewrite_data_files" in str(finding.call)
