"""A clone has everything its original has, and shares nothing that changes."""

from __future__ import annotations

import random
from typing import Any

import pytest

from engine import GAMES
from engine.arena import shuffled


def attributes(position: Any) -> list[str]:
    """Return the names of all that a position holds, of plain and of compiled classes."""
    names: list[str] = []
    for kind in type(position).__mro__:
        names += getattr(kind, "__mypyc_attrs__", getattr(kind, "__slots__", ()))
    return [name for name in dict.fromkeys(names) if not name.startswith("__")]


def shares(one: Any, other: Any) -> bool:
    """Return whether two values hold the same thing that can be changed, at any depth."""
    if isinstance(one, list | dict | set | bytearray):
        if one is other:
            return True
        inner = (
            zip(one.values(), other.values(), strict=True)
            if isinstance(one, dict)
            else zip(one, other, strict=True)
        )
        return any(shares(*pair) for pair in inner)
    return False


@pytest.mark.parametrize("name", list(GAMES))
def test_a_clone_is_equal_in_every_attribute_and_shares_no_list(name: str) -> None:
    game = GAMES[name]
    rng = random.Random(7)
    for preset in game.presets:
        position: Any = game.deal(game.ruleset(preset), shuffled(game.deck(), rng), 0)
        while position.outcome() is None:
            copy = position.clone()
            for attribute in attributes(position):
                ours, theirs = getattr(position, attribute), getattr(copy, attribute)
                assert ours == theirs or attribute == "trace", attribute
                assert not shares(ours, theirs), attribute
            seat = position.to_act()[0]
            legal = position.legal_actions(seat)
            position.apply(seat, legal[rng.randrange(len(legal))])
