"""Statement nodes compared with Spark's own parser with Iceberg's extensions, on generated statements."""

from __future__ import annotations

import os
import random
import re
from pathlib import Path

import pyspark
from keywords import NAME, PLACES, keywords
from pyspark.sql import SparkSession
from samples import FULL
from spark_grammar import compiled
from sql_maker import statement

from spark_iceberg_sql.checker.engine import check
from spark_iceberg_sql.spark import versions
from spark_iceberg_sql.syntax.nodes import (
    AddField,
    ChangeSnapshotRef,
    Create,
    DropField,
    IdentifierFields,
    InvalidStatement,
    Node,
    Other,
    ReplaceField,
    Templated,
    WriteOrder,
)
from spark_iceberg_sql.syntax.parser import parse
from spark_iceberg_sql.syntax.routing import goes_to_iceberg, routed_text
from spark_iceberg_sql.syntax.script import statements
from spark_iceberg_sql.syntax.terms import Argument, ColumnDef, Literal, Term

IDENTIFIER = re.compile(r"\bidentifier\b", re.IGNORECASE)
LINE = versions.spark_minor(pyspark.__version__)
MISTAKES = Path(__file__).parent.parent / "corpus" / "mistakes.sql"
STATEMENTS = 60_000 if FULL else 3_000
# Each run takes a different sample of the keyword sweep; a full one takes every word in every position.
WORDS = None if FULL else 2_000
FIELDS = (AddField, DropField, ReplaceField)
PLANS: dict[type[Node], tuple[str, ...]] = {
    WriteOrder: ("SetWriteDistributionAndOrdering",),
    IdentifierFields: ("SetIdentifierFields", "DropIdentifierFields"),
    ChangeSnapshotRef: ("CreateOrReplaceBranch", "CreateOrReplaceTag", "DropBranch", "DropTag"),
}
OTHERS = (WriteOrder, IdentifierFields, ChangeSnapshotRef)
SUFFIX_TYPES = {"L": "LongType", "S": "ShortType", "Y": "ByteType"}
# Errors that Spark raises after parsing, for reasons that are checked by rules and not by the parser.
LATER = (
    "INVALID_SQL_SYNTAX", "UNSUPPORTED_TYPED_LITERAL", "INVALID_NUMERIC_LITERAL_RANGE",
    "UNSUPPORTED_DATATYPE", "INVALID_TYPED_LITERAL", "INCOMPLETE_TYPE_DEFINITION",
    "DATATYPE_MISSING_SIZE", "CREATE_TABLE_COLUMN", "Invalid number of buckets", "DECIMAL_PRECISION",
    "MULTIPLE_PRIMARY_KEYS", "SPECIFY_", "ROW FORMAT DELIMITED is only compatible",
    "COLLATION_INVALID_NAME", "INVALID_INLINE_TABLE",
)  # fmt: skip


# Without it, a statement may be another engine's, and is not checked.
SPARKS = "CREATE TABLE sparks.own (i INT) USING iceberg;\n"


def argument(value: Argument) -> str:
    if not isinstance(value, Literal):
        return "\x04".join(("ref", *value.parts))
    if value.kind == "integer":
        return f"lit\x04{SUFFIX_TYPES.get(value.suffix, 'integer')}\x04{value.value}"
    if value.kind == "string":
        return f"lit\x04StringType\x04{value.text}"
    return "lit"


def same_argument(ours: str, theirs: str) -> bool:
    if ours == "lit":
        return theirs.startswith("lit")
    if ours.startswith("lit\x04integer"):
        kind, number = theirs.split("\x04")[1:]
        return kind in ("IntegerType", "LongType") or (kind.startswith("Decimal") and number == ours[12:])
    if ours.startswith("lit\x04StringType"):
        return theirs.startswith("lit\x04StringType")
    return ours == theirs


def term(value: Term) -> list[str]:
    return [value.transform_name or "identity", *map(argument, value.arguments)]


def same_term(ours: list[str], theirs: str) -> bool:
    name, *arguments = theirs.split("\x03")
    if name == "bucket" and ours[0] == "bucket" and len(ours) == len(arguments) + 1:
        return all(same_argument(a, b) for a, b in zip(ours[2:], arguments[1:], strict=True))
    return (
        name == ours[0]
        and len(arguments) == len(ours) - 1
        and all(same_argument(a, b) for a, b in zip(ours[1:], arguments, strict=True))
    )


def column(value: ColumnDef) -> str:
    kind = str(value.type or value.type_text.lower()).replace(" ", "")
    return f"{value.name} {kind}{' required' if value.required else ''}"


def uncollated(columns: str) -> list[str]:
    return re.sub(r"stringcollate\w+", "string", columns).split("\x04")[:-1]


def in_expression(node: Node, text: str, message: str) -> bool:
    """Whether Spark's error is about a query or an expression, which our parser does not read."""
    position = re.search(r"\(line (\d+), pos (\d+)\)", message)
    if not isinstance(node, Create):
        return False
    if not position:  # a column list that starts like a query, and is neither
        return "INVALID_IDENTIFIER" in message and node.query is not None
    lines = text.split("\n")
    offset = sum(len(line) + 1 for line in lines[: int(position[1]) - 1]) + int(position[2])
    spans = [node.query, *(s for c in node.columns or () for s in (c.default, c.generated))]
    spans += [(option.key_span[0], option.value_span[1]) for option in node.options]
    check = text.upper().rfind("CHECK", 0, offset)
    if check >= 0 and offset - check < 40:
        return True
    return any(span and span[0] <= offset <= span[1] + 2 for span in spans)


def fault(node: Node, text: str, theirs: str) -> str | None:
    """The difference between the node and Spark's plan, or None."""
    parts = theirs.split("\x02")
    if parts[0].startswith("!"):
        if not isinstance(node, (Create, *FIELDS, *OTHERS)):
            return None
        later = any(mark in " ".join(parts[1:]) for mark in LATER) or in_expression(node, text, parts[2])
        # Iceberg's parser builds the transforms of a sort order itself; here the rules check them.
        later = later or (isinstance(node, WriteOrder) and not check(SPARKS + text).ok)
        # Other lines of Spark do not have all clauses that are read: they say so themselves.
        return "refused, and read by us" if versions.SPARK_MINORS[0] == LINE and not later else None
    if isinstance(node, InvalidStatement):
        if "parts by IDENTIFIER" in LINE.limitations and IDENTIFIER.search(text):  # a name there
            return None
        return "accepted, and unreadable to us"
    if isinstance(node, FIELDS):
        terms = [node.old, node.new] if isinstance(node, ReplaceField) else [node.term]
        name = "" if isinstance(node, DropField) else f"AS {node.name.parts[0]}" if node.name else ""
        if parts[0] != type(node).__name__.replace("Field", "PartitionField"):
            return "another kind of statement"
        if tuple(parts[1].split("\x04")[:-1]) != node.table.parts:
            return "another table"
        if not all(map(same_term, map(term, terms), parts[2:])):
            return "another transform"
        return None if isinstance(node, DropField) or parts[-1] == name else "another name"
    if isinstance(node, OTHERS):
        same = parts[0] in PLANS[type(node)]
        return None if same else "another kind of statement"
    if isinstance(node, Create) and parts[0] in ("CreateTable", "ReplaceTable", "CreateTableAsSelect"):
        if tuple(parts[1].split("\x04")[:-1]) != node.table.parts:
            return "another table"
        ours = [column(c) for c in (*(node.columns or ()), *node.typed_partitions)]
        unique = len({c.name for c in node.columns or ()}) == len(node.columns or ())
        if parts[0] != "CreateTableAsSelect" and unique and uncollated(parts[2]) != ours:
            return f"other columns {ours}"
        terms = [term(t) for t in node.partitioning or ()]
        terms += [["identity", f"ref\x04{c.name}"] for c in node.typed_partitions]
        if len(parts) - 3 - len(terms) != (node.clustered_by is not None):
            return "other transforms"
        return None if all(map(same_term, terms, parts[3:])) else "another transform"
    if parts[0].endswith("PartitionField") or parts[0].startswith(("CreateTable", "ReplaceTable")):
        if isinstance(node, (Create, Templated)) or parts[0].endswith("Command"):
            return None
        return "partition DDL, and nothing to us"
    return None


EDGES = [
    *("-- a\n", "-- a\r\n", "-- add partition field\n", "-- add partition field\r\n", "/* c */ ", "\ufeff"),
    *("/* add partition field */", "/* a\nb */", "/* a\u2028b */", "-- a\u2028 add partition field\n"),
    *("\u00a0", "\x02", "--", "-- drop  tag", "/* /* x */ create branch */", ";", "\x0b", "`", "EXPLAIN "),
]
MIDDLES = [
    *("ALTER TABLE t ADD PARTITION FIELD id", "alter\ttable t drop /* c */ partition\nfield x"),
    *("ALTER /* c */ TABLE t ADD PARTITION FIELD id", "ALTER TABLE t SET TBLPROPERTIES ('a' = 'create tag')"),
    *("ALTER TABLE t ADD -- c\n PARTITION FIELD id", "ALTER TABLE t ADD -- c\r\n PARTITION FIELD id"),
    *("ALTER TABLE t `ADD PARTITION` FIELD id", "\u0130ALTER TABLE t WRITE UNORDERED", "ALTER TABLE t RENAME TO u"),
    *("ALTER\u00a0TABLE t ADD PARTITION FIELD id", "ALTER TABLE t ADD PARTITION\x0cFIELD id"),
]


def edged(seed: int) -> str:
    rng = random.Random(seed)
    parts = [rng.choice(MIDDLES) if rng.random() < 0.7 else statement(seed)]
    for _ in range(rng.randint(0, 3)):
        parts.insert(rng.choice([0, len(parts)]), rng.choice(EDGES))
    return "".join(parts)


def test_routing_is_icebergs_own(spark: SparkSession) -> None:
    ask = compiled(spark)
    texts = [edged(seed) for seed in range(STATEMENTS)]
    wrong = []
    answers = ask("routing", texts)
    for text, theirs in zip(texts, answers, strict=True):
        if (theirs == "true") != goes_to_iceberg(text):
            wrong.append((text, theirs))
    assert not wrong, f"{len(wrong)} of {STATEMENTS}: {wrong[:5]}"
    assert STATEMENTS / 5 < answers.count("true") < STATEMENTS * 4 / 5


def test_spark_refuses_every_mistake_of_the_corpus(spark: SparkSession) -> None:
    """Except those that are documented to do something else."""
    parts = statements(MISTAKES.read_text(encoding="utf-8"))
    answers = compiled(spark)("plan", [routed_text(part) for part in parts])
    errors = [bool(list(check(part.text).errors)) for part in parts]
    theirs = [answer.startswith("!") for answer in answers]
    wrong = [p.text for p, a, b in zip(parts, theirs, errors, strict=True) if a < b]
    if "parts by IDENTIFIER" in LINE.limitations:  # an unknown transform there, refused when it runs
        wrong = [text for text in wrong if "BY (identifier(" not in text]
    assert wrong == []
    assert sum(theirs) > len(parts) - 5


def test_nodes_say_what_sparks_parser_says(spark: SparkSession) -> None:
    ask = compiled(spark)
    parsed = [(text, statements(text)) for text in map(statement, range(STATEMENTS))]
    single = [(text, parts[0]) for text, parts in parsed if len(parts) == 1]
    texts = [routed_text(part) for _, part in single]
    wrong = []
    accepted = refused = 0
    for (text, part), theirs in zip(single, ask("plan", texts), strict=True):
        node = parse(part)
        accepted += not theirs.startswith("!")
        refused += theirs.startswith("!")
        difference = fault(node, text, theirs)
        if difference:
            wrong.append((difference, text, theirs, node))
    assert not wrong, f"{len(wrong)} of {len(single)}: " + "\n".join(map(repr, wrong[:10]))
    assert min(accepted, refused) > STATEMENTS / 5


def test_every_keyword_is_a_name_wherever_it_is_one_to_spark(spark: SparkSession) -> None:
    keyword_list = keywords(spark)
    assert {"SELECT", "PARTITION", "RETENTION"} < {*keyword_list}
    all_texts = [template.replace(NAME, word) for template in PLACES for word in keyword_list]
    texts = random.Random(os.environ.get("SIS_SEED", "1")).sample(all_texts, WORDS or len(all_texts))
    wrong = []
    for text, theirs in zip(texts, compiled(spark)("plan", texts), strict=True):
        node = parse(statements(text)[0])
        if theirs.startswith("!"):
            fine = isinstance(node, InvalidStatement) or not check(SPARKS + text).ok
            fine = fine or versions.SPARK_MINORS[0] != LINE  # a clause that is not there yet
        else:
            fine = not isinstance(node, (InvalidStatement, Other))
            fine = fine or ("parts by IDENTIFIER" in LINE.limitations and IDENTIFIER.search(text) is not None)
        if not fine:
            wrong.append((text, theirs, node))
    assert not wrong, f"{len(wrong)} of {len(texts)}: " + "\n".join(map(repr, wrong[:10]))
