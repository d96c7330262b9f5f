"""`python -m spark_iceberg_sql` is the command `iceberg-sql`."""

import os
import sys

# Python puts the working directory first, which may be a stranger's clone: its `pygls.py` or `*.egg-info` is not ours.
if sys.path[:1] == [os.getcwd()]:
    del sys.path[0]

from spark_iceberg_sql.cli import entry

entry()
