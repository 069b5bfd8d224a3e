"""Nicknames: what one may be called, and what one is called at first."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable
from typing import Final

from services.accounts.core.confusables import skeleton
from services.chassis.errors import Refusal

NICKNAME_CHARACTERS_MAX: Final = 12
RAW_CHARACTERS_MAX: Final = 64
"""Longer input is refused unread: normalisation may only shrink it so far."""

AVATARS: Final = tuple(f"a{number:02d}" for number in range(1, 25))
"""The built-in pictures."""

IMPERSONATION: Final = (
    "官方",
    "系统",
    "管理员",
    "客服",
    "裁判",
    "机器人",
    "工作人员",
    "已注销",
    "客户服务",
    "admin",
    "system",
    "official",
    "moderator",
    "support",
    "staff",
    "paiju",
    "牌局",
)
"""Words in nobody's name: they would let him speak for the house."""

IMPERSONATION_WHOLE: Final = ("gm", "mod", "judge")
"""Words that nobody is called, though they may be part of a name."""

_CATEGORIES: Final = frozenset({"Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Nd", "Nl", "No", "So", "Zs"})
"""Letters, marks, digits, symbols such as emoji, spaces."""
_PUNCTUATION: Final = frozenset("_-.·・!?~&'()")
_NO_TEXT: Final = (
    "\u00ad", "\u034f", "\u061c", "\u115f\u1160", "\u17b4\u17b5", "\u180b\u180f", "\u200b\u200f",
    "\u202a\u202e", "\u2060\u206f", "\u3164", "\ufe00\ufe0f", "\ufeff", "\uffa0", "\ufff0\ufff8",
    "\U0001bca0\U0001bca3", "\U0001d173\U0001d17a", "\U000e0000\U000e0fff", "\u2800", "\u2ff0\u2fff",
)  # fmt: skip
"""Unicode's Default_Ignorable_Code_Point, first and last of each run: fillers, joiners, directions, variation
selectors, tags; then the empty braille cell, and what describes how a character is put together.
"""
_MARKS_IN_ROW_MAX: Final = 2


def nickname_of(text: str) -> str:
    """Return a nickname as it is kept: NFKC, outer spaces gone, inner ones single.

    Raises:
        Refusal: NICKNAME_LENGTH: not 1 to 12 characters. NICKNAME_CHARACTERS: control, direction, invisible
            or other characters that names don't have, or piled-up marks. NICKNAME_RESERVED: it could be taken
            for the house.
    """
    if len(text) > RAW_CHARACTERS_MAX:
        raise Refusal("NICKNAME_LENGTH", most=NICKNAME_CHARACTERS_MAX)
    if any(not _is_allowed(character) for character in text):
        raise Refusal("NICKNAME_CHARACTERS")
    name = re.sub(" +", " ", unicodedata.normalize("NFKC", text)).strip(" ")
    if not 1 <= len(name) <= NICKNAME_CHARACTERS_MAX:
        raise Refusal("NICKNAME_LENGTH", most=NICKNAME_CHARACTERS_MAX)
    if any(not _is_allowed(character) for character in name) or _has_piled_marks(name):
        raise Refusal("NICKNAME_CHARACTERS")
    folded = skeleton(name)
    is_whole = folded in map(skeleton, IMPERSONATION_WHOLE)
    if is_whole or any(skeleton(word) in folded for word in IMPERSONATION):
        raise Refusal("NICKNAME_RESERVED")
    return name


def check_unlike(name: str, others: Iterable[str]) -> None:
    """Let a nickname through that can't be taken for one of the others.

    Raises:
        Refusal: NICKNAME_STAFF.
    """
    looks = skeleton(name)
    # Of a name without letters nothing is left: such names are as they are.
    if any(looks == skeleton(other) if looks else name == other for other in others):
        raise Refusal("NICKNAME_STAFF")


def default_nickname(player_id: str) -> str:
    """Return what a new player is called: 牌友 and four digits that follow from his id.

    >>> default_nickname("p_0")
    '牌友9600'
    """
    number = int.from_bytes(hashlib.sha256(player_id.encode()).digest()[:4], "big")
    return f"牌友{number % 9000 + 1000}"


def default_avatar(player_id: str) -> str:
    """Return the picture of a new player."""
    return AVATARS[hashlib.sha256(b"avatar" + player_id.encode()).digest()[0] % len(AVATARS)]


def avatar_of(text: str) -> str:
    """Return a built-in picture.

    Raises:
        Refusal: AVATAR_UNKNOWN.
    """
    if text not in AVATARS:
        raise Refusal("AVATAR_UNKNOWN", known=f"{AVATARS[0]}-{AVATARS[-1]}")
    return text


def _is_allowed(character: str) -> bool:
    if any(run[0] <= character <= run[-1] for run in _NO_TEXT):
        return False
    return (
        unicodedata.category(character) in _CATEGORIES
        or unicodedata.normalize("NFKC", character) in _PUNCTUATION
    )


def _has_piled_marks(name: str) -> bool:
    row = 0
    for character in unicodedata.normalize("NFD", name):
        row = row + 1 if unicodedata.category(character) in ("Mn", "Mc") else 0
        if row > _MARKS_IN_ROW_MAX:
            return True
    return not any(unicodedata.category(character)[0] != "M" for character in name)
