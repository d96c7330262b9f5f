"""All rules: the built-in ones by the names of their files, then those of other packages."""

from __future__ import annotations

from importlib import import_module

from spark_iceberg_sql.rules.base import Event, Rule
from spark_iceberg_sql.rules.plugins import plugin_rules

# A new rule is a file and its line here, in the order of the codes.
_MODULES = (
    "sis000_internal_error",
    "sis001_unreadable_statement",
    "sis002_not_checked",
    "sis003_unused_ignore",
    "sis004_misrouted_statement",
    "sis101_unknown_transform",
    "sis102_wrong_number_of_arguments",
    "sis103_bad_parameter",
    "sis104_argument_order",
    "sis105_several_source_columns",
    "sis106_void_in_ddl",
    "sis107_name_in_partitioned_by",
    "sis108_short_literal",
    "sis109_odd_field_name",
    "sis110_pointless_parameter",
    "sis201_unknown_column",
    "sis202_type_not_accepted",
    "sis203_source_not_primitive",
    "sis204_source_in_collection",
    "sis205_type_needs_v3",
    "sis206_reserved_column_name",
    "sis207_ambiguous_column",
    "sis208_unsupported_column_clause",
    "sis209_unsupported_type",
    "sis210_column_change_refused",
    "sis211_unwritable_type",
    "sis212_empty_name",
    "sis213_unsortable",
    "sis214_identifier_field",
    "sis215_variant_in_collection",
    "sis216_collation_lost",
    "sis301_field_twice",
    "sis302_same_transform_twice",
    "sis303_redundant_time",
    "sis304_name_of_a_column",
    "sis305_name_taken",
    "sis401_no_such_field",
    "sis402_field_there",
    "sis403_replaced_by_itself",
    "sis404_name_used_again",
    "sis405_void_without_column",
    "sis406_field_id_twice",
    "sis407_source_column_gone",
    "sis408_column_named_like_a_field",
    "sis409_promoted_source",
    "sis410_format_version",
    "sis411_refused_property",
    "sis412_wrong_target",
    "sis413_not_iceberg",
    "sis414_hidden_partition_written",
    "sis415_branch_or_tag",
    "sis416_replaced_source_type",
    "sis417_unreadable_deletes",
    "sis501_identity_on_timestamp",
    "sis502_identity_on_unique_key",
    "sis503_identity_on_float",
    "sis504_second_bucket",
    "sis505_day_of_another_zone",
    "sis506_decimal_width_in_units",
    "sis601_wrong_function_call",
    "sis602_filter_does_not_prune",
    "sis603_column_in_double_quotes",
    "sis604_foreign_syntax",
    "sis605_unknown_procedure",
    "sis606_missing_group_by",
    "sis607_wrong_number_of_values",
    "sis608_null_for_every_row",
    "sis609_refused_argument",
    "sis610_hidden_field_in_query",
    "sis611_refused_query",
    "sis612_refused_syntax",
)


def _built_in(module: str) -> Rule:
    """The rule in a file: the function that the file is named after."""
    rule = getattr(import_module(f"spark_iceberg_sql.rules.{module}"), module.partition("_")[2])
    assert isinstance(rule, Rule), module
    return rule


OURS: tuple[Rule, ...] = tuple(_built_in(module) for module in _MODULES)
ALL: tuple[Rule, ...] = (*OURS, *plugin_rules([rule.code for rule in OURS]))
BY_CODE: dict[str, Rule] = {rule.code: rule for rule in ALL}


def reporter(event: Event) -> Rule:
    """The rule under which an event is reported; a built-in one before those of other packages."""
    return next(rule for rule in BY_CODE.values() if rule.event is event)
