"""The location of a table, and how to open its files, from the arguments of a call.

One function per store; STORES lists them. Keys are only put into the file system's properties, which no plan shows, and
never into a message.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from spark_iceberg_sql.model.functions.table_functions import Value
from spark_iceberg_sql.model.metadata.metadata_files import is_metadata_file
from spark_iceberg_sql.spark.bridge.io.hadoop_stores import is_read_by_hadoop
from spark_iceberg_sql.spark.bridge.io.location import ADLS, GCS, HADOOP, S3, Location
from spark_iceberg_sql.spark.tables.arguments import invalid, quoted_value

# An unreachable server fails within seconds, not minutes; a slow one has time to respond.
_S3_PATIENCE = {
    "http-client.apache.connection-timeout-ms": "5000",
    "http-client.apache.socket-timeout-ms": "10000",
    "s3.retry.num-retries": "2",
    "s3.retry.min-wait-ms": "200",
    "s3.retry.max-wait-ms": "2000",
}


Arguments = Mapping[str, Value]


def _text(arguments: Arguments, name: str) -> str | None:
    value = arguments.get(name)
    return None if value is None else str(value)


def _with_filename(path: str, arguments: Arguments) -> str:
    filename = _text(arguments, "filename")
    full_path = f"{path.rstrip('/')}/{filename.strip('/')}" if filename else path
    return full_path if is_metadata_file(full_path) or full_path == "/" else full_path.rstrip("/")


def local(function: str, arguments: Arguments) -> Location:
    """A path of the local file system, whatever Hadoop's default file system is."""
    path = _text(arguments, "path") or ""
    scheme = _scheme(path)
    if scheme not in (None, "file"):
        message = f"`{path}` is not a local path; write iceberg('{path}')"
        raise invalid(function, "path", message)
    if scheme is None and not path.startswith("/"):
        message = f"`{path}` is relative, but Spark's processes do not share a working directory; pass an absolute path"
        raise invalid(function, "path", message)
    return Location(_with_filename(path if scheme else f"file:{path}", arguments))


def hadoop(function: str, arguments: Arguments) -> Location:
    """A path of any Hadoop file system; without a scheme, of Hadoop's default one."""
    path = _with_filename(_text(arguments, "path") or _text(arguments, "url") or "", arguments)
    _refuse_signed(function, "path" if arguments.get("path") else "url", path)
    return Location(path)


_SIGNED = re.compile(r"[?&](?:X-Amz-|AWSAccessKeyId=|sig=)", re.IGNORECASE)


def _refuse_signed(function: str, argument: str, url: str) -> None:
    """Refuse a signed URL: a location is in plans, warnings and messages, so a signature must not be part of it."""
    if "://" in url and _SIGNED.search(url):
        raise invalid(
            function,
            argument,
            "a signed URL is not accepted, since its signature would be in plans and messages; pass the URL up to "
            "the `?`, and credentials in a named collection",
        )


def _without_keys(url: str) -> str:
    """A URL as quoted in messages; anything else may be a key in the wrong position."""
    if "://" not in url:
        return quoted_value(url)
    return re.sub(r"\?.*", "?***", re.sub(r"//[^/]*@", "//***@", url))


_AMAZON = re.compile(r"(?P<bucket>[^/]+?)\.s3[.-](?:(?P<region>[a-z]{2}-[a-z0-9-]+)\.)?amazonaws\.com")
_AMAZON_PATH = re.compile(r"s3[.-](?:(?P<region>[a-z]{2}-[a-z0-9-]+)\.)?amazonaws\.com")


def s3(function: str, arguments: Arguments) -> Location:
    """s3://bucket/path, or the http(s) URL of a bucket at Amazon S3 or at another endpoint."""
    url = _with_filename(_text(arguments, "url") or "", arguments)
    endpoint, region = _text(arguments, "endpoint"), _text(arguments, "region")
    if _SIGNED.search(url):
        message = "a signed URL gives access to one object, but a table has many; pass s3://bucket/path and keys"
        raise invalid(function, "url", message)
    if endpoint and not re.match(r"https?://[^/]", endpoint):
        message = f"`{quoted_value(endpoint)}` has no scheme; write http://HOST:PORT or https://HOST"
        raise invalid(function, "endpoint", message)
    if match := re.fullmatch(r"(https?)://([^/]+)/(.+)", url):
        scheme, host, object_path = match.groups()
        if "@" in host:
            message = "credentials are not allowed in the URL; use a named collection"
            raise invalid(function, "url", message)
        if amazon := _AMAZON.fullmatch(host):
            url, region = f"s3://{amazon['bucket']}/{object_path}", region or amazon["region"]
        elif amazon := _AMAZON_PATH.fullmatch(host):
            url, region = f"s3://{object_path}", region or amazon["region"]
        else:
            url, endpoint = f"s3://{object_path}", endpoint or f"{scheme}://{host}"
    if not re.fullmatch(r"s3[an]?://[^/@]+/.+", url):
        message = f"`{_without_keys(url)}` is not s3://bucket/path or http(s)://endpoint/bucket/path"
        raise invalid(function, "url", message)
    properties = {**_S3_PATIENCE, "client.region": region or "us-east-1"}
    if endpoint:
        properties |= {"s3.endpoint": endpoint, "s3.path-style-access": "true"}
    return Location(re.sub(r"^s3[an]", "s3", url), S3, properties | _s3_keys(function, arguments))


def _s3_keys(function: str, arguments: Arguments) -> dict[str, str]:
    key, secret = _text(arguments, "access_key_id"), _text(arguments, "secret_access_key")
    if arguments.get("no_sign"):
        if key or secret:
            raise invalid(function, "no_sign", "NOSIGN and keys cannot be combined; leave one out")
        return {"client.credentials-provider": "software.amazon.awssdk.auth.credentials.AnonymousCredentialsProvider"}
    if bool(key) != bool(secret):
        missing = "access_key_id" if secret else "secret_access_key"
        raise invalid(function, missing, "the access key and its secret are both required; pass both")
    keys = {
        "s3.access-key-id": key,
        "s3.secret-access-key": secret,
        "s3.session-token": _text(arguments, "session_token"),
    }
    return {name: value for name, value in keys.items() if value}


def azure(function: str, arguments: Arguments) -> Location:
    """A container's folder, by connection string, or by the account's URL (with or without a key)."""
    account = _text(arguments, "connection_string") or ""
    container = _text(arguments, "container_name") or ""
    folder = _with_filename(_text(arguments, "blobpath") or "", arguments).strip("/")
    _refuse_signed(function, "blobpath", f"abfss://{folder}")
    parts = dict(p.split("=", 1) for p in account.strip(";").split(";") if "=" in p)
    if account.startswith(("http://", "https://")) and "?" not in account:
        endpoint = account.rstrip("/")
        host = endpoint.split("//", 1)[1]
        name = _text(arguments, "account_name") or host.split(".", 1)[0].split("/")[-1]
        key = _text(arguments, "account_key")
        text = f"BlobEndpoint={endpoint};AccountName={name};AccountKey={key}" if key else ""
    elif parts.get("AccountName"):
        name, key, text = parts["AccountName"], parts.get("AccountKey"), account
        suffix = parts.get("EndpointSuffix", "core.windows.net")
        protocol = parts.get("DefaultEndpointsProtocol", "https")
        endpoint = parts.get("BlobEndpoint") or f"{protocol}://{name}.blob.{suffix}"
    else:
        raise invalid(
            function,
            "connection_string",
            "it is neither a connection string with AccountName= nor the https:// URL of an account",
        )
    return _adls(name, container, folder, key, endpoint, text)


def _adls(name: str, container: str, folder: str, key: str | None, endpoint: str, text: str) -> Location:
    host = f"{name}.dfs.core.windows.net"
    properties = {}
    if key:
        properties = {"adls.auth.shared-key.account.name": name, "adls.auth.shared-key.account.key": key}
    if endpoint != f"https://{name}.blob.core.windows.net":
        properties[f"adls.connection-string.{host}"] = endpoint
    blobs = (text, container, folder) if text else None
    return Location(f"abfss://{container}@{host}/{folder}", ADLS, properties, blobs)


_ADLS_URL = re.compile(r"(?:abfss?|wasbs?)://(?P<container>[^@/]+)@(?P<host>[^/]+)/(?P<folder>.+)")


_S3_ARGUMENTS = ("access_key_id", "secret_access_key", "session_token", "no_sign")
_CLIENT_ARGUMENTS = (*_S3_ARGUMENTS, "endpoint", "region", "account_name", "account_key")


def any_store(function: str, arguments: Arguments) -> Location:
    """The store by the URL's scheme: S3 for s3 and http(s), Azure for abfs(s) and wasb(s), Google's for gs, else a
    Hadoop file system. A call without credentials uses Hadoop's file system for these too, if the session does.
    """
    location = _by_scheme(function, arguments)
    if location.io == HADOOP or any(arguments.get(name) for name in _CLIENT_ARGUMENTS):
        return location
    url = _text(arguments, "url") or ""
    if _scheme(url) in ("http", "https") or not is_read_by_hadoop(url, location):
        return location
    return hadoop(function, arguments)


def _by_scheme(function: str, arguments: Arguments) -> Location:
    url = _text(arguments, "url") or ""
    scheme = _scheme(url)
    if scheme in ("s3", "s3a", "s3n", "http", "https"):
        return s3(function, arguments)
    for name in _S3_ARGUMENTS:
        if arguments.get(name):
            raise invalid(
                function, name, f"it only applies to S3, and `{_without_keys(url)}` is not on S3; leave it out"
            )
    _refuse_signed(function, "url", _with_filename(url, arguments))
    if match := _ADLS_URL.fullmatch(_with_filename(url, arguments)):
        name = match["host"].split(".", 1)[0]
        endpoint = f"https://{name}.blob.core.windows.net"
        key = _text(arguments, "account_key")
        text = f"BlobEndpoint={endpoint};AccountName={name};AccountKey={key}" if key else ""
        return _adls(name, match["container"], match["folder"], key, endpoint, text)
    return Location(_with_filename(url, arguments), GCS) if scheme == "gs" else hadoop(function, arguments)


def _scheme(path: str) -> str | None:
    match = re.match(r"([A-Za-z][A-Za-z0-9+.-]*):", path)
    return match[1].lower() if match else None


STORES: Mapping[str, Callable[[str, Arguments], Location]] = {
    "any": any_store,
    "s3": s3,
    "azure": azure,
    "hadoop": hadoop,
    "local": local,
}
