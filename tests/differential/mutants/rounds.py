"""Rounds played by either engine, and the search for one that both minds see differently."""

from __future__ import annotations

import importlib
import random
from typing import Any

from tests.differential.mutants.planting import Mutant

ANSWERS_MAX = 2_000


def record_of(engine: str, mutant: Mutant, number: int) -> bytes:
    """Return the record of round `number` as an engine plays it under a mutant's preset, options and bots.

    Args:
        engine: The name of an importable engine, mutated or not.
        mutant: Says what is played.
        number: Of the round; everything else follows from it.
    """
    games = importlib.import_module(engine).GAMES
    fair_deal = importlib.import_module(f"{engine}.fair_deal")
    record = importlib.import_module(f"{engine}.record")
    rng = random.Random(f"{mutant.preset} {number}")
    game = games["paohuzi"]
    rules = game.ruleset(mutant.preset, mutant.options)
    round_id, seed, dealer, draws = f"m-{number}/2", rng.randbytes(32), rng.randrange(3), rng.randrange(3)
    deck = game.deck()
    order = fair_deal.wall_order(seed, round_id, [b""] * 3, len(deck))
    position = game.deal(rules, [deck[at] for at in order], dealer)
    actions: list[Any] = []
    while position.outcome() is None:
        assert len(actions) < ANSWERS_MAX, "the round does not end"
        seat = position.to_act()[0]
        action = game.bots[mutant.bots[seat]](position.view(seat), rng)
        position.apply(seat, action)
        actions.append(record.RecordedAction(seat, action, len(actions), "bot"))
    text = record.format_record(
        record.Record(
            round_id=round_id,
            game="paohuzi",
            preset=rules.title,
            options=rules.as_json(),
            seats=tuple(f"bot:{bot}" for bot in mutant.bots),
            dealer=dealer,
            draws_in_row=draws,
            commitment=fair_deal.commit(round_id, seed).hex(),
            seed=seed.hex(),
            nonces=("-",) * 3,
            started_ms=0,
            actions=tuple(actions),
            result=record.full_result("paohuzi", rules, dealer, draws, position.outcome()),
        )
    )
    return str(text).encode()


def is_agreed(scoring: str, record: bytes) -> bool:
    """Say whether a scoring, mutated or not, agrees to a record."""
    return bool(importlib.import_module(f"{scoring}.audit").audit_alone(record).agreed)
