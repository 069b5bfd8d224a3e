"""A recorded round of 卡五星 is agreed only if all of it is right, and no record breaks the auditor."""

import dataclasses
import json
import random
from time import process_time
from typing import Any

import pytest

from services.scoring.core import deal
from services.scoring.core.audit import DISPUTED, Heard, Verdict, audit, audit_alone
from services.scoring.core.game import Figures
from services.scoring.core.games import GAMES
from services.scoring.core.kawuxing import course, rules
from services.scoring.core.kawuxing.game import figures_of
from services.scoring.core.kawuxing.rules import Options
from services.scoring.core.kawuxing.table import dealt
from services.scoring.core.record import BadRecord, parse_record

LIKED = ("hu", "liang", "gang", "peng")


def choose(rng: random.Random, question: Any) -> str:
    """Return an answer, a claim rather than none."""
    answers: list[str] = list(question)
    liked = [text for text in answers if text.split()[0] in LIKED]
    return rng.choice(liked if liked and rng.random() < 0.8 else answers)


def played(seed: object, preset: str = "seed004@1", round_id: str = "3-x/2", **changes: Any) -> bytes:
    """Return the record of a random round, as the table would write it."""
    rng = random.Random(str(seed))
    options = rules.with_overrides(rules.preset_named(preset), changes)
    secret, nonces = rng.randbytes(32), [rng.randbytes(32), None, None]
    dealer, draws = deal.first_dealer(secret, round_id, nonces), 0
    if not round_id.endswith("/1"):
        dealer, draws = rng.randrange(3), rng.randrange(3)
    table = dealt(options, dealer, draws, deal.shuffled(secret, round_id, nonces, 84))
    steps = course.whole_round(table)
    asked: course.Questions = next(steps)
    lines: list[str] = []
    while asked:
        seat = rng.choice(sorted(asked))
        answer = choose(rng, asked[seat])
        cause = " bot" if seat == 2 else rng.choice(["", " timeout", " auto"])
        lines.append(f"{seat} {answer} @{len(lines) * 700}{cause}")
        try:
            asked = steps.send((seat, answer))
        except StopIteration:
            asked = {}
    head = [
        "Paiju-Record: 1",
        f"Round: {round_id}",
        "Game: kawuxing",
        f"Preset: {'custom@0' if changes.keys() - rules.SETTLEMENT else preset}",
        f"Options: {options.canonical()}",
        "Seats: p_a p_b bot:x",
        f"Dealer: {dealer}",
        f"Draws-In-Row: {draws}",
        f"Commitment: {deal.commitment_of(round_id, secret).hex()}",
        f"Seed: {secret.hex()}",
        f"Nonces: {','.join(nonce.hex() if nonce else '-' for nonce in nonces)}",
        "Started: 1790000000000",
    ]
    return "\n".join([*head, "", *lines, "", f"Result: {_written(figures_of(table))}", ""]).encode()


def _written(figures: Figures) -> str:
    result: Any = figures.result
    given = {field.name: getattr(result, field.name) for field in dataclasses.fields(result)}
    given["from"] = given.pop("from_seat")
    given["melds"] = figures.melds
    return json.dumps(given, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def changed(record: bytes, **changes: Any) -> bytes:
    head, _, result = record.decode().rpartition("Result: ")
    given = {**json.loads(result), **changes}
    text = json.dumps(given, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return f"{head}Result: {text}\n".encode()


def with_header(record: bytes, name: str, value: str) -> bytes:
    lines = record.decode().split("\n")
    at = next(number for number, line in enumerate(lines) if line.startswith(f"{name}: "))
    lines[at] = f"{name}: {value}"
    return "\n".join(lines).encode()


def result_in(record: bytes) -> dict[str, Any]:
    given: dict[str, Any] = json.loads(record.decode().rpartition("Result: ")[2])
    return given


def fields(verdict: Verdict) -> list[str]:
    return [difference.field for difference in verdict.differences]


OPTION_SETS: list[dict[str, Any]] = [
    {},
    {"base_stake": 100, "win_cap_by_balance": True},
    {"piao_max": 10, "mai_ma": "liu", "shukan": True, "shanglou": "dice", "suits": "ms"},
    {"min_fan": "soft", "guo_hu": "higher_fan", "reveal_auto_hu": False, "ban_feeding": True},
    {"reveal_kong_check": "still_ting", "sha_ma": True, "bao_exempt_forced": True, "cap": 4},
    {"hz": "jtt", "jtt_pays_silent": True, "claim_last": "hu_pong", "replacement_from_tail": True},
    {"abandoned_kong": "forbid", "chain": "flat2", "chain_requires_drawn": True, "fan_tianhu": 8},
]


@pytest.mark.parametrize("number", range(len(OPTION_SETS)))
def test_rounds_under_every_option_are_agreed(number: int) -> None:
    ends = set()
    for turn in range(12):
        record = played(f"{number} {turn}", **OPTION_SETS[number])
        verdict = audit(record, parse_record(record).commitment, Heard())
        assert verdict.agreed, (verdict.reason, record.decode())
        assert verdict.figures is not None
        assert sum(verdict.figures.result.points) == 0
        ends.add(verdict.figures.result.end)
    assert ends == {"hu", "draw"}


@pytest.mark.parametrize("preset", sorted(rules.PRESETS))
def test_rounds_under_every_preset_are_agreed(preset: str) -> None:
    for turn in range(6):
        assert audit_alone(played(turn, preset)).agreed


def a_record(end: str, **more: Any) -> bytes:
    """Return the record of a round that ended so."""
    records = (played(f"{end} {number}", **more) for number in range(300))
    return next(record for record in records if result_in(record)["end"] == end)


WON = a_record("hu")
OTHERS: dict[str, Any] = {
    "card": "z7",
    "dealer_next": 1,
    "draws_in_row_next": 9,
    "end": "draw",
    "fan": 999,
    "from": -1,
    "how": "huangzhuang",
    "kong_points": [1, -1, 0],
    "last_drawer": 1,
    "ma": ["p1"],
    "names": {"诗": 1},
    "points": [1, -1, 0],
    "stake": 999,
    "waiting": [1, 2, 3],
    "winners": [0, 1],
}


@pytest.mark.parametrize("name", sorted(OTHERS))
def test_every_figure_of_the_result_is_compared(name: str) -> None:
    other = OTHERS[name]
    if result_in(WON)[name] == other:
        other = 2 if name != "card" else "z6"
    verdict = audit_alone(changed(WON, **{name: other}))
    assert fields(verdict) == [name]
    assert verdict.status == DISPUTED


@pytest.mark.parametrize("key", ["bao", "du", "fan", "kan", "names", "seat"])
def test_every_figure_of_a_win_is_compared(key: str) -> None:
    wins = result_in(WON)["wins"]
    value = wins[0][key]
    wrong: Any = (
        {"诗": 2} if key == "names" else not value if isinstance(value, bool) else (value + 1) % 3 or 1
    )
    wins[0][key] = wrong
    assert wrong != value
    assert fields(audit_alone(changed(WON, wins=wins))) == ["wins"]


def test_shown_melds_must_be_a_right_reading_of_the_winners_tiles() -> None:
    melds = result_in(WON)["melds"]
    assert audit_alone(changed(WON, melds=[melds[0][::-1]])).agreed
    for wrong in (
        [],
        [melds[0], melds[0]],
        [melds[0][1:]],
        [[*melds[0][1:], "z7z7z7"]],
        [["".join(melds[0])]],
    ):
        assert fields(audit_alone(changed(WON, melds=wrong))) == ["melds"], wrong


def test_a_reading_that_is_worth_less_is_not_shown() -> None:
    record = next(
        record
        for record in (played(f"pairs {number}", fan_qidui=3, fan_long=1) for number in range(3000))
        if "七对" in result_in(record)["names"]
    )
    assert audit_alone(record).agreed
    pairs = result_in(record)["melds"][0]
    assert len(pairs) == 7
    assert fields(audit_alone(changed(record, melds=[pairs[:6]]))) == ["melds"]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        *[("card", "p0"), ("card", None), ("dealer_next", 3), ("draws_in_row_next", -1), ("end", "")],
        *[("fan", 1.0), ("from", 3), ("how", "liang"), ("kong_points", [0, 0]), ("last_drawer", -1)],
        *[("ma", ["?"]), ("melds", [["p1p"]]), ("melds", ["p1"]), ("names", {"a": 0}), ("points", "0")],
        *[("stake", 0), ("waiting", [0, 0, -1]), ("winners", [3]), ("wins", [{}]), ("wins", [1]), ("x", 1)],
    ],
)
def test_a_result_of_another_shape_cannot_be_read(key: str, value: Any) -> None:
    assert fields(audit_alone(changed(WON, **{key: value}))) == ["record"]


def test_the_draws_in_a_row_double_the_stake_where_they_do() -> None:
    record = played("after", preset="shiyan@1")
    said = parse_record(record).draws_in_row
    other = "1" if said == 0 else "0"
    found = fields(audit_alone(with_header(record, "Draws-In-Row", other)))
    assert {"stake", "points"} & set(found)


def _lines(record: bytes) -> tuple[list[str], list[str], str]:
    head, actions, result = record.decode().split("\n\n")
    return head.split("\n"), actions.split("\n"), result


def _joined(parts: tuple[list[str], list[str], str]) -> bytes:
    return "\n\n".join(("\n".join(parts[0]), "\n".join(parts[1]), parts[2])).encode()


def test_an_action_left_out_added_or_given_to_another_seat_is_found() -> None:
    head, actions, result = _lines(WON)
    for number, line in enumerate(actions):
        left_out = audit_alone(_joined((head, [*actions[:number], *actions[number + 1 :]], result)))
        assert not left_out.agreed, line
        other = f"{(int(line[0]) + 1) % 3}{line[1:]}"
        moved = audit_alone(_joined((head, [*actions[:number], other, *actions[number + 1 :]], result)))
        assert not moved.agreed, line
    late = audit_alone(_joined((head, [*actions, "0 pass @99999999"], result)))
    assert late.wrong_action is not None
    assert late.wrong_action.why == "the round has ended"


@pytest.mark.parametrize("action", ["pass", "peng", "gang an z5", "liang p1 p1", "liang m1", "discard m1"])
def test_what_the_dealer_is_not_asked_is_illegal(action: str) -> None:
    head, actions, result = _lines(WON)
    actions[0] = f"{actions[0][0]} {action} @0{' bot' if 'bot' in actions[0] else ''}"
    verdict = audit_alone(_joined((head, actions, result)))
    assert verdict.wrong_action is not None
    assert verdict.wrong_action.number == 1
    assert f"{action!r} is not legal; legal are discard" in verdict.wrong_action.why


@pytest.mark.parametrize(
    "line",
    [
        *["0 discard @1", "0 discard z1 @1", "3 pass @1", "0 gang p1 @1", "0 gang chi p1 @1", "0 piao 11 @1"],
        *[
            "0 liang @1",
            "0 liang p1 p2 p3 p4 p5 p6 @1",
            "0 discard p1  @1",
            "0 chi p1p2p3 @1",
            "0 piao 01 @1",
        ],
    ],
)
def test_a_line_that_is_no_action_is_refused_with_its_number(line: str) -> None:
    head, actions, result = _lines(WON)
    with pytest.raises(BadRecord) as refused:
        parse_record(_joined((head, [line, *actions], result)))
    assert refused.value.line == len(head) + 2


def test_nothing_that_a_record_holds_breaks_the_auditor() -> None:
    rng = random.Random("noise")
    records = [played(number, **OPTION_SETS[number % len(OPTION_SETS)]) for number in range(7)]
    for turn in range(700):
        before = records[turn % len(records)]
        noisy = bytearray(before)
        for _ in range(rng.randint(1, 3)):
            at = rng.randrange(len(noisy))
            noisy[at] = (
                rng.choice(b'0123456789mpsz-@, \n{}[]":') if rng.random() < 0.9 else rng.randrange(256)
            )
        verdict = audit(bytes(noisy), parse_record(before).commitment)
        if verdict.agreed:
            # Only what proves nothing may differ: times, causes, names of seats, options of settlement.
            ours, theirs = parse_record(bytes(noisy)), parse_record(before)
            assert ours.result == theirs.result
            said = [[(one.seat, one.text) for one in record.actions] for record in (ours, theirs)]
            assert said[0] == said[1]


def test_options_are_those_of_the_game() -> None:
    assert isinstance(parse_record(WON).options, Options)
    with pytest.raises(BadRecord, match="line 5: seed004@1 does not have this cap"):
        parse_record(with_header(WON, "Options", Options(cap=1).canonical()))
    with pytest.raises(BadRecord, match="line 5: no preset 'classic@1'"):
        parse_record(with_header(WON, "Preset", "classic@1"))
    with pytest.raises(BadRecord, match="line 5: custom@0 has the very options of seed004@1"):
        parse_record(with_header(WON, "Preset", "custom@0"))


def test_the_words_of_an_end_name_the_winner_or_who_was_ready() -> None:
    result = result_in(WON)
    said = GAMES["kawuxing"].summary(parse_record(WON).result)
    assert f"seat {result['winners'][0]} by {result['how']} of {result['card']}" in said
    drawn = parse_record(a_record("draw")).result
    assert GAMES["kawuxing"].summary(drawn).startswith("黄庄, ready: ")


def test_an_audit_takes_a_few_milliseconds() -> None:
    records = [played(f"fast {number}") for number in range(20)]
    for record in records:
        audit_alone(record)
    spent = []
    for record in records:
        before = process_time()
        audit_alone(record)
        spent.append(process_time() - before)
    assert sorted(spent)[10] < 0.015
