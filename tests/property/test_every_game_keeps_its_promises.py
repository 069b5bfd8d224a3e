"""What holds for every registered game and preset, whatever is played (DESIGN, tests)."""

import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from engine import GAMES
from engine.errors import ActionRefused, BadNotation, IllegalAction, NotAsked, Refusal, RoundOver
from engine.record import Record, RecordedAction, format_record, full_result, parse_record, replay
from tests.property.engine_playouts import CASES, IS_COMPILED, REFUSED, choose, deal, played, snapshot, steps

ROOT = Path(__file__).resolve().parents[2]
SEEDS = range(8)
every_game = pytest.mark.parametrize(("name", "preset"), CASES)


@every_game
def test_cards_are_never_made_nor_lost(name: str, preset: str) -> None:
    for seed in SEEDS:
        for playout in steps(name, preset, seed):
            deck = playout.game.deck()
            held = playout.position.tiles()
            assert {card: held[card] for card in deck} == {card: deck.count(card) for card in deck}
            assert sum(held.values()) == len(deck)


@every_game
def test_a_round_ends_and_its_points_add_up_to_nothing(name: str, preset: str) -> None:
    for seed in SEEDS:
        playout = played(name, preset, seed)
        outcome = playout.position.outcome()
        assert sum(outcome.points) == 0
        assert len(outcome.points) == playout.game.seats
        # Kongs are paid whoever wins, so a winner may have lost more by them than the win brings. Winners
        # that are bound to each other (承包) pay each other too.
        lost = list(getattr(outcome, "kong_points", (0,) * playout.game.seats))
        for payment in getattr(outcome, "payments", ()):
            if payment.why == "承包" and payment.payer in outcome.winners:
                lost[payment.payer] -= payment.points
        assert all(outcome.points[seat] > lost[seat] for seat in outcome.winners)
        assert playout.position.to_act() == ()
        with pytest.raises(RoundOver):
            playout.position.apply(0, "pass")


@every_game
def test_legal_actions_are_sorted_and_unique_and_only_the_asked_have_any(name: str, preset: str) -> None:
    for seed in SEEDS:
        for playout in steps(name, preset, seed):
            asked = playout.position.to_act()
            assert asked == tuple(sorted(set(asked)))
            assert bool(asked) == (playout.position.outcome() is None)
            for seat in range(playout.game.seats):
                legal = playout.position.legal_actions(seat)
                assert list(legal) == sorted(set(legal))
                assert bool(legal) == (seat in asked)


@every_game
def test_every_action_round_trips_through_its_text(name: str, preset: str) -> None:
    game: Any = GAMES[name]
    for seed in SEEDS:
        for playout in steps(name, preset, seed):
            for seat in playout.position.to_act():
                for action in playout.position.legal_actions(seat):
                    assert game.parse_action(game.format_action(action)) == action


@every_game
def test_a_view_is_the_fold_of_what_its_seat_was_told(name: str, preset: str) -> None:
    for seed in SEEDS:
        for playout in steps(name, preset, seed):
            for reader in playout.readers:
                assert playout.game.fold(playout.told[reader]) == playout.position.view(reader)


def illegal_actions(playout: Any, rng: random.Random) -> list[tuple[Any, Any]]:
    """Return answers that must be refused now: of the wrong seat, of another time, of no sense."""
    position = playout.position
    always = {"pass", "hu", "peng", "discard s1", "chi s1s2s3"}
    known = sorted({action for _, action in playout.actions} | always)
    tried: list[tuple[Any, Any]] = [
        (9, "pass"),
        (-1, "pass"),
        (None, "pass"),
        ("0", "pass"),
        (0, None),
        (0, 7),
    ]
    for seat in range(playout.game.seats):
        legal = position.legal_actions(seat)
        tried += [(seat, action) for action in rng.sample(known, min(6, len(known))) if action not in legal]
        tried += [(seat, "nonsense"), (seat, ""), (seat, ["pass"]), (seat, "discard s1 ")]
    return tried


@every_game
def test_a_refusal_changes_nothing(name: str, preset: str) -> None:
    for seed in SEEDS:
        rng = random.Random(seed)
        playout = deal(name, preset, rng)
        untouched = playout.position.clone()
        while playout.position.outcome() is None:
            before = snapshot(playout.position, playout.game.seats)
            for seat, action in illegal_actions(playout, rng):
                typed = isinstance(seat, int) and isinstance(action, str)
                with pytest.raises(ActionRefused if typed else REFUSED) as refused:
                    playout.position.apply(seat, action)
                expected = IllegalAction if seat in playout.position.to_act() else NotAsked
                assert refused.type is (TypeError if IS_COMPILED and not typed else expected)
            assert snapshot(playout.position, playout.game.seats) == before
            seat, action = choose(playout, rng, 0.5)
            events = untouched.apply(seat, action)
            assert playout.position.apply(seat, action) == events
            playout.actions.append((seat, action))
        assert snapshot(playout.position, playout.game.seats) == snapshot(untouched, playout.game.seats)


@every_game
def test_a_clone_goes_its_own_way(name: str, preset: str) -> None:
    for seed in SEEDS:
        rng = random.Random(seed)
        for playout in steps(name, preset, seed):
            if playout.position.outcome() is not None or rng.random() < 0.7:
                continue
            before = snapshot(playout.position, playout.game.seats)
            clone = playout.position.clone()
            while clone.outcome() is None:
                seat = rng.choice(clone.to_act())
                clone.apply(seat, rng.choice(clone.legal_actions(seat)))
            assert snapshot(playout.position, playout.game.seats) == before


def recorded(playout: Any) -> Record:
    draws, outcome = playout.draws_in_row, playout.position.outcome()
    result = full_result(playout.game.name, playout.rules, playout.dealer, draws, outcome)
    causes = ("", "bot", "timeout", "auto")
    return Record(
        round_id="3-k2v9x1/7",
        game=playout.game.name,
        preset=playout.rules.title,
        options=playout.rules.as_json(),
        seats=("p_81f2", "p_9-a_B", "bot:normal", "p_0")[: playout.game.seats],
        dealer=playout.dealer,
        draws_in_row=draws,
        commitment="5f" * 32,
        seed="9c" * 32,
        nonces=("77" * 32, *["-"] * (playout.game.seats - 1)),
        started_ms=1_790_000_000_000,
        actions=tuple(
            RecordedAction(seat, action, 700 * at, causes[at % 4])
            for at, (seat, action) in enumerate(playout.actions)
        ),
        result=result,
    )


@every_game
def test_a_record_reads_back_and_plays_again_to_the_same_end(name: str, preset: str) -> None:
    for seed in SEEDS:
        playout = played(name, preset, seed)
        record = recorded(playout)
        text = format_record(record)
        assert parse_record(text) == record
        assert format_record(parse_record(text)) == text
        again = replay(parse_record(text), playout.wall)
        assert snapshot(again, playout.game.seats) == snapshot(playout.position, playout.game.seats)


@every_game
def test_bots_and_the_fallback_answer_what_they_are_asked(name: str, preset: str) -> None:
    searched = 0
    for seed in SEEDS:
        for playout in steps(name, preset, seed):
            for seat in playout.position.to_act():
                view = playout.position.view(seat)
                assert playout.game.fallback(view) in view.legal
                for strength, bot in playout.game.bots.items():
                    if strength == "hard":
                        # It searches for a tenth of a second; its own tests ask it more.
                        if searched == 2 or len(view.legal) == 1:
                            continue
                        searched += 1
                    answer = bot(view, random.Random(seed))
                    assert answer in view.legal
                    assert answer == bot(playout.game.fold(playout.told[seat]), random.Random(seed))


@every_game
def test_a_rule_set_comes_back_from_its_record(name: str, preset: str) -> None:
    game: Any = GAMES[name]
    rules = game.ruleset(preset)
    assert game.ruleset_from(rules.title, rules.as_json()) == rules
    with pytest.raises(Refusal, match="no_such_option"):
        game.ruleset(preset, {"no_such_option": 1})


@pytest.mark.parametrize("name", list(GAMES))
def test_an_unknown_preset_is_refused_with_the_known_ones_listed(name: str) -> None:
    game: Any = GAMES[name]
    with pytest.raises(Refusal) as refused:
        game.ruleset("no-such-preset")
    assert all(preset in str(refused.value) for preset in game.presets)


def test_an_unknown_game_is_refused_with_the_known_ones_listed() -> None:
    with pytest.raises(Refusal) as refused:
        GAMES["no-such-game"]
    assert all(name in str(refused.value) for name in GAMES)


@every_game
@pytest.mark.parametrize("fault", ["short", "doubled", "no card", "no seat"])
def test_a_deal_that_cannot_be_is_refused(name: str, preset: str, fault: str) -> None:
    game: Any = GAMES[name]
    wall, dealer = list(game.deck()), 0
    if fault == "short":
        wall.pop()
    elif fault == "doubled":
        wall[0] = wall[-1]
    elif fault == "no card":
        wall[0] = "s11"
    else:
        dealer = game.seats
    with pytest.raises(Refusal) as refused:
        game.deal(game.ruleset(preset), wall, dealer)
    assert refused.value.reason == "BAD_DEAL"


@pytest.mark.parametrize("name", list(GAMES))
@pytest.mark.parametrize(
    "text", ["", "PASS", "pass ", "discard", "discard s0", "chi s8", "chi  s1s2s3", "hu s1", None, 3]
)
def test_what_is_no_action_is_refused(name: str, text: Any) -> None:
    with pytest.raises(BadNotation):
        GAMES[name].parse_action(text)


DIGEST = """
import hashlib
from tests.property.engine_playouts import IS_COMPILED, REFUSED, CASES, played
digest = hashlib.sha256()
for name, preset in CASES:
    for seed in range(3):
        playout = played(name, preset, seed)
        for reader in playout.readers:
            digest.update("\\n".join(playout.told[reader]).encode())
        digest.update(repr(playout.actions).encode())
print(digest.hexdigest())
"""


def test_rounds_are_the_same_under_every_hash_seed() -> None:
    digests = {
        subprocess.run(
            [sys.executable, "-c", DIGEST],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "4242")
    }
    assert len(digests) == 1
