"""What a name looks like: two names of one skeleton can't be told apart at a glance.

The classes of look-alikes are Unicode's (UTS #39 `confusables.txt`, as the package confusable-homoglyphs
carries it); digits that stand for letters are ours.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import cache
from typing import Final

from confusable_homoglyphs import confusables

_LEET: Final = str.maketrans(
    {"0": "o", "1": "i", "|": "i", "l": "i", "3": "e", "4": "a", "5": "s", "@": "a", "$": "s"}
)
_NEAR: Final = str.maketrans("мтнквτνευωꭓ⍺ᗩᗪᗰᑎ", "mthkbtveuwxaadmn")
"""Letters that Unicode doesn't count as look-alikes, because in capitals or in other hands they are."""
_BANG: Final = re.compile(r"(?<=[^\W_])!(?=[^\W_])")
"""Within a word it stands for an i; at its end it is what it is."""
_HAN: Final = str.maketrans(
    "員貟菅埋糸係統機噐戶務宫宮宦万力叛栽己巳註銷消長營運網術",
    "员员管理系系统机器户务官官官方方判裁已已注销销长营运网术",
)
"""Characters that pass for those of the words nobody may use, and their traditional forms."""
_SMALL_CAPITAL: Final = "LATIN LETTER SMALL CAPITAL "
_DRAWN: Final = re.compile(
    r"(?:NEGATIVE |CROSSED NEGATIVE )?(?:CIRCLED|SQUARED|REGIONAL INDICATOR SYMBOL) "
    r"(?:LATIN (?:SMALL|CAPITAL) )?LETTER ([A-Z])"
    r"|REGIONAL INDICATOR SYMBOL LETTER ([A-Z])|LATIN (?:SMALL|CAPITAL) LETTER ([A-Z]) WITH .*"
)
"""Names of symbols that show a letter in a frame, and of letters with a hook, a tail, a bar."""
_PAIRS: Final = (("rn", "m"), ("vv", "w"), ("ci", "d"), ("月艮", "服"), ("王里", "理"), ("纟充", "统"))
"""Letters that together look like another (`cl` is `ci` by then)."""


def skeleton(text: str) -> str:
    """Return what a text looks like: letters and digits only, lower case, without marks, look-alikes as one.

    >>> skeleton("Аdmin") == skeleton("a.d.m.1.n") == skeleton("ADⅯIN") == skeleton("adm!n!")
    True
    """
    drawn = "".join(map(_drawn, _BANG.sub("i", unicodedata.normalize("NFKC", text))))
    plain = unicodedata.normalize("NFD", drawn.casefold()).translate(_HAN).translate(_NEAR)
    letters = "".join(map(_small, _letters(plain)))
    unified = unicodedata.normalize("NFD", _unified(letters.translate(_NEAR)).casefold())
    folded = _letters(unified).translate(_NEAR).translate(_LEET)
    for pair, letter in _PAIRS:
        folded = folded.replace(pair, letter)
    return folded


def _letters(text: str) -> str:
    return "".join(one for one in text if unicodedata.category(one)[0] in "LN" or one in "|@$")


def _small(character: str) -> str:
    name = unicodedata.name(character, "")
    tail = name.removeprefix(_SMALL_CAPITAL)
    return tail.lower() if tail != name and len(tail) == 1 else character


def _drawn(character: str) -> str:
    if character.isascii() or unicodedata.category(character)[0] not in "LS":
        return character
    found = _DRAWN.fullmatch(unicodedata.name(character, ""))
    return next(filter(None, found.groups())).lower() if found else character


def _unified(text: str) -> str:
    classes = _classes()
    return "".join(classes.get(character, character) for character in text)


@cache
def _classes() -> Mapping[str, str]:
    """Return single characters by the one that stands for their class: an ASCII letter or digit, if it has
    one.
    """
    parents: dict[str, str] = {}

    def root(character: str) -> str:
        while (above := parents.setdefault(character, character)) != character:
            character = above
        return character

    for character, likes in confusables.confusables_data.items():
        for like in likes:
            if len(character) == 1 and len(like["c"]) == 1:
                parents[root(character)] = root(like["c"])
    members: dict[str, list[str]] = {}
    for character in parents:
        members.setdefault(root(character), []).append(character)
    made: dict[str, str] = {}
    for group in members.values():
        # Lower case before upper case before digits; what isn't ASCII comes last.
        chosen = min(group, key=lambda one: (not one.isascii(), not one.islower(), not one.isalpha(), one))
        made |= {one: chosen for one in group if not one.isascii()}
    return made
