"""The page knows of a round exactly what the engine says its seat may know."""

from __future__ import annotations

import random
from typing import Any

import pytest

from engine import GAMES
from engine.arena import shuffled
from engine.paohuzi import best_hu, waits
from engine.paohuzi.cards import CARD_TEXTS, hand_cards
from engine.paohuzi.hu import Laid
from tests.browser.support import node

pytestmark = pytest.mark.skipif(node.NODE is None, reason="node is not installed")

FOLD = """
const { Round } = await load("js/games/paohuzi/round.mjs");
answer(job.map((texts) => {
  const round = new Round();
  for (const text of texts) round.add(text);
  return {
    seat: round.seat < 0 ? null : round.seat,
    dealer: round.dealer,
    preset: round.preset,
    rules: round.options,
    hand: round.hand,
    counts: round.counts,
    melds: round.melds.map((melds) => melds.map((meld) => [meld.kind, ...meld.cards])),
    rivers: round.rivers,
    wall_left: round.wallLeft,
    shown: round.shown && [round.shown.card, round.shown.seat, round.shown.how],
    turn: round.turn,
    dead: round.dead,
    own_dead: [...round.marks.own].sort(),
    peng_dead: [...round.marks.peng].sort(),
    chi_dead: [...round.marks.chi].sort(),
    passed_hu: Object.fromEntries(round.marks.hu),
    legal: round.legal,
    table_xi: [0, 1, 2].map((seat) => round.tableXi(seat)),
    own_xi: round.ownXi,
    over: round.end !== null,
  };
}));
"""


def _expected(view: Any) -> dict[str, Any]:
    said: dict[str, Any] = view.as_json()
    for name in ("own_dead", "peng_dead", "chi_dead"):
        said[name] = sorted(said[name])
    said["over"] = said.pop("end") is not None
    said.pop("hands")
    said.pop("win")
    return said


def _cuts(seed: int, preset: str) -> list[tuple[list[str], Any]]:
    """Play a round; return event texts and views of all listeners at several moments."""
    rng = random.Random(seed)
    game: Any = GAMES["paohuzi"]
    position = game.deal(game.ruleset(preset), shuffled(game.deck(), rng), rng.randrange(3))
    listeners = (0, 1, 2, None)
    texts: dict[int | None, list[str]] = {who: [] for who in listeners}
    cuts = []

    def hear(events: Any) -> None:
        for event in events:
            for who in listeners:
                text = event.text_for(who)
                if text is not None:
                    texts[who].append(text)

    hear(position.opening_events())
    while True:
        over = position.outcome() is not None
        if over or rng.random() < 0.12:
            cuts += [(list(texts[who]), position.view(who)) for who in listeners]
        if over:
            return cuts
        seat = rng.choice(position.to_act())
        bot = game.bots["normal" if rng.random() < 0.5 else "random"]
        hear(position.apply(seat, bot(position.view(seat), rng)))


@pytest.mark.parametrize("preset", ["876cc", "luzhou-10xi", "bafang-yongzhou", "tongyi-qmt"])
def test_the_fold_of_the_page_equals_the_engines_view_at_every_moment(preset: str) -> None:
    cuts = [cut for seed in range(25) for cut in _cuts(seed, preset)]
    folded = node.run(FOLD, [texts for texts, _ in cuts])
    for (texts, view), said in zip(cuts, folded, strict=True):
        wanted = _expected(view)
        assert {key: said[key] for key in wanted} == wanted, texts[-6:]


def test_what_is_no_event_is_refused() -> None:
    source = """
    const { Round } = await load("js/games/paohuzi/round.mjs");
    answer(job.map((text) => {
      try {
        return new Round().add(text);
      } catch (error) {
        return error.message;
      }
    }));
    """
    assert node.run(source, ["draw 0 s1", "shuffle 0", ""]) == [
        "no event can be: draw 0 s1",
        "no event can be: shuffle 0",
        "no event can be: ",
    ]


WAITS = """
const { xiWith } = await load("js/games/paohuzi/waits.mjs");
const { KINDS } = await load("js/games/paohuzi/cards.mjs");
const all = (hand, melds, own) => KINDS.map((card) => [card, xiWith(hand, melds, card, { own })]);
answer(job.map(({ hand, melds }) => ({ other: all(hand, melds, false), self: all(hand, melds, true) })));
"""


def _near_wins() -> list[tuple[Any, Any]]:
    """Return hands of real rounds that wait for something, with their melds."""
    game: Any = GAMES["paohuzi"]
    found = []
    for seed in range(120):
        rng = random.Random(seed)
        position = game.deal(game.ruleset("luzhou-10xi"), shuffled(game.deck(), rng), 0)
        while position.outcome() is None:
            seat = position.to_act()[0]
            view = position.view(seat)
            laid = [Laid(meld.kind, meld.cards) for meld in view.melds[seat]]
            if not any(action.startswith("discard") for action in view.legal) and waits(view.hand, laid):
                found.append((view.hand, laid))
            legal = [action for action in view.legal if action != "hu"] or list(view.legal)
            choice = game.bots["normal"](view, rng)
            position.apply(seat, choice if choice in legal else legal[0])
    return found


def test_the_page_finds_the_waits_that_the_engine_finds_and_their_huxi() -> None:
    hands = _near_wins()[:400]
    assert len(hands) > 100
    rules = GAMES["paohuzi"].ruleset("luzhou-10xi", {"min_xi": 1, "deng_first": 1})
    job = [
        {
            "hand": [CARD_TEXTS[card] for card in hand_cards(hand)],
            "melds": [
                {"kind": meld.kind, "cards": [CARD_TEXTS[card] for card in meld.cards]} for meld in laid
            ],
        }
        for hand, laid in hands
    ]
    for (hand, laid), said in zip(hands, node.run(WAITS, job), strict=True):
        others = {CARD_TEXTS[card]: xi for card, xi in waits(hand, laid)}
        assert {card: xi for card, xi in said["other"] if xi >= 0} == others
        gone = {card for meld in laid if len(meld.cards) == 4 for card in meld.cards}
        for card in range(20):
            if card not in gone and hand >> (3 * card) & 7 < 4:
                win = best_hu(rules, hand, laid, card, "self")
                wanted = win.xi if win is not None else -1
                assert max(dict(said["self"])[CARD_TEXTS[card]], 0) >= max(wanted, 0)
                assert (dict(said["self"])[CARD_TEXTS[card]] > 0) == (wanted > 0)
