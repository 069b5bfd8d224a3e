"""斗地主: engine and scoring driven side by side; every question, legal answer and result is compared.

`LOCKSTEP_DOUDIZHU_ROUNDS` sets how many rounds; without it 240. A failure names its round, which is enough to
play it again.
"""

import dataclasses
import json
import os
import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest

from engine import GAMES, Refusal
from engine.record import format_record, full_result
from services.launch.arena import play_round
from services.scoring.core.audit import audit_alone
from services.scoring.core.deal import first_dealer
from services.scoring.core.doudizhu import course, rules
from services.scoring.core.doudizhu.cards import DECK, SEATS, counts_of
from services.scoring.core.doudizhu.readings import TYPES
from services.scoring.core.doudizhu.result import result_after
from services.scoring.core.rules import BadOptions

ROUNDS = int(os.environ.get("LOCKSTEP_DOUDIZHU_ROUNDS", "240"))
GAME = GAMES["doudizhu"]

VALUES: dict[str, list[Any]] = {
    "first_speaker": ["random", "winner", "rotate"],
    "face_up": [False, True],
    "bid": ["score", "qiang"],
    "bid_rounds": ["once", "until2pass"],
    "redeal_limit": [None, 1, 2, 99],
    "double": ["off", "on"],
    "pair_as_two_solos": [True, True, False],
    "rocket_as_kickers": [False, True],
    "bomb_in_kickers": [False, True],
    "trio_in_wings": [True, True, False],
    "adjacent_trio_wing": [True, False],
    "four_two": [True, True, False],
    "scoring": ["multiply", "linear"],
    "bomb_mult": [1, 2, 3, 4],
    "rocket_mult": [1, 2, 3, 4],
    "spring": [1, 2, 3],
    "bomb_cap": [None, 1, 2, 3, 14],
    "win_cap_by_balance": [False, True],
    "base_stake": [1, 7, 1_000_000_000],
    "fee": [0, 0, 20, 1_000_000_000],
}


def any_options(rng: random.Random) -> dict[str, Any]:
    """Return some options at any of their values."""
    names = rng.sample(sorted(VALUES), rng.randint(0, len(VALUES)))
    return {name: rng.choice(VALUES[name]) for name in names}


def any_places(rng: random.Random) -> list[int]:
    """Return a permutation of the deck: well shuffled, or with ranks kept together."""
    places = list(range(len(DECK)))
    kept = rng.choice([1, 1, 3, 4, 8, 17])
    if kept == 1:
        rng.shuffle(places)
        return places
    blocks = [places[at : at + kept] for at in range(0, len(places), kept)]
    rng.shuffle(blocks)
    places = [place for block in blocks for place in block]
    for _ in range(rng.randrange(8)):
        one, other = rng.randrange(len(places)), rng.randrange(len(places))
        places[one], places[other] = places[other], places[one]
    return places


def answer(rng: random.Random, manner: str, answers: tuple[str, ...]) -> str:
    """Return one of the answers: any, many cards at once, few, or a pass whenever it can be."""
    if manner == "declines" and not any(text.startswith("play") for text in answers):
        return min(answers, key=lambda text: text not in ("bid 0", "no_call"))
    if manner == "meek" and "pass" in answers:
        return "pass"
    plays = [text for text in answers if text.startswith("play")]
    if manner == "any" or not plays or (len(plays) < len(answers) and rng.random() < 0.2):
        return rng.choice(answers)
    bold = [text for text in plays if " as " in text or text in ("play BR", "play 3333")]
    if bold and rng.random() < 0.5:
        return rng.choice(bold)
    some = rng.sample(plays, min(6, len(plays)))
    return (max if manner == "much" else min)(some, key=len)


ODD = (
    "pass",
    "bid 1",
    "bid 3",
    "rob",
    "call",
    "double 2",
    "double 3",
    "play ",
    "play*",
    "play 3 3",
    "play S",
    "",
)


def odd_texts(rng: random.Random, hand: str, legal: tuple[str, ...]) -> list[str]:
    """Return texts that are likely no legal answers, and a few that are."""
    words = "".join(sorted(rng.sample(hand, rng.randint(1, len(hand))), key=DECK.index))
    one = rng.choice(legal)
    return [
        f"play {words}",
        f"play {words} as {rng.choice(TYPES)}",
        f"{one} as {rng.choice(TYPES)}",
        f"play {words[::-1]}",
        rng.choice(
            ["pass", "bid 1", "bid 3", "rob", "call", "double 2", "play ", "play*", "play 3 3", "play S"]
        ),
    ]


def same(what: str, engine: object, scoring: object, where: object) -> None:
    if engine != scoring:
        raise AssertionError(f"{what}: the engine says {engine}, scoring says {scoring}; {where}")


def same_answers(seat: int, engine: Sequence[str], scoring: Sequence[str], where: object) -> None:
    """Compare two sorted lists, and name only what differs: they can have thousands of entries."""
    if engine != scoring:
        once, twice = Counter(engine), Counter(scoring)
        raise AssertionError(
            f"answers of {seat}: only the engine has {list(once - twice)}, "
            f"only scoring {list(twice - once)}, or their order differs; {where}"
        )


def lockstep(number: int) -> tuple[dict[str, Any], list[tuple[int, str]]]:
    """Play a round on both sides and return its result and answers."""
    rng = random.Random(f"doudizhu lockstep {number}")
    preset, changed = rng.choice(["classic", "qiang", "contest"]), any_options(rng)
    theirs, ours = (
        GAME.ruleset(preset, changed),
        rules.with_overrides(rules.preset_named(preset), changed),
    )
    same("options", theirs.as_json(), ours.canonical(), number)
    places, first, draws = any_places(rng), rng.randrange(SEATS), rng.randrange(4)
    deck = GAME.deck()
    position = GAME.deal(theirs, [deck[place] for place in places], first, draws)
    table = course.dealt(ours, first, draws, places)
    steps = course.whole_round(table)
    manners = [rng.choice(["any", "much", "little", "declines", "meek"]) for _ in range(SEATS)]
    history: list[tuple[int, str]] = []
    asked, won = next(steps), None
    while asked:
        where = f"round {number}, {preset} {changed}, {history}"
        same("seats", list(position.to_act()), sorted(asked), where)
        for seat, question in sorted(asked.items()):
            legal = position.legal_actions(seat)
            same_answers(seat, legal, question.answers(), where)
            same(f"question to {seat}", GAME.question(position, seat), question.compact(), where)
            view: Any = position.view(seat)
            hand = view.as_json()["hand"]
            same(f"hand of {seat}", counts_of(hand), table.hands[seat], where)
            for text in odd_texts(rng, hand, legal):
                same(f"{text!r} by {seat}", text in legal, text in question, where)
                if text not in legal:
                    with pytest.raises(Refusal):
                        position.apply(seat, text)
            chosen = rng.sample(legal, min(30, len(legal)))
            assert [text for text in chosen if text not in question] == [], where
        seat = rng.choice(sorted(asked))
        text = answer(rng, manners[seat], asked[seat].answers())
        history.append((seat, text))
        position.apply(seat, text)
        try:
            asked = steps.send((seat, text))
        except StopIteration as done:
            asked, won = {}, done.value
    where = f"round {number}, {preset} {changed}, {history}"
    outcome = position.outcome()
    assert outcome is not None, where
    said = full_result("doudizhu", theirs, first, draws, outcome)
    result = dataclasses.asdict(result_after(ours, first, draws, won))
    result["from"] = result.pop("from_seat")
    same("result", said, json.loads(json.dumps(result)), where)
    return said, history


def test_every_question_answer_and_result_is_the_same_on_both_sides() -> None:
    seen: Counter[str] = Counter()
    for number in range(ROUNDS):
        result, history = lockstep(number)
        seen[f"end {result['end']} {result['how']}"] += 1
        seen.update(result["names"].keys())
        seen.update(text.partition(" ")[0] for _, text in history)
        seen["named"] += sum(" as " in text for _, text in history)
    # All of this occurs: rounds do not agree only by being dull.
    ends = ("end win landlord", "end win peasants", "end draw ")
    names = ("抢地主", "炸弹", "火箭", "春天", "反春天", "加倍")
    words = ("bid", "call", "no_call", "rob", "no_rob", "double", "play", "pass", "named")
    assert [what for what in (*ends, *names, *words) if not seen[what]] == []


@pytest.mark.parametrize("preset", sorted(GAME.presets))
def test_scoring_agrees_with_the_records_of_bots(preset: str) -> None:
    rng = random.Random(f"doudizhu records {preset}")
    ruleset, bots = GAME.ruleset(preset), sorted(set(GAME.bots) - {"hard"})
    for number in range(ROUNDS // 12):
        seed, round_id = rng.randbytes(32), f"ddz-{number}/2"
        dealer = first_dealer(seed, round_id, [None] * SEATS)
        chosen = (rng.choice(bots), rng.choice(bots), rng.choice(bots))
        record, is_kept = play_round(GAME, ruleset, chosen, round_id, seed, dealer, 0)
        assert record is not None, number
        assert is_kept, number
        verdict = audit_alone(format_record(record).encode())
        assert verdict.agreed, f"{verdict.reason}\n{format_record(record)}"


def test_the_presets_are_the_same() -> None:
    ours = {title: json.loads(options.canonical()) for title, options in rules.PRESETS.items()}
    assert {known.title: known.options() for known in GAME.presets.values()} == ours


CANDIDATES: list[Any] = [
    *[-1, 0, 1, 2, 3, 4, 5, 13, 14, 15, 98, 99, 100, 10**9, 10**9 + 1, 1.0, True, False, None, [], {}],
    *[
        "",
        "off",
        "on",
        "score",
        "qiang",
        "once",
        "until2pass",
        "random",
        "winner",
        "rotate",
        "multiply",
        "linear",
    ],
]


@pytest.mark.parametrize("name", sorted(VALUES))
def test_an_option_has_the_same_values(name: str) -> None:
    accepted = 0
    for preset in ("classic", "qiang"):
        for value in CANDIDATES:
            options = {**GAME.presets[preset].options(), name: value}
            text = json.dumps(options, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
            for title in (f"{preset}@1", "custom@0", "contest@1", f"{preset}@2"):
                taken = _engine_takes(title, text)
                assert taken == _scoring_takes(title, text), (title, name, value)
                accepted += taken
    assert accepted >= 4


def _engine_takes(title: str, text: str) -> bool:
    try:
        return bool(GAME.ruleset_from(title, text))
    except Refusal:
        return False


def _scoring_takes(title: str, text: str) -> bool:
    try:
        return bool(rules.options_of_record(text, title))
    except BadOptions:
        return False
