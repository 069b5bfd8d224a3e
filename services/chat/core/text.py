"""What of a text is kept: no character that is unseen, turns others around, or piles up on them."""

from __future__ import annotations

import unicodedata
from typing import Final

from services.chassis.errors import Refusal

TEXT_CHARACTERS_MAX: Final = 120
RAW_CHARACTERS_MAX: Final = 2000
"""More than this is not even looked at."""

MARKS_MAX: Final = 3
"""Combining marks on one character."""

UNSEEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
"""Controls, formats (directions, zero widths), halves of pairs, private and unassigned characters."""

BLANK: Final = frozenset("\u115f\u1160\u2800\u3164\uffa0\u034f\u17b4\u17b5\u180b\u180c\u180d\u180e\u180f")
"""Letters and marks that show nothing."""

SPACES: Final = frozenset({"Zs", "Zl", "Zp"})


def normalise(text: str) -> str:
    """Return a text as it is kept: NFC, one line, single spaces, nothing unseen.

    >>> normalise("  你\\u202e好\\u200b \\n 啊 ")
    '你好 啊'

    Raises:
        Refusal: TEXT_EMPTY, TEXT_TOO_LONG (of what would be kept).
    """
    if len(text) > RAW_CHARACTERS_MAX:
        raise Refusal("TEXT_TOO_LONG", most=TEXT_CHARACTERS_MAX)
    kept: list[str] = []
    marks = 0
    for character in unicodedata.normalize("NFC", text):
        category = unicodedata.category(character)
        if character in "\t\n\r\x0b\x0c\x85" or category in SPACES:
            kept.append(" ")
        elif category in UNSEEN or character in BLANK:
            continue
        elif category in ("Mn", "Me"):
            marks += 1
            if marks <= MARKS_MAX and kept:
                kept.append(character)
            continue
        else:
            kept.append(character)
        marks = 0
    # What was taken out may have kept characters apart that belong together.
    plain = unicodedata.normalize("NFC", " ".join("".join(kept).split()))
    if not any(unicodedata.category(character) not in ("Mn", "Me") for character in plain):
        raise Refusal("TEXT_EMPTY")
    if len(plain) > TEXT_CHARACTERS_MAX:
        raise Refusal("TEXT_TOO_LONG", most=TEXT_CHARACTERS_MAX)
    return plain
