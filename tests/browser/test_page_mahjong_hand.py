"""How the own hand stands: sorted, the drawn tile apart, a raised tile kept while one thinks ahead."""

from __future__ import annotations

import random
from typing import Any

import pytest

from engine import GAMES
from engine.arena import shuffled
from tests.browser.support import node

pytestmark = pytest.mark.skipif(node.NODE is None, reason="node is not installed")

STANDING = """
const { standing } = await load("js/games/mahjong/handorder.mjs");
answer(job.map(([hand, drawn]) => standing(hand, drawn)));
"""


def test_the_hand_is_sorted_and_the_drawn_tile_stands_last_and_apart() -> None:
    rng = random.Random(3)
    deck = GAMES["qinghunpeng"].deck()
    order = {tile: at for at, tile in enumerate(dict.fromkeys(deck))}
    job: list[list[Any]] = []
    for size in (14, 13, 11, 8, 2) * 20:
        hand = list(shuffled(deck, rng)[:size])
        job.append([hand, rng.choice(hand) if size % 3 == 2 else ""])
    for (hand, drawn), stands in zip(job, node.run(STANDING, job), strict=True):
        tiles = [stand["tile"] for stand in stands]
        assert sorted(tiles) == sorted(hand)
        rest = tiles[:-1] if drawn else tiles
        assert [order[tile] for tile in rest] == sorted(order[tile] for tile in rest)
        assert [stand["isDrawn"] for stand in stands] == [False] * len(rest) + [True] * bool(drawn)
        assert not drawn or tiles[-1] == drawn
        assert len({stand["id"] for stand in stands}) == len(hand)


ASKED = """
const { onAsked } = await load("js/games/mahjong/moves.mjs");
const round = { hand: ["p1", "p3", "p3", "s5"], drawn: "s5" };
answer(job.map(([selected, actions]) => onAsked({ selected }, { round, question: { actions } }).selected));
"""


def test_a_question_keeps_the_raised_tile_while_it_is_held_and_raises_the_only_one_that_may_go() -> None:
    own = ["discard p1", "discard p3", "discard s5"]
    job = [
        [{"id": "p3.1", "tile": "p3"}, own],
        [{"id": "p3.2", "tile": "p3"}, own],
        [{"id": "p9.0", "tile": "p9"}, own],
        [None, ["discard s5"]],
        [None, ["pass", "peng"]],
    ]
    assert node.run(ASKED, job) == [
        {"id": "p3.1", "tile": "p3"},
        {"id": "p3.1", "tile": "p3"},
        None,
        {"id": "s5.0", "tile": "s5"},
        None,
    ]


ACTIONS = """
const { sortActions } = await load("js/games/mahjong/actions.mjs");
const { claimsOf, kouChoices, chosenLiang } = await load("js/games/mahjong/moves.mjs");
const actions = sortActions(job);
const ui = (kou) => ({ selected: { tile: "p4" }, kou });
answer({
  claims: claimsOf(actions),
  open: kouChoices(actions, ui([])).map((one) => [one.tile, one.isPossible]),
  one: kouChoices(actions, ui(["s1"])).map((one) => [one.tile, one.isOn, one.isPossible]),
  chosen: [[], ["s1"], ["s9", "s1"], ["p1"]].map((kou) => chosenLiang(actions, ui(kou))?.action ?? null),
});
"""


def test_triplets_may_be_hidden_only_in_sets_that_are_legal_together() -> None:
    legal = ["discard p4", "gang an s1", "hu", "liang p4", "liang p4 p1", "liang p4 s1", "liang p4 s1 s9"]
    legal += ["liang p4 s9"]
    said = node.run(ACTIONS, legal)
    assert said == {
        "claims": ["hu", "liang", "gang"],
        "open": [["p1", True], ["s1", True], ["s9", True]],
        "one": [["p1", False, False], ["s1", True, True], ["s9", False, True]],
        "chosen": ["liang p4", "liang p4 s1", "liang p4 s1 s9", "liang p4 p1"],
    }
