"""跑胡子: the easy bot has its rules of thumb, the hard bot guesses only what its view leaves open."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from engine import GAMES
from engine.arena import duel, duel_deals, shuffled
from engine.paohuzi.cards import CARD_TEXTS, distinct, kans_of, parse_card, parse_cards, quads_of
from engine.paohuzi.easy import easy_bot
from engine.paohuzi.guess import guess
from engine.paohuzi.hard import BUDGET, CANDIDATES_MAX, consider, hard_bot
from engine.paohuzi.hu import Laid
from engine.paohuzi.normal import normal_bot, normal_policy, ranking
from engine.paohuzi.position import Position
from engine.paohuzi.setup import SeatSetup, discard, draw, set_up
from engine.search import Chance, Found

GAME: Any = GAMES["paohuzi"]
RULES = GAME.ruleset("876cc")
NOBODY = SeatSetup(filler=20)


def questions(preset: str, rounds: int, bold: int = 80) -> Iterator[tuple[Position, int]]:
    """Yield every position and seat that is asked, in rounds played well for so many percent of the time."""
    rules = GAME.ruleset(preset)
    for number in range(rounds):
        chance = Chance(1000 + number)
        position = GAME.deal(rules, shuffled(GAME.deck(), chance), number % 3)
        while position.to_act():
            for seat in position.to_act():
                yield position, seat
            seat = position.to_act()[-1]
            view = position.view(seat)
            bot = normal_bot if chance.randrange(100) < bold else GAME.bots["random"]
            position.apply(seat, bot(view, chance))


@pytest.mark.parametrize("preset", sorted(GAME.presets))
def test_a_guess_looks_to_its_seat_exactly_like_the_view(preset: str) -> None:
    asked = 0
    for position, seat in questions(preset, 25):
        view = position.view(seat)
        guessed = guess(view, Chance(asked))
        assert guessed.view(seat) == view
        assert set(guessed.tiles().values()) == {4}
        asked += 1
    assert asked > 400


def test_a_question_about_the_first_card_is_guessed_as_well() -> None:
    found = 0
    for number in range(60):
        wall = shuffled(GAME.deck(), Chance(number))
        ready = parse_cards("s1s2s3b1b2b3b1b2b3s4s5s6b4b5b6s7s8s9b8b9")
        rest = [parse_card(text) for text in wall]
        for card in (*ready, parse_card("b10")):
            rest.remove(card)
        for at, dealer in ((0, 1), (20, 0)):
            dealt = [*rest[:at], *ready, *rest[at:40], parse_card("b10"), *rest[40:]]
            position = GAME.deal(RULES, [CARD_TEXTS[card] for card in dealt], dealer)
            if 1 in position.to_act():
                view = position.view(1)
                assert view.legal == ("hu", "pass")
                assert guess(view, Chance(number)).view(1) == view
                found += 1
    assert found > 100


def test_guesses_differ_in_what_is_hidden_and_in_nothing_else() -> None:
    position, seat = next(
        (at, who) for at, who in questions("876cc", 3) if who == 1 and len(at.view(1).rivers[0]) > 2
    )
    view = position.view(seat)
    guesses = [guess(view, Chance(number)) for number in range(40)]
    assert len({(one.hands[0], one.hands[2], one.wall) for one in guesses}) == 40
    assert {one.hands[1] for one in guesses} == {position.hands[1]}
    # Cards the true hand holds turn up in guesses about as often as any others that are out.
    true = distinct(position.hands[0])
    assert all(any(one.hands[0] >> 3 * card & 7 for one in guesses) for card in true)


def test_nobody_is_given_what_he_would_have_laid() -> None:
    seen = 0
    for position, seat in questions("876cc", 12):
        view = position.view(seat)
        gone = {card for river in view.rivers for card in river}
        guessed = guess(view, Chance(seen))
        for other in range(3):
            if other != seat and view.melds[0] + view.melds[1] + view.melds[2]:
                assert not gone & set(distinct(kans_of(guessed.hands[other])))
                assert not quads_of(guessed.hands[other])
                seen += 1
    assert seen > 300


@pytest.mark.parametrize("preset", sorted(GAME.presets))
def test_playouts_answer_as_the_normal_bot_does(preset: str) -> None:
    for position, seat in questions(preset, 8, bold=60):
        view = position.view(seat)
        answer = normal_bot(view, Random(0))
        assert normal_policy(position, seat, Chance(0)) == answer
        if "hu" not in view.legal:
            assert ranking(view)[0] == answer
            assert sorted(ranking(view)) == sorted(view.legal)


def some_questions(number: int) -> list[Any]:
    """Return views that offer a choice without 胡, from different rounds."""
    found, last = [], -1
    for position, seat in questions("876cc", 3 * number):
        view = position.view(seat)
        if len(view.legal) > 1 and "hu" not in view.legal and view.wall_left != last:
            last = view.wall_left
            found.append((position.clone(), seat))
    return found[:: max(1, len(found) // number)][:number]


def test_the_hard_bot_answers_the_same_in_positions_its_seat_cannot_tell_apart() -> None:
    for position, seat in some_questions(4):
        view = position.view(seat)
        other = guess(view, Chance(99))
        assert other.hands != position.hands or other.wall[other.at :] != position.wall[position.at :]
        answer = hard_bot(view, Chance(5))
        assert answer in view.legal
        assert hard_bot(other.view(seat), Chance(5)) == answer


def test_the_hard_bot_keeps_to_its_budget() -> None:
    found = [consider(position.view(seat), Chance(1)) for position, seat in some_questions(4)]
    assert len(found) == 4
    for one in found:
        assert 0 < one.plies <= BUDGET.plies + CANDIDATES_MAX * 200
        assert sum(number for _, _, number in one.values) <= BUDGET.playouts
        assert len(one.values) <= CANDIDATES_MAX


def test_the_hard_bot_wins_without_thinking() -> None:
    ready = seat_of("s4s5s6b8b8s8s7s8", "wei:b9b9b9", "peng:b3b3b3", "wei:b1b1b1", "chi:b4b5b6")
    position = set_up(RULES, [NOBODY, ready, NOBODY])
    draw(position, 0, parse_card("s9"))
    assert consider(position.view(1), Chance(1)) == Found.at_once("hu")


def seat_of(hand: str, *melds: str) -> SeatSetup:
    laid = [Laid(kind, parse_cards(cards)) for kind, cards in (meld.split(":") for meld in melds)]
    return SeatSetup(hand=parse_cards(hand), melds=laid)


def test_the_easy_bot_takes_what_scores_and_leaves_what_costs_more() -> None:
    scoring = seat_of("s2s7b1b2b3s4s5s6b5b5b8b8b8b9s9b6s6b10s9b4")
    position = set_up(RULES, [NOBODY, scoring, NOBODY])
    discard(position, 0, parse_card("s10"))
    assert easy_bot(position.view(1), Random(0)) == "chi s2s7s10"
    costly = seat_of("s3s4s5s5s6s7b1b2b3b2b7b10b8b8b8s1s2s3s10b5")
    position = set_up(RULES, [NOBODY, NOBODY, costly])
    discard(position, 0, parse_card("s5"))
    assert easy_bot(position.view(2), Random(0)) == "pass"


def test_the_easy_bot_wins_when_it_can_and_discards_what_fits_with_least() -> None:
    ready = seat_of("s4s5s6b8b8s8s7s8", "wei:b9b9b9", "peng:b3b3b3", "wei:b1b1b1", "chi:b4b5b6")
    position = set_up(RULES, [NOBODY, ready, NOBODY])
    draw(position, 0, parse_card("s9"))
    assert easy_bot(position.view(1), Random(0)) == "hu"
    loose = seat_of("s1s2s3b2b7b10s5s5s5b9b8b7s10s10b10b10s6s7s8b4s1")
    position = set_up(RULES, [loose, NOBODY, NOBODY])
    position.run(position.after(0))
    assert easy_bot(position.view(0), Random(0)) == "discard b4"


def test_easy_beats_random_and_normal_beats_easy() -> None:
    easy = duel(duel_deals(GAME, RULES, GAME.bots["easy"], GAME.bots["random"], 40))
    assert easy.is_better
    assert easy.win_shares[0] > 5 * easy.win_shares[1]
    normal = duel(duel_deals(GAME, RULES, GAME.bots["normal"], GAME.bots["easy"], 200))
    assert normal.is_better
    assert normal.win_shares[0] > 1.5 * normal.win_shares[1]
