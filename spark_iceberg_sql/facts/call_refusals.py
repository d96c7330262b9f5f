"""What Spark or a procedure refuses about a CALL: a span, a sentence, and what to write."""

from __future__ import annotations

from spark_iceberg_sql.records import record
from spark_iceberg_sql.syntax.terms import Offsets


@record(frozen=True, slots=True)
class Refused:
    """A part of a CALL that is refused. text: to write in place of the span; None if it is not one text.

    is_certain: false if a later version may take it.
    """

    span: Offsets
    message: str
    help: str
    text: str | None = None
    is_certain: bool = True


def is_template(text: str) -> bool:
    """Whether a template or a program completes the text, which is then not judged."""
    return "{" in text or "$" in text
