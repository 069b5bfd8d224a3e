"""The actions of 斗地主 as text (docs/games/doudizhu.md, "Actions")."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.doudizhu.cards import CARDS_MAX, format_cards, parse_cards, size_of
from engine.doudizhu.readings import TYPES
from engine.doudizhu.tables import AS, PASS, PLAY
from engine.errors import BadNotation

BIDS: Final = ("bid 0", "bid 1", "bid 2", "bid 3")
CALL: Final = "call"
NO_CALL: Final = "no_call"
ROB: Final = "rob"
NO_ROB: Final = "no_rob"
DOUBLES: Final = ("double 1", "double 2")
"""Not to double, and to double."""

ANY_PLAY: Final = "play*"
"""In a compact question: every legal play."""

_WORDS: Final = frozenset({PASS, CALL, NO_CALL, ROB, NO_ROB, *BIDS, *DOUBLES})
_ACTION_CHARS_MAX: Final = 60


def parse_action(text: object) -> str:
    """Return an action in canonical form: the cards of a play lowest rank first.

    Raises:
        BadNotation: The text is no action of 斗地主.
    """
    if not isinstance(text, str) or len(text) > _ACTION_CHARS_MAX:
        raise BadNotation("an action", text)
    if text in _WORDS:
        return text
    cards, kind = split_play(text)
    return PLAY + format_cards(cards) + (AS + kind if kind else "")


def compact(actions: Sequence[str]) -> tuple[str, ...]:
    """Return a question with ``play*`` in place of all its plays, sorted."""
    others = [action for action in actions if not action.startswith(PLAY)]
    return tuple(sorted([*others, ANY_PLAY] if len(others) < len(actions) else others))


def split_play(text: str) -> tuple[int, str]:
    """Return the cards of a play and the type it is named by, or no type.

    Raises:
        BadNotation: The text is no play.
    """
    words = text.split(" ")
    kind = ""
    if len(words) == 4 and words[2] == "as" and words[3] in TYPES:
        kind = words[3]
    elif len(words) != 2:
        raise BadNotation("an action", text)
    if words[0] != "play":
        raise BadNotation("an action", text)
    cards = parse_cards(words[1])
    if size_of(cards) > CARDS_MAX:
        raise BadNotation("an action", text)
    return cards, kind
