"""What happens to a table between statements: files of other formats and writers, evolution, equality deletes, tags."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from adversary.harness import FAILS, Harness
from adversary.truth import columns, live, twin
from adversary.truth.columns import TYPES, WIDER, Column
from adversary.truth.live import Inserted, Live, Reading, source
from spark_iceberg_sql.spark.bridge.jvm import compiler
from spark_iceberg_sql.spark.bridge.jvm.iceberg_version import UnfitError

JAVA = "adversary.truth"  # the package whose folder has the Java files


class Steps:
    """Draws and takes steps; one that Iceberg refuses leaves table and copy as they are."""

    def __init__(self, harness: Harness, folder: Path, kinds: tuple[str, ...]) -> None:
        self.harness = harness
        self.folder = folder
        self.kinds = kinds
        loader = compiler.context_loader()
        for name in ("EqualityWriter", "OtherWriter"):
            loader = compiler.compiled(JAVA, name, loader)
        self.writer = compiler.instance(loader, "sparkicebergsql.adversary.OtherWriter")
        self.defaults = None
        with suppress(UnfitError):  # before Iceberg 1.9, no column can have one
            loader = compiler.compiled(JAVA, "DefaultColumn", loader)
            self.defaults = compiler.instance(loader, "sparkicebergsql.adversary.DefaultColumn")

    def insert(self, rng: Random, table: Live) -> str:
        rows = live.rows_of(rng, table, rng.choice((1, 3, 6, 12, 12)), columns.value)
        if table.name.startswith("local.") and not table.spec and rng.random() < 0.6:
            return self.add_files(rng, table, rows)
        table.insert(rows, files=rng.choice((1, 1, 2)))
        return "insert"

    def add_files(self, rng: Random, table: Live, rows: pa.Table) -> str:
        """A Parquet file of another writer, by the procedure that reads its footer."""
        folder = self.folder / f"foreign{table.name.rsplit('.', 1)[-1]}x{len(table.history)}"
        folder.mkdir()
        writer = rng.choice(("pyarrow", "pyarrow", "polars", "polars"))
        if writer == "polars" and not any(c.fields for c in table.columns):
            import polars

            polars.from_arrow(rows).write_parquet(folder / "part.parquet", row_group_size=rng.choice((2, 1000)))
        else:
            writer = "pyarrow"
            pq.write_table(
                rows, folder / "part.parquet", row_group_size=rng.choice((2, 1000)), write_page_index=rng.random() < 0.5
            )
        name = table.name.partition(".")[2]
        self.harness.sql(
            f"CALL local.system.add_files(table => '{name}', source_table => '`parquet`.`{folder}`')"
        ).collect()
        table.history.append(
            Inserted(tuple(table.columns), rows, f"-- a file of {writer}, by add_files:\n INSERT INTO {{t}}")
        )
        table.evolved = False
        table.become(pa.concat_tables([table.rows, rows]))
        return f"add_files {writer}"

    def next(self, rng: Random, table: Live) -> str:
        """Take one step; its kind, or `refused`."""
        kinds: tuple[Callable[[Random, Live], str], ...] = (
            *(
                self.insert,
                self.insert,
                self.add_column,
                self.drop_column,
                self.rename_column,
                self.widen,
                self.add_field,
            ),
            *(
                self.drop_field,
                self.property,
                self.equality_deletes,
                self.equality_deletes,
                self.tag,
                self.branch,
                self.rewrite,
            ),
            self.default_column,
        )
        try:
            return rng.choice(kinds)(rng, table)
        except FAILS:
            return "refused"

    # ------------------------------------------------------------------------ evolution

    def free(self, table: Live) -> list[Column]:
        """Columns that can change: neither r, k, v nor a partition field's."""
        used = {s.split(".")[0] for s in table.sources}
        return [c for c in table.columns if c.name not in ("r", "k", "v") and c.name not in used]

    def new_column(self, rng: Random, table: Live) -> Column:
        types = [t for t in TYPES if t.partition("(")[0] in self.kinds]
        return Column(f"n{len(table.history)}", rng.choice(types))

    def _added(self, table: Live, column: Column, value: Any) -> None:
        rows = table.rows.append_column(column.name, columns.array(column, [value] * table.rows.num_rows))
        table.columns.append(column)
        table.evolved = True
        table.become(rows)

    def add_column(self, rng: Random, table: Live) -> str:
        column = self.new_column(rng, table)
        table.run(f"ALTER TABLE {{t}} ADD COLUMN {column.name} {column.type}")
        self._added(table, column, None)
        return "add column"

    def default_column(self, rng: Random, table: Live) -> str:
        """A column with an initial default, which Iceberg's API has and its SQL has not."""
        is_orc = any(isinstance(step, str) and "orc" in step for step in table.history)
        if self.defaults is None or table.version < 3 or is_orc:
            return self.add_column(rng, table)  # Iceberg says that it cannot read defaults from ORC files
        column = self.new_column(rng, table)
        value = columns.value(rng, column)
        while isinstance(value, float) and not math.isfinite(value):  # see "NaN as a default" of Iceberg's issues
            value = columns.value(rng, column)
        data = columns.array(column, [value])
        view = table.copies.write(pa.table({"x": data}))
        row = self.harness.sql(f"SELECT x FROM {view}")._jdf.queryExecution().executedPlan().executeCollect()[0]
        self.defaults.addColumn(self.harness.spark._jsparkSession, table.name, column.name, column.type, row)
        table.copies.drop(view)
        table.history.append(
            f"-- updateSchema().addColumn: {column.name} {column.type} DEFAULT {columns.literal(column, value)}"
        )
        self.harness.sql(f"REFRESH TABLE {table.name}")
        self._added(table, column, value)
        return "default column"

    def drop_column(self, rng: Random, table: Live) -> str:
        if not self.free(table):
            return self.add_column(rng, table)
        column = rng.choice(self.free(table))
        table.run(f"ALTER TABLE {{t}} DROP COLUMN {column.name}")
        table.columns = [c for c in table.columns if c.name != column.name]
        table.evolved = True
        table.become(table.rows.drop_columns([column.name]))
        # The same name again, as another column: not with imported files, whose columns have names and no ids, so that
        # Iceberg shows their values under the new column.
        imported = any(isinstance(step, Inserted) and "add_files" in step.how for step in table.history)
        if rng.random() < 0.5 and not imported:
            again = Column(column.name, column.type, column.fields)
            table.run(f"ALTER TABLE {{t}} ADD COLUMN {again.name} {again.type}")
            self._added(table, again, None)
        return "drop column"

    def rename_column(self, rng: Random, table: Live) -> str:
        column = rng.choice([c for c in table.columns if c.name not in ("r", "k", "v")])
        new = f"m{len(table.history)}"
        table.run(f"ALTER TABLE {{t}} RENAME COLUMN {column.name} TO {new}")
        table.columns = live.renamed(table.columns, column.name, new)
        table.spec, table.old = ([_renamed(f, column.name, new) for f in fields] for fields in (table.spec, table.old))
        table.evolved = True
        table.become(table.rows.rename_columns([c.name for c in table.columns]))
        return "rename column"

    def widen(self, rng: Random, table: Live) -> str:
        column = rng.choice(
            [c for c in table.columns if c.type in WIDER and c.name not in ("r", "k", "v")] or self.free(table)
        )
        wide = Column(column.name, WIDER[column.type]) if column.type in WIDER else None
        if wide is None:
            return self.add_column(rng, table)
        table.run(f"ALTER TABLE {{t}} ALTER COLUMN {column.name} TYPE {wide.type}")
        table.columns = [wide if c.name == wide.name else c for c in table.columns]
        table.evolved = True
        table.become(twin.typed(table.rows, table.columns))
        return "widen"

    def add_field(self, rng: Random, table: Live) -> str:
        leaves = [leaf for c in table.columns[1:] for leaf in c.leaves]
        new = rng.choice(live.transforms(rng.choice(leaves)))
        if source(new) in map(source, table.spec):
            return self.drop_field(rng, table)
        table.run(f"ALTER TABLE {{t}} ADD PARTITION FIELD {new}")
        table.spec.append(new)
        return "add field"

    def drop_field(self, rng: Random, table: Live) -> str:
        if not table.spec:
            return self.property(rng, table)
        field = rng.choice(table.spec)
        table.run(f"ALTER TABLE {{t}} DROP PARTITION FIELD {field}")
        table.spec.remove(field)
        table.old.append(field)
        return "drop field"

    def property(self, rng: Random, table: Live) -> str:
        modes = ("copy-on-write", "merge-on-read") if table.version > 1 else ("copy-on-write",)
        key, choices = rng.choice(
            (
                ("write.format.default", ("parquet", "orc", "avro")),
                ("write.metadata.metrics.default", ("none", "counts", "truncate(3)", "full")),
                ("write.delete.mode", modes),
                ("write.merge.mode", modes),
                ("format-version", ("2", "3")),
            )
        )
        value = rng.choice(choices)
        table.run(f"ALTER TABLE {{t}} SET TBLPROPERTIES ('{key}' = '{value}')")
        table.properties[key] = value
        return "property"

    # ------------------------------------------------------------------------ files and versions

    def equality_deletes(self, rng: Random, table: Live) -> str:
        """Files of equality deletes, of some rows by some of their columns."""
        if table.version < 2 or not table.rows.num_rows:
            return self.rewrite(rng, table)
        exact = [c for c in table.columns[1:] if c.family not in ("float", "double", "struct")]
        by = [c for c in exact if c.name in table.sources or rng.random() < 0.3]
        if not by or rng.random() < 0.4:
            by = [table.columns[0], *(c for c in by if rng.random() < 0.3)]
        rows = twin.values(table.columns, table.rows)
        deleted_rows = rng.sample(rows, min(len(rows), rng.choice((1, 2, 3))))
        keys = {tuple(repr(row[c.name]) for c in by) for row in deleted_rows}
        lost = frozenset(row["r"] for row in rows if tuple(repr(row[c.name]) for c in by) in keys)
        names, numbers = [c.name for c in by], [int(row["r"]) for row in deleted_rows]
        kind = table.properties["write.format.default"]
        self.writer.deleteEqual(self.harness.spark._jsparkSession, table.name, names, numbers, kind)
        table.history.append(f"-- equality deletes by {names} of the rows {numbers}, in {kind}")
        self.harness.sql(f"REFRESH TABLE {table.name}")
        table.become(live.without(table, lost))
        return "equality deletes"

    def tag(self, rng: Random, table: Live) -> str:
        if table.evolved:
            self.insert(rng, table)
        name = f"tag{len(table.history)}"
        table.run(f"ALTER TABLE {{t}} CREATE TAG {name}")
        relation = f"{table.name} VERSION AS OF '{name}'"
        if rng.random() < 0.3:
            rows = self.harness.sql(f"SELECT snapshot_id FROM {table.name}.refs WHERE name = '{name}'").collect()
            relation = f"{table.name} VERSION AS OF {rows[0][0]}"
        table.others.append(Reading(relation, table.view, tuple(table.columns), table.rows))
        return "tag"

    def branch(self, rng: Random, table: Live) -> str:
        """A branch with rows of its own. Its schema is the table's, so that its copy ends with a change of it."""
        name = f"b{len(table.history)}"
        table.run(f"ALTER TABLE {{t}} CREATE BRANCH {name}")
        rows = live.rows_of(rng, table, rng.choice((1, 5)), columns.value)
        table.insert(rows, into=f"{{t}}.branch_{name}")
        both = pa.concat_tables([table.rows, rows])
        relation = rng.choice((f"{table.name}.branch_{name}", f"{table.name} VERSION AS OF '{name}'"))
        table.others.append(Reading(relation, table.copies.write(both), tuple(table.columns), both, True))
        return "branch"

    def rewrite(self, rng: Random, table: Live) -> str:
        """Maintenance, after which the rows are the same."""
        catalog = table.name.partition(".")[0]
        call = rng.choice(
            (
                "rewrite_data_files(table => '{t}', options => map('rewrite-all', 'true'))",
                "rewrite_data_files(table => '{t}', strategy => 'sort', sort_order => 'k')",
                "rewrite_manifests('{t}')",
                "rewrite_position_delete_files(table => '{t}', options => map('rewrite-all', 'true'))",
            )
        )
        table.run(f"CALL {catalog}.system.{call}")
        return "rewrite"


def _renamed(transform: str, old: str, new: str) -> str:
    name = source(transform)
    return transform.replace(name, name.replace(old, new, 1)) if name.split(".")[0] == old else transform
