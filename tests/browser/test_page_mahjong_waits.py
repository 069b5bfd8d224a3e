"""What the page says a mahjong hand waits for is what the engine says, and what it is worth."""

from __future__ import annotations

import random
from typing import Any

import pytest

from engine import GAMES
from engine.arena import shuffled
from engine.kawuxing.fans import waits_of
from engine.mahjong.tiles import ONE, TILE_TEXTS, hand_tiles, tiles_of_mask
from engine.qinghunpeng.patterns import Moment, best_win, has_shape
from tests.browser.support import node

pytestmark = pytest.mark.skipif(node.NODE is None, reason="node is not installed")

WAITS = """
const { waitsOf } = await load("js/games/kawuxing/waits.mjs");
const sizes = { peng: 3, an: 4, bu: 4, ming: 4 };
answer(job.map(({ hand, melds }) =>
  waitsOf(hand, melds.map(([kind, tile]) => ({ kind, tile, tiles: Array(sizes[kind]).fill(tile) })))));
"""


def test_the_page_finds_the_waits_that_the_engine_finds() -> None:
    game: Any = GAMES["kawuxing"]
    hands: list[tuple[Any, Any]] = []
    for seed in range(60):
        rng = random.Random(seed)
        position = game.deal(game.ruleset("seed004"), shuffled(game.deck(), rng), 0)
        while position.outcome() is None:
            seat = position.to_act()[0]
            view = position.view(seat)
            if len(hand_tiles(view.hand)) % 3 == 1:
                hands.append((view.hand, view.melds[seat]))
            position.apply(seat, game.bots["normal"](view, rng))
        final = position.view(None)
        hands += [(hand, final.melds[at]) for at, hand in enumerate(final.hands)]
    hands = [(hand, melds) for hand, melds in hands if len(hand_tiles(hand)) % 3 == 1]
    job = [
        {
            "hand": [TILE_TEXTS[tile] for tile in hand_tiles(hand)],
            "melds": [[meld.kind, TILE_TEXTS[meld.tile]] for meld in melds],
        }
        for hand, melds in hands
    ]
    expected = [[TILE_TEXTS[tile] for tile in tiles_of_mask(waits_of(hand, melds))] for hand, melds in hands]
    assert sum(bool(waits) for waits in expected) > 50
    assert node.run(WAITS, job) == expected


WORTHS = """
const { waitsOf } = await load("js/games/qinghunpeng/wins.mjs");
const { runOf } = await load("js/games/qinghunpeng/round.mjs");
const tilesOf = ([kind, tile]) => (kind === "chi" ? runOf(tile) : Array(kind === "peng" ? 3 : 4).fill(tile));
answer(job.map(({ hand, melds, options, exposed, times }) => {
  const laid = melds.map(([kind, tile]) => ({ kind, tile, tiles: tilesOf([kind, tile]) }));
  return waitsOf(hand, laid, { options, exposed, times }).map((one) => [one.tile, one.points, one.selfOnly]);
}));
"""


def _hands_of_qinghunpeng(preset: str, options: dict[str, Any]) -> list[tuple[Any, Any, Any, int, int]]:
    """Return hands of real rounds between two of their turns: rules, hand, melds, exposed flowers, times."""
    game: Any = GAMES["qinghunpeng"]
    rules = game.ruleset(preset, options)
    found = []
    for seed in range(25):
        rng = random.Random(seed)
        position = game.deal(rules, shuffled(game.deck(), rng), 0, draws_in_row=seed % 2)
        while position.outcome() is None:
            seat = position.to_act()[0]
            view = position.view(seat)
            if len(hand_tiles(view.hand)) % 3 == 1 and not view.kept:
                found.append((rules, view.hand, view.melds[seat], len(view.flowers[seat]), view.times))
            position.apply(seat, game.bots["normal"](view, rng))
    return found


@pytest.mark.parametrize(
    ("preset", "options"),
    [("seed000", {}), ("shanghai", {}), ("seed000", {"stack": "add", "cap": 15, "extra_can_start": "both"})],
)
def test_the_page_finds_what_a_hand_of_qinghunpeng_waits_for_and_what_it_is_worth(
    preset: str, options: dict[str, Any]
) -> None:
    hands = _hands_of_qinghunpeng(preset, options)
    job, expected = [], []
    for rules, hand, melds, exposed, times in hands:
        job.append(
            {
                "hand": [TILE_TEXTS[tile] for tile in hand_tiles(hand)],
                "melds": [[meld.kind, TILE_TEXTS[meld.tile]] for meld in melds],
                "options": rules.options(),
                "exposed": exposed,
                "times": times,
            }
        )
        owned = [*hand_tiles(hand), *[tile for meld in melds for tile in _tiles_of(meld)]]
        waits = []
        for tile in range(34):
            whole = hand + ONE[tile]
            if owned.count(tile) == 4 or not has_shape(whole, melds):
                continue
            drawn = best_win(rules, whole, melds, tile, exposed, Moment("zimo"), times)
            given = best_win(rules, whole, melds, tile, exposed, Moment(), times)
            if drawn is not None:
                waits.append([TILE_TEXTS[tile], drawn.points, given is None])
        expected.append(waits)
    assert sum(bool(waits) for waits in expected) > 20
    assert node.run(WORTHS, job) == expected


def _tiles_of(meld: Any) -> list[int]:
    """Return the tiles of a meld."""
    if meld.kind == "chi":
        return [meld.tile, meld.tile + 1, meld.tile + 2]
    return [meld.tile] * (3 if meld.kind == "peng" else 4)
