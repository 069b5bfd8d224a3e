"""The bots play by their views alone, and the sensible one plays with sense."""

import math
import random
from typing import Any

import pytest

from engine import GAMES
from engine.arena import play_round, shuffled
from engine.paohuzi.bot import loose_worth
from engine.paohuzi.cards import CARD_TEXTS, distinct, loose_of, make_hand, parse_card, parse_cards
from engine.paohuzi.hu import Laid
from engine.paohuzi.normal import hand_value, normal_bot
from engine.paohuzi.setup import SeatSetup, discard, draw, set_up

GAME: Any = GAMES["paohuzi"]
RULES = GAME.ruleset("876cc")
NOBODY = SeatSetup(filler=20)
ROUNDS = 300


def wilson_low(wins: int, decided: int, z: float = 2.58) -> float:
    """Return the lower end of the 99 % interval of a share."""
    share = wins / decided
    middle = share + z * z / (2 * decided)
    spread = z * math.sqrt(share * (1 - share) / decided + z * z / (4 * decided * decided))
    return (middle - spread) / (1 + z * z / decided)


@pytest.mark.parametrize("preset", ["876cc", "luzhou-10xi", "bafang-yongzhou", "tongyi-qmt"])
def test_the_normal_bot_wins_far_more_than_its_third_against_random_ones(preset: str) -> None:
    rules = GAME.ruleset(preset)
    rng = random.Random(preset)
    decided = wins = 0
    for number in range(ROUNDS):
        sensible = number % 3
        bots = [GAME.bots["normal" if seat == sensible else "random"] for seat in range(3)]
        done = play_round(GAME, rules, shuffled(GAME.deck(), rng), (number // 3) % 3, bots, rng)
        decided += len(done.outcome.winners)
        wins += done.outcome.winners == (sensible,)
    assert decided > ROUNDS // 4
    assert wilson_low(wins, decided) > 2 / 3


def seat(hand: str, *melds: str) -> SeatSetup:
    laid = [Laid(kind, parse_cards(cards)) for kind, cards in (meld.split(":") for meld in melds)]
    return SeatSetup(hand=parse_cards(hand), melds=laid)


def answer(position: Any, at: int) -> str:
    """Return the sensible answer; the bot must not need its source of chance."""
    return normal_bot(position.view(at), random.Random(0))


def test_it_discards_what_fits_with_nothing() -> None:
    hand = "s1s2s3b2b7b10s5s5s5b9b8b7s10s10b10b10s6s7s8b4s1"
    position = set_up(RULES, [seat(hand), NOBODY, NOBODY])
    position.run(position.after(0))
    assert answer(position, 0) == "discard b4"


def test_it_takes_a_win() -> None:
    ready = seat("s4s5s6b8b8s8s7s8", "wei:b9b9b9", "peng:b3b3b3", "wei:b1b1b1", "chi:b4b5b6")
    position = set_up(RULES, [NOBODY, ready, NOBODY])
    draw(position, 0, parse_card("s9"))
    assert answer(position, 1) == "hu"


def test_it_eats_what_completes_a_scoring_meld() -> None:
    hand = "s2s7b1b2b3s4s5s6b5b5b8b8b8b9s9b6s6b10s9b4"
    position = set_up(RULES, [NOBODY, seat(hand), NOBODY])
    discard(position, 0, parse_card("s10"))
    assert "s2s7s10" in answer(position, 1)


def test_it_declines_a_claim_that_breaks_its_melds() -> None:
    # The pair of s5 is half of two runs; 碰 would leave four loose cards for one 息.
    hand = "s3s4s5s5s6s7b1b2b3b2b7b10b8b8b8s1s2s3s10b5"
    position = set_up(RULES, [NOBODY, NOBODY, seat(hand)])
    discard(position, 0, parse_card("s5"))
    assert "peng" in position.legal_actions(2)
    assert answer(position, 2) == "pass"


def test_it_values_melds_pairs_and_huxi() -> None:
    def value(cards: str) -> int:
        return hand_value(make_hand(parse_cards(cards)), 0, 15)

    assert value("s1s2s3") > value("s3s4s5") > value("s3s4s8") > value("s1s5s9")
    assert value("b1b2b3") > value("s1s2s3")
    assert value("b1b1b1") > value("b4b5b6")
    assert value("s8s8") > value("s8s3")


def test_the_fallback_passes_or_discards_the_least_card() -> None:
    position = set_up(RULES, [seat("s4s6b9b10" + "b1b1b1b2b2b3s8s8s9s10" + "b4b5b6b7s1s2"), NOBODY, NOBODY])
    draw(position, 0, parse_card("s5"))
    assert GAME.fallback(position.view(0)) == "pass"
    position.apply(0, "chi s4s5s6")
    loose = loose_of(position.hands[0])
    worth = {card: loose_worth(loose, card) for card in distinct(loose)}
    least = next(card for card in worth if worth[card] == min(worth.values()))
    assert GAME.fallback(position.view(0)) == f"discard {CARD_TEXTS[least]}"


@pytest.mark.parametrize(
    ("hand", "card", "worth"),
    [
        ("s1", "s1", 0),
        ("s1s1", "s1", 3),
        ("s1s2", "s1", 1),
        ("s1s2s3", "s2", 4),
        ("s1b1", "s1", 2),
        ("s2s7s10", "s7", 3),
    ],
)
def test_the_worth_of_a_loose_card(hand: str, card: str, worth: int) -> None:
    assert loose_worth(make_hand(parse_cards(hand)), parse_card(card)) == worth


def test_random_bots_use_only_the_chance_they_are_given() -> None:
    def play(seed: int) -> Any:
        rng = random.Random(seed)
        wall = shuffled(GAME.deck(), rng)
        return play_round(GAME, RULES, wall, 0, [GAME.bots["random"]] * 3, rng).actions

    assert play(1) == play(1)
    assert play(1) != play(2)
