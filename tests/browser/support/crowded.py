"""The most crowded positions among many real rounds: where a layout breaks first."""

from __future__ import annotations

import functools
import random
import time
from collections.abc import Callable
from typing import Any

from paiju.table.v1 import play_pb2 as play

from engine import GAMES
from engine.arena import shuffled
from engine.paohuzi.cards import hand_cards

SEEDS = 80
GAME: Any = GAMES["paohuzi"]


def melds_and_rivers(view: Any) -> float:
    """Measure how much lies on the table."""
    return max(3 * len(view.melds[seat]) + len(view.rivers[seat]) for seat in range(3)) + sum(
        len(view.rivers[seat]) for seat in range(3)
    )


def cards_in_hand(view: Any) -> float:
    """Measure how many different cards the own hand holds, and how many answers there are."""
    return 100 * (sum(1 for _ in hand_cards(view.hand)) == 21) + len(set(hand_cards(view.hand)))


def kans(view: Any) -> float:
    """Measure how many cards of the own hand are locked, at the own discard."""
    cards = hand_cards(view.hand)
    locked = sum(1 for card in cards if cards.count(card) == 3)
    return locked if any(action.startswith("discard") for action in view.legal) else 0


def choices(view: Any) -> float:
    """Measure how many kinds of answers there are."""
    verbs = {action.split(" ")[0] for action in view.legal}
    return 10 * len(verbs) + len(view.legal) if "pass" in verbs else 0


@functools.cache
def position(measure: Callable[[Any], float]) -> tuple[tuple[str, ...], Any]:
    """Return the event texts for seat 0 and its view, at the moment with the highest measure."""
    best: tuple[float, tuple[str, ...], Any] = (-1.0, (), None)
    for seed in range(SEEDS):
        rng = random.Random(seed)
        pos = GAME.deal(GAME.ruleset("876cc"), shuffled(GAME.deck(), rng), rng.randrange(3))
        texts = [text for event in pos.opening_events() if (text := event.text_for(0)) is not None]
        while pos.outcome() is None:
            if 0 in pos.to_act():
                view = pos.view(0)
                value = measure(view)
                if value > best[0]:
                    best = (value, tuple(texts), view)
            seat = pos.to_act()[0]
            legal = [action for action in pos.legal_actions(seat) if action != "hu"]
            claims = [action for action in legal if action != "pass"]
            events = pos.apply(seat, rng.choice(claims if claims and rng.random() < 0.6 else legal))
            texts += [text for event in events if (text := event.text_for(0)) is not None]
    return best[1], best[2]


def table_view(table_id: str, player_id: str, measure: Callable[[Any], float]) -> play.TableView:
    """Return the crowded position as a view of a table, with long names and large numbers."""
    texts, view = position(measure)
    message = play.TableView(
        number=1,
        table_id=table_id,
        match_id=table_id,
        game="paohuzi",
        preset="bafang-yongzhou@1",
        rounds=64,
        round_no=58,
        phase="playing",
        timing_json='{"turn_ms":15000,"claim_ms":10000}',
        base_stake=200,
        room_code="482913",
    )
    for seat, player in enumerate((player_id, "bot:normal", "bot:normal")):
        message.seats.add(
            seat=seat,
            player_id=player,
            taken=True,
            online=seat != 1,
            left=seat == 1,
            score=(-1288, 2576, -1288)[seat],
            stake=(1_284_000, 86_000, 12_345_678)[seat],
        )
    message.opening.round_id = f"{table_id}/58"
    message.play.events.extend(texts)
    message.play.round_id = f"{table_id}/58"
    message.play.turn_seat = 0
    message.play.question.number = 9
    message.play.question.actions.extend(view.legal)
    message.play.question.deadline_at_ms = int(time.time() * 1000) + 15_000
    return message
