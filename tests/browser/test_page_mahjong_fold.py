"""The page knows of a mahjong round exactly what the engine says its seat may know."""

from __future__ import annotations

import random
from typing import Any

import pytest

from engine import GAMES
from engine.arena import shuffled
from engine.kawuxing.fans import waits_of
from engine.mahjong.tiles import ONE, TILE_TEXTS, hand_tiles, tiles_of_mask
from engine.qinghunpeng.patterns import Moment, best_win, has_shape
from services.scoring.core import deal
from tests.browser.support import node

pytestmark = pytest.mark.skipif(node.NODE is None, reason="node is not installed")

KAWUXING = """
const { KawuxingRound } = await load("js/games/kawuxing/round.mjs");
const sizes = (round) => round.melds.map((melds) => melds.map((meld) => [meld.kind, meld.tile, meld.tiles.length]));
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
    meld_sizes: sizes(round).flat().every(([kind, , size]) => size === (kind === "peng" ? 3 : 4)),
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
    melds: round.melds.map((melds, at) => melds.map((meld) => [meld.kind, meld.tile, meld.from < 0 ? at : meld.from])),
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
      win.names.map(([name, points]) => `${name}=${points}`).join(","), ...win.sets.map((set) => set.join("")),
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
  round.seen = round.seen.map(([place, tile], at) => (at ? [place, tile] : [place, tile === "z5" ? "z6" : "z5"]));
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
        texts += [
            text for event in position.apply(seat, action) if (text := event.text_for(0)) is not None
        ]
    commitment = deal.commitment_of(round_id, secret).hex()
    head = (
        f"Paiju-Record: 1\nRound: {round_id}\nGame: {name}\nDealer: {dealer}\n"
        f"Commitment: {commitment}\nSeed: {secret.hex()}\nNonces: {','.join('-' for _ in nonces)}\n\n"
    )
    return {"game": name, "texts": texts, "record": head, "heard": commitment}
