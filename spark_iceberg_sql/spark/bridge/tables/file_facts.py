"""Facts about the data files of a snapshot, without reading them: sizes from the manifests, times and etags from
a listing.

They reach the executors once each, as broadcast maps, and a row looks its file up: a join would hash each row's
address twice and needs its own job.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from threading import Lock

from spark_iceberg_sql.spark.bridge.jvm import compiler, gateway, shims
from spark_iceberg_sql.spark.bridge.jvm.gateway import Java, java_class, scala_object
from spark_iceberg_sql.spark.bridge.jvm.java_records import to_json
from spark_iceberg_sql.spark.bridge.jvm.java_rows import StoreFile
from spark_iceberg_sql.spark.bridge.plans import relations

SIZE, TIME, ETAG = "_size", "_time", "_etag"
_TYPES = {SIZE: "LongType", TIME: "TimestampType", ETAG: "StringType"}
_CACHE_SIZE = 8  # snapshots
_cache: OrderedDict[tuple[object, ...], Mapping[str, Java]] = OrderedDict()
_lock = Lock()
_OBJECTS = "org.apache.spark.sql.catalyst.expressions.objects.Invoke"


def maps(
    operations: Java,
    snapshot: int,
    listed: Callable[[], Iterable[StoreFile]] | None,
    moved: tuple[str, str] | None,
    *,
    cached: bool,
) -> Mapping[str, Java]:
    """Broadcast maps from a data file's address in the metadata to its size, and to its time and its etag if
    listed.

    operations, snapshot: of the table. listed: lists address without its scheme, time in ms and etag of the
    files in the store. moved: for a moved table, a pattern of the address prefixes to map, and their
    replacement. cached: whether to use an earlier call's maps for the snapshot: its files do not change.
    """
    context = gateway.active_session().sparkContext()
    metadata = operations.current()
    key = (str(context.applicationId()), str(metadata.uuid()), snapshot, moved, listed is not None)
    with _lock:
        if cached and key in _cache:
            _cache.move_to_end(key)
            return _cache[key]
    listing = to_json(StoreFile, () if listed is None else listed())
    old, folder = moved or (None, None)
    table = relations.base_table(operations, "")
    facts = compiler.shared_instance(__package__, "FileFacts", StoreFile)
    java_maps = facts.maps(table, snapshot, listing, old, folder)
    java_context = java_class("org.apache.spark.api.java.JavaSparkContext").fromSparkContext(context)
    broadcasts = {SIZE: java_context.broadcast(java_maps.sizes())}
    if listed is not None:
        broadcasts |= {TIME: java_context.broadcast(java_maps.times()), ETAG: java_context.broadcast(java_maps.etags())}
    with _lock:
        _cache[key] = broadcasts
        while len(_cache) > _CACHE_SIZE:
            _cache.popitem(last=False)
    return broadcasts


def lookup(name: str, broadcast: Java, address: str) -> Java:
    """A column: the value of one of the maps. name: of the map. address: the column with a file's address."""
    types = java_class("org.apache.spark.sql.types.DataTypes")
    value = _invoke(_literal(broadcast), "value", _object("java.util.HashMap"))
    key = shims.expression(java_class, scala_object, address)
    return shims.column(java_class, scala_object, _invoke(value, "get", getattr(types, _TYPES[name]), key)).alias(name)


def _literal(value: Java) -> Java:
    """A constant whose text in plans is short: that of a broadcast has its number only."""
    literal_class = java_class("org.apache.spark.sql.catalyst.expressions.Literal")
    return literal_class(value, _object("org.apache.spark.broadcast.Broadcast"))


def _object(name: str) -> Java:
    return java_class("org.apache.spark.sql.types.ObjectType")(java_class(name)._java_lang_class)


def _invoke(target: Java, method: str, data_type: Java, *arguments: Java) -> Java:
    none = gateway.to_seq([])
    return java_class(_OBJECTS)(target, method, data_type, gateway.to_seq(arguments), none, True, True, True)


def count(operations: Java, snapshot: int) -> int:
    """The number of data files in a snapshot, from its summary; 0 if that does not state it."""
    return int(operations.current().snapshot(snapshot).summary().get("total-data-files") or 0)
