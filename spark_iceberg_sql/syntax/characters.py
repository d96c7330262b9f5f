"""Character classes of Spark's lexer, and its upper case.

In: a text. Out: its shape of the same length, in which one stand-in represents each class of characters beyond ASCII.
"""

from __future__ import annotations

BOM = "\ufeff"


def upper(text: str) -> str:
    """Upper case, character by character, as Spark's lexer has it: `ſet` is SET, `ﬁeld` not FIELD."""
    return text.upper() if text.isascii() else "".join(u if len(u := c.upper()) == 1 else c for c in text)


# The stand-in for each class of characters beyond ASCII that Spark's lexer distinguishes, so that the table needs no
# Unicode classes (whose building costs more than checking a small file).
LETTER, LONG_S, DOTLESS_I, BLANK, STRAY, BOM_SHAPE = "\xe9\xdf\xcc\xa0\xb7\xfe"
_BLANKS = frozenset("\xa0\u1680\u2028\u202f\u205f\u3000") | set(map(chr, range(0x2000, 0x200B)))
SPACES = frozenset(" \t\n\f\r\x0b" + BLANK)


class _Shapes(dict[int, str]):
    def __missing__(self, code: int) -> str:
        char = chr(code)
        if code < 0x80:
            stand_in = char
        elif char in _BLANKS:
            stand_in = BLANK
        elif char.isalpha() or code == 0x345:  # U+0345 is a letter in upper case
            stand_in = LETTER
        else:
            stand_in = STRAY
        self[code] = stand_in
        return stand_in


# Dotless i and long s are I and S in upper case, which numbers must know: `1ſ` is a smallint.
_SHAPES = _Shapes({0x131: DOTLESS_I, 0x17F: LONG_S, ord(BOM): BOM_SHAPE})


def lexer_shape(text: str) -> str:
    """The text with one stand-in for each class of characters of Spark's lexer, at the same length."""
    return text if text.isascii() else text.translate(_SHAPES)


def upper_keyword(token_text: str) -> str:
    """The text of a token in the upper case by which Spark recognizes keywords."""
    return (
        token_text.upper() if token_text.isascii() else token_text.replace(LONG_S, "S").replace(DOTLESS_I, "I").upper()
    )
