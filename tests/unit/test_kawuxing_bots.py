"""The bots of 卡五星: stronger kinds win more, and none knows what its view does not tell."""

import random
from typing import Any

import pytest

from engine.arena import duel, duel_deals, play_round, shuffled
from engine.kawuxing import hard as hard_module
from engine.kawuxing.actions import DISCARDED
from engine.kawuxing.game import Kawuxing
from engine.kawuxing.guess import guess
from engine.kawuxing.hard import BUDGET, hard_bot, ranking
from engine.kawuxing.hard_outlook import Outlook
from engine.kawuxing.hard_policy import playout_policy
from engine.kawuxing.normal_sight import unseen
from engine.mahjong.tiles import TILES, make_hand
from engine.search import Chance, playout, search

GAME = Kawuxing()
PRESETS = sorted(GAME.presets)


def asked_views(preset: str, rounds: int, bot: str = "normal") -> list[tuple[Any, Any]]:
    """Return positions of whole rounds with a view of a seat that is asked."""
    rules, rng = GAME.ruleset(preset), random.Random(preset)
    found = []
    for number in range(rounds):
        position = GAME.deal(rules, shuffled(GAME.deck(), rng), number % 3)
        while position.outcome() is None:
            seat = position.to_act()[-1]
            view = position.view(seat)
            found.append((position.clone(), view))
            position.apply(seat, GAME.bots[bot](view, rng))
    return found


@pytest.mark.parametrize(("one", "two", "deals"), [("easy", "random", 12), ("normal", "easy", 120)])
def test_the_better_kind_gains_points_with_confidence(one: str, two: str, deals: int) -> None:
    """Few deals, fixed ones: it finds a bot that became worse. `make bots` plays enough of them to judge."""
    rules = GAME.ruleset("shiyan")
    found = duel(duel_deals(GAME, rules, GAME.bots[one], GAME.bots[two], deals, seed=5))
    assert found.is_better, str(found)
    assert found.win_shares[0] > found.win_shares[1] + 0.05


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("bot", ["normal", "random"])
def test_a_guess_looks_like_the_view_and_can_be_played_out(preset: str, bot: str) -> None:
    for number, (position, view) in enumerate(asked_views(preset, 6, bot)):
        guessed = guess(view, Chance(number))
        assert guessed.view(view.seat) == view
        assert guessed.tiles() == position.tiles()
        for seat in guessed.to_act():
            assert guessed.legal_actions(seat)
        playout(guessed, playout_policy, Chance(number), 1_000)
        outcome = guessed.outcome()
        assert outcome is not None
        assert sum(outcome.points) == 0
        assert guessed.tiles() == position.tiles()


def test_guesses_differ_in_what_is_hidden_and_keep_revealed_waits() -> None:
    seen_kou = False
    for _, view in asked_views("suizhou", 25):
        if not view.reveal_order:
            continue
        one, two = guess(view, Chance(1)), guess(view, Chance(2))
        if view.wall_left > 5:
            assert one.wall != two.wall
        for seat, seen in enumerate(view.revealed):
            if seen is not None and seat != view.seat:
                seen_kou |= seen.hidden > 0
                assert one.view(seat).revealed[seat] == seen
    assert seen_kou


def other_truth(position: Any, seat: int, rng: random.Random) -> Any:
    """Return a position that differs in the wall and the hidden hands only."""
    other = guess(position.view(seat), Chance(rng.randrange(1 << 30)))
    assert other.hands != position.hands or other.wall != position.wall[position.at : position.end_at]
    return other


def test_the_hard_bot_is_blind_to_what_is_hidden_and_repeats_itself() -> None:
    rng = random.Random(4)
    views = [(position, view) for position, view in asked_views("seed004", 5) if len(view.legal) > 1]
    for position, view in rng.sample(views, 14):
        twin = other_truth(position, view.seat, rng)
        answer = hard_bot(view, Chance(9))
        assert answer in view.legal
        assert hard_bot(view, Chance(9)) == answer
        assert hard_bot(twin.view(view.seat), Chance(9)) == answer


@pytest.mark.plants
def test_the_hard_bot_keeps_its_budget_of_work(monkeypatch: pytest.MonkeyPatch) -> None:
    spent = []

    def counted(*arguments: Any) -> Any:
        found = search(*arguments)
        spent.append((found.plies, sum([number for _, _, number in found.values]), len(found.values)))
        return found

    monkeypatch.setattr(hard_module, "search", counted)
    for _, view in asked_views("seed004", 2):
        hard_bot(view, Chance(3))
    assert spent
    for plies, playouts, candidates in spent:
        assert playouts <= BUDGET.playouts + candidates
        assert plies <= BUDGET.plies + 80 * candidates


def test_only_one_sensible_answer_is_not_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*arguments: Any) -> Any:
        raise AssertionError("searched")

    monkeypatch.setattr(hard_module, "search", never)
    forced = [view for _, view in asked_views("seed004", 6) if len(view.legal) == 1 or "hu" in view.legal]
    assert forced
    for view in forced:
        assert hard_bot(view, Chance(1)) == ("hu" if "hu" in view.legal else view.legal[0])


@pytest.mark.parametrize("bot", ["easy", "normal", "hard"])
def test_nobody_feeds_a_revealed_wait_while_another_tile_is_at_hand(bot: str) -> None:
    checked = 0
    for _, view in asked_views("seed004", 12, "easy"):
        danger = 0
        for seat, seen in enumerate(view.revealed):
            if seen is not None and seat != view.seat:
                danger |= seen.waits
        discards = [action for action in view.legal if action.startswith("discard ")]
        safe = [action for action in discards if not danger >> parse(action) & 1]
        if not danger or not safe or len(safe) == len(discards) or checked > 12:
            continue
        checked += 1
        answer = GAME.bots[bot](view, Chance(2))
        if answer.startswith("discard "):
            assert answer in safe
    assert checked > 5


def parse(action: str) -> int:
    """Return the tile of a discard."""
    return DISCARDED[action]


def test_unseen_tiles_are_the_wall_and_the_hidden_hands() -> None:
    for position, view in asked_views("xiaogan", 5, "easy"):
        hidden = [0] * 34
        for tile in position.wall[position.at : position.end_at]:
            hidden[tile] += 1
        total = sum(hidden) + sum(
            [
                view.counts[seat] if seen is None else 3 * seen.hidden
                for seat, seen in enumerate(view.revealed)
                if seat != view.seat
            ]
        )
        left = unseen(view)
        assert sum(left) == total
        assert all(have >= need for have, need in zip(left, hidden, strict=True))


def test_the_expectation_of_a_hand_grows_with_live_waits_and_with_fan() -> None:
    rules = GAME.ruleset("seed004")
    rng = random.Random(12)
    position = GAME.deal(rules, shuffled(GAME.deck(), rng), 0)
    outlook = Outlook(position.view(0))

    def hand(text: str) -> int:
        return make_hand([TILES[text[at : at + 2]] for at in range(0, len(text), 2)])

    two_sided = outlook.value(hand("p1p2p3p4p5p6p7p8p9s2s2s4s5"), ())
    edge = outlook.value(hand("p1p2p3p4p5p6p7p8p9s2s2s8s9"), ())
    far = outlook.value(hand("p1p2p3p4p5p6p7p8p9s2s2s5s9"), ())
    pure = outlook.value(hand("p1p1p1p2p3p4p5p6p7p8p9p9p9"), ())
    assert pure > two_sided > far
    assert two_sided > edge


def test_a_round_of_four_kinds_ends_and_adds_up() -> None:
    rules = GAME.ruleset("suizhou")
    bots = [GAME.bots["hard"], GAME.bots["easy"], GAME.bots["normal"]]
    rng = random.Random(3)
    done = play_round(GAME, rules, shuffled(GAME.deck(), rng), 0, bots, rng)
    assert sum(done.outcome.points) == 0


def test_ranking_puts_the_best_expectation_first() -> None:
    for _, view in asked_views("seed004", 2):
        values = [value for value, _ in ranking(view, Chance(1))]
        assert [round(value, 6) for value in values] == sorted(
            [round(value, 6) for value in values], reverse=True
        )
