"""The transform table with a record more, put in place before anything else is imported.

    python tests/dummy_transform.py check     every rule over every statement of the rules' cases, with the new name
    python tests/dummy_transform.py spark     the function and its push-down, on the real runtime

Prints what went wrong; exit code 1 where something did. What it adds is a second bucket, so that the truth of the
function is Iceberg's own bucket.
"""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path

RECORD = """TRANSFORMS = (
    *TRANSFORMS,
    Transform(
        name="spread",
        spellings=("spread",),
        functions=("iceberg_spread",),
        sources=("int", "long", "string"),
        accepts="an integer or a string column",
        parameter=TransformParameter("parts", "number of parts", 8),
        result="int",
        suffix="spread",
        spark_function="bucket",
        iceberg_class="BucketFunction",
        hashes=True,
        summary="a part",
        example=("16, 34", "3"),
    ),
)
"""
MODULE = "spark_iceberg_sql.model.transforms"
CALLS = re.compile(r"\b(bucket|truncate|years?|months?|days?|hours?|date_hour|identity)\s*\(", re.IGNORECASE)


def put_in_place() -> None:
    """Load the transform table with the record more."""
    module_spec = importlib.util.find_spec(MODULE)
    assert module_spec is not None
    assert module_spec.origin is not None
    text = Path(module_spec.origin).read_text("utf-8")
    behind = "\nBY_NAME = {"
    assert text.count(behind) == 1
    module = importlib.util.module_from_spec(module_spec)
    sys.modules[MODULE] = module
    exec(compile(text.replace(behind, "\n" + RECORD + behind), module_spec.origin, "exec"), module.__dict__)


def check() -> list[str]:
    """False findings for statements over the new transform."""
    sys.path.insert(0, str(Path(__file__).parent))
    import cases

    from spark_iceberg_sql.checker.engine import check as checked
    from spark_iceberg_sql.diagnostics import INTERNAL

    wrong, tried = [], 0
    for case in (*cases.file_cases(), *cases.page_cases()):
        text = CALLS.sub("spread(", case.text)
        tried += text != case.text
        report = checked(text, case.known())
        wrong += [f"{case.name}: {d.message}" for d in report.diagnostics if d.code == INTERNAL]
    print(f"{tried} scripts with the new transform")
    good = {"INT": "4", "BIGINT": "4", "STRING": "4"}
    bad = ("BOOLEAN", "FLOAT", "DOUBLE", "DECIMAL(9, 2)", "DATE", "TIMESTAMP", "BINARY")
    create = "CREATE TABLE t (c {}) USING iceberg PARTITIONED BY (spread({}, c))"
    for kind, number in good.items():
        codes = [d.code for d in checked(create.format(kind, number)).errors]
        wrong += [f"{kind}: {codes}"] * bool(codes)
    for kind in bad:
        codes = [d.code for d in checked(create.format(kind, 4)).errors]
        wrong += [f"{kind}: {codes}"] * (codes != ["SIS202"])
    for number, code in (("0", "SIS103"), ("'4'", "SIS103")):
        codes = [d.code for d in checked(create.format("INT", number)).errors]
        wrong += [f"{number}: {codes}"] * (code not in codes)
    if not any("spread" in (d.help or "") for d in checked(create.format("INT", "4").replace("spread", "spraed"))):
        wrong.append("`spraed` is not near `spread`")
    return wrong


def spark() -> list[str]:
    """Wrong results of the new transform's function, and whether it prunes."""
    import tempfile

    import spark_iceberg_sql as sis
    from spark_iceberg_sql.spark.bridge.plans.scan_metrics import files_read

    with tempfile.TemporaryDirectory() as folder:
        session = sis.session(folder, config={"spark.ui.enabled": "false"})
        try:
            session.sql("CREATE TABLE local.t (id BIGINT) USING iceberg PARTITIONED BY (bucket(8, id))")
            session.sql("INSERT INTO local.t SELECT id FROM range(100)")
            ours = session.sql("SELECT id FROM local.t WHERE iceberg_spread(8, id) = 3")
            true = {row.id for row in session.sql("SELECT id FROM local.t").collect()}
            true &= {
                row.id
                for row in session.sql("SELECT id, local.system.bucket(8, id) AS b FROM range(100)").collect()
                if row.b == 3
            }
            wrong = []
            if {row.id for row in ours.collect()} != true or not true:
                wrong.append("other rows")
            if files_read(ours).files != 1:
                wrong.append(f"it reads {files_read(ours)}")
            description = session.sql("DESCRIBE FUNCTION iceberg_spread").collect()
            wrong += ["not described"] * ("a part" not in str(description))
            return wrong
        finally:
            session.stop()


if __name__ == "__main__":
    put_in_place()
    faults = {"check": check, "spark": spark}[sys.argv[1]]()
    print(*faults, sep="\n")
    sys.exit(bool(faults))
