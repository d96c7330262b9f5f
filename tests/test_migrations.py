"""Migrations: what the first one makes is known in the eleventh, in the order in which the tool runs them."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from spark_iceberg_sql.checker.engine import check as check_text
from spark_iceberg_sql.checker.engine import check_and_apply
from spark_iceberg_sql.checker.files.ddl_replay import DdlReplay
from spark_iceberg_sql.cli import main
from spark_iceberg_sql.files.migrations import liquibase
from spark_iceberg_sql.files.migrations.order import migrations_in
from spark_iceberg_sql.model.tables import Tables
from spark_iceberg_sql.report.table_ddl import table_ddl

CREATE = "CREATE TABLE db.t (id BIGINT, ts TIMESTAMP) USING iceberg PARTITIONED BY (days(ts));\n"
CITY = "ALTER TABLE db.t ADD COLUMN city STRING;\n"
BY_CITY = "ALTER TABLE db.t ADD PARTITION FIELD truncate(4, city);\n"  # an error before CITY
NO_DAY = "ALTER TABLE db.t DROP PARTITION FIELD ts_day;\n"  # an error after itself


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(files: dict[str, str]) -> None:
    for name, text in files.items():
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def check(*arguments: str, capsys: Any) -> list[str]:
    """The files and codes of what is found, notes too."""
    assert main(["check", "--output-format", "json", *arguments]) in (0, 1)
    out, err = capsys.readouterr()
    assert err == ""
    return [f"{d['filename']} {d['code']}" for d in json.loads(out)]


def messages(*arguments: str, capsys: Any) -> list[str]:
    main(["check", "--output-format", "json", *arguments])
    return [d["message"] for d in json.loads(capsys.readouterr().out)]


# --- whose SQL it is -----------------------------------------------------------------------------

POSTGRES = (
    "CREATE TABLE users (id BIGINT, name VARCHAR(20));\nCREATE VIEW v AS SELECT id FROM users;\nDROP TABLE x;\n",
    "ALTER TABLE users ADD COLUMN IF NOT EXISTS site TEXT;\nALTER TABLE users ALTER COLUMN name SET NOT NULL;\n",
    "DROP TABLE users;\nALTER TABLE users RENAME TO people;\nALTER TABLE x ENABLE ROW LEVEL SECURITY;\n",
)
REVISION = """revision = {0!r}
down_revision = {1!r}
from alembic import op
def upgrade():
    op.execute({2!r})
"""


def test_a_series_for_another_engine_is_no_more_spark_s_than_its_files(capsys: Any) -> None:
    write({f"m/V{number}__a.sql": text for number, text in enumerate(POSTGRES, 1)})
    write(
        {
            f"versions/{number}.py": REVISION.format(str(number), str(number - 1) if number > 1 else None, text)
            for number, text in enumerate(POSTGRES, 1)
        }
    )
    assert set(messages("m", "versions", capsys=capsys)) == {
        "not checked: nothing shows that this is Spark SQL or an Iceberg table"
    }
    assert {line.split()[1] for line in check("m", "versions", capsys=capsys)} == {"SIS002"}


@pytest.mark.parametrize("version", ["V1", "V2"])
def test_one_file_s_grammar_says_whose_the_series_is(version: str, capsys: Any) -> None:
    write({"m/V1__a.sql": POSTGRES[0], "m/V2__b.sql": "SELECT 1;\n", "m/V3__c.sql": POSTGRES[1]})
    path = next(Path("m").glob(f"{version}__*"))
    text = path.read_text()
    path.write_text(text + CREATE)
    assert "m/V3__c.sql SIS001" in check("m", capsys=capsys)
    path.write_text(f"{text}-- {CREATE}")
    assert "m/V3__c.sql SIS001" not in check("m", capsys=capsys)


def test_another_engine_s_grammar_counts_in_the_later_files(capsys: Any) -> None:
    write({"m/V1__a.sql": "SELECT 1;\n", "m/V2__b.sql": "ALTER TABLE t SET TBLPROPERTIES ('owner' = 'x');\n"})
    assert "m/V2__b.sql SIS411" in check("m", capsys=capsys)
    write({"m/V1__a.sql": "CREATE TABLE s.t (id INT) WITH (partitioning = ARRAY['id']);\n"})
    assert check("m", capsys=capsys) == ["m/V1__a.sql SIS002", "m/V2__b.sql SIS002"]


def test_settings_say_whose_a_series_is(capsys: Any) -> None:
    write({f"m/V{number}__a.sql": text for number, text in enumerate(POSTGRES, 1)})
    assert "m/V2__a.sql SIS001" in check("--default-catalog", "local", "m", capsys=capsys)


# --- Flyway ---------------------------------------------------------------------------------------


def test_versions_are_numbers(capsys: Any) -> None:
    write({"m/V1__a.sql": CREATE, "m/V2__b.sql": CITY, "m/V10__c.sql": BY_CITY, "m/V11__d.sql": NO_DAY})
    assert check("m", capsys=capsys) == []
    assert check("m/V11__d.sql", capsys=capsys) == []  # as pre-commit names a file
    write({"m/V12__e.sql": NO_DAY})
    assert check(capsys=capsys) == ["m/V12__e.sql SIS401"]
    assert check("m/V12__e.sql", capsys=capsys) == ["m/V12__e.sql SIS401"]


@pytest.mark.parametrize(
    "names",
    [
        ["V1__a.sql", "V1_1__a.sql", "V1.2__a.sql", "V1_10__a.sql", "V2__a.sql"],
        ["V0001__a.sql", "V2__a.sql", "V003__a.sql", "V0010__a.sql"],
        ["V20240101120000__a.sql", "V20240102000000__x.sql", "V20250101000000.1__a.sql"],
        ["V1__z.sql", "V2__a.sql", "V3__m.sql"],
        ["V9__a.sql", "V10__a.sql", "V99__a.sql", "V100__a.sql"],
    ],
)  # fmt: skip
def test_the_order_of_flyway(names: list[str]) -> None:
    for name in names:
        Path(name).write_text("")
    steps = migrations_in(str(Path.cwd()))
    order: list[str] = []
    while len(order) < len(names):
        (following,) = (p for p, s in steps.items() if s.predecessors == tuple(order[-1:]))
        order.append(following)
    assert [Path(path).name for path in order] == names


def test_undo_and_repeatable(capsys: Any) -> None:
    write({
        "V1__a.sql": CREATE,
        "V2__b.sql": CITY,
        "V3__c.sql": "ALTER TABLE db.t DROP COLUMN city;",
        "U3__c.sql": "ALTER TABLE db.t ADD COLUMN city STRING;",
        "U2__b.sql": "ALTER TABLE db.t DROP COLUMN city;",
        "R__b.sql": BY_CITY,  # city is gone by then
        "R__a.sql": NO_DAY,
        "B2__all.sql": CREATE + CITY,
    })  # fmt: skip
    assert check(capsys=capsys) == ["R__b.sql SIS201"]


def test_two_of_one_version(capsys: Any) -> None:
    """Flyway refuses them; what either changes is not guessed."""
    write({
        "V1__a.sql": CREATE + CREATE.replace("db.t", "db.u"),
        "V2__b.sql": CITY,
        "V2.0__c.sql": NO_DAY,
        "V3__d.sql": "ALTER TABLE db.t ADD PARTITION FIELD nope;\nALTER TABLE db.u ADD PARTITION FIELD nope;",
    })  # fmt: skip
    lines = check(capsys=capsys)
    assert lines == [*["V2.0__c.sql SIS002"] * 2, *["V2__b.sql SIS002"] * 2, "V3__d.sql SIS002", "V3__d.sql SIS201"]
    sentences = messages("V2__b.sql", capsys=capsys)
    order = "`V2.0__c.sql` and `V2__b.sql` have the same version: it is unknown which one runs first"
    assert sentences[0] == f"not checked: {order}"


def test_files_of_one_version_are_followed_for_many_others_at_once(
    capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """16 files: log2(16) times each, and not 15 times each."""
    followed: list[str] = []
    plain = DdlReplay._apply_file

    def follow(series: DdlReplay, path: str, tables: Any) -> None:
        followed.append(path)
        plain(series, path, tables)

    monkeypatch.setattr(DdlReplay, "_apply_file", follow)
    write({f"m/V1__{i}.sql": CREATE.replace("db.t", f"db.t{i}") for i in range(16)})
    check("--no-cache", capsys=capsys)
    assert len(followed) == 16 * 4


def test_what_either_of_one_version_may_change_is_unknown_to_the_other(capsys: Any) -> None:
    write({
        "V1__a.sql": CREATE,
        "V2__b.sql": "ALTER TABLE db.t ADD COLUMN x INT;",
        "V02__c.sql": "ALTER TABLE db.t ADD PARTITION FIELD bucket(4, x);",
    })  # fmt: skip
    assert set(check(capsys=capsys)) == {"V02__c.sql SIS002", "V2__b.sql SIS002"}


ALEMBIC = "from alembic import op\nrevision = {!r}\ndown_revision = {!r}\n{}\n"


@pytest.mark.parametrize(
    "drop",
    [
        "def upgrade():\n    op.get_bind().exec_driver_sql({!r})",
        "def _h():\n    op.execute({!r})\n\n\ndef upgrade():\n    _h()",
    ],
)
def test_what_a_revision_changes_by_other_ways(drop: str, capsys: Any) -> None:
    up = "def upgrade():\n    op.execute({!r})"
    write({
        "env.py": "",
        "versions/a.py": ALEMBIC.format("a", None, up.format(CREATE)),
        "versions/b.py": ALEMBIC.format("b", "a", drop.format(NO_DAY)),
        "versions/c.py": ALEMBIC.format("c", "b", up.format("ALTER TABLE db.t ADD PARTITION FIELD days(ts)")),
    })  # fmt: skip
    assert not [line for line in check(capsys=capsys) if not line.endswith("SIS002")]


def test_two_heads_of_alembic(capsys: Any) -> None:
    up = "def upgrade():\n    op.execute('SELECT 1')"
    write({
        "env.py": "",
        "versions/a.py": ALEMBIC.format("a", None, up),
        "versions/b.py": ALEMBIC.format("b", "a", up),
        "versions/c.py": ALEMBIC.format("c", "a", up),
    })  # fmt: skip
    sentences = messages("versions/c.py", capsys=capsys)
    assert sentences == [
        "not checked: neither this revision nor another has a successor: it is unknown which one runs last"
    ]


def test_an_undo_of_nothing(capsys: Any) -> None:
    write({"V1__a.sql": CREATE, "U7__a.sql": "SELECT 1;"})
    assert messages("U7__a.sql", capsys=capsys) == ["not checked: no migration has version 7"]


def test_a_migration_that_cannot_be_read_is_loud(capsys: Any) -> None:
    write({"V1__a.sql": CREATE, "V2__b.sql": CITY})
    Path("V1__a.sql").write_bytes(b"\xe9")
    assert main(["check", "V2__b.sql"]) == 2
    assert "cannot read" in capsys.readouterr().err


def test_folders_are_series_of_their_own(capsys: Any) -> None:
    write({"a/V1__a.sql": CREATE, "b/V1__a.sql": CREATE, "b/V2__b.sql": NO_DAY, "a/V2__b.sql": NO_DAY})
    assert check(capsys=capsys) == []


def test_a_migration_with_an_error_does_not_stop_the_series(capsys: Any) -> None:
    write({"V1__a.sql": CREATE.replace("days", "weeks"), "V2__b.sql": CITY, "V3__c.sql": BY_CITY})
    assert check(capsys=capsys) == ["V1__a.sql SIS101"]


def test_ddl_files_are_before_all(capsys: Any) -> None:
    write({"ddl/a.sql": CREATE, "m/V1__b.sql": CITY, "m/V2__c.sql": BY_CITY})
    assert check("m", "--ddl", "ddl/*.sql", capsys=capsys) == []
    assert check("m", "--ddl", "m/*.sql", "--ddl", "ddl/*.sql", capsys=capsys) != []


@pytest.mark.tier("quick")
def test_a_thousand_migrations(capsys: Any) -> None:
    write({"V1__a.sql": CREATE} | {f"V{n}__x.sql": f"ALTER TABLE db.t ADD COLUMN c{n} INT;" for n in range(2, 1001)})
    write({"V1001__z.sql": "ALTER TABLE db.t ADD PARTITION FIELD bucket(4, c1000);"})
    assert check("V1001__z.sql", capsys=capsys) == []


# --- both directions in a file, or in two ---------------------------------------------------------


@pytest.mark.parametrize(
    ("up", "down"),
    [
        ("-- migrate:up\n", "-- migrate:down\n"),
        ("-- migrate:up transaction:false\n", "-- migrate:down transaction:false\n"),
        ("-- +goose Up\n", "-- +goose Down\n"),
        ("-- +migrate Up\n", "-- +migrate Down\n"),
    ],
)
def test_what_goes_back_is_not_run(up: str, down: str, capsys: Any) -> None:
    drop = "DROP TABLE db.t;\n"
    no_city = "ALTER TABLE db.t DROP COLUMN city;\n"
    write({
        "20240101000000_a.sql": up + CREATE + down + drop,
        "20240102000000_b.sql": up + CITY + down + no_city,
        "20240103000000_c.sql": up + BY_CITY + down + "ALTER TABLE db.t DROP PARTITION FIELD city_trunc_4;\n",
    })  # fmt: skip
    assert check(capsys=capsys) == []
    write({"20240104000000_d.sql": up + BY_CITY + down + "ALTER TABLE db.t DROP PARTITION FIELD nope;\n"})
    assert check(capsys=capsys) == ["20240104000000_d.sql SIS402", "20240104000000_d.sql SIS401"]


def test_dbmate_compares_names_as_texts(capsys: Any) -> None:
    """10_ runs before 9_, whatever its author thinks; goose compares numbers."""
    write({"10_a.sql": f"-- migrate:up\n{CREATE}", "9_b.sql": f"-- migrate:up\n{CITY}"})
    assert check(capsys=capsys) == []
    write({"goose/9_a.sql": f"-- +goose Up\n{CREATE}", "goose/10_b.sql": f"-- +goose Up\n{CITY}"})
    assert check(capsys=capsys) == []


def test_two_files_for_two_directions(capsys: Any) -> None:
    write({
        "000001_a.up.sql": CREATE, "000001_a.down.sql": "DROP TABLE db.t;",
        "000002_b.up.sql": CITY, "000002_b.down.sql": "ALTER TABLE db.t DROP COLUMN city;",
        "000010_c.up.sql": BY_CITY, "000010_c.down.sql": "ALTER TABLE db.t DROP PARTITION FIELD city_trunc_4;",
    })  # fmt: skip
    assert check(capsys=capsys) == []


def test_numbers_alone_are_no_order_unless_the_settings_say_so(capsys: Any) -> None:
    write({"2_b.sql": CITY, "1_a.sql": CREATE, "10_c.sql": BY_CITY})
    assert check(capsys=capsys) == ["10_c.sql SIS002", "2_b.sql SIS002"]
    assert check("--scripts", "*.sql", capsys=capsys) == []
    write({".iceberg-sql.toml": 'scripts = ["*.sql"]'})
    assert check(capsys=capsys) == []
    assert check("10_c.sql", capsys=capsys) == []
    write({"02_x.sql": NO_DAY})
    assert check("2_b.sql", capsys=capsys) == ["2_b.sql SIS002"] * 2
    assert "have the same number" in messages("2_b.sql", capsys=capsys)[0]


@pytest.mark.parametrize(
    "names",
    [
        ["2024-01-05-a.sql", "2024-01-15-b.sql", "2024-02-01-c.sql"],
        ["s1.sql", "s2.sql", "s10.sql"],
        ["1.2-a.sql", "1.10-b.sql", "2-c.sql"],
    ],
)
def test_the_order_of_scripts(names: list[str], capsys: Any) -> None:
    write(dict(zip((f"x/y{n}/{name}" for n, name in enumerate(names)), (CREATE, CITY, BY_CITY), strict=True)))
    assert check("--scripts", "x/**/*.sql", capsys=capsys) == []


def test_a_glob_of_scripts_that_means_none(capsys: Any) -> None:
    write({"a.sql": CREATE})
    assert main(["check", "--scripts", "nope/*.sql"]) == 2
    assert "no such file" in capsys.readouterr().err


def test_scripts_without_numbers_are_in_the_order_of_their_names(capsys: Any) -> None:
    write({"s/create.sql": CREATE, "s/extend.sql": CITY, "s/part2.sql": BY_CITY, "s/part10.sql": NO_DAY})
    assert check("--scripts", "s/*.sql", capsys=capsys) == []


# --- Liquibase ------------------------------------------------------------------------------------

HEAD = "--liquibase formatted sql\n--changeset a:1\n"
LIQUIBASE = {"sql/z.sql": HEAD + CREATE, "sql/b.sql": HEAD + CITY, "sql/a.sql": HEAD + BY_CITY}
ORDER = ("z", "b", "a")
NEAR = 'relativeToChangelogFile="true"'
Z = '<include file="sql/z.sql"/>'
XML = '<databaseChangeLog xmlns="http://www.liquibase.org/xml/ns/dbchangelog">{}</databaseChangeLog>'


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("db.changelog-master.xml", XML.format("".join(f'<include file="sql/{n}.sql"/>' for n in ORDER))),
        ("sql/changelog.xml", XML.format("".join(f'<include file="{n}.sql" {NEAR}/>' for n in ORDER))),
        ("changelog.yaml", "databaseChangeLog:\n" + "".join(f"  - include:\n      file: sql/{n}.sql\n" for n in ORDER)),
        ("changelog.yml", "databaseChangeLog:\n" + "".join(f"- include: {{file: 'sql/{n}.sql'}}\n" for n in ORDER)),
        ("changelog.json", json.dumps({"databaseChangeLog": [{"include": {"file": f"sql/{n}.sql"}} for n in ORDER]})),
    ],
)  # fmt: skip
def test_the_order_of_a_changelog(name: str, text: str, capsys: Any) -> None:
    assert "sql/a.sql SIS002" in (write(LIQUIBASE), check(capsys=capsys))[1]
    write({name: text})
    assert check(capsys=capsys) == []
    assert check("sql/a.sql", capsys=capsys) == []


def test_a_changelog_of_changelogs_and_folders(capsys: Any) -> None:
    write({
        "changelog.xml": XML.format('<include file="one/changelog.xml"/><includeAll path="sql/"/>'),
        "one/changelog.xml": XML.format(f'<include file="first.sql" {NEAR}/><include file="changelog.xml"/>'),
        "one/first.sql": HEAD + CREATE,
        "sql/1.sql": HEAD + CITY,
        "sql/2.sql": HEAD + BY_CITY,
    })  # fmt: skip
    assert check("sql", capsys=capsys) == []


@pytest.mark.parametrize(
    "between",
    [
        '<changeSet id="1" author="a"><dropColumn tableName="t" columnName="city"/></changeSet>',
        '<changeSet id="1" author="a"><sql>ALTER TABLE db.t DROP COLUMN city</sql></changeSet>',
        '<include file="nowhere.sql"/>',
        '<include file="broken.xml"/>',
    ],
)
def test_what_a_changelog_does_besides_is_not_guessed(between: str, capsys: Any) -> None:
    write(LIQUIBASE | {"broken.xml": "<"})
    write({"changelog.xml": XML.format(f'{Z}<include file="sql/b.sql"/>{between}<include file="sql/a.sql"/>')})
    assert check("sql/a.sql", capsys=capsys) == ["sql/a.sql SIS002"]


def test_a_plain_file_of_another_folder_is_part_of_a_changelog(capsys: Any) -> None:
    """The plain file is part of no series of its own folder; it is followed in that of the folder that names it."""
    change = '<changeSet id="1" author="a"><sqlFile path="b/plain.sql"/></changeSet>'
    write(
        {
            "changelog.xml": XML.format(f'{change}<include file="a/V.sql"/>'),
            "a/V.sql": HEAD + CITY + BY_CITY,
            "b/plain.sql": CREATE,
        }
    )
    assert check("a", "--no-cache", capsys=capsys) == []
    write({"a/V.sql": HEAD + NO_DAY + NO_DAY})
    assert check("a", "--no-cache", capsys=capsys) != []


def test_a_changelog_that_ends_with_a_plain_file_of_another_folder(capsys: Any) -> None:
    change = '<changeSet id="1" author="a"><sqlFile path="b/plain.sql"/></changeSet>'
    write(
        {
            "changelog.xml": XML.format(f'<include file="a/V.sql"/>{change}'),
            "a/V.sql": HEAD + CREATE,
            "b/plain.sql": CITY,
        }
    )
    assert main(["check", "--show-tables", "--no-cache", "a"]) == 0
    assert "city" in capsys.readouterr().out


# --- Alembic --------------------------------------------------------------------------------------


def revision(name: str, before: object, up: str, down: str = "SELECT 1", more: str = "") -> str:
    return (
        f"from alembic import op\nimport sqlalchemy as sa\n\nrevision = {name!r}\ndown_revision = {before!r}\n\n\n"
        f'def upgrade() -> None:\n    {more}op.execute("""{up}""")\n\n\n'
        f'def downgrade() -> None:\n    op.execute(sa.text("{down.strip()}"))\n'
    )


def alembic(**revisions: str) -> None:
    write({"db/env.py": ""} | {f"db/versions/{name}.py": text for name, text in revisions.items()})


def test_revisions_follow_one_another(capsys: Any) -> None:
    alembic(
        zz=revision("1", None, CREATE, "DROP TABLE db.t"),
        mm=revision("2", "1", CITY, "ALTER TABLE db.t DROP COLUMN city"),
        aa=revision("3", "2", BY_CITY, "ALTER TABLE db.t DROP PARTITION FIELD city_trunc_4"),
    )
    assert check(capsys=capsys) == []
    alembic(bb=revision("4", "3", NO_DAY + NO_DAY, BY_CITY))
    assert sorted(check(capsys=capsys)) == ["db/versions/bb.py SIS401", "db/versions/bb.py SIS402"]


def test_branches_and_a_merge(capsys: Any) -> None:
    alembic(
        a=revision("1", None, CREATE + CREATE.replace("db.t", "db.u")),
        b=revision("2", "1", CITY),
        c=revision("3", "1", BY_CITY),  # not after 2
        d=revision("4", ("2", "3"), "ALTER TABLE db.t ADD PARTITION FIELD nope"),
        e=revision("5", "4", "ALTER TABLE db.u ADD PARTITION FIELD nope"),
    )
    assert check(capsys=capsys) == ["db/versions/c.py SIS201", "db/versions/d.py SIS002", "db/versions/e.py SIS201"]


def test_other_operations_may_change_any_table(capsys: Any) -> None:
    alembic(
        a=revision("1", None, CREATE),
        b=revision("2", "1", BY_CITY, more='op.add_column("t", sa.Column("city", sa.String))\n    '),
        c=revision("3", "2", BY_CITY),
    )
    assert set(check(capsys=capsys)) == {"db/versions/b.py SIS002", "db/versions/c.py SIS002"}


def test_what_is_outside_of_upgrade_is_checked_too(capsys: Any) -> None:
    weeks = "ALTER TABLE db.t ADD PARTITION FIELD weeks(ts)"
    alembic(a=revision("1", None, CREATE) + f'\n\ndef helper():\n    op.execute("{weeks}")\n')
    assert "db/versions/a.py SIS101" in check(capsys=capsys)


def test_sql_of_a_revision_that_is_built_may_change_any_table(capsys: Any) -> None:
    alembic(
        a=revision("1", None, CREATE),
        b=revision("2", "1", "SELECT 1", more="op.execute(build())\n    "),
        c=revision("3", "2", BY_CITY),
    )
    assert set(check(capsys=capsys)) == {"db/versions/b.py SIS002", "db/versions/c.py SIS002"}


def test_a_revision_that_is_missing(capsys: Any) -> None:
    alembic(b=revision("2", "1", "ALTER TABLE db.t ADD PARTITION FIELD days(ts)"))
    assert any("no file here has the revision 1" in sentence for sentence in messages(capsys=capsys))


def test_revisions_in_a_circle(capsys: Any) -> None:
    alembic(a=revision("1", "2", CREATE), b=revision("2", "1", CITY))
    assert check(capsys=capsys) == ["db/versions/b.py SIS002"]


def test_places_in_a_revision(capsys: Any) -> None:
    alembic(a=revision("1", None, "CREATE TABLE db.t (id BIGINT) USING iceberg PARTITIONED BY (weeks(id))"))
    main(["check", "--output-format", "json"])
    (diagnostic,) = json.loads(capsys.readouterr().out)
    text = Path("db/versions/a.py").read_text().splitlines()
    row, column = diagnostic["location"]["row"], diagnostic["location"]["column"]
    assert text[row - 1][column - 1 :].startswith("weeks(id)")


# --- what depends on something --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("second", "expected"),
    [
        (f"{{% if x %}}{CITY}{{% endif %}}", ["V3__c.sql SIS002"]),
        (f"{{% if x %}}{CITY}{{% else %}}{NO_DAY}{{% endif %}}", ["V3__c.sql SIS002"]),
        (CITY.replace("db.t", "__DB__.t").replace("__DB__", "{{ db }}"), ["V3__c.sql SIS002"]),
    ],
)
def test_a_template_in_a_migration(second: str, expected: list[str], capsys: Any) -> None:
    write({"V1__a.sql": CREATE, "V2__b.sql": second, "V3__c.sql": BY_CITY})
    assert [line for line in check(capsys=capsys) if line.startswith("V3")] == expected


def test_placeholders_of_the_settings(capsys: Any) -> None:
    write({".iceberg-sql.toml": 'placeholders = ["<[a-z]+>"]'})
    number = "ALTER TABLE db.t ADD COLUMN city STRING COMMENT <why>;"
    write({"V1__a.sql": CREATE, "V2__b.sql": number, "V3__c.sql": BY_CITY})
    assert [line for line in check(capsys=capsys) if line.startswith("V3")] == ["V3__c.sql SIS002"]


def test_a_condition_in_a_revision(capsys: Any) -> None:
    alembic(
        a=revision("1", None, CREATE), b=revision("2", "1", CITY, more="if x:\n        "), c=revision("3", "2", BY_CITY)
    )
    assert "db/versions/c.py SIS002" in check(capsys=capsys)


# --- the tables at the end ------------------------------------------------------------------------


def test_the_tables_at_the_end(capsys: Any) -> None:
    write({
        "m/V1__a.sql": CREATE, "m/V2__b.sql": CITY, "m/V10__c.sql": BY_CITY, "m/V11__d.sql": NO_DAY,
        "m/U11__d.sql": "SELECT 1;", "other.sql": "CREATE TABLE db.o (id INT NOT NULL) USING iceberg;",
    })  # fmt: skip
    assert main(["check", "-q", "--show-tables"]) == 0
    assert (
        capsys.readouterr().out
        == """
-- after other.sql
CREATE TABLE db.o (
  id INT NOT NULL
) USING iceberg
TBLPROPERTIES ('format-version' = '2');
-- format version 2, spec 0 of 1, unpartitioned

-- after m/V11__d.sql
CREATE TABLE db.t (
  id BIGINT,
  ts TIMESTAMP,
  city STRING
) USING iceberg
TBLPROPERTIES ('format-version' = '2');
ALTER TABLE db.t ADD PARTITION FIELD truncate(4, city);
-- format version 2, spec 2 of 3
--   1001  city_trunc_4  truncate(4, city)
"""
    )


def test_a_table_that_is_not_known_is_shown_as_such(capsys: Any) -> None:
    write({"V1__a.sql": CREATE, "V2__b.sql": "ALTER TABLE db.t ADD PARTITION FIELD bucket({{ n }}, id);"})
    main(["check", "-q", "--show-tables"])
    assert "CREATE TABLE db.t" not in capsys.readouterr().out.partition("-- after")[2]


STATEMENTS = [
    "ALTER TABLE db.t ADD COLUMN `a b` DECIMAL(10, 2)",
    "ALTER TABLE db.t ADD COLUMN s STRUCT<x: INT, `y z`: ARRAY<TIMESTAMP>>",
    "ALTER TABLE db.t ADD COLUMN m MAP<STRING, STRUCT<k: BINARY>>",
    "ALTER TABLE db.t ADD COLUMN n TIMESTAMP_NTZ",
    "ALTER TABLE db.t ADD PARTITION FIELD bucket(8, id)",
    "ALTER TABLE db.t ADD PARTITION FIELD bucket(16, id) AS shard",
    "ALTER TABLE db.t ADD PARTITION FIELD s.x",
    "ALTER TABLE db.t ADD PARTITION FIELD truncate(3, `a b`) AS `odd name`",
    "ALTER TABLE db.t DROP PARTITION FIELD ts_day",
    "ALTER TABLE db.t REPLACE PARTITION FIELD ts_day WITH hours(ts)",
    "ALTER TABLE db.t RENAME COLUMN id TO key",
    "ALTER TABLE db.t SET TBLPROPERTIES ('it''s' = 'a\\\\b')",
]


@pytest.mark.parametrize("seed", range(60))
def test_the_ddl_makes_the_same_table(seed: int) -> None:
    """Read again, it has the same columns and the same partition fields."""
    chosen = random.Random(seed)
    tables = Tables()
    check_and_apply(CREATE, tables)
    for statement in chosen.sample(STATEMENTS, chosen.randint(1, 8)):
        if check_text(statement, tables).ok:
            check_and_apply(statement, tables)
    table = tables.get(("db", "t"))
    again = Tables()
    text = table_ddl(table)  # type: ignore[arg-type]
    report = check_text(text)
    assert [d for d in report if d.severity != "warning"] == [], text
    check_and_apply(text, again)
    reread_table = again.get(("db", "t"))
    assert shape(reread_table) == shape(table), text


def shape(table: Any) -> object:
    columns = [(f.name, str(f.type), f.required) for f in table.schema.fields]
    fields = [(f.name, f.clause) for f in table.specs.spec.fields if not f.transform.is_void]
    return columns, fields, table.specs.format_version, table.properties.keys() - {"format-version"}


def test_a_long_chain_of_changelogs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is read once, for all that include it, and none inside the reading of another."""
    include = "databaseChangeLog:\n- include:\n    file: {}\n"
    for number in range(900):
        target = f"changelog{number + 1:03}.yaml" if number < 899 else "a.sql"
        (tmp_path / f"changelog{number:03}.yaml").write_text(include.format(target))
    file = tmp_path / "a.sql"
    file.write_text("--liquibase formatted sql\n--changeset a:1\nSELECT 1;\n")
    reads: list[Path] = []
    entries = liquibase._entries
    monkeypatch.setattr(liquibase, "_entries", lambda path: reads.append(path) or entries(path))
    assert liquibase.changelog(tmp_path, [str(file)]) == [str(file)]
    assert len(reads) == 900
