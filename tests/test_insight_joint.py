"""Which partition fields several tables get together, from what each reads with them and what their joins shuffle."""

from __future__ import annotations

import pytest

from spark_iceberg_sql.insight.advise.costs.moves import Fields, Move
from spark_iceberg_sql.insight.advise.costs.spark_shuffles import JoinKey
from spark_iceberg_sql.insight.advise.joint.joint_specs import joint_fields
from spark_iceberg_sql.insight.workload import Query
from spark_iceberg_sql.spark.bridge.jvm.java_rows import ShuffleRow, ShuffleSideRow

NONE, BY_DAY = frozenset[str](), frozenset({"days(ts)"})
BY_USER, BY_ITEM = frozenset({"bucket(4, user)"}), frozenset({"bucket(4, item)"})


def side(table: str, column: str) -> ShuffleSideRow:
    return ShuffleSideRow(table=table, columns=(column,), fields=(), bytes=0)


def joined(bytes_: int, *columns: tuple[str, str], weight: float = 1.0) -> tuple[Move, dict[str, Fields]]:
    """A join of columns of two tables, or a group by one."""
    row = ShuffleRow(
        operator="join" if len(columns) > 1 else "group",
        keys="",
        tables=tuple(table for table, _ in columns),
        fields=None,
        is_shuffled=True,
        is_broadcast=False,
        is_partitioned=False,
        reason=None,
        statement=None,
        bytes=bytes_,
        sides=tuple(side(*column) for column in columns),
    )
    key = JoinKey(frozenset(columns), 4, (row,))
    way = key.way(row)
    assert way is not None
    return Move(Query("", weight), bytes_, (way,), True), key.fields


USERS = (("clicks", "user"), ("orders", "user"))


@pytest.mark.parametrize(("bytes_", "weight", "both"), [(40, 1.0, True), (29, 1.0, False), (29, 2.0, True)])
def test_both_get_buckets_or_neither(bytes_: int, weight: float, *, both: bool) -> None:
    """The join costs twice its bytes; without it, clicks read 50 less by day, and orders 10 less without buckets."""
    move, key = joined(bytes_, *USERS, weight=weight)
    options = {"clicks": {NONE: 100, BY_DAY: 50, BY_USER: 100}, "orders": {NONE: 10, BY_USER: 20}}
    result = joint_fields(options, [move], [key], {})
    assert result == ({"clicks": BY_USER, "orders": BY_USER} if both else {"clicks": BY_DAY, "orders": NONE})


def test_a_table_that_remains_as_it_is() -> None:
    move, key = joined(100, *USERS)
    options = {"clicks": {NONE: 100, BY_USER: 110}}
    assert joint_fields(options, [move], [key], {})["clicks"] == NONE
    assert joint_fields(options, [move], [key], {"orders": BY_USER})["clicks"] == BY_USER


def test_one_of_two_joins() -> None:
    """A table in the middle has buckets for the join that moves more; the other table then has none."""
    small, by_item = joined(30, ("clicks", "item"), ("items", "item"))
    large, by_user = joined(60, *USERS)
    both = BY_USER | BY_ITEM
    options = {
        "clicks": {NONE: 100, BY_USER: 105, BY_ITEM: 105, both: 200},
        "items": {NONE: 10, BY_ITEM: 11},
        "orders": {NONE: 10, BY_USER: 11},
    }
    result = joint_fields(options, [small, large], [by_user, by_item], {})
    assert result == {"clicks": BY_USER, "items": NONE, "orders": BY_USER}
    options["clicks"][both] = 110  # small files cost less than the second shuffle
    result = joint_fields(options, [small, large], [by_user, by_item], {})
    assert result == {"clicks": both, "items": BY_ITEM, "orders": BY_USER}


def test_a_group_needs_no_partner() -> None:
    move, key = joined(30, ("clicks", "user"))
    assert joint_fields({"clicks": {NONE: 100, BY_USER: 120}}, [move], [key], {}) == {"clicks": BY_USER}


def test_columns_of_a_key() -> None:
    """A join on the key and more needs no shuffle, either; one that compares other columns does."""
    key = JoinKey(frozenset({("a", "p.i"), ("b", "two words")}), 8, ())
    assert key.fields == {"a": frozenset({"bucket(8, p.i)"}), "b": frozenset({"bucket(8, `two words`)"})}
    move, _ = joined(1, ("a", "x"), ("b", "y"))
    assert move.way({"a": BY_USER, "b": BY_USER}) is None
    assert move.way({"a": frozenset({"bucket(4, x)"}), "b": frozenset({"bucket(4, y)"})}) == move.ways[0]
