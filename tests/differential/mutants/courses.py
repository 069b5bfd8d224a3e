"""The ways in which a game's two minds are shown what the other believes, for every game whose round is a course.

- `record`: a fair round of a mutated engine is written as a record; scoring audits the bytes. The other way
  round a mutated scoring audits the record of the real engine.
- `lockstep`: a round on a rigged wall, which no seed gives; both sides' questions, answers and results are
  compared.
- `example`: a worked example, named by its id: what no deal leads to, and numbers that few deals show.

Presets and options are drawn for each round; a mutant may fix some of them.
"""

from __future__ import annotations

import dataclasses
import importlib
import json
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, Final

from engine import GAMES as ENGINES
from services.scoring.core.games import GAMES as SCORERS
from tests.differential.mutants.planting import ENGINE, ROOT, SCORING, Mutant
from tests.differential.mutants.rounds import Key, is_agreed
from tests.differential.mutants.styles import STYLES, Chosen

ANSWERS_MAX: Final = 2_000
CASES_UNREAD: Final = ("the example cannot be read", "cannot be run")
"""How a runner of examples begins when something raised: a crash is not noticed by the other mind."""


class Broken(Exception):
    """A mind crashed or did not come to an end, which is no dispute."""


class Unequal(Exception):
    """The two minds see something differently."""


@dataclasses.dataclass(frozen=True, slots=True)
class Given:
    """Everything that a number stands for, but how the seats answer."""

    preset: str
    options: Mapping[str, Any]
    dealer: int
    draws: int
    rng: random.Random


def given_for(game: str, way: str, mutant: Mutant, number: int) -> Given:
    """Return what is played; equal for all mutants that fix the same preset and options."""
    rng = random.Random(f"{game} {way} {mutant.preset} {number}")
    preset = mutant.preset or rng.choice(sorted(ENGINES[game].presets))
    # A few changed options, then some, then many; each third round none but those the mutant fixes.
    options = _some_options(game, rng, (0, 3, 12)[number % 3])
    options.update(mutant.options)
    return Given(preset, options, rng.randrange(ENGINES[game].seats), rng.choice([0, 0, 1, 3]), rng)


def _some_options(game: str, rng: random.Random, most: int) -> dict[str, Any]:
    # Without `fee`: it is no rule, and the numbers that are kept were found before there was one.
    values = {name: choices for name, choices in STYLES[game].values.items() if name != "fee"}
    return {name: rng.choice(values[name]) for name in rng.sample(sorted(values), min(most, len(values)))}


def record_of(game: str, engine: str, mutant: Mutant, number: int) -> bytes:
    """Return the record of round `number` as an engine, mutated or not, plays it."""
    played = importlib.import_module(engine).GAMES[game]
    fair_deal = importlib.import_module(f"{engine}.fair_deal")
    record = importlib.import_module(f"{engine}.record")
    given = given_for(game, "record", mutant, number)
    rng, dealer, draws = given.rng, given.dealer, given.draws
    rules = played.ruleset(given.preset, dict(given.options))
    seed = rng.randbytes(32)
    nonces = [rng.randbytes(32) if rng.random() < 0.5 else b"" for _ in range(played.seats - 1)] + [b""]
    round_id = f"m-{number}/{2 - number % 2}"
    scored = SCORERS[game].options_of_record(rules.as_json(), rules.title)
    if number % 2 or SCORERS[game].dealer_is_drawn(scored):
        dealer = fair_deal.draw_dealer(seed, round_id, nonces)
    if number % 2:
        draws = 0
    deck = played.deck()
    order = fair_deal.wall_order(seed, round_id, nonces, len(deck))
    position = played.deal(rules, [deck[at] for at in order], dealer, draws)
    style = STYLES[game]
    chosen = Chosen(order, {})
    manners = style.manners(rng, chosen, dealer)
    actions: list[Any] = []
    history: list[tuple[int, str]] = []
    while position.outcome() is None:
        if len(actions) >= ANSWERS_MAX:
            raise Broken("the round does not end")
        seat = rng.choice(position.to_act())
        legal = tuple(position.legal_actions(seat))
        action = style.answer(rng, manners[seat], legal, position.view(seat).as_json(), history)
        position.apply(seat, action)
        history.append((seat, action))
        cause = "bot" if seat == played.seats - 1 else ""
        actions.append(record.RecordedAction(seat, action, len(actions), cause))
    text = record.format_record(
        record.Record(
            round_id=round_id,
            game=game,
            preset=rules.title,
            options=rules.as_json(),
            seats=(*[f"p_{seat}" for seat in range(played.seats - 1)], "bot:random"),
            dealer=dealer,
            draws_in_row=draws,
            commitment=fair_deal.commit(round_id, seed).hex(),
            seed=seed.hex(),
            nonces=tuple(nonce.hex() or "-" for nonce in nonces),
            started_ms=1,
            actions=tuple(actions),
            result=record.full_result(game, rules, dealer, draws, position.outcome()),
        )
    )
    return str(text).encode()


@lru_cache(maxsize=2_000)
def _right_record(game: str, preset: str, options: str, number: int) -> bytes:
    """Return a record of the real engine; many mutants of scoring are shown the same ones."""
    return record_of(
        game, ENGINE, Mutant("", "", "", "", "", preset=preset, options=json.loads(options)), number
    )


def _by_record(game: str, engine: str, scoring: str, mutant: Mutant, number: Key) -> bool:
    if engine == ENGINE:
        record = _right_record(game, mutant.preset, json.dumps(dict(mutant.options)), int(number))
    else:
        record = record_of(game, engine, mutant, int(number))
    return is_agreed(scoring, record)


def _by_lockstep(game: str, engine: str, scoring: str, mutant: Mutant, number: Key) -> bool:
    try:
        given = given_for(game, "lockstep", mutant, int(number))
        _play_both(game, engine, scoring, given, mutant.rig)
    except Unequal:
        return False
    return True


def _play_both(game: str, engine: str, scoring: str, given: Given, rig: str) -> None:
    """Play a round on a rigged wall in both minds.

    Raises:
        Unequal: The first thing on which they differ.
        Broken: The round does not end.
    """
    theirs = importlib.import_module(engine).GAMES[game]
    ours = importlib.import_module(f"{scoring}.games").GAMES[game]
    full_result = importlib.import_module(f"{engine}.record").full_result
    bad_options = importlib.import_module(f"{scoring}.rules").BadOptions
    refusal = importlib.import_module(f"{engine}.errors").Refusal
    rng, style = given.rng, STYLES[game]
    rules = theirs.ruleset(given.preset, dict(given.options))
    try:
        options = ours.options_of_record(rules.as_json(), rules.title)
    except bad_options as bad:
        raise Unequal("options", rules.as_json(), str(bad)) from bad
    chosen = style.wall(rng, rig)
    deck = ENGINES[game].deck()
    manners = style.manners(rng, chosen, given.dealer)
    position = theirs.deal(rules, [deck[place] for place in chosen.places], given.dealer, given.draws)
    course = ours.course(options, given.dealer, given.draws, chosen.places)
    history: list[tuple[int, str]] = []
    asked: Any = None
    figures: Any = None
    while len(history) < ANSWERS_MAX:
        try:
            asked = next(course) if asked is None else course.send(history[-1])
        except StopIteration as done:
            figures = done.value
            break
        seats = list(position.to_act())
        _same("seats asked", seats, sorted(asked), history)
        for seat in seats:
            _same(f"answers of {seat}", sorted(position.legal_actions(seat)), answers(asked[seat]), history)
        seat = rng.choice(seats)
        view = position.view(seat).as_json()
        # Texts that are likely no answers; drawn apart, so that they do not change what is played.
        for text in style.odd(random.Random(f"{seat} {len(history)}"), position.legal_actions(seat), view):
            taken = _takes(position, seat, text, refusal)
            _same(f"{text!r} by {seat}", taken, text in asked[seat], history)
        action = style.answer(rng, manners[seat], tuple(answers(asked[seat])), view, history)
        _same(f"{action!r} by {seat}", True, action in asked[seat], history)
        history.append((seat, action))
        position.apply(seat, theirs.parse_action(action))
    outcome = position.outcome()
    if figures is None and outcome is None:
        raise Broken("the round does not end")
    _same("the end", outcome is not None, figures is not None, history)
    said = full_result(game, rules, given.dealer, given.draws, outcome)
    told, shown = ours.result_of(json.loads(json.dumps(said)))
    for each in dataclasses.fields(figures.result):
        _same(each.name, getattr(told, each.name), getattr(figures.result, each.name), history)
    _same("melds", [], list(ours.doubts_of_melds(shown, told, figures)), history)


def _takes(position: Any, seat: int, text: str, refusal: type[Exception]) -> bool:
    """Say whether an engine takes a text as an answer."""
    try:
        position.clone().apply(seat, text)
    except refusal:
        return False
    return True


def answers(question: Any) -> list[str]:
    """Return the legal answers to a question of scoring, sorted."""
    return sorted(question.answers() if hasattr(question, "answers") else question)


def _same(what: str, engine: object, scoring: object, history: object) -> None:
    if engine != scoring:
        raise Unequal(what, engine, scoring, history)


@cache
def examples(game: str) -> Mapping[str, Any]:
    """Return the worked examples of a game by id."""
    files = sorted((ROOT / "tests/vectors").glob(f"*{game}*.jsonl"))
    cases = [json.loads(text) for file in files for text in file.read_text().splitlines() if text]
    return {case["id"]: case for case in cases}


def _by_example(game: str, engine: str, scoring: str, mutant: Mutant, number: Key) -> bool:
    case = examples(game)[str(number)]
    theirs = importlib.import_module(f"{engine}.{game}.vectors").run_case(case)
    ours = importlib.import_module(f"{scoring}.vectors").run_case(case)
    for wrong in (*theirs, *ours):
        if any(unread in wrong for unread in CASES_UNREAD):
            raise Broken(wrong)
    return bool(theirs == ours == [])


WAYS: Final[dict[str, Callable[[str, str, str, Mutant, Key], bool]]] = {
    "record": _by_record,
    "lockstep": _by_lockstep,
    "example": _by_example,
}


def agree(
    game: str, way: str, mutant: Mutant, number: Key, engine: str = ENGINE, scoring: str = SCORING
) -> bool:
    """Say whether an engine and a scoring, one of them perhaps mutated, see the same; as `rounds.agree`."""
    return WAYS[way](game, engine, scoring, mutant, number)


def tries(game: str) -> Sequence[tuple[str, Iterable[Key]]]:
    """Return what is tried, in order; a record is what scoring really audits, so records come first."""
    few = (("record", range(60)), ("lockstep", range(150)))
    many = (("record", range(60, 300)), ("lockstep", range(150, 1_500)))
    return (*few, ("example", tuple(examples(game))), *many)
