"""卡五星: engine and scoring driven side by side; every question, legal answer and result is compared.

`LOCKSTEP_KAWUXING_ROUNDS` sets how many rounds; without it 300. A failure names its round, which is enough to
play it again.
"""

import json
import os
import random
from collections import Counter
from typing import Any, get_args, get_origin, get_type_hints

import pytest

from engine import GAMES, Refusal
from engine.record import format_record, full_result
from services.launch.arena import play_round
from services.scoring.core.audit import audit_alone
from services.scoring.core.deal import first_dealer
from services.scoring.core.kawuxing import course, explain, rules, tiles
from services.scoring.core.kawuxing.game import figures_of
from services.scoring.core.kawuxing.result import doubts_of_melds, result_of
from services.scoring.core.kawuxing.table import Table, dealt
from services.scoring.core.rules import BadOptions
from tests.differential.kawuxing_rigs import DECK, MANNERS, SEATS, answer, any_wall

ROUNDS = int(os.environ.get("LOCKSTEP_KAWUXING_ROUNDS", "300"))
GAME = GAMES["kawuxing"]
PRESETS = ("seed004", "xiangyang", "xiaogan", "suizhou", "shiyan")

NUMBERS: dict[str, list[Any]] = {
    "base": [1, 1, 10, 1000],
    "cap": [0, 0, 1, 2, 8, 16, 1024],
    "piao_max": [0, 0, 0, 1, 3, 10],
    "reveal_min_wall": [0, 0, 12, 30, 44],
    "base_stake": [1, 7, 1_000_000_000],
    "fee": [0, 20, 1_000_000_000],
}
"""Values of options that are numbers; all others are 番."""
FANS = [1, 1, 2, 2, 3, 4, 8, 1024]


def _values() -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for name, hint in get_type_hints(rules.Options).items():
        if get_origin(hint) is not None:
            found[name] = list(get_args(hint))
        else:
            found[name] = [False, True] if hint is bool else NUMBERS.get(name, FANS)
    return found


VALUES = _values()


def any_options(rng: random.Random) -> dict[str, Any]:
    """Return some options at any of their values."""
    names = sorted(VALUES.keys() - {"fee"})
    most = rng.choice([0, 4, 12, 30, len(names)])
    chosen = {name: rng.choice(VALUES[name]) for name in rng.sample(names, rng.randint(0, most))}
    return {**chosen, "fee": 20} if len(chosen) % 2 else chosen


def odd_texts(rng: random.Random, legal: tuple[str, ...]) -> list[str]:
    """Return texts that are likely no legal answers."""
    one, other = (rng.choice(tiles.NAMES) for _ in range(2))
    return [
        rng.choice(["", "hu", "pass", "peng", "piao 0", "piao 11", "liang", "gang", "discard", "chi p1"]),
        rng.choice([f"discard {one}", f"liang {one}", f"liang {one} {other}", f"gang ming {one}"]),
        rng.choice([f"gang an {one}", f"gang bu {one}", f"{rng.choice(legal)} {one}", " hu"]),
    ]


def same(what: str, engine: object, scoring: object, where: object) -> None:
    if engine != scoring:
        raise AssertionError(f"{what}: the engine says {engine}, scoring says {scoring}; {where}")


def same_tables(position: Any, table: Table, where: object) -> None:
    """Compare what lies on the table and in the hands."""
    seen = position.view(None).as_json()
    same("wall", seen["wall_left"], len(table.wall), where)
    same("points", seen["points"], table.purse.points(), where)
    same("stake", seen["stake"], table.purse.stake, where)
    same("dice", tuple(seen["dice"]), table.dice, where)
    same("reveal order", seen["reveal_order"], table.purse.revealed, where)
    for seat, own in enumerate(table.seats):
        reveal = own.reveal
        shown = seen["revealed"][seat]
        same(f"{seat} revealed", shown is not None, reveal is not None, where)
        if reveal is not None:
            same(f"waits of {seat}", shown["waits"], [tiles.NAMES[kind] for kind in reveal.waits], where)
        melds = sorted((how, tile) for how, tile in seen["melds"][seat])
        same(f"melds of {seat}", melds, sorted((m.how, tiles.NAMES[m.kind]) for m in own.melds), where)


def lockstep(number: int) -> tuple[dict[str, Any], list[tuple[int, str]]]:
    """Play a round on both sides and return its result and answers."""
    rng = random.Random(f"kawuxing lockstep {number}")
    preset, changed = rng.choice(PRESETS), any_options(rng)
    theirs = GAME.ruleset(preset, changed)
    ours = rules.with_overrides(rules.preset_named(preset), changed)
    same("options", theirs.as_json(), ours.canonical(), number)
    places, fitting = any_wall(rng)
    dealer, draws = rng.randrange(SEATS), rng.choice([0, 0, 1, 5])
    position = GAME.deal(theirs, [DECK[place] for place in places], dealer, draws)
    table = dealt(ours, dealer, draws, places)
    steps = course.whole_round(table)
    kinds = rng.choice([MANNERS, ["revealer", "meek", "konger"], ["eager"], ["late"]])
    manners = [fitting.get((seat - dealer) % SEATS) or rng.choice(kinds) for seat in range(SEATS)]
    history: list[tuple[int, str]] = []
    asked: course.Questions = next(steps)
    while asked:
        where = f"round {number}, {preset} {changed}, dealer {dealer}, {history}"
        same("seats", list(position.to_act()), sorted(asked), where)
        is_dealt = not any("piao 0" in question for question in asked.values())
        if is_dealt:
            same_tables(position, table, where)
        for seat, question in sorted(asked.items()):
            legal = position.legal_actions(seat)
            same(f"answers of {seat}", legal, tuple(question), where)
            view: Any = position.view(seat)
            hand = view.as_json()["hand"]
            held = hand if isinstance(hand, list) else [hand[at : at + 2] for at in range(0, len(hand), 2)]
            if is_dealt:
                own = table.seats[seat].hand
                same(f"hand of {seat}", tiles.counted(map(tiles.kind_named, held)), own, where)
            assert [text for text in legal if text not in question] == [], where
            for text in odd_texts(rng, legal):
                same(f"{text!r} by {seat}", text in legal, text in question, where)
        seat = rng.choice(sorted(asked))
        manner = manners[seat]
        if manner == "late":
            manner = "eager" if len(table.wall) < 2 else "meek"
        own_view: Any = position.view(seat)
        drawn, to_a_kong = own_view.as_json()["drawn"], history[-1:] != [] and "bu" in history[-1][1]
        text = answer(rng, manner, list(asked[seat]), str(drawn), to_a_kong=to_a_kong)
        history.append((seat, text))
        position.apply(seat, text)
        try:
            asked = steps.send((seat, text))
        except StopIteration:
            asked = {}
    where = f"round {number}, {preset} {changed}, dealer {dealer}, {history}"
    outcome = position.outcome()
    assert outcome is not None, where
    assert table.ending is not None, where
    said = json.loads(json.dumps(full_result("kawuxing", theirs, dealer, draws, outcome)))
    told, shown = result_of(said)
    found = figures_of(table).result
    for key in said.keys() - {"melds"}:
        field = "from_seat" if key == "from" else key
        same(key, getattr(told, field), getattr(found, field), where)
    assert list(doubts_of_melds(table, shown)) == [], where
    zh, en = explain.explained(table)
    assert len(zh) == len(en) > 0, where
    return said, history


def test_every_question_answer_and_result_is_the_same_on_both_sides() -> None:
    seen: Counter[str] = Counter()
    for number in range(ROUNDS):
        result, history = lockstep(number)
        seen[result["how"]] += 1
        seen[f"{len(result['winners'])} winners"] += 1
        seen.update(result["names"].keys())
        seen.update(" ".join(text.split()[: 2 if text.startswith("gang") else 1]) for _, text in history)
        seen["kou"] += sum(text.startswith("liang") and text.count(" ") > 1 for _, text in history)
        seen["bao"] += sum(win["bao"] for win in result["wins"])
        seen["du"] += sum(win["du"] for win in result["wins"])
        seen["ma"] += bool(result["ma"])
        seen["paid draw"] += result["how"] == "huangzhuang" and result["points"] != result["kong_points"]
    if os.environ.get("LOCKSTEP_KAWUXING_ROUNDS"):
        print(dict(seen.most_common()))
    # All of this occurs: rounds do not agree only by being dull.
    hows = ("zimo", "gangkai", "discard", "gangpao", "huangzhuang", "0 winners", "1 winners", "2 winners")
    words = ("liang", "gang an", "gang bu", "gang ming", "peng", "hu", "pass", "discard", "piao")
    names = ("抢杠胡", "平胡", "七对", "碰碰胡", "卡五星", "明四归一", "暗四归一", "清一色", "门清", "海底炮")
    things = ("kou", "bao", "du", "ma", "paid draw")
    assert [what for what in (*hows, *words, *names, *things) if not seen[what]] == []


@pytest.mark.parametrize("preset", PRESETS)
def test_scoring_agrees_with_the_records_of_bots(preset: str) -> None:
    rng = random.Random(f"kawuxing records {preset}")
    ruleset, bots = GAME.ruleset(preset), ("random", "easy")
    for number in range(max(4, ROUNDS // 60)):
        seed, round_id = rng.randbytes(32), f"kwx-{number}/2"
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


WORDS = sorted({word for values in VALUES.values() for word in values if isinstance(word, str)})
CANDIDATES: list[Any] = [
    *[
        -1,
        0,
        1,
        2,
        8,
        10,
        11,
        44,
        45,
        1000,
        1001,
        1024,
        1025,
        10**9,
        10**9 + 1,
        1.0,
        True,
        False,
        None,
        [],
        {},
    ],
    *["", *WORDS],
]


@pytest.mark.parametrize("name", sorted(VALUES))
def test_an_option_has_the_same_values(name: str) -> None:
    accepted = 0
    for preset in ("seed004", "shiyan"):
        for value in CANDIDATES:
            options = {**GAME.presets[preset].options(), name: value}
            text = json.dumps(options, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
            for title in (f"{preset}@1", "custom@0", "xiaogan@1", f"{preset}@2"):
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
