"""清混碰: engine and scoring driven side by side; every question, legal answer, hand and result is compared.

`LOCKSTEP_QINGHUNPENG_ROUNDS` sets how many rounds; without it 500. A failure names its round, which is enough
to play it again.
"""

import dataclasses
import json
import os
import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from engine import GAMES, Refusal
from engine.record import format_record, full_result
from services.launch.arena import play_round
from services.scoring.core.audit import audit_alone
from services.scoring.core.deal import first_dealer
from services.scoring.core.qinghunpeng import course, rules
from services.scoring.core.qinghunpeng.result import result_after
from services.scoring.core.qinghunpeng.table import Table, dealt
from services.scoring.core.qinghunpeng.tiles import KIND, SEATS, TEXTS, listed
from services.scoring.core.rules import BadOptions

ROUNDS = int(os.environ.get("LOCKSTEP_QINGHUNPENG_ROUNDS", "500"))
GAME = GAMES["qinghunpeng"]
PRESETS = ("seed000", "shanghai")

LEI = [0, 1, 1, 2, 3, 4, 100]
VALUES: dict[str, list[Any]] = {
    "flowers": ["at_deal", "lazy"],
    "dead_wall": [0, 1, 8, 30, 60, 60],
    "head_bump": [False, True],
    "claim_lock": [False, True],
    "no_swap": [False, True],
    "guo_hu": ["off", "same_tile"],
    "huangfan": [False, True],
    "chengbao": [False, True],
    "dealer": ["winner", "rotate"],
    "dadiaoche_angang": [False, True],
    "dihu_broken_by_claims": [False, True],
    "gangkai_flower": [False, True],
    "bahua": ["opening", "anytime", "off"],
    "extra_can_start": ["none", "dadiaoche", "gangkai", "both"],
    "tian_di_waive": [False, True],
    "min_ron": [0, 1, 2, 3, 10, 11, 1_000],
    "lezi": [1, 3, 10, 1_000],
    "formula_base": [0, 1, 2, 9, 100],
    "fixed_hunpeng": LEI,
    "fixed_qingyise": LEI,
    "fixed_qingpeng": LEI,
    "fixed_luanfengxiang": LEI,
    "fixed_zipeng": LEI,
    "fixed_bahua": LEI,
    "fixed_tianhu": LEI,
    "fixed_dihu": LEI,
    "floor_dadiaoche": LEI,
    "floor_gangkai": LEI,
    "floor_qianggang": LEI,
    "floor_haidi": LEI,
    "stack": ["max", "add"],
    "cap": [0, 0, 1, 9, 30, 100_000],
    "win_cap_by_balance": [False, True],
    "base_stake": [1, 7, 1_000_000_000],
    "fee": [0, 20, 1_000_000_000],
}

BLOCKS = (range(16), range(16, 32), range(32, 48))
"""Where the wall's fours lie; the last one each and the dealer's fourteenth follow."""


def any_options(rng: random.Random) -> dict[str, Any]:
    """Return some options at any of their values."""
    known = sorted(VALUES.keys() - {"fee"})
    names = rng.sample(known, rng.choice([0, 1, 3, 8, 16, len(known)]))
    chosen = {name: rng.choice(VALUES[name]) for name in names}
    return {**chosen, "fee": 20} if len(chosen) % 2 else chosen


READY = (
    "a1 a2 a3 a4 a5 a6 a7 a8 a5 a5 a1 a2 a3",
    "a9 a9 z1 z1 b2 b2 b2 c3 c3 c3 z5 z5 z5",
    "a7 a8 b1 b2 b3 c4 c5 c6 c7 c8 c9 z6 z6",
    "a7 a8 a1 a2 a3 z7 z7 z7 z4 z4 z4 z2 z2",
    "z1 z1 z1 z2 z2 z2 z3 z3 z3 z4 z4 z5 z5",
    "z1 z1 z2 z3 z3 z4 z4 z5 z6 z6 z7 z7 z7",
    "a1 a1 a1 a2 a2 a2 a3 a3 a3 a7 a7 z5 z5",
)
"""Hands that wait, most of them for a9; the letters stand for the suits in some order."""


def any_wall(rng: random.Random) -> tuple[list[str], str]:
    """Return a permutation of the deck: well shuffled, or with hands that are nearly something.

    With it a tile that may be worth discarding.
    """
    left = list(GAME.deck())
    rng.shuffle(left)
    manner = rng.choice(["any", "liked", "liked", "liked", "ready", "robbery"])
    if manner == "any":
        return left, ""
    wall: list[str | None] = [None] * len(left)
    suits = dict(zip("abcz", [*rng.sample("mps", 3), "z"], strict=True))
    wanted = f"{suits['a']}9"

    def place(at: int, tile: str) -> None:
        if tile in left:
            left.remove(tile)
            wall[at] = tile

    if manner == "robbery":  # D gives, D+1 waits, D+2 pongs and draws the fourth
        for at in (52, 8, 9, 56):
            place(at, wanted)
    for turn in range(SEATS):
        places = [block[4 * turn + step] for block in BLOCKS for step in range(4)] + [48 + turn]
        if manner == "robbery" and turn == 1:
            hand = READY[0].split()
        elif manner == "ready":
            hand = rng.choice(READY).split() if rng.random() < 0.7 else []
            forced = {0: 4, 1: 0, 3: 1}.get(turn)
            hand = READY[forced].split() if forced is not None and rng.random() < 0.3 else hand
        else:
            hand = liked(rng, left, 13) if manner == "liked" else []
        for at, tile in zip(places, hand, strict=False):
            if manner == "liked":
                wall[at] = tile
            else:
                place(at, suits[tile[0]] + tile[1])
    if manner == "ready":
        place(52, rng.choice([wanted, "z4", "z5"]))
        for at in (*range(53, 70), *range(139, 144)):  # what they wait for, or a flower
            place(at, rng.choice([wanted, f"{suits['a']}6", "z4", "z5", "z1", "z7", *TEXTS[-8:], *left[:4]]))
    for at in range(53):
        wall[at] = wall[at] or left.pop()
    tail = rng.choice(["", "", "f", "z"])
    if tail:  # many flowers or honours come as replacements
        left.sort(key=lambda tile: tile[0] == tail and rng.random() < 0.8)
    return [tile or left.pop(0) for tile in wall], wanted


def liked(rng: random.Random, left: list[str], count: int) -> list[str]:
    """Take tiles for one hand: of a colour, alike, complete but for one, or any."""
    manner = rng.choice(["flush", "half", "honours", "alike", "flowers", "any"])
    suit = rng.choice("mps")
    taken: list[str] = []
    ways: dict[str, Callable[[str], bool]] = {
        "flush": lambda tile: tile[0] == suit,
        "half": lambda tile: tile[0] in (suit, "z"),
        "honours": lambda tile: tile[0] == "z",
        "alike": lambda tile: left.count(tile) >= 3 or tile in taken,
        "flowers": lambda tile: tile[0] in ("f", suit),
        "any": lambda tile: True,
    }
    fits = ways[manner]
    while len(taken) < count:
        wanted = [tile for tile in left if fits(tile)] if rng.random() < 0.93 else []
        if manner == "alike" and wanted:
            tile = wanted[0]
            for _ in range(min(rng.choice([2, 3, 3]), count - len(taken), left.count(tile))):
                left.remove(tile)
                taken.append(tile)
            continue
        flowers = [tile for tile in wanted if tile[0] == "f"] if rng.random() < 0.8 else []
        tile = (flowers or wanted or left)[0]
        left.remove(tile)
        taken.append(tile)
    rng.shuffle(taken)
    return taken


def answer(rng: random.Random, manner: str, hand: list[str], wanted: str, answers: tuple[str, ...]) -> str:
    """Return one of the answers: any, or as somebody who wants something."""
    if manner == "any" or rng.random() < 0.1:
        return rng.choice(answers)
    if manner == "gives" and f"discard {wanted}" in answers and rng.random() < 0.8:
        return f"discard {wanted}"
    if manner == "robs" and "pass" in answers and len(answers) > 2:
        return "pass"
    wins = "hu" in answers
    if wins and rng.random() < (0.85 if manner != "declines" else 0.05):
        return "hu"
    claims = [text for text in answers if text.startswith(("gang", "peng", "chi"))]
    if claims and rng.random() < {"claims": 0.95, "kongs": 0.5, "meek": 0.05}.get(manner, 0.4):
        kongs = [text for text in claims if text.startswith("gang")]
        return rng.choice(kongs or claims)
    if "pass" in answers:
        return "pass"
    discards = [text for text in answers if text.startswith("discard")]
    suits = Counter(tile[0] for tile in hand if tile[0] in "mps")
    most = max(suits, key=lambda suit: suits[suit]) if suits else ""
    held = Counter(hand)

    def cost(text: str) -> tuple[bool, int, float]:
        tile = text.split()[1]
        return (tile[0] == most, held[tile], rng.random())

    return min(discards, key=cost)


def odd_texts(rng: random.Random, legal: tuple[str, ...]) -> list[str]:
    """Return texts that are likely no legal answers, and a few that are."""
    tile = rng.choice(TEXTS)
    word = rng.choice(["discard", "chi", "gang an", "gang bu", "gang ming"])
    return [
        f"{word} {tile}",
        rng.choice(["peng", "hu", "pass", "", "discard", "chi", "gang an f1", "liang m1"]),
    ]


def same(what: str, engine: object, scoring: object, where: object) -> None:
    if engine != scoring:
        raise AssertionError(f"{what}: the engine says {engine}, scoring says {scoring}; {where}")


def same_table(position: Any, table: Table, where: object) -> None:
    """Compare everything that lies somewhere."""
    for number, seat in enumerate(table.seats):
        seen = position.view(number).as_json()
        held = listed(seat.hand) + [TEXTS[flower] for flower in sorted(seat.kept)]
        same(f"hand of {number}", _tiles(seen["hand"]), held, where)
        laid = [[meld.form, TEXTS[meld.tile], meld.source] for meld in seat.melds]
        same(f"melds of {number}", [list(meld) for meld in seen["melds"][number]], laid, where)
        exposed = [TEXTS[flower] for flower in seat.flowers]
        same(f"flowers of {number}", _tiles(seen["flowers"][number]), exposed, where)
        barred = [TEXTS[kind] for kind in sorted(seat.barred)]
        same(f"barred for {number}", sorted(_tiles(seen["passed"])), sorted(barred), where)
        same("wall", seen["wall_left"], len(table.wall), where)


def _tiles(said: Any) -> list[str]:
    """Return tiles that a view tells as one word or as a list."""
    return [said[at : at + 2] for at in range(0, len(said), 2)] if isinstance(said, str) else list(said)


def lockstep(number: int) -> tuple[dict[str, Any], list[tuple[int, str]]]:
    """Play a round on both sides and return its result and answers."""
    rng = random.Random(f"qinghunpeng lockstep {number}")
    preset, changed = rng.choice(PRESETS), any_options(rng)
    theirs, ours = GAME.ruleset(preset, changed), rules.with_overrides(rules.preset_named(preset), changed)
    same("options", theirs.as_json(), ours.canonical(), number)
    (wall, wanted), dealer, draws = any_wall(rng), rng.randrange(SEATS), rng.choice([0, 0, 1, 3])
    position: Any = GAME.deal(theirs, wall, dealer, draws)
    table = dealt(ours, dealer, draws, [KIND[tile] for tile in wall])
    steps = course.whole_round(table)
    manners = [
        rng.choice(["any", "wants", "wants", "claims", "kongs", "meek", "declines", "robs"])
        for _ in range(SEATS)
    ]
    if wanted and rng.random() < 0.5:
        ways = rng.choice(
            [
                ("gives", "robs", "claims", "meek"),
                ("gives", "wants", "kongs", "wants"),
                ("gives", "declines", "meek", "declines"),
            ]
        )
        manners = [ways[(seat - dealer) % SEATS] for seat in range(SEATS)]
    history: list[tuple[int, str]] = []
    ending = None
    try:
        asked = next(steps)
        while True:
            where = f"round {number}, {preset} {changed}, {history}"
            same("seats", list(position.to_act()), sorted(asked), where)
            if len(history) % 4 == 0:  # views are what costs time here
                same_table(position, table, where)
            for seat, question in sorted(asked.items()):
                legal = position.legal_actions(seat)
                same(f"answers of {seat}", legal, question, where)
                for text in odd_texts(rng, legal):
                    if text not in legal:
                        with pytest.raises(Refusal):
                            position.apply(seat, text)
            seat = rng.choice(sorted(asked))
            # Who declines takes the last tile of all.
            manner = "wants" if table.free <= 0 else manners[seat]
            text = answer(rng, manner, listed(table.seats[seat].hand), wanted, tuple(asked[seat]))
            history.append((seat, text))
            position.apply(seat, text)
            asked = steps.send((seat, text))
    except StopIteration as done:
        ending = done.value
    where = f"round {number}, {preset} {changed}, {history}"
    outcome = position.outcome()
    assert outcome is not None, where
    same_table(position, table, where)
    said = full_result("qinghunpeng", theirs, dealer, draws, outcome)
    result = dataclasses.asdict(result_after(table, draws, ending))
    result["from"] = result.pop("from_seat")
    melds = said.pop("melds")
    same("result", said, json.loads(json.dumps(result)), where)
    assert len(melds) == len(said["winners"]), where
    return said, history


def test_every_question_answer_and_result_is_the_same_on_both_sides() -> None:
    seen: Counter[str] = Counter()
    for number in range(ROUNDS):
        result, history = lockstep(number)
        seen[result["how"]] += 1
        seen[f"{len(result['winners'])} winners"] += 1
        seen.update(result["names"].keys())
        seen["bound"] += any(win["bound"] for win in result["wins"])
        seen["doubled"] += result["times"] == 2 and result["end"] == "hu"
        seen.update(text.rpartition(" ")[0] or text for _, text in history)
    # All of this occurs: rounds do not agree only by being dull.
    hows = (
        "zimo",
        "gangkai",
        "discard",
        "qianggang",
        "bahua",
        "huangzhuang",
        "2 winners",
        "bound",
        "doubled",
    )
    patterns = ("混一色", "清一色", "碰碰胡", "混碰", "清碰", "字碰", "乱风向", "平胡")
    extras = ("大吊车", "杠开", "抢杠", "海底", "天胡", "地胡", "八花")
    words = ("discard", "chi", "peng", "gang an", "gang bu", "gang ming", "hu", "pass")
    assert [what for what in (*hows, *patterns, *extras, *words) if not seen[what]] == []


@pytest.mark.parametrize("preset", PRESETS)
def test_scoring_agrees_with_the_records_of_bots(preset: str) -> None:
    rng = random.Random(f"qinghunpeng records {preset}")
    ruleset, bots = GAME.ruleset(preset), [bot for bot in sorted(GAME.bots) if bot != "hard"]
    for number in range(max(4, ROUNDS // 60)):
        seed, round_id = rng.randbytes(32), f"qhp-{number}/2"
        dealer = first_dealer(seed, round_id, [None] * SEATS)
        chosen = tuple(rng.choice(bots) for _ in range(SEATS))
        record, is_kept = play_round(GAME, ruleset, chosen, round_id, seed, dealer, number % 3)
        assert record is not None, number
        assert is_kept, number
        verdict = audit_alone(format_record(record).encode())
        assert verdict.agreed, f"{verdict.reason}\n{format_record(record)}"


def test_the_presets_are_the_same() -> None:
    ours = {title: json.loads(options.canonical()) for title, options in rules.PRESETS.items()}
    assert {known.title: known.options() for known in GAME.presets.values()} == ours
    assert set(VALUES) == set(rules.NAMES)


WORDS = sorted({value for values in VALUES.values() for value in values if isinstance(value, str)})
NUMBERS = [-1, 0, 1, 2, 59, 60, 61, 99, 100, 101, 999, 1_000, 1_001, 100_000, 100_001, 10**9, 10**9 + 1]
CANDIDATES: list[Any] = [*WORDS, *NUMBERS, "", 1.0, True, False, None, [], {}, "on"]


@pytest.mark.parametrize("name", sorted(VALUES))
def test_an_option_has_the_same_values(name: str) -> None:
    accepted = 0
    for preset in PRESETS:
        for value in CANDIDATES:
            options = {**GAME.presets[preset].options(), name: value}
            text = json.dumps(options, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
            for title in (f"{preset}@1", "custom@0", "shanghai@1", f"{preset}@2", preset):
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
