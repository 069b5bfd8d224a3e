"""The ways in which one mind is shown what the other believes, each named by a number or a word.

- `record`: a fair round of a mutated engine is written as a record; scoring audits the bytes. The other way
  round a mutated scoring audits the record of the real engine.
- `lockstep`: a rigged round, which no seed gives; both sides' questions, answers and results are compared.
- `hand`: a winning hand on its own; the engine's best way to win is compared with scoring's `ScoreHand`.
- `example`: a worked example, named by its id: positions made by hand that no deal leads to.
- `options`: the options of a preset, as either side spells them in a record.
"""

from __future__ import annotations

import importlib
import json
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, Final

from tests.differential.hands import best_of_engine, best_of_scoring, hand_of
from tests.differential.lockstep import Pair, Unequal
from tests.differential.mutants.planting import ENGINE, ROOT, SCORING, Mutant
from tests.differential.rigged import Manner, round_of

ANSWERS_MAX: Final = 2_000

Key = int | str
"""A number, or the id of a worked example."""
MANNERS: Final = (
    Manner(hu=1.0, claim=0.9, careful=True),
    Manner(hu=0.5, claim=0.9, careful=True),
    Manner(hu=0.7, claim=0.5),
    Manner(hu=0.5, claim=0.2),
)
"""How seats play. Not the engine's bots: they will play better one day, and the numbers would mean other rounds."""


def record_of(engine: str, mutant: Mutant, number: int) -> bytes:
    """Return the record of round `number` as an engine plays it under a mutant's preset and options.

    Args:
        engine: The name of an importable engine, mutated or not.
        mutant: Says what is played.
        number: Of the round; everything else follows from it.
    """
    game = importlib.import_module(engine).GAMES["paohuzi"]
    fair_deal = importlib.import_module(f"{engine}.fair_deal")
    record = importlib.import_module(f"{engine}.record")
    rng = random.Random(f"{mutant.preset} {number}")
    rules = game.ruleset(mutant.preset, dict(mutant.options))
    seed, seats = rng.randbytes(32), ("p_a", "p_b", "bot:random")
    nonces = [rng.randbytes(32) if rng.random() < 0.5 else b"" for _ in range(2)] + [b""]
    dealer, draws = rng.randrange(3), rng.randrange(min(3, rules.huangzhuang_change_after))
    round_id = f"m-{number}/{2 - number % 2}"
    if number % 2:
        dealer, draws = fair_deal.draw_dealer(seed, round_id, nonces), 0
    deck = game.deck()
    order = fair_deal.wall_order(seed, round_id, nonces, len(deck))
    position = game.deal(rules, [deck[at] for at in order], dealer)
    manners = [rng.choice(MANNERS) for _ in range(3)]
    actions: list[Any] = []
    while position.outcome() is None:
        assert len(actions) < ANSWERS_MAX, "the round does not end"
        seat = rng.choice(position.to_act())
        action = manners[seat].answer(rng, seat, position.legal_actions(seat))
        position.apply(seat, action)
        cause = "bot" if seats[seat].startswith("bot:") else ""
        actions.append(record.RecordedAction(seat, action, len(actions), cause))
    text = record.format_record(
        record.Record(
            round_id=round_id,
            game="paohuzi",
            preset=rules.title,
            options=rules.as_json(),
            seats=seats,
            dealer=dealer,
            draws_in_row=draws,
            commitment=fair_deal.commit(round_id, seed).hex(),
            seed=seed.hex(),
            nonces=tuple(nonce.hex() or "-" for nonce in nonces),
            started_ms=1,
            actions=tuple(actions),
            result=record.full_result("paohuzi", rules, dealer, draws, position.outcome()),
        )
    )
    return str(text).encode()


def is_agreed(scoring: str, record: bytes) -> bool:
    """Say whether a scoring, mutated or not, agrees to a record."""
    return bool(importlib.import_module(f"{scoring}.audit").audit_alone(record).agreed)


@lru_cache(maxsize=2_000)
def _right_record(preset: str, options: str, number: int) -> bytes:
    """Return a record of the real engine; many mutants of scoring are shown the same ones."""
    return record_of(ENGINE, Mutant("", "", "", "", "", preset=preset, options=json.loads(options)), number)


def _by_record(engine: str, scoring: str, mutant: Mutant, number: Key) -> bool:
    if engine == ENGINE:
        record = _right_record(mutant.preset, json.dumps(dict(mutant.options)), int(number))
    else:
        record = record_of(engine, mutant, int(number))
    return is_agreed(scoring, record)


def _by_lockstep(engine: str, scoring: str, mutant: Mutant, number: Key) -> bool:
    given = round_of(f"{mutant.rig} {mutant.preset} {number}", mutant.preset, mutant.options, mutant.rig)
    try:
        Pair(engine, scoring).play(given)
    except Unequal:
        return False
    return True


def _by_hand(engine: str, scoring: str, mutant: Mutant, number: Key) -> bool:
    given = hand_of(f"{mutant.preset} {number}", mutant.preset, mutant.options)
    return best_of_engine(engine, given) == best_of_scoring(scoring, given)


@cache
def examples() -> Mapping[str, Any]:
    """Return the worked examples by id."""
    files = (ROOT / "tests/vectors/paohuzi.jsonl", ROOT / "tests/vectors/more_paohuzi.jsonl")
    cases = [json.loads(line) for file in files for line in file.read_text().splitlines()]
    return {case["id"]: case for case in cases}


def _by_example(engine: str, scoring: str, mutant: Mutant, number: Key) -> bool:
    case = examples()[str(number)]
    run = importlib.import_module(f"{engine}.paohuzi.vectors").run_case
    return bool(run(case) == importlib.import_module(f"{scoring}.vectors").run_case(case) == [])


def _by_options(engine: str, scoring: str, mutant: Mutant, number: Key) -> bool:
    try:
        Pair(engine, scoring).same_rules(mutant.preset, mutant.options)
    except Unequal:
        return False
    return True


WAYS: Final[dict[str, Callable[[str, str, Mutant, Key], bool]]] = {
    "record": _by_record,
    "lockstep": _by_lockstep,
    "hand": _by_hand,
    "example": _by_example,
    "options": _by_options,
}


def agree(way: str, mutant: Mutant, number: Key, engine: str = ENGINE, scoring: str = SCORING) -> bool:
    """Say whether an engine and a scoring, one of them perhaps mutated, see the same.

    Args:
        way: One of WAYS.
        mutant: Says under which preset and options, and on which walls.
        number: Of the round or hand, or the id of an example.
        engine: The name of an importable engine.
        scoring: The name of an importable scoring core.
    """
    return WAYS[way](engine, scoring, mutant, number)


def tries() -> Sequence[tuple[str, Iterable[Key]]]:
    """Return what is tried, in order; a record is what scoring really audits, so records come first."""
    return (
        ("record", range(250)),
        ("lockstep", range(1_500)),
        ("hand", range(8_000)),
        ("example", examples()),
        ("options", range(1)),
    )
