"""斗地主: the hard bot guesses only what its view leaves open, and plays its guesses on."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from engine import GAMES
from engine.arena import duel, duel_deals, shuffled
from engine.doudizhu.cards import KINDS, count_of, parse_cards, size_of
from engine.doudizhu.guess import guess
from engine.doudizhu.hard import CANDIDATES_MAX, PLAY_BUDGET, candidates_of, consider, hard_bot
from engine.doudizhu.normal import normal_bot, normal_policy, strength
from engine.doudizhu.position import Position
from engine.doudizhu.setup import in_play
from engine.search import Chance, Found

GAME: Any = GAMES["doudizhu"]
CLASSIC = GAME.ruleset("classic")


def questions(preset: str, rounds: int, bold: int = 80, **options: Any) -> Iterator[tuple[Position, int]]:
    """Yield every position and seat that is asked, in rounds played well for so many percent of the time."""
    rules = GAME.ruleset(preset, options)
    for number in range(rounds):
        chance = Chance(1000 + number)
        position = GAME.deal(rules, shuffled(GAME.deck(), chance), number % 3)
        while position.to_act():
            for seat in position.to_act():
                yield position, seat
            seat = position.to_act()[-1]
            bot = normal_bot if chance.randrange(100) < bold else GAME.bots["random"]
            position.apply(seat, bot(position.view(seat), chance))


@pytest.mark.parametrize(("preset", "face_up"), [("classic", True), ("qiang", False), ("contest", False)])
def test_a_guess_looks_to_its_seat_exactly_like_the_view(preset: str, face_up: bool) -> None:
    asked = 0
    for position, seat in questions(preset, 20, face_up=face_up):
        view = position.view(seat)
        guessed = guess(view, Chance(asked))
        assert guessed.view(seat) == view
        assert guessed.tiles() == position.tiles()
        asked += 1
    assert asked > 300


def test_guesses_differ_in_what_is_hidden_and_in_nothing_else() -> None:
    position, seat = next(
        (at, who) for at, who in questions("classic", 5) if at.landlord >= 0 and who != at.landlord
    )
    view = position.view(seat)
    guesses = [guess(view, Chance(number)) for number in range(30)]
    other = 3 - seat - position.landlord
    assert len({one.hands[other] for one in guesses}) > 25
    assert {one.hands[seat] for one in guesses} == {position.hands[seat]}


def test_the_landlord_still_holds_the_bottom_cards_he_has_not_played() -> None:
    checked = 0
    for position, seat in questions("classic", 12):
        landlord = position.landlord
        if landlord < 0 or landlord == seat:
            continue
        guessed = guess(position.view(seat), Chance(checked))
        played = sum(move.cards for move in position.history if move.seat == landlord)
        for rank in range(KINDS):
            surely = count_of(position.bottom, rank) - count_of(played, rank)
            assert count_of(guessed.hands[landlord], rank) >= surely
            checked += surely > 0
    assert checked > 50


def test_guessed_hands_explain_the_bidding() -> None:
    strong: list[int] = []
    weak: list[int] = []
    for position, seat in questions("classic", 30, bold=100):
        if position.landlord < 0 or seat == position.landlord or len(position.history) > 1:
            continue
        for number in range(4):
            guessed = guess(position.view(seat), Chance(number))
            for other in range(3):
                said = [action for who, action in position.bids if who == other]
                if other == seat or not said:
                    continue
                bottom = position.bottom if other == position.landlord else 0
                played = sum(move.cards for move in position.history if move.seat == other)
                points = strength(guessed.hands[other] + played - bottom)
                (strong if said[-1] == "bid 3" else weak).append(points)
    assert len(strong) > 30
    assert sum(strong) / len(strong) > sum(weak) / len(weak) + 2


@pytest.mark.parametrize("preset", sorted(GAME.presets))
def test_playouts_answer_as_the_normal_bot_does(preset: str) -> None:
    for position, seat in questions(preset, 12, bold=60):
        assert normal_policy(position, seat, Chance(0)) == normal_bot(position.view(seat), Random(0))


def some_questions(number: int) -> list[tuple[Position, int]]:
    """Return positions of different rounds that offer a choice, one of them in the bidding."""
    found: list[tuple[Position, int]] = []
    for position, seat in questions("classic", 4 * number):
        is_next = len(position.history) == 5 * len(found) and len(position.legal_actions(seat)) > 1
        if is_next and size_of(position.hands[seat]) > 3:
            found.append((position.clone(), seat))
        if len(found) == number:
            break
    return found


def test_the_hard_bot_answers_the_same_in_positions_its_seat_cannot_tell_apart() -> None:
    chosen = some_questions(4)
    assert [position.phase for position, _ in chosen] == ["bid", "play", "play", "play"]
    for position, seat in chosen:
        view = position.view(seat)
        other = guess(view, Chance(99))
        assert other.hands != position.hands
        answer = hard_bot(view, Chance(5))
        assert answer in view.legal
        assert hard_bot(other.view(seat), Chance(5)) == answer


def test_the_hard_bot_keeps_to_its_budget() -> None:
    found = [consider(position.view(seat), Chance(1)) for position, seat in some_questions(4)]
    assert len(found) == 4
    for one in found:
        assert 0 < one.plies <= PLAY_BUDGET.plies + CANDIDATES_MAX * 120
        assert sum(number for _, _, number in one.values) <= PLAY_BUDGET.playouts
        assert len(one.values) <= CANDIDATES_MAX


def test_the_hard_bot_goes_out_without_thinking() -> None:
    hands = [parse_cards("34567"), parse_cards("889"), parse_cards("TTJ")]
    view = in_play(CLASSIC, hands, 0, 0).view(0)
    assert consider(view, Chance(1)) == Found.at_once("play 34567")


def test_the_candidates_are_legal_and_begin_with_the_usual_play() -> None:
    for position, seat in questions("classic", 10):
        view = position.view(seat)
        if view.phase == "play" and len(view.legal) > 1:
            usual = normal_bot(view, Random(0))
            candidates = candidates_of(view, usual)
            assert candidates[0] == usual
            assert len(set(candidates)) == len(candidates) <= CANDIDATES_MAX
            assert set(candidates) <= set(view.legal)
            assert "pass" in candidates or "pass" not in view.legal


def test_easy_beats_random_and_normal_beats_easy() -> None:
    easy = duel(duel_deals(GAME, CLASSIC, GAME.bots["easy"], GAME.bots["random"], 30))
    assert easy.is_better
    assert easy.win_shares[0] > 2 * easy.win_shares[1]
    normal = duel(duel_deals(GAME, CLASSIC, GAME.bots["normal"], GAME.bots["easy"], 60))
    assert normal.is_better
    assert normal.win_shares[0] > 1.5 * normal.win_shares[1]
