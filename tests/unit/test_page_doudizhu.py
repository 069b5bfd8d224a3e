"""The page works out `play*` of 斗地主 as the engine does, folds rounds to its views, hints what is legal."""

from __future__ import annotations

import os
import random
from typing import Any

import pytest
from paiju.table.v1 import play_pb2 as play

from engine import GAMES
from engine.arena import shuffled
from tests.browser.support import node
from tests.browser.support.staged_table import StagedTable

pytestmark = pytest.mark.skipif(node.NODE is None, reason="node is not installed")

GAME: Any = GAMES["doudizhu"]
ROUNDS = int(os.environ.get("PAIJU_PAGE_ROUNDS", "12"))
"""Rounds for each rule set; a long form is run with 400."""

KICKERS = (
    "pair_as_two_solos",
    "rocket_as_kickers",
    "bomb_in_kickers",
    "trio_in_wings",
    "adjacent_trio_wing",
    "four_two",
)

PLAYS = """
const { playsOf, judge } = await load("js/games/doudizhu/plays.mjs");
const { hintsOf } = await load("js/games/doudizhu/hints.mjs");
const { RANKS } = await load("js/games/doudizhu/cards.mjs");
answer(job.map(({ hand, over, rules, chosen }) => {
  const beaten = over && { type: over[0], length: Number(over[1]), rank: RANKS.indexOf(over[2]) };
  return {
    plays: playsOf([...hand], beaten, rules).map((play) => play.action).sort(),
    hints: hintsOf([...hand], beaten, rules).map((play) => play.action),
    judged: chosen.map((word) => {
      const { ways, reason } = judge([...word], beaten, rules);
      return [ways.map((way) => way.action), reason];
    }),
  };
}));
"""

FOLD = """
const { Round } = await load("js/games/doudizhu/round.mjs");
answer(job.map((texts) => {
  const round = new Round();
  for (const text of texts) round.add(text);
  const seen = [...round.history.flatMap((move) => move.cards), ...(round.hands ?? round.held).flat()];
  return { view: round.asJson(), seen };
}));
"""


def _rules(rng: random.Random, at: int) -> Any:
    """Return a rule set: every preset, then presets with other kickers and other bidding."""
    presets = list(GAME.presets)
    if at < len(presets):
        return GAME.ruleset(presets[at])
    changes: dict[str, Any] = {name: rng.random() < 0.5 for name in KICKERS}
    changes |= {"face_up": rng.random() < 0.5, "bid_rounds": rng.choice(["once", "until2pass"])}
    changes |= {"double": rng.choice(["on", "off"]), "bid": rng.choice(["score", "qiang"])}
    return GAME.ruleset(rng.choice(presets), changes)


def _stacked(rng: random.Random) -> list[str]:
    """Return a wall whose hands are rich in equal cards: bombs, planes and wings come often."""
    ranks = list("3456789TJQKA2")
    rng.shuffle(ranks)
    deck = [rank for rank in ranks for _ in range(4)] + ["B", "R"]
    for _ in range(rng.randrange(4, 16)):
        a, b = rng.randrange(54), rng.randrange(54)
        deck[a], deck[b] = deck[b], deck[a]
    return deck


def _positions(seed: int, rules: Any) -> list[tuple[Any, int]]:
    """Play a round half at random; return (view, seat) of every play that was asked for."""
    rng = random.Random(seed)
    wall = _stacked(rng) if seed % 2 else shuffled(GAME.deck(), rng)
    position = GAME.deal(rules, wall, rng.randrange(3))
    found = []
    while position.outcome() is None:
        seat = rng.choice(position.to_act())
        view = position.view(seat)
        if view.as_json()["phase"] == "play":
            found.append((view, seat))
        legal = position.legal_actions(seat)
        # Declining and passing at random alone would make short rounds.
        lively = [action for action in legal if action not in ("pass", "bid 0", "no_call")]
        position.apply(seat, rng.choice(lively if lively and rng.random() < 0.7 else legal))
    return found


def _chosen(hand: str, legal: list[str], rng: random.Random) -> list[str]:
    """Return selections a person might make: any cards, and legal plays with a card more or less."""
    words = ["".join(rng.sample(hand, rng.randint(1, len(hand)))) for _ in range(6)]
    for action in rng.sample(legal, min(6, len(legal))):
        if action.startswith("play"):
            word = action.split(" ")[1]
            words += [word, word[:-1], word + hand[-1]]
    return [word for word in words if word and all(word.count(rank) <= hand.count(rank) for rank in word)]


@pytest.mark.parametrize("at", range(9))
def test_the_page_lists_and_judges_plays_as_the_engine_does(at: int) -> None:
    rng = random.Random(at)
    rules = _rules(rng, at)
    seen = [one for seed in range(ROUNDS) for one in _positions(seed * 100 + at, rules)]
    job, legals = [], []
    for view, seat in seen:
        said = view.as_json()
        legal = list(view.legal)
        over = said["table"]
        job.append(
            {
                "hand": said["hand"],
                "over": over and over[1:],
                "rules": rules.options(),
                "chosen": _chosen(said["hand"], legal, rng),
            }
        )
        legals.append((seat, legal))
    assert len(job) > 100
    beaten = 0
    for task, (seat, legal), said in zip(job, legals, node.run(PLAYS, job), strict=True):
        plays = sorted(action for action in legal if action != "pass")
        assert said["plays"] == plays, (seat, task["hand"], task["over"])
        assert sorted(said["hints"]) == [action for action in plays if " as " not in action], task
        for word, (ways, reason) in zip(task["chosen"], said["judged"], strict=True):
            wanted = [action for action in plays if action.split(" ")[1] == _sorted(word)]
            assert sorted(ways) == wanted, (word, task["over"])
            assert (reason == "") == bool(wanted), (word, reason)
        beaten += bool(task["over"]) and bool(plays)
    assert beaten > 20, "too few positions where something is beaten"


def _sorted(word: str) -> str:
    return "".join(sorted(word, key="3456789TJQKA2BR".index))


@pytest.mark.parametrize("at", range(6))
def test_the_fold_of_the_page_equals_the_engines_view_at_every_moment(at: int) -> None:
    rng = random.Random(at)
    rules = _rules(rng, at)
    listeners = (0, 1, 2, None)
    job: list[list[str]] = []
    views: list[Any] = []
    for seed in range(8):
        dice = random.Random(seed * 7 + at)
        texts: dict[int | None, list[str]] = {who: [] for who in listeners}
        position = GAME.deal(rules, shuffled(GAME.deck(), dice), dice.randrange(3))
        events = position.opening_events()
        while True:
            for event in events:
                for who in listeners:
                    text = event.text_for(who)
                    if text is not None:
                        texts[who].append(text)
            over = position.outcome() is not None
            if over or dice.random() < 0.25:
                for who in listeners:
                    job.append(list(texts[who]))
                    views.append(position.view(who))
            if over:
                break
            seat = dice.choice(position.to_act())
            events = position.apply(seat, GAME.bots["random"](position.view(seat), dice))
    for texts_so_far, view, said in zip(job, views, node.run(FOLD, job), strict=True):
        wanted = view.as_json()
        assert len(set(said["seen"])) == len(said["seen"]), "no card of the page is there twice"
        got = said["view"]
        assert {key: got[key] for key in wanted} == wanted, texts_so_far[-6:]


CHECK = """
const { checkRecord } = await load("fairdeal.mjs");
const { checkFair } = await load("js/game/fair.mjs");
const { Round } = await load("js/games/doudizhu/round.mjs");
const bytes = (hex) => Uint8Array.from(Buffer.from(hex, "hex"));
const found = [];
for (const { text, heard, told } of job) {
  const round = new Round();
  for (const one of told) round.add(one);
  const record = new TextEncoder().encode(text);
  const fair = await checkFair({ record, heard: bytes(heard), ownNonce: null, round });
  const bare = await checkRecord(text, heard);
  const bad = fair.checks.filter((check) => !check.ok).map((check) => check.name);
  found.push({ ok: fair.ok, bad, problems: bare.problems });
}
answer(found);
"""


async def _played(seed: int) -> list[tuple[str, str, list[str]]]:
    """Play a match of three rounds; return record, commitment and what the seat was told of each."""
    rounds: list[tuple[str, str, list[str]]] = []

    async def say(frame: play.Frame) -> None:
        kind = frame.WhichOneof("body")
        if kind == "round_opening":
            assert staged.nonce is not None
            staged.nonce.set_result(b"\x07" * 32)
        elif kind == "round_end":
            commitment = staged.parts["opening"].commitment.hex()
            rounds.append((frame.round_end.record.decode(), commitment, list(staged.parts["play"].events)))
        staged.ready.set()

    rng = random.Random(seed)
    staged = StagedTable("0-t", "p_a", "classic", rng, rounds=3, pace_s=0.0, say=say, game="doudizhu")
    staged.taken = staged.auto_play = True
    await staged.run()
    return rounds


async def test_the_deal_is_checked_down_to_the_last_card_and_the_first_speaker_of_every_round() -> None:
    rounds = [one for seed in range(4) for one in await _played(seed)]
    job: list[dict[str, Any]] = [{"text": text, "heard": heard, "told": told} for text, heard, told in rounds]
    assert node.run(CHECK, job) == [{"ok": True, "bad": [], "problems": []}] * 12
    played = next(
        one for one in job if sum(line.startswith("play") for line in one["told"]) > 5 and "/2" in one["text"]
    )
    # A card of another hand, the bottom cards, and the first speaker of round 2, each told otherwise.
    shown = next(line for line in played["told"] if line.startswith("show") and not line.endswith("-"))
    other = shown[:-1] + ("3" if shown[-1] != "3" else "4")
    bottom = next(line for line in played["told"] if line.startswith("landlord"))
    swapped = bottom[:-1] + ("3" if bottom[-1] != "3" else "4")
    dealer = next(line for line in played["text"].split("\n") if line.startswith("Dealer: "))
    moved = f"Dealer: {(int(dealer[-1]) + 1) % 3}"
    forged = [
        {**played, "told": [other if line == shown else line for line in played["told"]]},
        {**played, "told": [swapped if line == bottom else line for line in played["told"]]},
        {**played, "text": played["text"].replace(dealer, moved)},
    ]
    said = node.run(CHECK, forged)
    assert ["wall" in one["bad"] for one in said[:2]] == [True, True]
    assert said[2]["problems"] == [f"the first dealer should be seat {dealer[-1]}"]
    assert not any(one["ok"] for one in said)
