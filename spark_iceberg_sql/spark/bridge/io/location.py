"""The location of a table, and the FileIO that opens its files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

HADOOP = "org.apache.iceberg.hadoop.HadoopFileIO"
S3 = "org.apache.iceberg.aws.s3.S3FileIO"
ADLS = "org.apache.iceberg.azure.adlsv2.ADLSFileIO"
GCS = "org.apache.iceberg.gcp.gcs.GCSFileIO"

# FileIO -> classes it needs, and the packages that contain them ({} is Iceberg's version). Hadoop's s3a comes with a
# client for S3, but without the one for KMS.
NEEDS = {
    S3: (
        ("software.amazon.awssdk.services.s3.S3Client", "software.amazon.awssdk.services.kms.KmsClient"),
        "org.apache.iceberg:iceberg-aws-bundle:{}",
    ),
    ADLS: (
        ("com.azure.storage.file.datalake.DataLakeFileSystemClient",),
        "com.azure:azure-storage-file-datalake:12.25.0,com.azure:azure-identity:1.18.1",
    ),
    GCS: (("com.google.cloud.storage.Storage",), "org.apache.iceberg:iceberg-gcp-bundle:{}"),
}


@dataclass(frozen=True, slots=True)
class Location:
    """The location of a table.

    path: its folder, or one of its metadata files, in the form that the FileIO expects. io: the FileIO's
    class. properties: the FileIO's properties, credentials included. blobs: Azure's connection string,
    container and folder, if the plain blob service must list them.
    """

    path: str
    io: str = HADOOP
    properties: Mapping[str, str] = field(default_factory=dict, repr=False)
    blobs: tuple[str, str, str] | None = field(default=None, repr=False)
