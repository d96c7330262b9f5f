"""Specs and their evolution, pinned to what Iceberg 1.12 gives; random histories are in tests/spark/test_oracle.py."""

from __future__ import annotations

import pytest

from spark_iceberg_sql.model.bound_transform import BoundTransform
from spark_iceberg_sql.model.corruption import CorruptField, CorruptionKind, corrupt_fields, union_fields
from spark_iceberg_sql.model.evolution import (
    RequestedField,
    SpecRefusedError,
    SpecUncertainError,
    check_names,
    create_specs,
    replace_specs,
    update_specs,
)
from spark_iceberg_sql.model.schema import Schema
from spark_iceberg_sql.model.spec import Specs
from spark_iceberg_sql.model.transforms import BY_NAME
from spark_iceberg_sql.model.types import Field, Primitive

SCHEMA = Schema(
    (
        Field("id", Primitive("long"), False, 1),
        Field("ts", Primitive("timestamptz"), False, 2),
        Field("s", Primitive("string"), False, 3),
    )
)
_IDS = {"id": 1, "ts": 2, "s": 3}


def want(source: str, transform: str, parameter: int | None = None, name: str | None = None) -> RequestedField:
    return RequestedField(_IDS[source], source, BoundTransform(BY_NAME[transform], parameter), name)


BUCKET_8 = want("id", "bucket", 8)
BUCKET_16 = want("id", "bucket", 16)
DAY = want("ts", "day")
HOUR = want("ts", "hour")
IDENTITY = want("s", "identity")


def shape(specs: Specs) -> list[tuple[int, str, str]]:
    return [(f.field_id, f.name, str(f.transform)) for f in specs.spec.fields]


def drop(specs: Specs, name: str) -> Specs:
    field = specs.spec.field_named(name)
    assert field is not None
    return update_specs(specs, field, None, SCHEMA)


def add(specs: Specs, requested: RequestedField) -> Specs:
    return update_specs(specs, None, requested, SCHEMA)


def swap(specs: Specs, name: str, requested: RequestedField) -> Specs:
    field = specs.spec.field_named(name)
    assert field is not None
    return update_specs(specs, field, requested, SCHEMA)


def renamed(requested: RequestedField, name: str) -> RequestedField:
    return RequestedField(requested.source_id, requested.source, requested.transform, name)


def test_create_numbers_from_1000_and_leaves_parameters_out_of_names() -> None:
    specs = create_specs([BUCKET_8, DAY, IDENTITY])
    assert shape(specs) == [(1000, "id_bucket", "bucket[8]"), (1001, "ts_day", "day"), (1002, "s", "identity")]
    assert (specs.current, specs.last_field_id, specs.format_version) == (0, 1002, 2)
    assert create_specs([]).last_field_id == 999


def test_alter_puts_parameters_into_names() -> None:
    specs = add(add(create_specs([]), BUCKET_8), want("s", "truncate", 4))
    assert shape(specs) == [(1000, "id_bucket_8", "bucket[8]"), (1001, "s_trunc_4", "truncate[4]")]
    assert specs.current == 2
    assert [spec.spec_id for spec in specs.past] == [0, 1]


@pytest.mark.parametrize("version", [2, 3])
def test_a_dropped_field_comes_back_under_its_id(version: int) -> None:
    specs = drop(create_specs([BUCKET_8, DAY], version), "id_bucket")
    assert shape(specs) == [(1001, "ts_day", "day")]
    again = add(specs, BUCKET_8)
    assert shape(again) == [(1001, "ts_day", "day"), (1000, "id_bucket", "bucket[8]")]
    assert again.last_field_id == 1001
    other = add(specs, BUCKET_16)
    assert shape(other)[-1] == (1002, "id_bucket_16", "bucket[16]")


def test_another_name_is_another_field() -> None:
    specs = add(drop(create_specs([BUCKET_8]), "id_bucket"), renamed(BUCKET_8, "shard"))
    assert shape(specs) == [(1001, "shard", "bucket[8]")]


def test_which_of_two_names_comes_back_is_not_ours_to_say() -> None:
    specs = add(drop(create_specs([BUCKET_8]), "id_bucket"), renamed(BUCKET_8, "shard"))
    specs = drop(specs, "shard")
    with pytest.raises(SpecUncertainError, match=r"`bucket\(8, id\)` was .* `id_bucket` and `shard`"):
        add(specs, BUCKET_8)
    assert shape(add(specs, renamed(BUCKET_8, "shard"))) == [(1001, "shard", "bucket[8]")]


def test_v1_voids_in_place_and_only_grows() -> None:
    specs = drop(create_specs([BUCKET_8, DAY], 1), "id_bucket")
    assert shape(specs) == [(1000, "id_bucket", "void"), (1001, "ts_day", "day")]
    again = add(specs, BUCKET_8)
    assert shape(again) == [(1000, "id_bucket", "void"), (1001, "ts_day", "day"), (1002, "id_bucket_8", "bucket[8]")]


def test_v1_void_fields_make_room_for_their_names() -> None:
    specs = drop(create_specs([BUCKET_8], 1), "id_bucket")
    updated_specs = add(specs, renamed(DAY, "id_bucket"))
    assert shape(updated_specs) == [(1000, "id_bucket_1000", "void"), (1001, "id_bucket", "day")]
    swapped = swap(create_specs([BUCKET_8], 1), "id_bucket", renamed(BUCKET_16, "id_bucket"))
    assert shape(swapped) == [(1000, "id_bucket_1000", "void"), (1001, "id_bucket", "bucket[16]")]
    # A name that is taken by another void field moves that one on as well.
    both = add(add(updated_specs, want("s", "truncate", 2, "id_bucket_1001")), IDENTITY)
    both = drop(drop(both, "id_bucket_1001"), "id_bucket")
    again = add(both, renamed(HOUR, "id_bucket"))
    assert [name for _, name, _ in shape(again)] == [
        "id_bucket_1000",
        "id_bucket_1001",
        "id_bucket_1001_1002",
        "s",
        "id_bucket",
    ]


def test_dropping_void_again_is_the_same_spec() -> None:
    specs = drop(create_specs([BUCKET_8], 1), "id_bucket")
    assert drop(specs, "id_bucket").current == specs.current


def test_upgraded_void_fields_can_be_dropped() -> None:
    specs = drop(create_specs([BUCKET_8, DAY], 1), "id_bucket").upgraded(2)
    assert shape(specs)[0] == (1000, "id_bucket", "void")
    assert shape(drop(specs, "id_bucket")) == [(1001, "ts_day", "day")]


def test_replace_by_itself_renames_or_does_nothing() -> None:
    specs = create_specs([BUCKET_8, DAY])
    assert swap(specs, "id_bucket", BUCKET_8).current == 0
    updated_specs = swap(specs, "id_bucket", renamed(BUCKET_8, "shard"))
    assert shape(updated_specs) == [(1000, "shard", "bucket[8]"), (1001, "ts_day", "day")]
    assert updated_specs.current == 1


def test_a_renamed_field_moves_a_void_one_out_of_the_way() -> None:
    specs = drop(create_specs([BUCKET_8, DAY], 1), "id_bucket")
    assert shape(swap(specs, "ts_day", renamed(DAY, "id_bucket"))) == [
        (1000, "id_bucket_1000", "void"),
        (1001, "id_bucket", "day"),
    ]


def test_of_two_ids_create_or_replace_takes_the_later() -> None:
    specs = add(drop(create_specs([BUCKET_8]), "id_bucket"), renamed(BUCKET_8, "shard"))
    after = replace_specs(drop(specs, "shard"), [BUCKET_8, DAY])
    assert shape(after) == [(1001, "id_bucket", "bucket[8]"), (1002, "ts_day", "day")]
    # Where an equal spec is there, it is taken with the ids that it has.
    assert shape(replace_specs(drop(specs, "shard"), [BUCKET_8])) == [(1000, "id_bucket", "bucket[8]")]


def test_an_equal_spec_is_taken_again() -> None:
    specs = add(create_specs([DAY]), BUCKET_8)
    back = drop(specs, "id_bucket_8")
    assert back.current == 0
    assert len(back.all_specs) == 2


@pytest.mark.parametrize(
    ("old", "requested", "reason"),
    [
        (None, BUCKET_8, "already the partition field `id_bucket`"),
        (None, renamed(BUCKET_8, "x"), "already the partition field `id_bucket`"),
        (None, renamed(HOUR, "id_bucket"), "already has a partition field `id_bucket`"),
        (None, renamed(BUCKET_16, "s"), "`s` is the name of a column"),
        ("ts_day", renamed(DAY, "id_bucket"), "two partition fields"),
        ("ts_day", BUCKET_8, "already the partition field"),
        ("ts_day", renamed(DAY, "s"), "`s` is the name of a column"),
    ],
)
def test_refused_as_iceberg_does(old: str | None, requested: RequestedField, reason: str) -> None:
    specs = create_specs([BUCKET_8, DAY])
    field = specs.spec.field_named(old) if old else None
    with pytest.raises(SpecRefusedError, match=reason):
        update_specs(specs, field, requested, SCHEMA)


def test_names_of_columns_are_free_once_the_source_is_gone() -> None:
    specs = create_specs([want("s", "truncate", 2)])
    without = Schema((*SCHEMA.fields[:2], Field("s_trunc", Primitive("int"), False, 9)))
    check_names(specs.spec.fields, without)
    with pytest.raises(SpecRefusedError):
        check_names(specs.spec.fields, Schema((*SCHEMA.fields, without.fields[-1])))


def test_create_or_replace_v2_takes_ids_by_source_and_transform() -> None:
    specs = add(create_specs([BUCKET_8]), DAY)
    after = replace_specs(specs, [DAY, BUCKET_16, BUCKET_8])
    assert shape(after) == [
        (1001, "ts_day", "day"),
        (1002, "id_bucket", "bucket[16]"),
        (1000, "id_bucket", "bucket[8]"),
    ]
    assert (after.current, after.last_field_id) == (2, 1002)


def test_create_or_replace_v1_voids_what_is_missing_and_renames_it() -> None:
    specs = create_specs([BUCKET_8, DAY], 1)
    after = replace_specs(specs, [BUCKET_16, DAY])
    assert shape(after) == [
        (1000, "id_bucket_1000", "void"),
        (1001, "ts_day", "day"),
        (1002, "id_bucket", "bucket[16]"),
    ]
    assert shape(replace_specs(specs, [])) == [(1000, "id_bucket", "void"), (1001, "ts_day", "void")]


# --- damage ----------------------------------------------------------------------------------


def kinds(specs: Specs, schema: Schema = SCHEMA) -> list[CorruptionKind]:
    return [item.kind for item in corrupt_fields(specs, schema)]


WITHOUT_S = Schema(SCHEMA.fields[:2])


def test_a_name_used_again_breaks() -> None:
    specs = swap(add(create_specs([]), renamed(BUCKET_8, "shard")), "shard", renamed(BUCKET_16, "shard"))
    (corrupt_field,) = corrupt_fields(specs, SCHEMA)
    assert isinstance(corrupt_field, CorruptField)
    assert corrupt_field.other is not None
    assert (corrupt_field.kind, corrupt_field.field.field_id, corrupt_field.other.field_id) == (
        CorruptionKind.SAME_NAME,
        1001,
        1000,
    )
    other_letters = swap(create_specs([BUCKET_8]), "id_bucket", renamed(BUCKET_16, "ID_bucket"))
    assert kinds(other_letters) == [CorruptionKind.SAME_NAME]


def test_a_renamed_field_frees_its_name() -> None:
    specs = swap(create_specs([BUCKET_8]), "id_bucket", renamed(BUCKET_8, "shard"))
    specs = add(specs, renamed(DAY, "id_bucket"))
    assert kinds(specs) == []
    assert [(f.field_id, f.name) for f in union_fields(specs, SCHEMA)] == [(1000, "shard"), (1001, "id_bucket")]


def test_letter_case_breaks_within_a_spec() -> None:
    specs = add(create_specs([BUCKET_8]), renamed(DAY, "ID_BUCKET"))
    assert kinds(specs) == [CorruptionKind.SAME_NAME_NOW]


def test_letter_case_where_spark_minds_it() -> None:
    specs = swap(create_specs([BUCKET_8]), "id_bucket", renamed(BUCKET_16, "ID_bucket"))
    assert list(corrupt_fields(specs, SCHEMA, case_sensitive=True)) == []
    same = swap(create_specs([BUCKET_8]), "id_bucket", renamed(BUCKET_16, "id_bucket"))
    assert [d.kind for d in corrupt_fields(same, SCHEMA, case_sensitive=True)] == [CorruptionKind.SAME_NAME]


def test_an_id_twice_names_both() -> None:
    specs = drop(create_specs([DAY, BUCKET_8], 1), "id_bucket").upgraded(2)
    (corrupt_field,) = corrupt_fields(add(specs, BUCKET_8), SCHEMA)
    assert corrupt_field.other is not None
    assert (corrupt_field.field.name, corrupt_field.other.name) == ("id_bucket", "id_bucket_1001")


def test_an_id_twice() -> None:
    specs = drop(create_specs([BUCKET_8], 1), "id_bucket").upgraded(2)
    assert kinds(add(specs, BUCKET_8)) == [CorruptionKind.ID_TWICE]
    assert kinds(add(specs, renamed(BUCKET_8, "other"))) == []


def test_sources_that_are_gone() -> None:
    v1 = drop(create_specs([IDENTITY, BUCKET_8], 1), "s")
    assert kinds(v1, WITHOUT_S) == [CorruptionKind.VOID_WITHOUT_SOURCE]
    all_void = drop(create_specs([IDENTITY], 1), "s")
    assert kinds(all_void, WITHOUT_S) == [CorruptionKind.PAST_WITHOUT_SOURCE]
    v2 = drop(create_specs([IDENTITY, BUCKET_8]), "s")
    assert kinds(v2, WITHOUT_S) == [CorruptionKind.PAST_WITHOUT_SOURCE]
    assert kinds(v2) == []


def test_a_field_without_its_source_takes_no_name() -> None:
    specs = drop(create_specs([want("s", "truncate", 2)]), "s_trunc")
    specs = update_specs(specs, None, renamed(DAY, "s_trunc"), WITHOUT_S)
    assert kinds(specs, WITHOUT_S) == [CorruptionKind.PAST_WITHOUT_SOURCE]
