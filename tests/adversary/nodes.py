"""SQL expressions as trees, so that failing ones can be minimised."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Node:
    """`text` with one `{}` per element of `kids`, or verbatim if there are none; `kind`: the value's type.

    The kind `list` is the list of an IN: its kids are joined by commas.
    """

    kind: str
    text: str
    kids: tuple[Node, ...] = ()

    def sql(self) -> str:
        if self.kind == "list":
            return ", ".join(kid.sql() for kid in self.kids)
        return self.text.format(*(kid.sql() for kid in self.kids)) if self.kids else self.text

    def size(self) -> int:
        return 1 + sum(kid.size() for kid in self.kids)

    def below(self) -> Iterator[Node]:
        for kid in self.kids:
            yield kid
            yield from kid.below()

    def swapped(self, old: Node, new: Node) -> Node:
        """The tree with one part replaced."""
        if self == old:
            return new
        return Node(self.kind, self.text, tuple(kid.swapped(old, new) for kid in self.kids))

    def smaller(self) -> Iterator[Node]:
        """Trees with one part fewer, smallest first at each position."""
        same = dict.fromkeys(n for n in self.below() if n.kind == self.kind)  # in order, distinct
        yield from sorted(same, key=Node.size)
        if self.kind == "list" and len(self.kids) > 1:
            for at in range(len(self.kids)):
                yield Node("list", "", self.kids[:at] + self.kids[at + 1 :])
        for at, kid in enumerate(self.kids):
            for less in kid.smaller():
                yield Node(self.kind, self.text, (*self.kids[:at], less, *self.kids[at + 1 :]))


def leaf(kind: str, text: object) -> Node:
    return Node(kind, str(text))


def make(kind: str, text: str, *kids: Node) -> Node:
    return Node(kind, text, kids)
