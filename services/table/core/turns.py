"""Whose turn everybody knows it to be, and whose question only its own seat may know of.

A turn's seat and clock are shown to all; a claim's, a stake's or a doubling's are not, because that somebody
is asked, or has answered, tells of his cards. Whether a question is one or the other must itself depend only
on what everybody knows, so it goes by the kind of the question, never by how many answers it holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

ASKED_OPENLY: Final = {"doudizhu": "double "}
"""Games that ask one seat at a time, in an order everybody knows, and the word of the one question that they
put to all seats at once. Nobody can claim a card there, so a turn may be asked as soon as the card before it
is shown."""

DISCARD: Final = "discard "
"""In the other games a seat that may discard is known to be on turn; every other question is hidden."""


def is_turn(game: str, question: Sequence[str]) -> bool:
    """Say whether everybody knows whom a question is put to.

    >>> is_turn("paohuzi", ["hu", "pass"]), is_turn("paohuzi", ["discard s9"])
    (False, True)
    >>> is_turn("doudizhu", ["pass"]), is_turn("doudizhu", ["double 1", "double 2"])
    (True, False)
    """
    hidden = ASKED_OPENLY.get(game)
    if hidden is not None:
        return not question[0].startswith(hidden)
    return any(action.startswith(DISCARD) for action in question)


def can_claim(game: str) -> bool:
    """Say whether a card shown to all may be claimed, so that the next turn keeps its distance from it."""
    return game not in ASKED_OPENLY
