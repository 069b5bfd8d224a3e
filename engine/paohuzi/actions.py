"""The actions of 跑胡子 as text (docs/record-format.md, "Actions")."""

from __future__ import annotations

from typing import Final

from engine.errors import BadNotation
from engine.paohuzi.cards import CARD_TEXTS, format_cards, parse_card, parse_cards

PASS: Final = "pass"  # noqa: S105 - an action, no password
HU: Final = "hu"
PENG: Final = "peng"
DISCARD: Final = tuple(f"discard {text}" for text in CARD_TEXTS)
"""The discard of each card."""

DISCARDED: Final = {action: card for card, action in enumerate(DISCARD)}
"""The card of each discard."""

HU_OR_PASS: Final = (HU, PASS)

_ACTION_CHARS_MAX: Final = 80


def parse_action(text: object) -> str:
    """Return an action in canonical form: cards inside a meld and melds inside a 吃 sorted.

    Raises:
        BadNotation: The text is no action of 跑胡子.
    """
    if not isinstance(text, str) or len(text) > _ACTION_CHARS_MAX:
        raise BadNotation("an action", text)
    if text in (PASS, HU, PENG) or text in DISCARDED:
        return text
    words = text.split(" ")
    if words[0] == "chi" and 2 <= len(words) <= 4:
        melds = []
        for word in words[1:]:
            cards = tuple(sorted(parse_cards(word)))
            if len(cards) != 3:
                raise BadNotation("a meld of three cards", word)
            melds.append(format_cards(cards))
        return "chi " + " ".join(sorted(melds))
    if words[0] == "discard" and len(words) == 2:
        return DISCARD[parse_card(words[1])]
    raise BadNotation("an action", text)
