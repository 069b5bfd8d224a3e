"""A recorded round of 斗地主 is agreed only if all of it is right, and no record breaks the auditor."""

import dataclasses
import json
import random
from typing import Any

import pytest

from services.scoring.core import deal
from services.scoring.core.audit import DISPUTED, Heard, Verdict, audit, audit_alone
from services.scoring.core.doudizhu import course, rules
from services.scoring.core.doudizhu.result import Result, result_after
from services.scoring.core.doudizhu.rules import Options
from services.scoring.core.record import BadRecord, parse_record


def played(seed: object, preset: str = "classic@1", round_id: str = "3-x/2", **changes: Any) -> bytes:
    """Return the record of a random round, as the table would write it."""
    rng = random.Random(str(seed))
    options = rules.with_overrides(rules.preset_named(preset), changes)
    secret, nonces = rng.randbytes(32), [rng.randbytes(32), None, None]
    first, draws = deal.first_dealer(secret, round_id, nonces), 0
    if not round_id.endswith("/1"):
        draws = rng.randrange(3)
        first = first if options.first_speaker == "random" else rng.randrange(3)
    table = course.dealt(options, first, draws, deal.shuffled(secret, round_id, nonces, 54))
    steps = course.whole_round(table)
    asked, won = next(steps), None
    lines: list[str] = []
    while asked:
        seat = rng.choice(sorted(asked))
        answer = rng.choice(asked[seat].answers())
        cause = " bot" if seat == 2 else rng.choice(["", " timeout", " auto"])
        lines.append(f"{seat} {answer} @{len(lines) * 700}{cause}")
        try:
            asked = steps.send((seat, answer))
        except StopIteration as done:
            asked, won = {}, done.value
    head = [
        "Paiju-Record: 1",
        f"Round: {round_id}",
        "Game: doudizhu",
        f"Preset: {'custom@0' if changes.keys() - rules.SETTLEMENT else preset}",
        f"Options: {options.canonical()}",
        "Seats: p_a p_b bot:x",
        f"Dealer: {first}",
        f"Draws-In-Row: {draws}",
        f"Commitment: {deal.commitment_of(round_id, secret).hex()}",
        f"Seed: {secret.hex()}",
        f"Nonces: {','.join(nonce.hex() if nonce else '-' for nonce in nonces)}",
        "Started: 1790000000000",
    ]
    result = _written(result_after(options, first, draws, won))
    return "\n".join([*head, "", *lines, "", f"Result: {result}", ""]).encode()


def _written(result: Result) -> str:
    given = dataclasses.asdict(result)
    given["from"] = given.pop("from_seat")
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
    {"bid_rounds": "until2pass", "redeal_limit": 1, "first_speaker": "winner"},
    {"bid": "qiang", "double": "on", "first_speaker": "rotate", "face_up": True},
    {"scoring": "linear", "bomb_mult": 3, "rocket_mult": 4, "spring": 3, "bomb_cap": 2},
    {"pair_as_two_solos": False, "rocket_as_kickers": True, "four_two": False},
    {"trio_in_wings": False, "adjacent_trio_wing": False, "bomb_in_kickers": True, "redeal_limit": 2},
]


@pytest.mark.parametrize("number", range(len(OPTION_SETS)))
def test_rounds_under_every_option_are_agreed(number: int) -> None:
    ends = set()
    for turn in range(25):
        record = played(f"{number} {turn}", **OPTION_SETS[number])
        verdict = audit(record, parse_record(record).commitment, Heard())
        assert verdict.agreed, (verdict.reason, record.decode())
        assert verdict.figures is not None
        assert verdict.figures.melds == ()
        assert sum(verdict.figures.result.points) == 0
        ends.add(verdict.figures.result.how)
    assert {"landlord", "peasants"} <= ends


@pytest.mark.parametrize("preset", sorted(rules.PRESETS))
def test_rounds_under_every_preset_are_agreed(preset: str) -> None:
    for turn in range(10):
        assert audit_alone(played(turn, preset)).agreed


def a_record(how: str, **more: Any) -> bytes:
    """Return the record of a round that ended so."""
    records = (played(f"{how} {number}", **more) for number in range(200))
    return next(record for record in records if result_in(record)["how"] == how)


OTHERS: dict[str, Any] = {
    "bid": 0,
    "bombs": 7,
    "rockets": 5,
    "dealer_next": 2,
    "draws_in_row_next": 9,
    "fan": 999,
    "landlord": -1,
    "last": -1,
    "names": {"王炸": 1},
    "robs": 4,
    "spring": "反春天",
    "how": "",
    "end": "draw",
    "winners": [],
    "points": [1, -1, 0],
    "double": [2, 2, 2],
}


@pytest.mark.parametrize("name", sorted(OTHERS))
def test_every_figure_of_the_result_is_compared(name: str) -> None:
    record = a_record("landlord")
    verdict = audit_alone(changed(record, **{name: OTHERS[name]}))
    assert fields(verdict) == [name]
    assert verdict.status == DISPUTED


def test_from_is_minus_one_or_the_record_cannot_be_read() -> None:
    assert fields(audit_alone(changed(a_record("landlord"), **{"from": 1}))) == ["record"]


def test_a_record_of_another_commitment_is_disputed() -> None:
    record = played("commitment")
    assert fields(audit(record, bytes(32))) == ["commitment"]
    assert fields(audit(record, None)) == ["commitment"]
    assert "commitment" in fields(audit_alone(with_header(record, "Commitment", "0" * 64)))


def test_a_random_first_speaker_is_drawn_from_the_rounds_own_seed_in_every_round() -> None:
    record = played("dealer", round_id="3-x/7")
    right = parse_record(record).dealer
    for wrong in {0, 1, 2} - {right}:
        assert "dealer" in fields(audit_alone(with_header(record, "Dealer", str(wrong))))
    for heard in (None, -1, (right + 1) % 3):
        assert audit(record, parse_record(record).commitment, Heard(dealer=heard)).agreed


def test_another_first_speaker_follows_from_the_round_before() -> None:
    record = played("dealer", first_speaker="winner")
    right, commitment = parse_record(record).dealer, parse_record(record).commitment
    assert audit(record, commitment, Heard(dealer=right)).agreed
    assert fields(audit(record, commitment, Heard(dealer=(right + 1) % 3))) == ["dealer"]
    first = played("dealer", first_speaker="winner", round_id="3-x/1")
    wrong = (parse_record(first).dealer + 1) % 3
    assert "dealer" in fields(audit_alone(with_header(first, "Dealer", str(wrong))))


def test_redeals_directly_before_are_those_of_the_round_before() -> None:
    record = played("draws")
    said = parse_record(record).draws_in_row
    assert audit(record, parse_record(record).commitment, Heard(draws_in_row=said)).agreed
    verdict = audit(record, parse_record(record).commitment, Heard(draws_in_row=said + 1))
    assert fields(verdict) == ["draws_in_row"]


def test_the_figures_of_a_redeal_depend_on_how_many_lie_behind() -> None:
    record = a_record("", redeal_limit=3)
    assert audit_alone(record).agreed
    verdict = audit_alone(with_header(record, "Draws-In-Row", "3"))
    assert verdict.wrong_action is not None
    assert "the record ends while seat" in verdict.wrong_action.why


def _lines(record: bytes) -> tuple[list[str], list[str], str]:
    head, actions, result = record.decode().split("\n\n")
    return head.split("\n"), actions.split("\n"), result


def _joined(parts: tuple[list[str], list[str], str]) -> bytes:
    return "\n\n".join(("\n".join(parts[0]), "\n".join(parts[1]), parts[2])).encode()


def test_an_action_left_out_added_or_given_to_another_seat_is_found() -> None:
    record = a_record("landlord")
    head, actions, result = _lines(record)
    for number, line in enumerate(actions):
        left_out = audit_alone(_joined((head, [*actions[:number], *actions[number + 1 :]], result)))
        assert not left_out.agreed, line
        other = f"{(int(line[0]) + 1) % 3}{line[1:]}"
        moved = audit_alone(_joined((head, [*actions[:number], other, *actions[number + 1 :]], result)))
        assert moved.wrong_action is not None
        assert moved.wrong_action.number == number + 1
    late = audit_alone(_joined((head, [*actions, "0 pass @99999999"], result)))
    assert late.wrong_action is not None
    assert late.wrong_action.why == "the round has ended"


@pytest.mark.parametrize(
    ("action", "why"),
    [("bid 0", "not legal"), ("call", "not legal"), ("double 2", "not legal"), ("pass", "not legal")],
)
def test_a_leader_may_only_play(action: str, why: str) -> None:
    head, actions, result = _lines(a_record("landlord"))
    at = next(number for number, line in enumerate(actions) if " play " in line)
    actions[at] = f"{actions[at][0]} {action} @{at}"
    verdict = audit_alone(_joined((head, actions, result)))
    assert verdict.wrong_action is not None
    assert verdict.wrong_action.number == at + 1
    assert verdict.wrong_action.why.startswith(f"{action!r} is {why}")


def test_cards_that_were_played_before_are_not_in_the_hand() -> None:
    head, actions, result = _lines(a_record("landlord"))
    plays = [number for number, line in enumerate(actions) if " play " in line]
    seat = actions[plays[0]][0]
    again = next(number for number in plays[1:] if actions[number][0] == seat)
    actions[again] = actions[plays[0]]
    verdict = audit_alone(_joined((head, actions, result)))
    assert verdict.wrong_action is not None
    assert verdict.wrong_action.number <= again + 1


@pytest.mark.parametrize(
    "line",
    [
        *["0 bid 4 @1", "0 bid @1", "3 pass @1", "0 play 3 4 @1", "0 play @1", "0 play s3 @1", "0 play 1 @1"],
        *[
            "0 play 34567 as straight @1",
            "0 play 3 @01",
            "0 play 3 @1 robot",
            "0 discard s9 @1",
            "0 play* @1",
        ],
        *["0 double 3 @1", "0  pass @1", "0 Pass @1", "0 hu @1", "0 play " + "3" * 21 + " @1"],
    ],
)
def test_a_line_that_is_no_action_is_refused_with_its_number(line: str) -> None:
    head, actions, result = _lines(played("line"))
    with pytest.raises(BadRecord) as refused:
        parse_record(_joined((head, [line, *actions], result)))
    assert refused.value.line == len(head) + 2


def test_a_record_of_one_game_is_not_read_as_one_of_the_other() -> None:
    record = played("game")
    for game, line in (("paohuzi", 14), ("Doudizhu", 3), ("poker", 3), ("", 3)):
        with pytest.raises(BadRecord) as refused:
            parse_record(with_header(record, "Game", game))
        assert refused.value.line == line


def test_nothing_that_a_record_holds_breaks_the_auditor() -> None:
    rng = random.Random("noise")
    records = [played(number, **OPTION_SETS[number % len(OPTION_SETS)]) for number in range(6)]
    for turn in range(600):
        noisy = bytearray(records[turn % len(records)])
        for _ in range(rng.randint(1, 3)):
            at = rng.randrange(len(noisy))
            noisy[at] = (
                rng.choice(b'0123456789abpR2BJQK@, \n{}[]":-') if rng.random() < 0.9 else rng.randrange(256)
            )
        before = records[turn % len(records)]
        verdict = audit(bytes(noisy), parse_record(before).commitment)
        if verdict.agreed:
            # Only what proves nothing may differ: times, causes, names of seats, options of settlement.
            ours, theirs = parse_record(bytes(noisy)), parse_record(before)
            assert ours.result == theirs.result
            assert [(one.seat, one.text) for one in ours.actions] == [
                (one.seat, one.text) for one in theirs.actions
            ]


def test_options_are_those_of_the_game() -> None:
    record = played("options")
    assert isinstance(parse_record(record).options, Options)
    with pytest.raises(BadRecord, match="line 5: classic@1 does not have this spring"):
        parse_record(with_header(record, "Options", Options(spring=1).canonical()))
    with pytest.raises(BadRecord, match="line 5: no preset '876cc@1'"):
        parse_record(with_header(record, "Preset", "876cc@1"))
