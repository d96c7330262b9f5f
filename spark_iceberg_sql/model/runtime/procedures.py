"""Iceberg's procedures for Spark, `CALL catalog.system.NAME(...)`: one record each.

Their parameters are those of the runtimes, as `iceberg_procedures` has them from the jars.
"""

from __future__ import annotations

from spark_iceberg_sql.model.runtime.iceberg_procedures import PARAMETERS
from spark_iceberg_sql.model.runtime.minor_version import Version
from spark_iceberg_sql.records import record
from spark_iceberg_sql.similar_names import LIKELY, similar_name


@record(frozen=True, slots=True)
class ProcedureParameter:
    """A parameter of a procedure. type: Spark's name of it. since: the first version of Iceberg that has it."""

    name: str
    type: str
    required: bool
    since: Version


@record(frozen=True, slots=True)
class Procedure:
    """A procedure of the newest Iceberg. name: in lower case. all_parameters: in the order of a call without names.

    creates_table: whether it creates the table that its parameter `table` names, or may change its columns and specs.
    """

    name: str
    all_parameters: tuple[ProcedureParameter, ...]
    creates_table: bool = False

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the newest Iceberg's parameters."""
        return tuple(parameter.name for parameter in self.all_parameters)

    @property
    def since(self) -> Version:
        """The first version of Iceberg that has the procedure."""
        return min(parameter.since for parameter in self.all_parameters)

    def parameters_of(self, iceberg: Version | None) -> tuple[ProcedureParameter, ...]:
        """The parameters that a version has, in order; None for a version that is not known: the newest's."""
        return tuple(p for p in self.all_parameters if iceberg is None or p.since <= iceberg)


_CREATING = frozenset({"add_files", "migrate", "register_table", "snapshot"})


def _procedures() -> tuple[Procedure, ...]:
    names = dict.fromkeys(row[0] for row in PARAMETERS)
    return tuple(
        Procedure(
            name,
            tuple(ProcedureParameter(*row[1:]) for row in PARAMETERS if row[0] == name),
            creates_table=name in _CREATING,
        )
        for name in names
    )


# The version whose procedures these are.
ICEBERG_VERSION = "1.12"
PROCEDURES = _procedures()
BY_NAME = {procedure.name: procedure for procedure in PROCEDURES}
# Procedures of the same namespace in Trino and Presto that Iceberg does not have for Spark, and parameters of theirs.
OTHER_ENGINES_PROCEDURES = frozenset(
    {"add_files_from_table", "fast_forward_branch", "set_table_property", "unregister_table"}
)
OTHER_ENGINES_PARAMETERS = frozenset({"schema", "schema_name"})


def similar_procedure(name: str) -> str | None:
    """The procedure with a name similar to one that does not exist; None if there is none. name: in lower case."""
    if name in OTHER_ENGINES_PROCEDURES:
        return None
    return similar_name(name, BY_NAME, LIKELY)
