"""The page of the public functions and classes: signatures, arguments and prose, read from the source.

Docstrings describe arguments as `name: description.` within a paragraph; here each becomes an item of a list, with its
type and default. The source is parsed, not imported, because half of it needs Spark.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import spark_iceberg_sql

_PACKAGE = Path(spark_iceberg_sql.__file__).parent
_ERRORS = "errors"  # the exceptions have a page
_WIDTH = 88  # of a signature on one line
_OUTCOME = re.compile(r"(?:^|(?<=[.;] ))(?=(?:Raises|Returns|Never raises) )")
_INTRO = """# Python

```python
import spark_iceberg_sql as sis
```

Exceptions have [a separate page](exceptions.md).
"""


@dataclass(frozen=True, slots=True)
class _Parameter:
    """An argument of a function, or an attribute of a class. declaration: as in the signature."""

    name: str
    type: str
    default: str | None
    declaration: str


def page() -> str:
    """Every public function and class."""
    functions, classes = [], []
    for name, module in spark_iceberg_sql._HOME.items():  # noqa: SLF001 - the list of the public names
        if module == _ERRORS:
            continue
        node = _definition(module, name)
        if isinstance(node, ast.FunctionDef):
            functions.append(_function(node))
        else:
            classes.append(_class(node))
    return "\n".join([_INTRO, "## Functions\n", *functions, "## Results and other classes\n", *classes])


def _definition(module: str, name: str) -> ast.FunctionDef | ast.ClassDef:
    source = _PACKAGE.joinpath(*module.split(".")).with_suffix(".py")
    for node in reversed(ast.parse(source.read_text("utf-8")).body):  # after its overloads
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == name:
            return node
    raise LookupError(f"{module} defines no {name}")


def _function(node: ast.FunctionDef) -> str:
    parameters = list(_parameters(node.args))
    head = signature(node)
    return f"### {node.name}\n\n```python\n{head}\n```\n\n{prose(ast.get_docstring(node) or '', parameters)}\n"


def _class(node: ast.ClassDef) -> str:
    attributes = [
        _Parameter(item.target.id, ast.unparse(item.annotation), None, "")
        for item in node.body
        if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name) and not item.target.id.startswith("_")
    ]
    text = f"### {node.name}\n\n{prose(ast.get_docstring(node) or '', attributes)}\n"
    methods = [item for item in node.body if isinstance(item, ast.FunctionDef) and not item.name.startswith("_")]
    if methods:
        text += "\n" + "\n".join(map(_method, methods)) + "\n"
    return text


def _method(node: ast.FunctionDef) -> str:
    is_property = any(ast.unparse(decorator).endswith("property") for decorator in node.decorator_list)
    names = ", ".join(parameter.declaration for parameter in _parameters(node.args) if parameter.name != "self")
    head = node.name if is_property else f"{node.name}({names})"
    summary = (ast.get_docstring(node) or "").partition("\n\n")[0]
    return f"- `{head}`: {_escaped(_joined(summary))}"


def _parameters(arguments: ast.arguments) -> Iterator[_Parameter]:
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults = [None] * (len(positional) - len(arguments.defaults)) + list(arguments.defaults)
    for argument, default in zip(positional, defaults, strict=True):
        yield _parameter(argument, default)
    if arguments.vararg is not None:
        yield _parameter(arguments.vararg, None, "*")
    for argument, keyword_default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        yield _parameter(argument, keyword_default)
    if arguments.kwarg is not None:
        yield _parameter(arguments.kwarg, None, "**")


def _parameter(argument: ast.arg, default: ast.expr | None, stars: str = "") -> _Parameter:
    annotation = "" if argument.annotation is None else ast.unparse(argument.annotation)
    value = None if default is None else ast.unparse(default)
    declaration = stars + argument.arg + (f": {annotation}" if annotation else "")
    return _Parameter(argument.arg, annotation, value, declaration + (f" = {value}" if value is not None else ""))


def signature(node: ast.FunctionDef) -> str:
    """A function's head, on several lines if it is long."""
    declarations = [parameter.declaration for parameter in _parameters(node.args)]
    if node.args.kwonlyargs and node.args.vararg is None:
        declarations.insert(len(node.args.posonlyargs) + len(node.args.args), "*")
    returns = "" if node.returns is None else f" -> {ast.unparse(node.returns)}"
    line = f"{node.name}({', '.join(declarations)}){returns}"
    if len(line) <= _WIDTH:
        return line
    return "\n".join([f"{node.name}(", *(f"    {declaration}," for declaration in declarations), f"){returns}"])


def prose(docstring: str, parameters: Sequence[_Parameter]) -> str:
    """A docstring as Markdown, its descriptions of parameters as a list."""
    by_name = {parameter.name: parameter for parameter in parameters}
    blocks: list[str] = []
    for paragraph in _paragraphs(docstring, tuple(f"{name}:" for name in by_name)):
        for part in _OUTCOME.split(paragraph):
            blocks += _described(part.strip(), by_name) if part.strip() else []
    # The items of a list need no blank line between them.
    text = "\n\n".join(blocks)
    return re.sub(r"(?m)^(- .*)\n\n(?=- )", r"\1\n", text)


def _paragraphs(docstring: str, headings: tuple[str, ...]) -> Iterator[str]:
    """Its paragraphs; a line that ends a sentence ends one, too, so that lists by lines stay lists.

    headings: what ends a line without ending a sentence, such as `target:`.
    """
    for paragraph in docstring.split("\n\n"):
        lines: list[str] = []
        for line in paragraph.splitlines():
            lines.append(line.strip())
            if line.endswith((".", ":")) and not line.endswith(headings):
                yield " ".join(lines)
                lines = []
        if lines:
            yield " ".join(lines)


def _described(paragraph: str, parameters: Mapping[str, _Parameter]) -> list[str]:
    """A paragraph: its prose, then an item for each parameter that it describes."""
    names = "|".join(map(re.escape, parameters)) or "(?!)"
    start = re.compile(rf"(?:^|(?<=[.;] ))((?:(?:{names})(?:, | and ))*(?:{names})): ")
    before, *matches = start.split(paragraph)
    blocks = [_escaped(before.strip())] if before.strip() else []
    for heading, description in zip(matches[::2], matches[1::2], strict=True):
        blocks.append(_item(re.split(", | and ", heading), description.strip(), parameters))
    return blocks


def _item(names: Sequence[str], description: str, parameters: Mapping[str, _Parameter]) -> str:
    described = [parameters[name] for name in names]
    types = list(dict.fromkeys(parameter.type for parameter in described if parameter.type))
    facts = [f"`{type_name}`" for type_name in types]
    default = described[0].default
    if (
        len(described) == 1 and default is not None and default != "None" and not default.isupper()
    ):  # a constant says nothing
        facts.append(f"default `{default}`")
    heading = ", ".join(f"**{name}**" for name in names)
    details = f" ({', '.join(facts)})" if facts else ""
    return f"- {heading}{details}: {_escaped(description)}"


def _joined(text: str) -> str:
    return " ".join(text.split())


def _escaped(text: str) -> str:
    """Text outside of backticks without the characters that Markdown and HTML interpret."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(p if p.startswith("`") else re.sub(r"([*\[\]])", r"\\\1", p).replace("<", "&lt;") for p in parts)
