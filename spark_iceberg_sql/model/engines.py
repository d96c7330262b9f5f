"""The engines that a text's SQL may be for, as a comment or a setting names them, or as its grammar indicates."""

from __future__ import annotations

from enum import Enum, auto

from spark_iceberg_sql.records import record


class Dialect(Enum):
    """A dialect that a text's grammar indicates."""

    SPARK = auto()  # only Spark or Iceberg
    SHARED = auto()  # Spark, but also Hive, Athena, Flink or DuckDB
    OTHER_ENGINES = auto()  # other engines


@record(frozen=True, slots=True)
class Engine:
    """An engine.

    name: as it is named. is_spark: whether its statements are Spark's, so that they are checked. clusters: whether it
    has CLUSTER BY for an Iceberg table. has_own_grammar: whether it has statements that Spark's parser refuses.
    other_names: in other tools.
    """

    name: str
    is_spark: bool = False
    clusters: bool = False
    has_own_grammar: bool = False
    other_names: tuple[str, ...] = ()


ENGINES = (
    Engine("spark", is_spark=True, other_names=("sparksql",)),
    Engine("databricks", is_spark=True, clusters=True, has_own_grammar=True),
    Engine("hive"),
    Engine("athena"),
    Engine("trino"),
    Engine("flink"),
    Engine("clickhouse"),
)
BY_NAME = {name: engine for engine in ENGINES for name in (engine.name, *engine.other_names)}
