"""Tables known without a session: metadata files of every format version, and pyiceberg's catalogs."""

from __future__ import annotations

import copy
import gzip
import json

import pytest

from spark_iceberg_sql.checker.engine import check
from spark_iceberg_sql.cli import main
from spark_iceberg_sql.errors import SourceError
from spark_iceberg_sql.model.metadata.metadata_json import MetadataError, table_from_metadata
from spark_iceberg_sql.model.metadata.offline import known_from, table_from_file
from spark_iceberg_sql.model.table import MissingTable, Table
from spark_iceberg_sql.report.table_ddl import table_ddl

V1 = {
    "format-version": 1,
    "last-column-id": 2,
    "schema": {
        "type": "struct",
        "fields": [
            {"id": 1, "name": "id", "required": True, "type": "long"},
            {"id": 2, "name": "ts", "required": False, "type": "timestamptz"},
        ],
    },
    "partition-spec": [{"name": "ts_day", "transform": "day", "source-id": 2}],
    "properties": {"owner": "me"},
}
V3 = {
    "format-version": 3,
    "last-column-id": 4,
    "current-schema-id": 1,
    "schemas": [
        {"schema-id": 0, "type": "struct", "fields": [{"id": 9, "name": "gone", "required": False, "type": "int"}]},
        {
            "schema-id": 1,
            "type": "struct",
            "fields": [
                {"id": 1, "name": "id", "required": True, "type": "long"},
                {"id": 2, "name": "v", "required": False, "type": "variant"},
                {"id": 3, "name": "g", "required": False, "type": "geometry(srid:4326)"},
                {"id": 4, "name": "t", "required": False, "type": "timestamp_ns"},
            ],
        },
    ],
    "default-spec-id": 1,
    "partition-specs": [
        {"spec-id": 0, "fields": [{"name": "gone", "transform": "identity", "source-id": 9, "field-id": 1000}]},
        {
            "spec-id": 1,
            "fields": [
                {"name": "t_day", "transform": "day", "source-ids": [4, 1], "field-id": 1001},
                {"name": "z", "transform": "zorder[3]", "source-id": 1, "field-id": 1002},
            ],
        },
    ],
    "last-partition-id": 1008,
    "current-snapshot-id": 77,
}


class TestMetadata:
    def test_v1_as_first_written_has_sequential_field_ids(self):
        table = table_from_metadata(("db", "t"), V1)
        assert table.format_version == 1
        assert [(f.field_id, f.name, f.source) for f in table.specs.spec.fields] == [(1000, "ts_day", "ts")]
        two = [*V1["partition-spec"], {"name": "id", "transform": "identity", "source-id": 1}]
        numbered = [{**field, "field-id": 1007 - i} for i, field in enumerate(two)]
        for spec, ids in ((two, [1000, 1001]), (numbered, [1007, 1006])):
            specs = table_from_metadata(("t",), {**V1, "partition-spec": spec}).specs
            assert [f.field_id for f in specs.spec.fields] == ids
        assert table.specs.last_field_id == 1000
        assert table.properties == {"owner": "me"}
        assert not table.has_rows

    def test_v3_with_types_and_transforms_of_later_specs(self):
        table = table_from_metadata(("t",), V3)
        assert str(table.schema.find(("g",)).field.type) == "geometry(srid:4326)"
        assert table.schema.find(("v",)).field.type.name == "variant"
        assert [str(f.transform) for f in table.specs.spec.fields] == ["day", "zorder[3]"]
        assert [f.source for f in table.specs.spec.fields] == ["t", "id"]
        assert (table.last_column_id, table.specs.last_field_id) == (4, 1008)
        assert table.has_rows

    def test_a_dropped_columns_field_still_has_its_name(self):
        table = table_from_metadata(("t",), V3)
        assert [f.source for f in table.specs.past[0].fields] == ["gone"]
        unknown = {**V3, "schemas": V3["schemas"][1:]}
        past = table_from_metadata(("t",), unknown).specs.past[0].fields[0]
        assert (past.source_id, past.source) == (9, "dropped column 9")

    def test_a_renamed_column_has_the_name_of_the_current_schema(self):
        old, new = V3["schemas"]
        renamed = {**old, "fields": [{**new["fields"][3], "name": "u"}]}
        table = table_from_metadata(("t",), {**V3, "schemas": [new, renamed], "current-schema-id": 1})
        assert table.specs.spec.fields[0].source == "t"

    @pytest.mark.parametrize(
        ("broken", "says"),
        [
            ({}, "no 'last-column-id'|no 'schema"),
            ({**V1, "schema": []}, "^the metadata does not have the structure in the spec: "),
            ({**V3, "default-spec-id": 5}, "^the default spec 5 is not among the partition specs$"),
            ({**V1, "partition-spec": [{"name": "x"}]}, "no 'source-ids'"),
        ],
    )
    def test_what_is_no_metadata(self, broken, says):
        with pytest.raises(MetadataError, match=says):
            table_from_metadata(("t",), broken)

    @pytest.mark.parametrize(
        ("key_path", "value", "says"),
        [
            (["format-version"], "two", '`format-version` is "two", not a 32-bit integer'),
            (["format-version"], 1e308, "`format-version` is 1e+308, not a 32-bit integer"),
            (["format-version"], 0, "`format-version` is 0, less than 1"),
            (["last-partition-id"], "x", '`last-partition-id` is "x", not a 32-bit integer'),
            (["last-column-id"], None, "`last-column-id` is null, not a 32-bit integer"),
            (["schema", "fields", 0, "name"], 5, "`name` is 5, not a string"),
            (["schema", "fields", 0, "name"], ["id"], '`name` is ["id"], not a string'),
            (["schema", "fields", 0, "id"], [1], "`id` is [1], not a 32-bit integer"),
            (["partition-spec", 0, "name"], None, "`name` is null, not a string"),
            (["properties"], {"a": 5}, "the property `a` is 5, not a string"),
        ],
    )
    def test_a_value_of_the_wrong_kind(self, key_path, value, says):
        metadata = copy.deepcopy(V1)
        inside = metadata
        for key in key_path[:-1]:
            inside = inside[key]
        inside[key_path[-1]] = value
        with pytest.raises(MetadataError) as error:
            table_from_metadata(("t",), metadata)
        assert str(error.value) == says

    def test_defaults_have_keys_of_their_own(self):
        default = {**V1["schema"]["fields"][0], "write-default": {"name": 5, "id": "x"}}
        schema = {**V1["schema"], "fields": [default, V1["schema"]["fields"][1]]}
        assert table_from_metadata(("t",), {**V1, "schema": schema}).schema.find(("id",))


class TestFiles:
    def test_plain_and_gzipped(self, tmp_path):
        plain, packed = tmp_path / "a.metadata.json", tmp_path / "b.gz.metadata.json"
        plain.write_text(json.dumps(V3))
        packed.write_bytes(gzip.compress(json.dumps(V3).encode()))
        assert table_from_file(("t",), plain) == table_from_file(("t",), packed)

    @pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\x1f\x8bnonsense", b"{}"])
    def test_a_file_that_is_none(self, tmp_path, content):
        path = tmp_path / "x.metadata.json"
        path.write_bytes(content)
        with pytest.raises(SourceError, match=r"x\.metadata\.json"):
            table_from_file(("t",), path)

    def test_a_file_that_is_not_there(self, tmp_path):
        with pytest.raises(SourceError, match="No such file"):
            table_from_file(("t",), tmp_path / "nope")

    def test_statements_are_judged_by_it(self, tmp_path):
        path = tmp_path / "v3.metadata.json"
        path.write_text(json.dumps(V3))
        tables = known_from({"db.t": path})
        codes = [d.code for d in check("ALTER TABLE db.t ADD PARTITION FIELD days(v)", tables)]
        assert codes == ["SIS203"]
        assert check("ALTER TABLE db.t ADD PARTITION FIELD hours(t)", tables).ok
        assert tables.get(("db", "other")) is None

    @pytest.mark.parametrize(
        ("name", "statement"),
        [
            ("db.`a.b`", "db.`a.b`"),
            ("`db`.`a``b`", "db.`a``b`"),
            ("`d.b`.t", "`d.b`.t"),
            ("db . t", "db.t"),
            ("db.`a=b`", "db.`a=b`"),
        ],
    )
    def test_a_name_in_backticks_keeps_its_dots(self, tmp_path, name, statement, capsys):
        """Otherwise the table would be unknown, and what is wrong in its statements not found."""
        path = tmp_path / "v3.metadata.json"
        path.write_text(json.dumps(V3))
        sql = f"ALTER TABLE {statement} ADD PARTITION FIELD days(v)"
        assert [d.code for d in check(sql, known_from({name: path}))] == ["SIS203"]
        (tmp_path / "a.sql").write_text(sql)
        file = str(tmp_path / "a.sql")
        assert main(["check", "--isolated", file, "--metadata", f"{name}={path}"]) == 1
        (tmp_path / ".iceberg-sql.toml").write_text(f"metadata = {{ {json.dumps(name)} = 'v3.metadata.json' }}\n")
        assert main(["check", file]) == 1
        assert capsys.readouterr().out.count("SIS203") == 2

    @pytest.mark.parametrize("name", ["", "db..t", "db.`t", "db.", "db.`a`b"])
    def test_what_is_not_a_name_is_refused(self, tmp_path, name):
        path = tmp_path / "v3.metadata.json"
        path.write_text(json.dumps(V3))
        with pytest.raises(SourceError, match="is not a table's name"):
            known_from({name: path})

    def test_a_sort_order_by_a_column_with_a_dot(self):
        fields = [{"id": 1, "name": "a.b", "required": False, "type": "int"}]
        order = [{"source-id": 1, "transform": "identity", "direction": "asc"}]
        metadata = {
            **V3,
            "schemas": [{"schema-id": 1, "type": "struct", "fields": fields}],
            "partition-specs": [{"spec-id": 0, "fields": []}],
            "default-spec-id": 0,
            "sort-orders": [{"order-id": 1, "fields": order}],
            "default-sort-order-id": 1,
        }
        assert "WRITE ORDERED BY `a.b` ASC" in table_ddl(table_from_metadata(("t",), metadata))

    def test_a_default_namespace_in_backticks(self, tmp_path):
        path = tmp_path / "v3.metadata.json"
        path.write_text(json.dumps(V3))
        (tmp_path / "a.sql").write_text("ALTER TABLE t ADD PARTITION FIELD days(v)")
        arguments = ["--metadata", f"`x.y`.t={path}", "--default-namespace", "`x.y`"]
        assert main(["check", "--isolated", str(tmp_path / "a.sql"), *arguments]) == 1


@pytest.mark.tier("quick")
class TestPyiceberg:
    @pytest.fixture
    def catalog(self, tmp_path, monkeypatch):
        catalogs = pytest.importorskip("pyiceberg.catalog")
        pytest.importorskip("sqlalchemy")
        from pyiceberg.schema import Schema
        from pyiceberg.types import LongType, NestedField, StringType

        monkeypatch.setenv("PYICEBERG_CATALOG__DEV__TYPE", "sql")
        monkeypatch.setenv("PYICEBERG_CATALOG__DEV__URI", f"sqlite:///{tmp_path}/c.db")
        monkeypatch.setenv("PYICEBERG_CATALOG__DEV__WAREHOUSE", f"file://{tmp_path}/wh")
        monkeypatch.setattr(catalogs, "_ENV_CONFIG", type(catalogs._ENV_CONFIG)())
        dev_catalog = catalogs.load_catalog("dev")
        dev_catalog.create_namespace("db")
        schema = Schema(
            NestedField(1, "id", LongType(), required=True), NestedField(2, "name", StringType(), required=False)
        )
        dev_catalog.create_table("db.t", schema)
        yield dev_catalog
        dev_catalog.engine.dispose()

    @pytest.mark.tier("rest")  # sqlalchemy
    def test_columns_come_from_its_configuration(self, catalog):
        tables = known_from({}, pyiceberg_catalog="dev")
        assert isinstance(tables.get(("dev", "db", "t")), Table)
        assert isinstance(tables.get(("db", "t")), Table)
        assert isinstance(tables.get(("db", "nope")), MissingTable)
        codes = [d.code for d in check("ALTER TABLE db.t ADD PARTITION FIELD days(name)", tables)]
        assert codes == ["SIS202"]
        tables._source.opened.result().engine.dispose()

    def test_a_catalog_that_is_not_configured(self, monkeypatch):
        pytest.importorskip("pyiceberg.catalog")
        with pytest.raises(SourceError, match="nowhere"):
            known_from({}, pyiceberg_catalog="nowhere")
