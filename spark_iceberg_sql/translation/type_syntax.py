"""Types of columns in an engine's syntax, both ways: only those that Iceberg stores as the same type."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from spark_iceberg_sql.lazy import regex
from spark_iceberg_sql.model.types import Field, List, Map, Primitive, Struct, Type
from spark_iceberg_sql.translation.definitions import lose, unsupported

_WORD = regex(r"\"(?:[^\"]|\"\")*\"|`(?:[^`]|``)*`|\w+|\S")
_DECIMAL = "decimal"
# The precisions of times that Iceberg's, of microseconds, can hold: `timestamp`, `timestamp(3)`.
MICROSECONDS = ("", *(f"({digits})" for digits in range(7)))


@dataclass(frozen=True, slots=True)
class TypeSyntax:
    """An engine's types.

    engine: its name, for messages. primitives: Iceberg's name -> the engine's, decimal apart. opening, closing: the
    brackets around the parts of nested types. struct: the word for one. separator: between the name and the type of a
    struct's field. quote: returns a name as the engine takes it. aliases: other texts that are read -> Iceberg's name
    for the type that the engine stores; `N` is any number. lossy: as aliases, of types of which Spark does not have all
    -> Iceberg's name for the nearest one, and what is lost. absent: texts of types of which Spark has none.
    """

    engine: str
    primitives: Mapping[str, str]
    opening: str
    closing: str
    struct: str
    separator: str
    quote: Callable[[str], str]
    aliases: Mapping[str, str] = field(default_factory=dict)
    lossy: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    absent: tuple[str, ...] = ()

    def column_text(self, column: Field) -> str:
        """A column's type, and NOT NULL if it is required. Raises IcebergSqlError as `text`."""
        return self.text(column.name, column.type) + (" NOT NULL" if column.required else "")

    def text(self, column: str, column_type: Type) -> str:
        """A type as the engine writes it. Raises IcebergSqlError, naming the column, for one that it does not have."""
        opening, closing = self.opening, self.closing
        if isinstance(column_type, Primitive):
            if column_type.name == _DECIMAL:
                return f"{_DECIMAL}({', '.join(map(str, column_type.arguments))})"
            text = self.primitives.get(column_type.name)
            if text is None:
                raise self._no_type(column, str(column_type))
            return text
        if isinstance(column_type, List):
            return f"array{opening}{self._part(column, column_type.element)}{closing}"
        if isinstance(column_type, Map):
            parts = f"{self._part(column, column_type.key, is_key=True)}, {self._part(column, column_type.value)}"
            return f"map{opening}{parts}{closing}"
        fields = (f"{self.quote(f.name)}{self.separator}{self._part(column, f)}" for f in column_type.fields)
        return f"{self.struct}{opening}{', '.join(fields)}{closing}"

    def _part(self, column: str, part: Field, *, is_key: bool = False) -> str:
        if part.required and not is_key:
            raise unsupported(
                f"`{column}` has NOT NULL inside a type, which {self.engine} does not have", "leave out NOT NULL there"
            )
        return self.text(column, part.type)

    def read(self, column: str, text: str) -> Type:
        """The type that a text of the engine's means. Raises IcebergSqlError, naming the column, for any other text."""
        words = _WORD.findall(text)
        try:
            column_type, end = self._read(words, 0)
        except (IndexError, ValueError):
            column_type, end = None, 0
        if column_type is None or end != len(words):
            raise self._no_type(column, text)
        return column_type

    def _read(self, words: list[str], start: int) -> tuple[Type | None, int]:
        word = words[start].lower()
        if word == _DECIMAL:
            end = words.index(")", start)
            numbers = [int(w) for w in words[start + 2 : end] if w != ","]
            return Primitive(_DECIMAL, (numbers[0], numbers[1] if len(numbers) > 1 else 0)), end + 1
        opening, closing = self.opening, self.closing
        if words[start + 1 : start + 2] == [opening] and word in ("array", "map", self.struct):
            parts, end = [], start + 1
            while words[end] != closing:
                parts.append(self._read_part(words, end + 1, has_name=word == self.struct))
                end = parts[-1][2]
                if words[end] not in (",", closing):
                    raise ValueError(words[end])
            return _nested(word, [(name, part) for name, part, _ in parts]), end + 1
        for name, end in self._primitives(words, start):
            return Primitive(name), end
        return None, start

    def _read_part(self, words: list[str], start: int, *, has_name: bool) -> tuple[str, Type, int]:
        name = ""
        if has_name:
            name = _unquoted(words[start])
            start += 2 if self.separator.strip() else 1
        part, end = self._read(words, start)
        if part is None:
            raise ValueError(words[start])
        return name, part, end

    def _primitives(self, words: list[str], start: int) -> Iterator[tuple[str, int]]:
        """The primitive types that begin at a word, the longest first."""
        texts = [*((text, name) for name, text in self.primitives.items()), *self.aliases.items()]
        texts += [(text, name) for text, (name, _) in self.lossy.items()]
        for text, name in sorted(texts, key=lambda item: -len(item[0])):
            if (end := _end_of(text, words, start)) is not None:
                if text in self.lossy:
                    lose(f"`{''.join(words[start:end])}` is {name.upper()} in Spark: {self.lossy[text][1]}")
                yield name, end

    def is_absent(self, text: str) -> bool:
        """True if Spark has no type for one of the engine's."""
        words = _WORD.findall(text)
        return any(_end_of(absent, words, 0) == len(words) for absent in self.absent)

    def _no_type(self, column: str, text: str) -> Exception:
        return unsupported(
            f"`{column}` has the type `{text}`, for which no type in {self.engine} and Spark is certain to be the same",
            f"write one of {', '.join(sorted(set(self.primitives.values())))}, decimal, array, map or {self.struct}",
        )


def _end_of(text: str, words: list[str], start: int) -> int | None:
    """Where a type's text ends that begins at a word; None if it does not begin there."""
    expected = _WORD.findall(text)
    actual = words[start : start + len(expected)]
    is_equal = len(actual) == len(expected) and all(
        a.lower() == e.lower() or (e == "N" and a.isdecimal()) for a, e in zip(actual, expected, strict=True)
    )
    return start + len(expected) if is_equal else None


def _nested(word: str, parts: list[tuple[str, Type]]) -> Type:
    if word == "array":
        ((_, element),) = parts
        return List(Field("element", element))
    if word == "map":
        (_, key), (_, value) = parts
        return Map(Field("key", key, required=True), Field("value", value))
    return Struct(tuple(Field(name, part) for name, part in parts))


def _unquoted(word: str) -> str:
    return word[1:-1].replace(word[0] * 2, word[0]) if word[0] in '`"' else word
