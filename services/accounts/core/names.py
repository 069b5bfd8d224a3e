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
    "运营",
    "站长",
    "版主",
    "网管",
    "仲裁",
    "技术支持",
    "guanfang",
    "guanliyuan",
    "kefu",
    "xitong",
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

IMPERSONATION_WHOLE: Final = (
    "gm", "mod", "judge", "owner", "root", "service", "sysop", "caipan", "jiqiren", "平台", "财务", "审核员",
)  # fmt: skip
"""Words that nobody is called, with a number behind them or without; they may be part of a name."""

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
_NUMBER: Final = re.compile(r"[\d_. -]+$")
_STROKES: Final = "丨丶丿乀乙一亅"
"""Characters of one stroke, which pass for something between two others."""


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
    # What stands between two characters does not keep them from being read together.
    read = (folded, "".join(filter(_is_han, folded)))
    whole = {folded, skeleton(_NUMBER.sub("", name))}
    if not whole.isdisjoint(map(skeleton, IMPERSONATION_WHOLE)) or any(
        skeleton(word) in one for word in IMPERSONATION for one in read
    ):
        raise Refusal("NICKNAME_RESERVED")
    return name


def _is_han(character: str) -> bool:
    return "\u4e00" <= character <= "\u9fff" and character not in _STROKES


def looks_of(name: str) -> str:
    """Return what a nickname looks like: equal for two of which one can be taken for the other.

    It is kept with the player (`players.looks`): whoever changes what comes out adds a migration that makes
    it anew.

    >>> looks_of("Wang.Er") == looks_of("wаng er"), looks_of("🙂")
    (True, '=🙂')
    """
    # Of a name without letters nothing is left: such names are as they are.
    return skeleton(name) or f"={name}"


def check_unlike(name: str, others: Iterable[str]) -> None:
    """Let a nickname through that can't be taken for one of the others.

    Raises:
        Refusal: NICKNAME_STAFF.
    """
    looks = looks_of(name)
    if any(looks == looks_of(other) for other in others):
        raise Refusal("NICKNAME_STAFF")


def default_nickname(player_id: str, but: Iterable[str] = ()) -> str:
    """Return what a new player is called: 牌友 and four digits that follow from his id.

    Args:
        player_id: His id.
        but: How nobody is called who isn't yet: names of staff.

    >>> default_nickname("p_0"), default_nickname("p_0", ["牌友9600"])
    ('牌友9600', '牌友9601')
    """
    number = int.from_bytes(hashlib.sha256(player_id.encode()).digest()[:4], "big") % 9000
    taken = set(but)
    while (name := f"牌友{number + 1000}") in taken:
        number = (number + 1) % 9000
    return name


def longer_nickname(player_id: str, tries: int) -> str:
    """Return another name of the house's making for who has such a one, with six digits; each try another.

    >>> longer_nickname("p_0", 0), longer_nickname("p_0", 1)
    ('牌友333600', '牌友333601')
    """
    number = int.from_bytes(hashlib.sha256(player_id.encode()).digest()[:4], "big")
    return f"牌友{(number + tries) % 900_000 + 100_000}"


def is_of_the_house(name: str) -> bool:
    """Return whether nobody has chosen this name: the house gives such to who comes."""
    return re.fullmatch("牌友[0-9]{4,6}", name) is not None


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
