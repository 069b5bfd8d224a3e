"""The page holds every mahjong tile it saw against the deal that the record proves."""

from __future__ import annotations

import random
from typing import Any

import pytest

from engine import GAMES
from services.scoring.core import deal
from tests.browser.support import node

pytestmark = pytest.mark.skipif(node.NODE is None, reason="node is not installed")

FAIR = """
const { checkFair } = await load("js/game/fair.mjs");
const { gameOf } = await load("js/games/registry.mjs");
const found = [];
for (const { game, texts, record, heard } of job) {
  const round = gameOf(game).newRound();
  for (const text of texts) round.add(text);
  const bytes = Uint8Array.from(Buffer.from(heard, "hex"));
  const told = { record: new TextEncoder().encode(record), heard: bytes, ownNonce: null, round };
  const good = await checkFair(told);
  const [[place, tile], ...rest] = round.seen;
  round.seen = [[place, tile === "z5" ? "z6" : "z5"], ...rest];
  const bad = await checkFair(told);
  found.push([good.ok, good.problems, bad.checks.filter((check) => !check.ok).map((check) => check.name)]);
}
answer(found);
"""


@pytest.mark.parametrize(
    ("name", "preset", "options"),
    [
        ("kawuxing", "seed004", {}),
        ("kawuxing", "seed004", {"suits": "mp", "replacement_from_tail": True}),
        ("qinghunpeng", "seed000", {}),
        ("qinghunpeng", "shanghai", {}),
    ],
)
def test_the_page_checks_the_deal_against_every_tile_it_saw(
    name: str, preset: str, options: dict[str, Any]
) -> None:
    job = [_dealt_fairly(name, preset, options, seed) for seed in range(6)]
    for said in node.run(FAIR, job):
        assert said == [True, [], ["wall"]]


def _dealt_fairly(name: str, preset: str, options: dict[str, Any], seed: int) -> dict[str, Any]:
    """Play a round dealt as a table deals it; return what seat 0 was told, and the record."""
    game: Any = GAMES[name]
    rng = random.Random(seed)
    round_id = "0-0123456789ab/2"
    secret = rng.randbytes(32)
    nonces = (None,) * game.seats
    deck = game.deck()
    wall = [deck[at] for at in deal.shuffled(secret, round_id, nonces, len(deck))]
    rules = game.ruleset(preset, options)
    dealer = rng.randrange(game.seats)
    position = game.deal(rules, wall, dealer)
    texts = [text for event in position.opening_events() if (text := event.text_for(0)) is not None]
    while position.outcome() is None:
        seat = rng.choice(position.to_act())
        legal = position.legal_actions(seat)
        kongs = [action for action in legal if action.startswith("gang")]
        action = kongs[0] if kongs else game.bots["normal"](position.view(seat), rng)
        texts += [text for event in position.apply(seat, action) if (text := event.text_for(0)) is not None]
    commitment = deal.commitment_of(round_id, secret).hex()
    head = (
        f"Paiju-Record: 1\nRound: {round_id}\nGame: {name}\nDealer: {dealer}\n"
        f"Commitment: {commitment}\nSeed: {secret.hex()}\nNonces: {','.join('-' for _ in nonces)}\n\n"
    )
    return {"game": name, "texts": texts, "record": head, "heard": commitment}
