"""The normal bot of 清混碰 collects what can win, and wins."""

from random import Random
from typing import Any

import pytest

from engine.arena import play_round, shuffled
from engine.mahjong.flowers import any_tile
from engine.mahjong.tiles import parse_tile
from engine.qinghunpeng.bot import fallback
from engine.qinghunpeng.flow_vectors import tiles_of_groups
from engine.qinghunpeng.game import Qinghunpeng
from engine.qinghunpeng.melds import Laid
from engine.qinghunpeng.normal import normal_bot
from engine.qinghunpeng.position import Position
from engine.qinghunpeng.setup import SeatSetup, set_up
from tests.support import qinghunpeng_tables as tables

GAME = Qinghunpeng()
IDLE = "m258 p147 s369 z1234"
ROUNDS = 48


def table(hands: tuple[str, ...], drawn: str, *melds: str, **options: Any) -> Position:
    """Return a position in which seat 0 acts; the melds are seat 1's."""
    laid = [Laid(kind, parse_tile(tile), 0) for kind, tile in (meld.split(":") for meld in melds)]
    seats = [
        SeatSetup(tiles_of_groups(hand), laid if seat == 1 else (), [parse_tile("z7")])
        for seat, hand in enumerate((*hands, IDLE, IDLE, IDLE)[:4])
    ]
    wall = [any_tile(text) for text in ["s9", "s8", "s7", "s5", "s4"]]
    return set_up(GAME.ruleset("seed000", options), seats, 0, wall=wall, drawn=parse_tile(drawn))


def answer(position: Position, seat: int) -> str:
    """Return the bot's answer; it must not need its source of chance."""
    return normal_bot(position.view(seat), Random(0))


def asked(hand: str, tile: str, *melds: str, **options: Any) -> str:
    """Return the bot's answer as seat 1 to a discard of seat 0."""
    position = table((f"m258 p147 s369 z123 z6 {tile}", hand), tile, *melds, **options)
    position.apply(0, f"discard {tile}")
    return answer(position, 1)


@pytest.mark.parametrize("preset", sorted(GAME.presets))
def test_it_wins_nearly_every_round_that_is_won_against_random_ones(preset: str) -> None:
    rules, rng = GAME.ruleset(preset), Random(preset)
    decided = wins = 0
    for number in range(ROUNDS):
        own = number % 4
        bots = [GAME.bots["normal" if seat == own else "random"] for seat in range(4)]
        done = play_round(GAME, rules, shuffled(GAME.deck(), rng), number // 4 % 4, bots, rng)
        decided += len(done.outcome.winners)
        wins += done.outcome.winners == (own,)
    assert decided > ROUNDS // 3
    assert wins > 0.9 * decided


def test_it_takes_a_win() -> None:
    assert asked("m12345678 m55 m123", "m9") == "hu"


def test_it_gives_up_the_suits_it_does_not_collect() -> None:
    position = table(("m112346789 z155 p5 s8",), "s8")
    assert answer(position, 0) in ("discard p5", "discard s8")


def test_it_keeps_pairs_of_every_suit_for_triplets() -> None:
    position = table(("m11 p2233 s55 s99 z11 z5 m8",), "m8")
    assert answer(position, 0) in ("discard z5", "discard m8")


def test_it_takes_a_run_that_brings_it_nearer() -> None:
    assert asked("m12456789 z11 z55 p9", "m3").startswith("chi m")


def test_it_leaves_a_run_of_a_suit_it_cannot_use() -> None:
    assert asked("m12 p123456789 z11", "m3") == "pass"


def test_it_leaves_a_pong_that_closes_every_pattern() -> None:
    assert asked("m44 m567 m78 z11 p9", "m4", "chi:m1") != "pass"
    assert asked("p44 m4567 m78 z11", "p4", "chi:m1") == "pass"


def test_it_takes_a_kong_that_costs_nothing() -> None:
    assert asked("z555 m12345678 m9 z1", "z5") == "gang ming z5"
    position = table(("z5555 m12345678 m9 z1",), "z5")
    assert answer(position, 0) == "gang an z5"


def test_it_does_not_break_runs_for_a_kong() -> None:
    position = table(("m2222 m1 m345 m678 z11 z5",), "z5")
    assert not answer(position, 0).startswith("gang")


def test_it_does_not_wait_for_a_fifth_copy() -> None:
    # Without m9 it would wait for m7, of which it owns all four; without m8 for m9 and z1.
    position = tables.table(
        ("m123345899 z11", IDLE, IDLE, IDLE), "m9", melds=(tables.laid("an:m7"), (), (), ())
    )
    assert answer(position, 0) == "discard m8"


def test_the_fallback_passes_discards_what_it_drew_and_else_the_least_worth() -> None:
    position = table((IDLE + " z6", "m12445 p2258 s258 z12"), "z6")
    assert fallback(position.view(0)) == "discard z6"
    position.apply(0, "discard z6")
    claim = table((IDLE + " m3", "m12456 p258 s258 z12"), "m3")
    claim.apply(0, "discard m3")
    assert fallback(claim.view(1)) == "pass"
    claim.apply(1, "chi m1")
    assert fallback(claim.view(1)) == "discard z2"
