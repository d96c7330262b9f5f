"""The records of procedures and of values, compared with the runtimes that are at hand."""

from __future__ import annotations

from pathlib import Path

import pyspark
import pytest
from samples import FULL

from spark_iceberg_sql.files.user_cache import cache_directory
from spark_iceberg_sql.model.runtime import iceberg_values, iceberg_versions, procedures
from spark_iceberg_sql.model.runtime.iceberg_names import CALL_OPTIONS, STRATEGY_OPTIONS, TABLE_PROPERTIES
from spark_iceberg_sql.model.runtime.properties import PROPERTIES, SWITCHES
from spark_iceberg_sql.spark import versions
from tests import iceberg_values as values_of_jars
from tests.iceberg_procedures import LATER, Parameter, parameters_in, spark_and_version

pytestmark = pytest.mark.tier("rest")


def _runtimes() -> list[Path]:
    """The runtimes of Sparks that need not be fetched: of the installed one, and in a sweep of those in the cache."""
    tests = cache_directory() / "tests"
    lines = {versions.minor(pyspark.__version__)}
    if FULL:
        lines |= {folder.name.removeprefix("pyspark-") for folder in tests.glob("pyspark-?.?") if folder.is_dir()}
    jars = {
        jar.name: jar for folder in (cache_directory(), tests) for jar in folder.glob("iceberg-spark-runtime-*.jar")
    }
    return [jar for _, jar in sorted(jars.items()) if spark_and_version(jar)[0] in lines]


RUNTIMES = _runtimes()


@pytest.mark.skipif(not RUNTIMES, reason="no runtime was fetched yet")
@pytest.mark.parametrize("jar", RUNTIMES, ids=lambda jar: jar.stem)
def test_the_procedures_of_a_runtime(jar: Path) -> None:
    """In the order of a call without names, with their types and what they need."""
    version = spark_and_version(jar)
    parameters = parameters_in(jar)
    assert len(parameters) > 60
    recorded = [
        Parameter(procedure.name, p.name, p.type, p.required)
        for procedure in procedures.PROCEDURES
        for p in procedure.parameters_of(version[1])
    ]
    assert [p for p in recorded if p not in LATER.get(version, ())] == parameters


@pytest.mark.skipif(not RUNTIMES, reason="no runtime was fetched yet")
@pytest.mark.tier("sweep")  # javap prints all instructions of the runtime's readers
@pytest.mark.parametrize("jar", RUNTIMES, ids=lambda jar: jar.stem)
def test_the_types_of_a_runtime(jar: Path) -> None:
    values = values_of_jars.values_in(jar)
    wider = {"int": ("int", "long"), "boolean": ("boolean",), "long": ("long",), "double": ("double",)}
    for name, types in values.items():
        recorded = getattr(iceberg_values, name)
        assert set(types) <= set(recorded), name
        if name == "ENUMERATIONS":
            assert all(set(constants) <= set(recorded[key]) for key, constants in types.items())
        else:
            assert len(types) >= 15  # of the options of procedures in Iceberg 1.5; 1.12 has more than 20
            assert {key: type_ for key, type_ in types.items() if type_ and recorded[key] not in wider[type_]} == {}
        if name == "PROPERTY_TYPES":
            narrower = {key for key, type_ in types.items() if type_ == "int" and recorded[key] == "long"}
            version = spark_and_version(jar)[1]
            longs = {key for key, since in iceberg_versions.LONG_SINCE.items() if version < since}
            assert narrower == longs & set(types)


def test_each_record_is_of_a_name() -> None:
    assert set(iceberg_values.PROPERTY_TYPES) <= set(TABLE_PROPERTIES)
    assert set(iceberg_values.CALL_OPTION_TYPES) <= {name for names in CALL_OPTIONS.values() for name in names}
    assert {name for names in STRATEGY_OPTIONS.values() for name in names} <= set(CALL_OPTIONS["rewrite_data_files"])
    assert not SWITCHES & set(PROPERTIES)
    assert all(constants for constants in iceberg_values.ENUMERATIONS.values())
