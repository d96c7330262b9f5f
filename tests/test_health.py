"""What health says of figures: without Spark."""

from __future__ import annotations

from dataclasses import replace

from spark_iceberg_sql.insight.health.model import Health, TableMetrics, health
from spark_iceberg_sql.model.bound_transform import from_metadata
from spark_iceberg_sql.model.spec import PartitionField

MB = 1_000_000
FINE = TableMetrics(
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


def problems(**changed: object) -> list[str]:
    return [one.problem for one in health(replace(FINE, **changed)).findings]


def test_a_healthy_table() -> None:
    assert problems() == []
    assert "no problems found" in str(health(FINE))
    assert "no problems found" in health(FINE)._repr_html_()


def test_each_problem_alone() -> None:
    assert problems(small=8, small_after=2, small_bytes=900 * MB) == ["small files"]
    assert problems(small=2, small_after=2) == []
    assert problems(alone=9, median=2 * MB, old_files=1) == ["old specs"]
    assert problems(old_files=3, old_bytes=MB) == ["old specs"]
    assert problems(delete_files=3, delete_bytes=MB) == ["delete files"]
    assert problems(sort_column="id", sort_span=0.9) == ["unsorted"]
    assert problems(sort_column="id", sort_span=0.1) == []


def test_what_is_a_gain_for_some_queries_alone_has_no_call() -> None:
    def undecided(**changed: object) -> list[str]:
        assert problems(**changed) == []
        result = health(replace(FINE, **changed))
        assert all(finding.call is None for finding in result.undecided)
        assert ("needs queries: `advise`" in str(result)) == bool(result.undecided)
        assert len(list(result.rows())) == len(result.undecided)
        return [finding.problem for finding in result.undecided]

    assert undecided(alone=9, median=2 * MB) == ["fine partitions"]
    assert undecided(alone=9, median=200 * MB) == []
    assert undecided(largest=5000 * MB) == ["skew"]
    (skew,) = health(replace(FINE, largest=5000 * MB, largest_files=11)).undecided
    assert (skew.files, skew.bytes) == (11, 5000 * MB)
    assert undecided(largest=90 * MB, median=MB, alone=0) == []  # no file is too large


def test_a_rewrite_of_old_specs_may_make_more_files() -> None:
    old = replace(FINE, old_files=3, old_bytes=MB)
    for then, said in (
        (None, "may leave more files than there are"),
        (400, "leaves about 400 or more, more than there are now, estimated"),
        (4, "leaves about 4 or more, estimated"),
    ):
        assert said in health(replace(old, files_after_rewrite=then)).findings[0].detail


def test_how_many_files_are_left() -> None:
    """rewrite_data_files puts the files of earlier specs together, and writes the current spec's partitions."""
    small = replace(FINE, small=8, small_after=2, small_bytes=900 * MB)
    old = replace(small, files=20, old_files=3, old_small=3, old_small_bytes=600 * MB)
    void = PartitionField(1, "id", from_metadata("void"), "id_bucket", 1000)
    day = PartitionField(1, "ts", from_metadata("day"), "ts_day", 1000)
    for figures, said in (
        (small, "8 of 10 files are smaller than 75% of the target size of 500.0 MB and share a partition"),
        (replace(small, fields=(day,), old_small=1, old_files=1), "they fit into about 2 files"),
        (old, "they fit into about 4 files, since those of an earlier spec are grouped anew"),
        (replace(old, fields=(void,)), "11 of 20 files"),
    ):
        one = health(figures).findings[0]
        assert said in one.detail
        assert one.call is not None
    for figures, said in (
        (old, "8 share a partition with others and fit into about 2 files, 3 belong to an earlier partition spec"),
        (replace(old, small=0, small_after=0), "500.0 MB: 3 belong to an earlier partition spec"),
    ):
        found = health(replace(figures, fields=(day,)))
        assert said in found.findings[0].detail
        assert ": one or more for each partition of the current spec" in found.findings[0].detail
        assert found.findings[0].call is None
        assert "how much it rewrites" not in str(found).partition("old specs")[0]


def test_names_are_quoted() -> None:
    odd = replace(FINE, name=("lake", "my shop", "it's"), old_files=1)
    (one,) = health(odd).findings
    assert one.call is not None
    assert "table => '`my shop`.`it\\'s`'" in one.call


def test_a_large_partition_of_a_small_table_is_named_where_it_is_no_skew() -> None:
    """Splitting what fits into one file would contradict the advice to have fewer files."""
    small = replace(FINE, partitions=5, alone=4, largest=411_801, median=1_268, bytes=416_873)
    (one,) = health(small).undecided
    assert one.problem == "fine partitions"
    assert "411.8 kB, 325 times the median" in one.detail


def test_what_a_call_rewrites_is_not_what_it_is_about() -> None:
    (old,) = health(replace(FINE, old_files=2, old_bytes=878)).findings
    assert "how much it rewrites is unknown" in str(health(replace(FINE, old_files=2)))
    known = replace(old, rewritten_files=4, rewritten_bytes=117_986)
    assert "-- rewrites 4 data files, 118.0 kB" in str(Health("t", 4, 117_986, (known,)))
