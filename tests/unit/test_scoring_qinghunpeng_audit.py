"""A recorded round of 清混碰 is agreed only if all of it is right, and no record breaks the auditor."""

import dataclasses
import json
import random
from collections import Counter
from functools import cache
from typing import Any

import pytest

from services.scoring.core import deal
from services.scoring.core.audit import DISPUTED, Heard, audit, audit_alone
from services.scoring.core.game import Figures
from services.scoring.core.qinghunpeng import course, rules
from services.scoring.core.qinghunpeng.result import Result, doubts_of_melds, result_after, words_of
from services.scoring.core.qinghunpeng.rules import Options
from services.scoring.core.qinghunpeng.table import Ending, dealt
from services.scoring.core.qinghunpeng.tiles import DECK, listed
from services.scoring.core.record import BadRecord, parse_record


def choice(rng: random.Random, hand: list[str], answers: tuple[str, ...]) -> str:
    """Return an answer of somebody who collects one suit and honours, and wins when it can."""
    if "hu" in answers:
        return "hu"
    claims = [text for text in answers if text.startswith(("peng", "gang"))]
    if claims and rng.random() < 0.5:
        return rng.choice(claims)
    if "pass" in answers:
        return "pass"
    suits = Counter(tile[0] for tile in hand if tile[0] != "z")
    most = max(suits, key=lambda suit: suits[suit]) if suits else ""
    discards = [text for text in answers if text.startswith("discard")]
    return min(discards, key=lambda text: (text[8] == most, hand.count(text[8:]), rng.random()))


def played(seed: object, preset: str = "seed000@1", round_id: str = "3-x/2", **changes: Any) -> bytes:
    """Return the record of a round, as the table would write it."""
    rng = random.Random(str(seed))
    options = rules.with_overrides(rules.preset_named(preset), changes)
    secret, nonces = rng.randbytes(32), [rng.randbytes(32), None, None, rng.randbytes(32)]
    dealer, draws = deal.first_dealer(secret, round_id, nonces), 0
    if not round_id.endswith("/1"):
        dealer, draws = rng.randrange(4), rng.randrange(3)
    tiles = [DECK[place] for place in deal.shuffled(secret, round_id, nonces, 144)]
    table = dealt(options, dealer, draws, tiles)
    lines: list[str] = []
    ending: Ending | None = None
    try:
        steps = course.whole_round(table)
        asked = next(steps)
        while True:
            seat = rng.choice(sorted(asked))
            answer = choice(rng, listed(table.seats[seat].hand), tuple(asked[seat]))
            cause = " bot" if seat == 2 else rng.choice(["", " timeout", " auto"])
            lines.append(f"{seat} {answer} @{len(lines) * 700}{cause}")
            asked = steps.send((seat, answer))
    except StopIteration as done:
        ending = done.value
    assert ending is not None
    head = [
        "Paiju-Record: 1",
        f"Round: {round_id}",
        "Game: qinghunpeng",
        f"Preset: {preset if options.acting() == rules.PRESETS[preset].acting() else 'custom@0'}",
        f"Options: {options.canonical()}",
        "Seats: p_a p_b bot:x p_d",
        f"Dealer: {dealer}",
        f"Draws-In-Row: {draws}",
        f"Commitment: {deal.commitment_of(round_id, secret).hex()}",
        f"Seed: {secret.hex()}",
        f"Nonces: {','.join(nonce.hex() if nonce else '-' for nonce in nonces)}",
        "Started: 1790000000000",
    ]
    given = dataclasses.asdict(result_after(table, draws, ending))
    given["from"] = given.pop("from_seat")
    given["melds"] = [list(words_of(win.parting)) for win in ending.wins.values()]
    return "\n".join([*head, "", *lines, "", f"Result: {_written(given)}", ""]).encode()


def _written(given: Any) -> str:
    return json.dumps(given, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


@cache
def a_record(how: str, preset: str = "seed000@1") -> bytes:
    """Return some record that ended so."""
    for seed in range(400):
        record = played(seed, preset)
        if result_in(record)["how"] == how:
            return record
    raise AssertionError(how)


def result_in(record: bytes) -> dict[str, Any]:
    given: dict[str, Any] = json.loads(record.decode().rpartition("Result: ")[2])
    return given


def changed(record: bytes, **changes: Any) -> bytes:
    head = record.decode().rpartition("Result: ")[0]
    return f"{head}Result: {_written({**result_in(record), **changes})}\n".encode()


def with_header(record: bytes, name: str, value: str) -> bytes:
    lines = record.decode().split("\n")
    at = next(number for number, line in enumerate(lines) if line.startswith(f"{name}: "))
    lines[at] = f"{name}: {value}"
    return "\n".join(lines).encode()


def parts(record: bytes) -> tuple[list[str], list[str], str]:
    head, actions, result = record.decode().split("\n\n")
    return head.split("\n"), actions.split("\n"), result


def joined(head: list[str], actions: list[str], result: str) -> bytes:
    return "\n\n".join(("\n".join(head), "\n".join(actions), result)).encode()


OPTION_SETS: list[dict[str, Any]] = [
    {},
    {"flowers": "lazy", "head_bump": True, "claim_lock": True},
    {"no_swap": True, "guo_hu": "same_tile", "huangfan": True, "chengbao": True},
    {"dealer": "rotate", "bahua": "anytime", "stack": "add", "cap": 25, "dead_wall": 20},
    {"extra_can_start": "both", "min_ron": 3, "lezi": 7, "formula_base": 2, "base_stake": 5},
]


@pytest.mark.parametrize("preset", rules.PRESETS)
@pytest.mark.parametrize("changes", OPTION_SETS)
def test_a_round_played_by_the_rules_is_agreed(preset: str, changes: dict[str, Any]) -> None:
    for seed in range(4):
        verdict = audit_alone(played(seed, preset, **changes))
        assert verdict.agreed, verdict.reason


def test_the_commitment_must_have_been_heard_and_dealer_and_draws_must_follow() -> None:
    record = a_record("discard")
    said = parse_record(record)
    assert audit(record, said.commitment, Heard(dealer=said.dealer, draws_in_row=said.draws_in_row)).agreed
    assert not audit(record, None).agreed
    assert not audit(record, bytes(32)).agreed
    assert (
        audit(record, said.commitment, Heard(dealer=(said.dealer + 1) % 4)).differences[0].field == "dealer"
    )
    wrong = audit(record, said.commitment, Heard(draws_in_row=said.draws_in_row + 1))
    assert wrong.differences[0].field == "draws_in_row"


def test_the_first_dealer_is_drawn_from_the_seed_and_nothing_lies_behind() -> None:
    record = played("first", round_id="3-x/1")
    assert audit_alone(record).agreed
    other = (parse_record(record).dealer + 1) % 4
    assert "dealer" in [
        one.field for one in audit_alone(with_header(record, "Dealer", str(other))).differences
    ]
    drawn = audit_alone(with_header(record, "Draws-In-Row", "1"))
    assert "draws_in_row" in [one.field for one in drawn.differences]


OTHERS: list[tuple[str, Any]] = [
    ("card", "m1"),
    ("dealer_next", 3),
    ("draws_in_row_next", 7),
    ("end", "draw"),
    ("from", -1),
    ("how", "qianggang"),
    ("names", {"清碰": 20}),
    ("points", [-60, 20, 20, 20]),
    ("score", 77),
    ("times", 2),
    ("winners", [0, 1, 2]),
    ("wins", []),
]


@pytest.mark.parametrize(("key", "value"), OTHERS)
@pytest.mark.parametrize("how", ["discard", "zimo", "huangzhuang"])
def test_every_key_of_the_result_is_compared(how: str, key: str, value: Any) -> None:
    record = a_record(how)
    if result_in(record)[key] == value:
        others = {"dealer_next": 2, "draws_in_row_next": 0, "from": 1, "end": "hu", "wins": [_win()]}
        value = others.get(key, {"清一色": 3})
    verdict = audit_alone(changed(record, **{key: value}))
    assert verdict.status == DISPUTED
    assert key in [one.field for one in verdict.differences]


def _win(**more: Any) -> dict[str, Any]:
    return {"bound": [], "flowers": 0, "names": {"清碰": 20}, "points": 20, "seat": 0, **more}


@pytest.mark.parametrize(
    "more", [{"bound": [1]}, {"flowers": 99}, {"names": {"平胡": 0}}, {"points": 99}, {"seat": 3}]
)
def test_every_key_of_a_win_is_compared(more: dict[str, Any]) -> None:
    record = a_record("zimo")
    [win] = result_in(record)["wins"]
    [key] = more
    value = (win["seat"] + 1) % 4 if key == "seat" else more[key]
    verdict = audit_alone(changed(record, wins=[{**win, key: value}]))
    assert [one.field for one in verdict.differences] == ["wins"]


def test_the_sets_shown_are_the_winners_and_may_be_any_right_way() -> None:
    record = a_record("discard")
    [sets] = result_in(record)["melds"]
    for right in ([*reversed(sets[:-1]), sets[-1]],):
        assert audit_alone(changed(record, melds=[right])).agreed
    wrongs: tuple[list[list[str]], ...] = (
        [],
        [sets[:-1]],
        [[*sets[:-2], sets[-1], sets[-2]]],
        [sets, sets],
        [["m1m1m1"] * 5],
        [["x"]],
        [[]],
    )
    for wrong in wrongs:
        verdict = audit_alone(changed(record, melds=list(wrong)))
        assert [one.field for one in verdict.differences] == ["melds"], wrong
    assert not audit_alone(changed(a_record("huangzhuang"), melds=[["m1m1"]])).agreed


def test_a_hand_paid_for_its_triplets_is_not_shown_with_runs() -> None:
    def doubts(pattern: str, shown: tuple[str, ...]) -> list[Any]:
        result = Result(
            end="hu",
            winners=(0,),
            how="zimo",
            from_seat=0,
            card="z1",
            points=(30, -10, -10, -10),
            names={pattern: 10},
            score=10,
            times=1,
            wins=(_win(names={pattern: 10}),),
            dealer_next=0,
            draws_in_row_next=0,
        )
        own = ("m1m1m1", "m2m2m2", "m3m3m3", "z1z1z1", "z5z5")
        return list(doubts_of_melds((shown,), result, Figures(result, (own,))))

    runs = ("m1m2m3", "m1m2m3", "m1m2m3", "z1z1z1", "z5z5")
    pungs = ("z1z1z1", "m1m1m1", "m2m2m2", "m3m3m3", "z5z5")
    assert doubts("混碰", pungs) == []
    assert doubts("混碰", runs) != []
    assert doubts("混一色", runs) == []
    assert doubts("混一色", ("m1m2m3", "m1m2m3", "m1m1m1", "z1z1z1", "z5z5")) != []


def test_an_action_left_out_added_or_given_to_another_seat_is_found() -> None:
    record = a_record("discard")
    head, actions, result = parts(record)
    for number, line in enumerate(actions):
        left_out = audit_alone(joined(head, [*actions[:number], *actions[number + 1 :]], result))
        # Without an answer that changes nothing, or a kong whose tile was of no use, it is as legal.
        assert not left_out.agreed or line.split()[1] in ("pass", "gang"), line
        other = f"{(int(line[0]) + 1) % 4}{line[1:]}"
        moved = audit_alone(joined(head, [*actions[:number], other, *actions[number + 1 :]], result))
        assert not moved.agreed, line
    late = audit_alone(joined(head, [*actions, "0 pass @99999999"], result))
    assert late.wrong_action is not None
    assert late.wrong_action.why == "the round has ended"
    early = audit_alone(joined(head, actions[:-1], result))
    assert early.wrong_action is not None
    assert "is asked" in early.wrong_action.why


@pytest.mark.parametrize("action", ["pass", "peng", "hu", "gang an z1", "gang ming z1", "chi m1"])
def test_the_dealer_begins_with_a_discard_of_a_tile_in_hand(action: str) -> None:
    head, actions, result = parts(a_record("discard"))
    held = actions[0].split()[2]
    absent = next(tile for tile in ("z7", "m1", "p1", "s1") if tile != held)
    for text in (action, f"gang bu {absent}"):
        wrong = [f"{actions[0][0]} {text} @0", *actions[1:]]
        if text == actions[0][2:].split(" @")[0]:
            continue
        verdict = audit_alone(joined(head, wrong, result))
        assert verdict.wrong_action is not None
        assert verdict.wrong_action.number == 1
        assert "is not legal" in verdict.wrong_action.why


@pytest.mark.parametrize(
    "line",
    [
        *["0 discard f1 @1", "0 discard z8 @1", "0 discard m0 @1", "4 pass @1", "0 chi m8 @1", "0 chi z1 @1"],
        *[
            "0 gang z1 @1",
            "0 gang xx z1 @1",
            "0 gang an f1 @1",
            "0 peng m1 @1",
            "0 hu z1 @1",
            "0 liang m1 @1",
        ],
        *[
            "0 discard m1m2 @1",
            "0 discard m1 @01",
            "0 discard m1 @1 robot",
            "0  pass @1",
            "0 Pass @1",
            "0 bid 1 @1",
        ],
    ],
)
def test_a_line_that_is_no_action_is_refused_with_its_number(line: str) -> None:
    head, actions, result = parts(a_record("discard"))
    with pytest.raises(BadRecord) as refused:
        parse_record(joined(head, [line, *actions], result))
    assert refused.value.line == len(head) + 2


@pytest.mark.parametrize(
    "changes",
    [
        *[
            {"card": "f9"},
            {"card": 3},
            {"card": "m1m1"},
            {"end": "win"},
            {"how": "luck"},
            {"from": 4},
            {"from": -2},
        ],
        *[
            {"melds": ["m1"]},
            {"melds": [[1]]},
            {"names": []},
            {"names": {"混碰": True}},
            {"names": {"混碰": -1}},
        ],
        *[{"points": [0, 0, 0]}, {"points": [0, 0, 0, 0.0]}, {"score": -1}, {"score": None}, {"times": 3}],
        *[{"times": True}, {"winners": [4]}, {"winners": 0}, {"wins": [{}]}, {"wins": [_win(seat=4)]}],
        *[{"wins": [_win(more=1)]}, {"dealer_next": -1}, {"dealer_next": 4}, {"draws_in_row_next": -1}],
        *[{"fan": 1}, {"huxi": 0}],
    ],
)
def test_a_result_that_is_none_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(BadRecord, match="the Result"):
        parse_record(changed(a_record("zimo"), **changes))


@pytest.mark.parametrize("key", sorted(result_in(a_record("zimo"))))
def test_no_key_of_a_result_may_be_missing(key: str) -> None:
    record = a_record("zimo")
    given = result_in(record)
    del given[key]
    head = record.decode().rpartition("Result: ")[0]
    with pytest.raises(BadRecord, match="missing"):
        parse_record(f"{head}Result: {_written(given)}\n".encode())


def test_options_are_those_of_the_game() -> None:
    record = played("options")
    assert isinstance(parse_record(record).options, Options)
    with pytest.raises(BadRecord, match="line 5: seed000@1 has cap 0, not 30"):
        parse_record(with_header(record, "Options", Options(cap=30).canonical()))
    with pytest.raises(BadRecord, match="line 5: no preset '876cc@1'"):
        parse_record(with_header(record, "Preset", "876cc@1"))
    with pytest.raises(BadRecord, match="line 5: these are the options of seed000@1"):
        parse_record(with_header(record, "Preset", "custom@0"))
    settled = with_header(record, "Options", Options(base_stake=9, win_cap_by_balance=True).canonical())
    assert parse_record(settled).options.base_stake == 9
    short = json.loads(Options().canonical())
    del short["cap"]
    for text in (
        _written(short),
        _written({**short, "cap": 0, "more": 1}),
        "[]",
        "{",
        Options().canonical() + " ",
    ):
        with pytest.raises(BadRecord, match="line 5"):
            parse_record(with_header(record, "Options", text))


def test_a_record_of_one_game_is_not_read_as_one_of_another() -> None:
    for game in ("paohuzi", "kawuxing", "Qinghunpeng", "qhp", ""):
        with pytest.raises(BadRecord):
            parse_record(with_header(a_record("zimo"), "Game", game))


def test_nothing_that_a_record_holds_breaks_the_auditor() -> None:
    rng = random.Random("noise")
    records = [played(number, **OPTION_SETS[number % len(OPTION_SETS)]) for number in range(5)]
    for turn in range(400):
        before = records[turn % len(records)]
        noisy = bytearray(before)
        for _ in range(rng.randint(1, 3)):
            at = rng.randrange(len(noisy))
            noisy[at] = (
                rng.choice(b'0123456789abmpszf@, \n{}[]":-') if rng.random() < 0.9 else rng.randrange(256)
            )
        verdict = audit(bytes(noisy), parse_record(before).commitment)
        if verdict.agreed:
            # Only what proves nothing may differ: times, causes, names of seats, options of settlement, sets.
            ours, theirs = parse_record(bytes(noisy)), parse_record(before)
            assert ours.result == theirs.result
            assert [one.text for one in ours.actions] == [one.text for one in theirs.actions]
