"""The names of properties and options, compared with the jars of Iceberg's runtime that are at hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark_iceberg_sql.files.user_cache import cache_directory
from spark_iceberg_sql.model.runtime.iceberg_names import CALL_OPTIONS, TABLE_PROPERTIES
from spark_iceberg_sql.model.runtime.properties import METRICS_OF_COLUMN, PROPERTIES, similar_property
from spark_iceberg_sql.spark.versions import checkout_jars
from tests.iceberg_names import MODULE, OPTIONS, module_text, names_in
from tests.iceberg_names import TABLE_PROPERTIES as CLASS_OF_PROPERTIES

JARS = [
    jar for folder in (checkout_jars(), cache_directory()) for jar in sorted(folder.glob("iceberg-spark-runtime-*.jar"))
]


@pytest.mark.skipif(not JARS, reason="no runtime was fetched yet")
@pytest.mark.parametrize("jar", JARS, ids=lambda jar: jar.stem)
def test_every_name_of_a_runtime_is_known(jar: Path) -> None:
    properties = names_in(jar, CLASS_OF_PROPERTIES)
    assert len(properties) > 100
    assert properties <= set(TABLE_PROPERTIES)
    for procedure, classes in OPTIONS.items():
        options = names_in(jar, *classes)
        assert {"rewrite-all", "partial-progress.enabled"} <= options <= set(CALL_OPTIONS[procedure])
    assert module_text([jar]) == MODULE.read_text(encoding="utf-8")


def test_each_typed_property_is_one_that_iceberg_reads() -> None:
    assert set(PROPERTIES) <= set(TABLE_PROPERTIES)


@pytest.mark.parametrize("key", [*TABLE_PROPERTIES, METRICS_OF_COLUMN + "a", "owner-team", "Comment", "delta.foo"])
def test_a_right_name_and_a_foreign_one_resemble_nothing(key: str) -> None:
    assert similar_property(key) is None


@pytest.mark.parametrize("key", [name for name in TABLE_PROPERTIES if name.count(".") > 1 and name[-1] != "."])
def test_a_swapped_letter_is_seen(key: str) -> None:
    misspelt = f"{key[:-3]}{key[-2]}{key[-3]}{key[-1]}"
    assert misspelt == key or misspelt in TABLE_PROPERTIES or similar_property(misspelt) == key
