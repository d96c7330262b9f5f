"""The table functions: one record each.

Signatures, ClickHouse translations, redaction and documentation are derived from these.

Those over a table's metadata are in metadata_functions.py.

To add a function over a location, add a record to FUNCTIONS, and an entry to STORES of
spark/tables/locations/stores.py if no existing store can resolve its location.
"""

from __future__ import annotations

from spark_iceberg_sql.records import record, replace

Value = str | int | bool | None

FORMATS = ("auto", "parquet", "orc", "avro")
COLUMNS = ("skip", "string", "error")
COMPRESSIONS = ("auto", "none", "gzip", "gz", "zstd", "zst", "snappy", "lz4", "brotli", "br", "xz")


@record(frozen=True, slots=True)
class Argument:
    """One argument of a table function.

    name: in SQL. type: str, int or bool; `expression` arguments (timestamp) are passed on unevaluated.
    description: its effect. default: its value if it is not given. aliases: other names, including ClickHouse's.
    secret: its value must not appear anywhere.
    """

    name: str
    type: type
    description: str
    default: Value = None
    aliases: tuple[str, ...] = ()
    secret: bool = False


FORMAT = Argument("format", str, "auto, parquet, orc or avro; detected per file", "auto")
COMPRESSION = Argument("compression_method", str, "as in ClickHouse; detected per file", "auto", ("compression",))

# Every function has these, by name.
SETTINGS = (
    Argument("collection", str, "a named collection: spark.iceberg_sql.collection.NAME.argument"),
    Argument("filename", str, "appended to the location, for a collection of many tables"),
    Argument("snapshot_id", int, "the table as of a snapshot", aliases=("iceberg_snapshot_id", "snapshot_from_id")),
    Argument("timestamp_ms", int, "the table as of milliseconds since 1970 UTC", aliases=("iceberg_timestamp_ms",)),
    Argument(
        "timestamp",
        int,
        "the table as of a time: anything that TIMESTAMP AS OF accepts",
        aliases=("snapshot_from_timestamp",),
    ),
    Argument("ref", str, "the table as of a branch or tag", aliases=("branch", "tag")),
    Argument("version", str, "the table as of a snapshot ID, a branch or a tag, as VERSION AS OF"),
    Argument("start_snapshot_id", int, "only the rows that were appended after this snapshot"),
    Argument("end_snapshot_id", int, "the last snapshot, with start_snapshot_id or changes"),
    Argument(
        "changes",
        bool,
        "true reads the rows inserted and deleted after start_snapshot_id, with _change_type, "
        "_change_ordinal and _commit_snapshot_id",
        False,
    ),
    Argument(
        "metadata_file_path",
        str,
        "this metadata file, relative to the table's folder or absolute",
        aliases=("iceberg_metadata_file_path",),
    ),
    Argument(
        "metadata_table_uuid", str, "only metadata files with this table UUID", aliases=("iceberg_metadata_table_uuid",)
    ),
    Argument(
        "newest_by_last_updated",
        bool,
        "the metadata file with the newest last-updated-ms, not with the highest version",
        False,
        ("recent_metadata_file_by_last_updated_ms_field", "iceberg_recent_metadata_file_by_last_updated_ms_field"),
    ),
    Argument(
        "allow_moved_paths",
        bool,
        "false refuses a copied or moved table; true reads its files below its own folder",
        True,
    ),
    Argument(
        "use_partition_pruning",
        bool,
        "false reads all files, to measure what pruning saves",
        True,
        ("use_iceberg_partition_pruning",),
    ),
    Argument(
        "use_metadata_files_cache",
        bool,
        "false rereads metadata and manifests",
        True,
        ("use_iceberg_metadata_files_cache",),
    ),
    Argument(
        "virtual_columns",
        bool,
        "true makes _path, _file, _size, _time, _etag, _row_number and _data_lake_snapshot_version available in the "
        "DataFrame API, too",
        False,
    ),
    Argument(
        "columns",
        str,
        "columns of types that Spark does not support: skip, string (read as text) or error; by default skipped with a "
        "warning",
    ),
    Argument(
        "use_version_hint",
        bool,
        "ClickHouse's, and without effect: the newest metadata file is read, whatever version-hint.text names",
        False,
        ("iceberg_use_version_hint",),
    ),
    Argument("split_size", int, "target size of a read task in bytes"),
    Argument("structure", str, "only auto: the table has its own columns", "auto"),
)

CLUSTER = Argument("cluster", str, "ClickHouse's cluster, which is ignored: Spark reads with its own executors")
PATH = Argument("path", str, "the table's folder, or one of its metadata files", aliases=("url",))
_URL = Argument("url", str, "s3://bucket/path, or the endpoint's http(s) URL", aliases=("path",))
_S3 = (
    _URL,
    Argument("access_key_id", str, "the access key, or NOSIGN", aliases=("access_key",), secret=True),
    Argument("secret_access_key", str, "the secret access key", aliases=("secret_key",), secret=True),
    Argument("session_token", str, "the session token of temporary credentials", secret=True),
    FORMAT,
    COMPRESSION,
)
_S3_SETTINGS = (
    Argument("endpoint", str, "endpoint of an S3-compatible store"),
    Argument("region", str, "region of the bucket", "us-east-1"),
    Argument("no_sign", bool, "true reads a public bucket without credentials", False, ("nosign",)),
)
_AZURE = (
    Argument(
        "connection_string",
        str,
        "a connection string, or the account's URL",
        aliases=("storage_account_url", "account_url"),
        secret=True,
    ),
    Argument("container_name", str, "the container", aliases=("container",)),
    Argument("blobpath", str, "the table's folder in the container", aliases=("blob_path", "path")),
    Argument("account_name", str, "account name, if an account URL is given"),
    Argument("account_key", str, "account key, if an account URL is given", secret=True),
    FORMAT,
    COMPRESSION,
)


@record(frozen=True, slots=True)
class Function:
    """One table function.

    name, aliases: its names in SQL, case-insensitive. store: which part of stores.py finds its location.
    positional: by position, in order; the first `required` must be given. settings: by name only.
    description: one sentence for DESCRIBE FUNCTION. example: a call.
    """

    name: str
    aliases: tuple[str, ...]
    store: str
    positional: tuple[Argument, ...]
    settings: tuple[Argument, ...]
    required: int
    description: str
    example: str

    @property
    def names(self) -> tuple[str, ...]:
        """All its names in SQL."""
        return (self.name, *self.aliases)

    @property
    def location_position(self) -> int:
        """The position of the argument with the location, or with a collection's name."""
        return int(self.positional[0] is CLUSTER)

    @property
    def has_secrets(self) -> bool:
        """True if any argument is secret."""
        return any(argument.secret for argument in self.arguments)

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """All arguments."""
        return self.positional + self.settings


FUNCTIONS = (
    Function(
        "iceberg",
        ("iceberg_scan",),
        "any",
        _S3,
        _S3_SETTINGS + tuple(a for a in _AZURE if a.name.startswith("account_")) + SETTINGS,
        1,
        "Reads the Iceberg table at a location; the URL scheme selects the store.",
        "iceberg('s3://bucket/db/t', snapshot_id => 123)",
    ),
    Function(
        "icebergS3",
        ("iceberg_s3",),
        "s3",
        _S3,
        _S3_SETTINGS + SETTINGS,
        1,
        "Reads the Iceberg table at a location in S3 or an S3-compatible store.",
        "icebergS3('http://minio:9000/bucket/db/t', collection => 'minio')",
    ),
    Function(
        "icebergAzure",
        ("iceberg_azure",),
        "azure",
        _AZURE,
        SETTINGS,
        3,
        "Reads the Iceberg table at a location in Azure Blob Storage.",
        "icebergAzure('https://account.blob.core.windows.net', 'lake', 'db/t')",
    ),
    Function(
        "icebergHDFS",
        ("iceberg_hdfs",),
        "hadoop",
        (PATH, FORMAT, COMPRESSION),
        SETTINGS,
        1,
        "Reads the Iceberg table at a location in HDFS or another Hadoop file system.",
        "icebergHDFS('hdfs://namenode:8020/warehouse/db/t')",
    ),
    Function(
        "icebergLocal",
        ("iceberg_local",),
        "local",
        (PATH, FORMAT, COMPRESSION),
        SETTINGS,
        1,
        "Reads the Iceberg table at a location in the local file system.",
        "icebergLocal('/warehouse/db/t', timestamp => current_timestamp() - INTERVAL 1 DAY)",
    ),
)

# ClickHouse's functions that read on a cluster: the same, after the cluster's name.
CLUSTER_FUNCTIONS: tuple[Function, ...] = tuple(
    replace(
        function,
        name=f"{function.name}Cluster",
        aliases=(),
        positional=(CLUSTER, *function.positional),
        required=function.required + 1,
        description=f"{function.description} The cluster is ignored.",
        example=function.example.replace("(", "Cluster('default', ", 1),
    )
    for function in FUNCTIONS
)
ALL_FUNCTIONS: tuple[Function, ...] = (*FUNCTIONS, *CLUSTER_FUNCTIONS)

BY_NAME = {name.lower(): function for function in ALL_FUNCTIONS for name in function.names}
ARGUMENT_NAMES = frozenset(name for function in FUNCTIONS for a in function.arguments for name in (a.name, *a.aliases))
