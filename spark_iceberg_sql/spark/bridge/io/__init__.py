"""Files and folders through Iceberg's FileIO and Hadoop."""
