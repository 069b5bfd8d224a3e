"""A recorded round is agreed only if every part of it is right, and no record breaks the auditor."""

import json
import random
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from time import process_time
from typing import Any

import pytest

from services.scoring.core import deal, paohuzi, play, rules, table
from services.scoring.core.audit import AGREED, DISPUTED, Heard, Verdict, audit, audit_alone
from services.scoring.core.game import Figures
from services.scoring.core.hands import EATEN
from services.scoring.core.record import RECORD_BYTES_MAX, BadRecord, parse_record
from services.scoring.core.rules import Options
from services.scoring.core.tiles import DECK, KINDS, counted

GOLDEN = (Path(__file__).parents[1] / "vectors" / "paohuzi_record.txt").read_bytes()
BOT = 2
Choose = Callable[[random.Random, Sequence[str]], str]


def eager(rng: random.Random, actions: Sequence[str]) -> str:
    """Win nearly always, claim often, discard anything."""
    if "hu" in actions and rng.random() < 0.9:
        return "hu"
    claims = [action for action in actions if action not in ("pass", "hu")]
    return rng.choice(claims) if claims and ("pass" not in actions or rng.random() < 0.7) else actions[-1]


def anything(rng: random.Random, actions: Sequence[str]) -> str:
    return rng.choice(actions)


def played(
    rng: random.Random, preset: str, options: Options, choose: Choose = eager, round_id: str = "3-x/2"
) -> tuple[bytes, bytes, table.Table]:
    """Return the record of a random round, its commitment and the table at the end."""
    seed, nonces = rng.randbytes(32), [rng.randbytes(32), None, None]
    dealer, draws = rng.randrange(3), rng.randrange(options.huangzhuang_change_after)
    if round_id.endswith("/1"):
        dealer, draws = deal.first_dealer(seed, round_id, nonces), 0
    at = table.dealt(options, dealer, [DECK[p] for p in deal.shuffled(seed, round_id, nonces, 80)])
    course = play.whole_round(at)
    lines: list[str] = []
    ending = table.Ending("")
    try:
        asked = next(course)
        while True:
            seat = rng.choice(sorted(asked))
            action = choose(rng, asked[seat])
            cause = rng.choice(["", " timeout", " auto"] if action == "pass" else [""])
            cause = " bot" if seat == BOT else cause
            lines.append(f"{seat} {action} @{len(lines) * 700}{cause}")
            asked = course.send((seat, action))
    except StopIteration as done:
        ending = done.value
    commitment = deal.commitment_of(round_id, seed)
    head = [
        "Paiju-Record: 1",
        f"Round: {round_id}",
        "Game: paohuzi",
        f"Preset: {preset}",
        f"Options: {options.canonical()}",
        "Seats: p_a p_b bot:x",
        f"Dealer: {dealer}",
        f"Draws-In-Row: {draws}",
        f"Commitment: {commitment.hex()}",
        f"Seed: {seed.hex()}",
        f"Nonces: {','.join(nonce.hex() if nonce else '-' for nonce in nonces)}",
        "Started: 1790000000000",
    ]
    figures = paohuzi.figures(options, at.dealer, draws, ending)
    text = "\n".join([*head, "", *lines, "", f"Result: {_result(figures)}", ""])
    return text.encode(), commitment, at


def _result(figures: Figures) -> str:
    result = figures.result
    assert isinstance(result, paohuzi.Result)
    given = {name: getattr(result, name) for name in result.__slots__}
    given["from"] = given.pop("from_seat")
    given["melds"] = [["chi" if kind in EATEN else kind, *cards] for kind, *cards in figures.melds]
    return json.dumps(given, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def _with_result(record: bytes, **changes: Any) -> bytes:
    head, _, result = record.decode().rpartition("Result: ")
    given = {**json.loads(result), **changes}
    text = json.dumps(given, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return f"{head}Result: {text}\n".encode()


def _with_header(record: bytes, name: str, value: str) -> bytes:
    lines = record.decode().split("\n")
    at = next(number for number, line in enumerate(lines) if line.startswith(f"{name}: "))
    lines[at] = f"{name}: {value}"
    return "\n".join(lines).encode()


def _heard(record: bytes) -> bytes:
    return parse_record(record).commitment


def _judged(record: bytes) -> Verdict:
    return audit(record, _heard(GOLDEN))


OPTION_SETS: list[dict[str, object]] = [
    {},
    {"discard_hu": True},
    {"discard_hu": True, "discard_hu_pays": "all", "chou_hu": "table_xi"},
    {"chou_hu": "off", "liangzhang_hu": "off", "min_xi": 6, "deng_first": 6},
    {"santi_wukan": "off", "liangzhang_hu": "dealer", "min_xi": 3, "deng_first": 3},
    {"forbid_claim_without_discard": False, "po_pao_hu": False, "min_xi": 6, "deng_first": 6},
    {"zimo_stage": "after_fan", "zimo_deng": 2, "names": "qmt", "point_cap": 9, "base_stake": 5},
    {"dead_peng_blocks_chi": False, "own_discard_dead": False, "huangzhuang_change_after": 1},
    {"haidi_plain_total": 2, "wu_dui_total": 9, "liang_xian_zimo": True, "min_xi": 3, "deng_first": 3},
]


@pytest.mark.parametrize("number", range(len(OPTION_SETS)))
def test_random_rounds_under_every_option_end_conserve_cards_and_are_agreed(number: int) -> None:
    rng = random.Random(100 + number)
    options = rules.with_overrides(Options(), OPTION_SETS[number])
    preset = "custom@0" if OPTION_SETS[number] else "876cc@1"
    ends: Counter[str] = Counter()
    for turn in range(60):
        record, commitment, at = played(rng, preset, options, eager if turn % 3 else anything)
        verdict = audit(record, commitment)
        assert verdict.agreed, (verdict.reason, record.decode())
        assert verdict.figures is not None
        result = verdict.figures.result
        assert sum(result.points) == 0
        ends[result.how] += 1
        for seat in at.seats:
            assert min(seat.hand) >= 0
        in_play = sum(seat.held() for seat in at.seats)
        gone = sum(1 for line in at.trace if line.startswith("river"))
        offered = 1 if result.how in ("wall", "discard") or _shown_win(at, result.how) else 0
        assert in_play + gone + offered + len(at.wall) == 80
        everything = counted([card for seat in at.seats for meld in seat.melds for card in meld.cards])
        assert all(everything[kind] + sum(s.hand[kind] for s in at.seats) <= 4 for kind in range(KINDS))
    assert len(ends) > 1


def _shown_win(at: table.Table, how: str) -> bool:
    """Say whether a self-drawn win was on a shown card, which then lies in no meld."""
    winner = at.trace[-1].removeprefix("win@")
    return how == "zimo" and at.trace[-3] not in {f"{kind}!@{winner}" for kind in ("wei", "ti", "chouwei")}


def test_every_preset_is_agreed_on_its_own_rounds() -> None:
    rng = random.Random(77)
    for preset, options in rules.PRESETS.items():
        for _ in range(15):
            record, commitment, _ = played(rng, preset, options, round_id="9-y/1")
            assert audit(record, commitment).agreed


def test_the_golden_round_is_agreed_with_its_figures() -> None:
    verdict = _judged(GOLDEN)
    assert verdict.status == AGREED
    assert verdict.differences == ()
    assert verdict.reason == ""
    assert verdict.version.startswith("paiju-scoring ")
    assert verdict.record is not None
    assert verdict.figures is not None
    assert verdict.record.result == verdict.figures.result
    assert verdict.nonces_given == 1


GOLDEN_RESULT = json.loads(GOLDEN.decode().rpartition("Result: ")[2])


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("end", "draw"),
        ("winners", []),
        ("how", "wall" if GOLDEN_RESULT["how"] == "zimo" else "zimo"),
        ("from", (GOLDEN_RESULT["from"] + 1) % 3),
        ("card", "s1" if GOLDEN_RESULT["card"] != "s1" else "s2"),
        ("points", [value * 2 for value in GOLDEN_RESULT["points"]]),
        ("huxi", GOLDEN_RESULT["huxi"] + 1),
        ("deng", GOLDEN_RESULT["deng"] + 1),
        ("zimo_bonus", GOLDEN_RESULT["zimo_bonus"] + 1),
        ("names", {"海底": 1}),
        ("fan", GOLDEN_RESULT["fan"] + 1),
        ("dealer_next", (GOLDEN_RESULT["dealer_next"] + 1) % 3),
        ("draws_in_row_next", 1),
    ],
)
def test_each_figure_that_differs_is_disputed_with_both_sides(field: str, value: object) -> None:
    verdict = _judged(_with_result(GOLDEN, **{field: value}))
    assert verdict.status == DISPUTED
    assert [difference.field for difference in verdict.differences] == [field]
    assert verdict.differences[0].engine == json.dumps(value, sort_keys=True, ensure_ascii=False)
    assert verdict.differences[0].ours == json.dumps(GOLDEN_RESULT[field], sort_keys=True, ensure_ascii=False)
    assert verdict.figures is not None


def test_melds_that_are_not_the_winners_are_disputed() -> None:
    assert [one.field for one in _judged(_with_result(GOLDEN, melds=[])).differences] == ["melds"]


def test_a_commitment_not_heard_heard_late_or_of_another_seed_is_disputed() -> None:
    heard = _heard(GOLDEN)
    assert audit(GOLDEN, None).reason.endswith("scoring says none was heard")
    assert audit(GOLDEN, heard, Heard(before_first_action=False)).reason.endswith("after the first action")
    assert audit(GOLDEN, bytes(32)).reason.endswith(f"{bytes(32).hex()}, as heard")
    other = _with_header(GOLDEN, "Seed", "00" * 32)
    assert audit(other, heard).differences[0].field == "commitment"
    relabelled = _with_header(GOLDEN, "Commitment", "00" * 32)
    assert audit(relabelled, heard).differences[0].field == "commitment"


def test_a_record_alone_is_checked_against_its_own_commitment() -> None:
    assert audit_alone(GOLDEN).agreed
    assert not audit_alone(_with_header(GOLDEN, "Commitment", "00" * 32)).agreed


def test_nonces_must_follow_from_the_links_that_were_heard() -> None:
    given = parse_record(GOLDEN).nonces
    seat = next(seat for seat, nonce in enumerate(given) if nonce)
    nonce = given[seat]
    assert nonce is not None
    links: list[bytes | None] = [None, None, None]
    links[seat] = deal.next_link(nonce)
    heard = _heard(GOLDEN)
    assert audit(GOLDEN, heard, Heard(links=links)).agreed
    links[seat] = bytes(32)
    assert audit(GOLDEN, heard, Heard(links=links)).differences[0].field == f"nonce {seat}"
    assert not audit(GOLDEN, heard, Heard(links=[None, None, None])).agreed


def test_a_bot_that_gives_a_nonce_is_disputed() -> None:
    record = _with_header(GOLDEN, "Seats", "bot:a bot:b bot:c")
    assert audit(record, _heard(GOLDEN)).differences[0].ours == "bots give none"


def test_the_first_dealer_is_drawn_and_later_ones_follow_the_round_before() -> None:
    first = parse_record(GOLDEN)
    assert first.round_no == 1
    moved = _with_header(GOLDEN, "Dealer", str((first.dealer + 1) % 3))
    assert audit(moved, _heard(GOLDEN)).differences[0].field == "dealer"
    assert (
        audit(_with_header(GOLDEN, "Draws-In-Row", "1"), _heard(GOLDEN)).differences[0].field
        == "draws_in_row"
    )
    record, commitment, _ = played(random.Random(3), "876cc@1", Options())
    said = parse_record(record)
    assert audit(record, commitment, Heard(dealer=said.dealer, draws_in_row=said.draws_in_row)).agreed
    assert not audit(record, commitment, Heard(dealer=(said.dealer + 1) % 3)).agreed
    assert not audit(record, commitment, Heard(draws_in_row=said.draws_in_row + 1)).agreed


def _action_lines(record: bytes) -> tuple[list[str], list[str], list[str]]:
    head, actions, tail = record.decode().split("\n\n")
    return head.split("\n"), actions.split("\n"), tail.split("\n")


def _with_actions(record: bytes, actions: list[str]) -> bytes:
    head, _, tail = _action_lines(record)
    return "\n".join([*head, "", *actions, "", *tail]).encode()


def test_the_first_wrong_action_is_named() -> None:
    _, actions, _ = _action_lines(GOLDEN)
    missing = _judged(_with_actions(GOLDEN, actions[:-1]))
    assert missing.wrong_action is not None
    assert missing.wrong_action.number == len(actions)
    assert "the record ends while seat" in missing.reason
    extra = _judged(_with_actions(GOLDEN, [*actions, "0 pass @999999"]))
    assert extra.wrong_action is not None
    assert extra.wrong_action.number == len(actions) + 1
    assert "the round has ended" in extra.reason
    asked = int(actions[0][0])
    stranger = _judged(_with_actions(GOLDEN, [f"{(asked + 1) % 3} pass @0", *actions]))
    assert stranger.wrong_action is not None
    assert stranger.wrong_action.number == 1
    assert "is not asked anything" in stranger.reason
    illegal = _judged(_with_actions(GOLDEN, [f"{asked} peng @0", *actions[1:]]))
    assert "legal are" in illegal.reason
    assert illegal.figures is None


def test_every_discard_that_is_dropped_and_action_that_is_doubled_changes_the_verdict() -> None:
    _, actions, _ = _action_lines(GOLDEN)
    for number in range(len(actions)):
        before, here, after = actions[:number], actions[number], actions[number + 1 :]
        if "discard" in here:
            assert not _judged(_with_actions(GOLDEN, before + after)).agreed
        assert not _judged(_with_actions(GOLDEN, [*before, here, here, *after])).agreed


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("Paiju-Record: 1", "Paiju-Record: 2", 1),
        ("Round: ", "Rounds: ", 2),
        ("/1\n", "/01\n", 2),
        ("Game: paohuzi", "Game: poker", 3),
        ("@1\n", "@7\n", 5),
        ('"min_xi":', '"min_xi": ', 5),
        ('"min_xi":', '"max_xi":', 5),
        ("Seats: ", "Seats: p_z ", 6),
        ("Dealer: ", "Dealer: 1", 7),
        ("Draws-In-Row: 0", "Draws-In-Row: 3", 8),
        ("Commitment: ", "Commitment: A", 9),
        ("Seed: ", "Seed: 0", 10),
        ("Nonces: ", "Nonces: -,", 11),
        ("Started: 1", "Started: -1", 12),
        ("\n\n", "\n", 13),
        ("\n\n", "\n\n\n\n", 15),
        (" @", "  @", 14),
        ("Result: {", "Result: { ", -1),
        ('"fan":', '"fun":', -1),
        ('"huxi":', '"huxi":"x","huxi":', -1),
        ('"end":"hu"', '"end":"flood"', -1),
    ],
)
def test_a_record_that_departs_from_the_format_is_disputed_with_its_line(
    old: str, new: str, line: int
) -> None:
    text = GOLDEN.decode()
    assert old in text
    broken = text.replace(old, new, 1).encode()
    expected = line if line > 0 else text.count("\n")
    with pytest.raises(BadRecord) as refused:
        parse_record(broken)
    assert refused.value.line == expected
    verdict = _judged(broken)
    assert verdict.status == DISPUTED
    assert verdict.reason.startswith(f"record: the engine says line {expected}: ")
    assert verdict.record is None
    assert len(verdict.record_sha256) == 32


@pytest.mark.parametrize(
    "record",
    [
        b"",
        b"\n",
        b"\xff\xfe",
        GOLDEN[:-1],
        GOLDEN + b"\n",
        GOLDEN.replace(b"\n", b"\r\n"),
        b" " * (RECORD_BYTES_MAX + 1),
        GOLDEN[:200],
        GOLDEN + b"Result: {}\n",
        b"Paiju-Record: 1\n" * 50,
    ],
)
def test_bytes_that_are_no_record_are_disputed_never_an_exception(record: bytes) -> None:
    verdict = _judged(record)
    assert (verdict.status, verdict.record) == (DISPUTED, None)


def test_a_record_with_any_byte_changed_never_raises_and_is_never_quietly_agreed() -> None:
    rng = random.Random(12)
    heard = _heard(GOLDEN)
    starts = [GOLDEN.index(name) for name in (b"Seats", b"Started")]
    harmless = [range(start, GOLDEN.index(b"\n", start)) for start in starts]
    for _ in range(1500):
        at = rng.randrange(len(GOLDEN))
        broken = bytearray(GOLDEN)
        broken[at] = rng.choice(b'0123456789abcdefpsz @-:,{}[]"\n\x00\xff')
        verdict = audit(bytes(broken), heard)
        if verdict.agreed and bytes(broken) != GOLDEN:
            line = bytes(broken)[: at + 1].rpartition(b"\n")[2] + bytes(broken)[at + 1 :].partition(b"\n")[0]
            is_time = b" @" in line[: len(bytes(broken)[: at + 1].rpartition(b"\n")[2])]
            is_meld = b'"melds"' in line
            is_stake = b'"base_stake"' in line or b'"big_cap"' in line
            assert is_time or is_meld or is_stake or any(at in span for span in harmless), (at, line)


def test_an_audit_takes_far_less_than_twenty_milliseconds() -> None:
    rng = random.Random(2)
    records = [played(rng, "tongyi-qmt@1", rules.preset_named("tongyi-qmt"))[:2] for _ in range(40)]
    from services.scoring.core.hands import partitions

    partitions.cache_clear()
    before = process_time()
    assert all(audit(record, commitment).agreed for record, commitment in records)
    assert (process_time() - before) / len(records) < 0.020


def test_a_draw_has_the_result_that_the_format_gives_it() -> None:
    rng = random.Random(1)
    options = rules.preset_named("876cc")
    for _ in range(200):
        record, commitment, _ = played(rng, "876cc@1", options, lambda rng, actions: actions[-1])
        said = parse_record(record)
        if said.result.end == "draw":
            moves = said.draws_in_row == 2
            expected = {
                "card": "",
                "dealer_next": (said.dealer + 1) % 3 if moves else said.dealer,
                "deng": 0,
                "draws_in_row_next": 0 if moves else said.draws_in_row + 1,
                "end": "draw",
                "fan": 0,
                "from": -1,
                "how": "",
                "huxi": 0,
                "melds": [],
                "names": {},
                "points": [0, 0, 0],
                "winners": [],
                "zimo_bonus": 0,
            }
            assert json.loads(record.decode().rpartition("Result: ")[2]) == expected
            assert audit(record, commitment).agreed
            assert not audit(_with_result(record, fan=1), commitment).agreed
            return
    raise AssertionError("no draw in 200 rounds")


def test_a_record_without_actions_has_two_empty_lines_in_a_row() -> None:
    text = GOLDEN.decode()
    head, _, tail = text.split("\n\n")
    record = parse_record(f"{head}\n\n\n{tail}".encode())
    assert record.actions == ()
