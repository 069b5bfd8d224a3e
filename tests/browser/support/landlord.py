"""Positions of 斗地主 with chosen hands, from the real engine, as the page would be sent them."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from typing import Any

from paiju.table.v1 import play_pb2 as play

from engine import GAMES

GAME: Any = GAMES["doudizhu"]

MINE = "3344556677889TJQK"
"""A hand with straights, pairs and no bomb."""

BOMBS = "3333455667789TJBR"
"""A hand with a bomb and the rocket."""


def wall_of(*hands: str) -> list[str]:
    """Return a wall that deals these hands to seats 0, 1 and 2 when 0 speaks first; the rest is in order."""
    left = list(GAME.deck())
    dealt: list[list[str]] = []
    for hand in hands:
        for rank in hand:
            left.remove(rank)
        dealt.append(list(hand))
    while len(dealt) < 3:
        dealt.append([left.pop(0) for _ in range(17)])
    assert all(len(hand) == 17 for hand in dealt), dealt
    return [*dealt[0], *dealt[1], *dealt[2], *left]


def told(
    actions: Sequence[str], *hands: str, seat: int | None = 0, preset: str = "classic", **options: Any
) -> tuple[list[str], Any]:
    """Play a round so far; return what a seat (or a spectator) was told, and the position.

    Args:
        actions: One answer after the other; who is asked first gives it.
        hands: Of seat 0, 1, 2; what is left out is dealt from the rest of the deck.
        seat: The listener.
        preset: The rule set.
        options: Changes to it.
    """
    position = GAME.deal(GAME.ruleset(preset, options), wall_of(*hands), 0)
    events = list(position.opening_events())
    for action in actions:
        events += position.apply(position.to_act()[0], action)
    return [text for event in events if (text := event.text_for(seat)) is not None], position


def table_view(
    table_id: str, player_id: str, actions: Sequence[str], *hands: str, seat: int = 0, **how: Any
) -> play.TableView:
    """Return a position as a view of a table; the person sits in `seat`, -1 watches."""
    texts, position = told(actions, *hands, seat=None if seat < 0 else seat, **how)
    rules = position.view(None).as_json()
    message = play.TableView(
        number=1,
        table_id=table_id,
        match_id=table_id,
        game="doudizhu",
        preset=rules["preset"],
        options_json=json.dumps(rules["rules"], ensure_ascii=False),
        rounds=8,
        round_no=3,
        phase="playing",
        seat=seat,
        timing_json='{"turn_ms":15000,"claim_ms":10000}',
        base_stake=10,
    )
    for at in range(3):
        message.seats.add(
            seat=at,
            player_id=player_id if at == max(seat, 0) else "bot:normal",
            taken=True,
            online=True,
            score=(-12, 24, -12)[at],
            stake=(2_880, 3_240, 12_345_678)[at],
        )
    message.opening.round_id = f"{table_id}/3"
    message.play.events.extend(texts)
    message.play.round_id = f"{table_id}/3"
    asked = position.to_act()
    message.play.turn_seat = asked[0] if len(asked) == 1 else -1
    if seat in asked:
        message.play.question.number = 9
        message.play.question.actions.extend(GAME.question(position, seat))
        message.play.question.deadline_at_ms = int(time.time() * 1000) + 15_000
    return message
