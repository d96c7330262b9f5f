"""The functions over a table's metadata: one record each.

To add a function over one of Iceberg's metadata tables, add a record with its kind. Any other function also needs its
rows: a line in ROW_BUILDERS of spark/tables/functions/metadata_rows.py.
"""

from __future__ import annotations

from spark_iceberg_sql.model.functions.table_functions import ALL_FUNCTIONS, FUNCTIONS, Argument, Function
from spark_iceberg_sql.records import record


@record(frozen=True, slots=True)
class MetadataFunction:
    """One function over the metadata of a table, by name or path.

    name: in SQL. metadata_table: Iceberg's; None for rows of this package's own. description: one sentence.
    has_time_travel: true if the rows depend on the snapshot, so that it accepts the time-travel arguments.
    settings: by name only, in addition to those of iceberg(). aliases: other names in SQL.
    """

    name: str
    metadata_table: str | None
    description: str
    has_time_travel: bool = False
    settings: tuple[Argument, ...] = ()
    aliases: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """All its names in SQL."""
        return (self.name, *self.aliases)


_COLUMN = Argument("column", str, "only this column, with the bounds in its type")
_NAME = Argument("name", str, "the name of the table in the statements; default: its folder's")

METADATA_FUNCTIONS = (
    MetadataFunction("iceberg_snapshots", None, "All snapshots."),
    MetadataFunction("iceberg_history", "HISTORY", "The snapshots that were current, and when each became so."),
    MetadataFunction("iceberg_refs", "REFS", "The branches and tags."),
    MetadataFunction(
        "iceberg_metadata_log", "METADATA_LOG_ENTRIES", "The metadata files.", aliases=("iceberg_metadata_log_entries",)
    ),
    MetadataFunction("iceberg_files", "FILES", "The data and delete files.", has_time_travel=True),
    MetadataFunction("iceberg_data_files", "DATA_FILES", "The data files.", has_time_travel=True),
    MetadataFunction("iceberg_delete_files", "DELETE_FILES", "The delete files.", has_time_travel=True),
    MetadataFunction(
        "iceberg_entries",
        "ENTRIES",
        "The entries of the manifests: files, and whether each was added, kept or deleted.",
        has_time_travel=True,
    ),
    MetadataFunction("iceberg_manifests", "MANIFESTS", "The manifests.", has_time_travel=True),
    MetadataFunction(
        "iceberg_partitions",
        "PARTITIONS",
        "The partitions, with their numbers of rows and files.",
        has_time_travel=True,
    ),
    MetadataFunction(
        "iceberg_position_deletes",
        "POSITION_DELETES",
        "The rows that position delete files and deletion vectors delete.",
        has_time_travel=True,
    ),
    MetadataFunction("iceberg_all_files", "ALL_FILES", "The data and delete files of all snapshots."),
    MetadataFunction("iceberg_all_data_files", "ALL_DATA_FILES", "The data files of all snapshots."),
    MetadataFunction("iceberg_all_delete_files", "ALL_DELETE_FILES", "The delete files of all snapshots."),
    MetadataFunction("iceberg_all_entries", "ALL_ENTRIES", "The entries of the manifests of all snapshots."),
    MetadataFunction("iceberg_all_manifests", "ALL_MANIFESTS", "The manifests of all snapshots."),
    MetadataFunction(
        "iceberg_metadata",
        None,
        "The entries of the manifests with the columns that DuckDB's function has.",
        has_time_travel=True,
    ),
    MetadataFunction(
        "iceberg_column_stats",
        None,
        "The sizes, counts and bounds of each column in each file; bounds are text unless `column` is given.",
        has_time_travel=True,
        settings=(_COLUMN,),
    ),
    MetadataFunction(
        "iceberg_partition_specs", None, "All partition specs with their fields; a spec without fields has one row."
    ),
    MetadataFunction("iceberg_schemas", None, "All schemas with their columns, nested ones included."),
    MetadataFunction(
        "iceberg_sort_orders", None, "All sort orders with their fields; an order without fields has one row."
    ),
    MetadataFunction("iceberg_properties", None, "The table properties.", aliases=("iceberg_table_properties",)),
    MetadataFunction("iceberg_statistics", None, "The statistics files with their blobs."),
    MetadataFunction("iceberg_columns", None, "The columns, as DESCRIBE shows them.", has_time_travel=True),
    MetadataFunction(
        "iceberg_describe",
        None,
        "The columns, the partitioning and the details of the table, as DESCRIBE EXTENDED shows them.",
        has_time_travel=True,
    ),
    MetadataFunction(
        "iceberg_ddl", None, "The statements that create an identical, empty table, in one row.", settings=(_NAME,)
    ),
)

_READER = FUNCTIONS[0]
_STORE_SETTINGS = frozenset({"collection", "filename", "endpoint", "region", "no_sign", "account_name", "account_key"})

TABLES = Function(
    "iceberg_tables",
    (),
    "any",
    (
        Argument(
            "path",
            str,
            "a folder, a pattern with *, ?, [a-z] and {a,b}, or the name of a catalog or namespace",
            aliases=("url",),
        ),
        *_READER.positional[1:],
    ),
    (
        Argument("depth", int, "how many levels below the folder are searched", 6),
        Argument("limit", int, "how many tables are read at most"),
        *(setting for setting in _READER.settings if setting.name in _STORE_SETTINGS),
    ),
    1,
    "The tables below a folder: location, UUID, format version, columns, partitioning, snapshot, files, bytes, and "
    "the records in the data files, some of which delete files may have deleted.",
    "iceberg_tables('s3://lake/{sales,audit}/*')",
)

# Every name of a table function, in lower case.
NAMES = frozenset(
    name.lower()
    for names in (*(f.names for f in (*ALL_FUNCTIONS, TABLES)), *(f.names for f in METADATA_FUNCTIONS))
    for name in names
)
