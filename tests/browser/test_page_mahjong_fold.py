"""The page knows of a mahjong round exactly what the engine says its seat may know."""

from __future__ import annotations

import random
from typing import Any

import pytest

from engine import GAMES
from engine.arena import shuffled
from tests.browser.support import node

pytestmark = pytest.mark.skipif(node.NODE is None, reason="node is not installed")

KAWUXING = """
const { KawuxingRound } = await load("js/games/kawuxing/round.mjs");
const sizes = (round) => round.melds.flat().map((meld) => [meld.kind, meld.tile, meld.tiles.length]);
answer(job.map((texts) => {
  const round = new KawuxingRound();
  for (const text of texts) round.add(text);
  return {
    seat: round.seat < 0 ? null : round.seat,
    dealer: round.dealer,
    preset: round.preset,
    rules: round.options,
    stake: round.stake,
    dice: round.dice,
    hand: round.hand,
    drawn: round.drawn,
    counts: round.counts,
    melds: round.melds.map((melds) => melds.map((meld) => [meld.kind, meld.tile])),
    rivers: round.rivers,
    wall_left: round.wallLeft,
    shown: round.shown && [round.shown.tile, round.shown.seat, round.shown.how],
    turn: round.turn,
    revealed: round.revealed,
    reveal_order: round.revealOrder,
    kou: round.kou,
    piao: round.piao,
    points: round.points,
    passed: { tiles: [...round.passed.tiles].sort(), fan: round.passed.fan },
    legal: round.legal,
    hands: round.hands && round.hands.map((hand) => hand.join("") || "-"),
    wins: round.wins.map((win) => [
      win.seat, win.how, win.from, win.tile, win.fan, win.kan,
      win.names.map(([name, fan]) => `${name}=${fan}`).join(","), ...win.sets.map((set) => set.join("")),
    ].map(String)),
    ma: round.ma,
    end: round.end && [round.end.winner, round.end.how, ...round.end.points].map(String),
    meld_sizes: sizes(round).every(([kind, , size]) => size === (kind === "peng" ? 3 : 4)),
  };
}));
"""


def _cuts(game: Any, preset: str, seed: int, options: dict[str, Any]) -> list[tuple[list[str], Any]]:
    """Play a round; return event texts and views of all listeners at several moments."""
    rng = random.Random(seed)
    rules = game.ruleset(preset, options)
    position = game.deal(rules, shuffled(game.deck(), rng), rng.randrange(game.seats))
    listeners = (*range(game.seats), None)
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
        if over or rng.random() < 0.08:
            cuts += [(list(texts[who]), position.view(who)) for who in listeners]
        if over:
            return cuts
        seat = rng.choice(position.to_act())
        legal = position.legal_actions(seat)
        reveals = [action for action in legal if action.startswith("liang")]
        bot = game.bots["normal" if rng.random() < 0.7 else "random"]
        action = rng.choice(reveals) if reveals and rng.random() < 0.7 else bot(position.view(seat), rng)
        hear(position.apply(seat, action))


@pytest.mark.parametrize("preset", ["seed004", "xiangyang", "xiaogan", "suizhou", "shiyan"])
def test_the_fold_of_kawuxing_equals_the_engines_view_at_every_moment(preset: str) -> None:
    game: Any = GAMES["kawuxing"]
    cuts = [
        cut
        for seed in range(20)
        for cut in _cuts(game, preset, seed, {"guo_hu": ("off", "same_tile", "higher_fan")[seed % 3]})
    ]
    assert any(view.reveal_order for _, view in cuts)
    for (texts, view), said in zip(cuts, node.run(KAWUXING, [texts for texts, _ in cuts]), strict=True):
        wanted = view.as_json()
        wanted["passed"]["tiles"].sort()
        assert said.pop("meld_sizes")
        assert said == wanted, texts[-6:]


def test_what_is_no_event_of_kawuxing_is_refused() -> None:
    source = """
    const { KawuxingRound } = await load("js/games/kawuxing/round.mjs");
    answer(job.map((text) => {
      try {
        return new KawuxingRound().add(text);
      } catch (error) {
        return error.message;
      }
    }));
    """
    assert node.run(source, ["draw 0 p1", "shuffle 0", "", "constructor 0"]) == [
        "no event can be: draw 0 p1",
        "no event can be: shuffle 0",
        "no event can be: ",
        "no event can be: constructor 0",
    ]


QINGHUNPENG = """
const { QinghunpengRound } = await load("js/games/qinghunpeng/round.mjs");
answer(job.map((texts) => {
  const round = new QinghunpengRound();
  for (const text of texts) round.add(text);
  return {
    seat: round.seat < 0 ? null : round.seat,
    dealer: round.dealer,
    preset: round.preset,
    rules: round.options,
    times: round.times,
    hand: round.hand,
    drawn: round.drawn,
    counts: round.counts,
    melds: round.melds.map((melds, at) =>
      melds.map((meld) => [meld.kind, meld.tile, meld.from < 0 ? at : meld.from])),
    flowers: round.flowers,
    rivers: round.rivers,
    wall_left: round.wallLeft,
    shown: round.shown && [round.shown.tile, round.shown.seat, round.shown.how],
    turn: round.turn,
    passed: [...round.passed].sort(),
    points: round.points,
    legal: round.legal,
    hands: round.hands && round.hands.map((hand) => hand.join("") || "-"),
    wins: round.wins.map((win) => [
      win.seat, win.how, win.from, win.tile, win.points, win.flowers,
      win.names.map(([name, points]) => `${name}=${points}`).join(","),
      ...win.sets.map((set) => set.join("")),
    ].map(String)),
    end: round.end && [round.end.winner, round.end.how, ...round.end.points].map(String),
  };
}));
"""


@pytest.mark.parametrize("preset", ["seed000", "shanghai"])
def test_the_fold_of_qinghunpeng_equals_the_engines_view_at_every_moment(preset: str) -> None:
    game: Any = GAMES["qinghunpeng"]
    cuts = [cut for seed in range(24) for cut in _cuts(game, preset, seed, {"dead_wall": 14 * (seed % 2)})]
    assert any(view.flowers[0] for _, view in cuts)
    for (texts, view), said in zip(cuts, node.run(QINGHUNPENG, [texts for texts, _ in cuts]), strict=True):
        wanted = view.as_json()
        wanted["passed"].sort()
        assert said == wanted, texts[-6:]
