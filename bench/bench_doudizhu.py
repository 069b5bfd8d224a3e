"""How fast 斗地主 is, and how well its bots play, beside RLCard in the same run.

Run ``python -m bench.bench_doudizhu [--json] [--bots N]``. Speeds are per CPU second, the median of three
passes after one to warm up; *cold* is a first pass with empty tables. RLCard (``pip install rlcard``) is
measured if it is installed, and named as missing if it is not. Pin the process to one core for figures that
can be compared: ``taskset -c 0``.
"""

from __future__ import annotations

import argparse
import importlib
import json
import random
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

from engine.arena import shuffled
from engine.doudizhu import Doudizhu, parse_cards
from engine.doudizhu.cards import DECK, RANK_OF, format_cards, make_cards
from engine.doudizhu.plays import Book, book_of
from engine.doudizhu.readings import Wings
from engine.doudizhu.setup import in_play

PASSES = 3
GAME = Doudizhu()
TARGETS = {"rounds": 1_840, "leads": 25_000}
"""Per CPU second, uncompiled."""

MARKS = {"landlord": 0.94, "peasants": 0.96}
"""How often ``normal`` must win against uniform random."""

PLAYED_LIKE_RLCARD = {"adjacent_trio_wing": False}
"""With this option the plays are exactly those RLCard knows."""

Choose = Callable[[Any, int, random.Random], str]


def per_second(work: Callable[[], int]) -> float:
    """Return the units of work done per CPU second."""
    work()
    rates = []
    for _ in range(PASSES):
        start = time.process_time()
        units = work()
        rates.append(units / (time.process_time() - start))
    return statistics.median(rates)


def random_rounds(walls: Sequence[list[str]], seed: int) -> int:
    """Play whole rounds at random, bidding included, every legal action listed at every step."""
    rules = GAME.ruleset("classic")
    rng = random.Random(seed)
    ended = 0
    for number, wall in enumerate(walls):
        position = GAME.deal(rules, wall, number % 3)
        while position.outcome() is None:
            seat = position.to_act()[0]
            legal = position.legal_actions(seat)
            position.apply(seat, legal[int(rng.random() * len(legal))])
        ended += position.landlord >= 0
    return ended


def leads(book: Book, hands: Sequence[int]) -> int:
    """List the plays of hands that lead, sorted by text."""
    for hand in hands:
        plays = book.leads(hand)
        plays.sort()
    return len(hands)


def cold_leads(hands: Sequence[int]) -> float:
    """Return how many leads per CPU second begin with empty tables."""
    book = Book(Wings())
    start = time.process_time()
    return leads(book, hands) / (time.process_time() - start)


def rlcard_rounds(number: int, seed: int) -> int:
    """Play RLCard's bare game at random."""
    numpy = importlib.import_module("numpy")
    game = importlib.import_module("rlcard.games.doudizhu.game").DoudizhuGame()
    game.np_random = numpy.random.RandomState(seed)
    rng = random.Random(seed)
    for _ in range(number):
        state, _player = game.init_game()
        while not game.is_over():
            actions = state["actions"]
            state, _player = game.step(actions[int(rng.random() * len(actions))])
    return number


def rlcard_leads(hands: Sequence[str]) -> int:
    """List the plays of hands that lead by RLCard's judger."""
    judger = importlib.import_module("rlcard.games.doudizhu.judger").DoudizhuJudger
    for hand in hands:
        judger.playable_cards_from_hand(hand)
    return len(hands)


def by_bot(name: str) -> Choose:
    """Return a player that is one of our bots."""
    bot = GAME.bots[name]
    return lambda position, seat, rng: bot(position.view(seat), rng)


def by_rlcard_rules() -> Choose:
    """Return a player that is RLCard's ``doudizhu-rule-v1``."""
    numpy = importlib.import_module("numpy")
    agent = importlib.import_module("rlcard.models.doudizhu_rule_models").DouDizhuRuleAgentV1()

    def choose(position: Any, seat: int, rng: random.Random) -> str:
        numpy.random.seed(rng.randrange(2**31))
        words = [action.removeprefix("play ") for action in position.legal_actions(seat)]
        trace = [(move.seat, format_cards(move.cards) or "pass") for move in position.history]
        known = {"".join(sorted(word)): word for word in words}
        observed = {
            "trace": trace,
            "current_hand": format_cards(position.hands[seat]),
            "actions": words,
            "landlord": position.landlord,
            "self": seat,
        }
        chosen = str(agent.step({"raw_obs": observed}))
        # It writes a trio before its kicker; the same cards are meant.
        return "pass" if chosen == "pass" else f"play {known[''.join(sorted(chosen))]}"

    return choose


def landlord_wins(landlord: Choose, peasants: Choose, rounds: int, seed: int = 1) -> float:
    """Return how often the landlord wins: seat 0 with 20 cards, the same deals for every pair of players."""
    rules = GAME.ruleset("classic", PLAYED_LIKE_RLCARD)
    deals, rng = random.Random(seed), random.Random(seed + 1)
    deck = [RANK_OF[card] for card in DECK]
    wins = 0
    for _ in range(rounds):
        deals.shuffle(deck)
        hands = [make_cards(deck[:20]), make_cards(deck[20:37]), make_cards(deck[37:])]
        position = in_play(rules, hands, 0, 0)
        while (outcome := position.outcome()) is None:
            seat = position.turn
            position.apply(seat, (landlord if seat == 0 else peasants)(position, seat, rng))
        wins += outcome.last == 0
    return wins / rounds


def has_rlcard() -> bool:
    """Return whether the peer is installed."""
    try:
        importlib.import_module("rlcard.games.doudizhu.game")
    except ImportError:
        return False
    return True


def measure(scale: float = 1.0) -> dict[str, Any]:
    """Return the speeds, their targets and their ratios to RLCard in the same run."""
    rng = random.Random("bench doudizhu")
    walls = [shuffled(GAME.deck(), rng) for _ in range(max(1, int(1_500 * scale)))]
    hands = ["".join(shuffled(DECK, rng)[:20]) for _ in range(max(1, int(10_000 * scale)))]
    packed = [parse_cards(hand) for hand in hands]
    book = book_of(Wings())
    figures = {
        "leads_cold": cold_leads(packed),
        "leads": per_second(lambda: leads(book, packed)),
        "rounds": per_second(lambda: random_rounds(walls, 1)),
    }
    peers: dict[str, float] = {}
    if has_rlcard():
        few = [format_cards(hand) for hand in packed[: max(1, int(1_500 * scale))]]
        peers["rounds"] = per_second(lambda: rlcard_rounds(max(1, int(60 * scale)), 1))
        peers["leads"] = peers["leads_cold"] = per_second(lambda: rlcard_leads(few))
    return {
        name: {
            "per_cpu_second": round(figure),
            "target": TARGETS.get(name),
            "rlcard_per_cpu_second": round(peers[name]) if name in peers else None,
            "times_rlcard": round(figure / peers[name], 1) if name in peers else None,
        }
        for name, figure in figures.items()
    }


def compare_bots(rounds: int) -> dict[str, float]:
    """Return how often the first of each pair wins, as landlord and as peasants."""
    normal, easy, uniform = by_bot("normal"), by_bot("easy"), by_bot("random")
    pairs = {"random": uniform, "easy": easy}
    if has_rlcard():
        pairs["rlcard-rule-v1"] = by_rlcard_rules()
    shares = {}
    for name, other in pairs.items():
        shares[f"normal landlord, {name} peasants"] = landlord_wins(normal, other, rounds)
        shares[f"normal peasants, {name} landlord"] = 1 - landlord_wins(other, normal, rounds)
        shares[f"{name} landlord, {name} peasants: landlord"] = landlord_wins(other, other, rounds)
    return shares


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures; the exit code is 1 if a target or a mark was missed."""
    parser = argparse.ArgumentParser(prog="python -m bench.bench_doudizhu", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--scale", type=float, default=1.0, help="how much work, 1 by default")
    parser.add_argument(
        "--bots", type=int, default=0, metavar="N", help="compare the bots over N deals as well"
    )
    chosen = parser.parse_args(arguments)
    figures = measure(chosen.scale)
    shares = compare_bots(chosen.bots) if chosen.bots else {}
    missing = [] if has_rlcard() else ["rlcard"]
    write = sys.stdout.write
    if chosen.json:
        write(json.dumps({"game": "doudizhu", "figures": figures, "bots": shares, "missing": missing}) + "\n")
    else:
        write(f"{'work':<16}{'per CPU second':>16}{'target':>10}{'RLCard':>10}{'ratio':>8}\n")
        for name, row in figures.items():
            cells = (row["target"] or "-", row["rlcard_per_cpu_second"] or "-", row["times_rlcard"] or "-")
            write(f"{name:<16}{row['per_cpu_second']:>16,}{cells[0]:>10}{cells[1]:>10}{cells[2]:>8}\n")
        for name, share in shares.items():
            write(f"{name:<52}{share:>8.2%}\n")
        for name in missing:
            write(f"{name} is not installed, so nothing is measured against it\n")
    slow = any(figures[name]["per_cpu_second"] < target for name, target in TARGETS.items())
    weak = any(shares.get(f"normal {side}, random {other}", 1) < MARKS[side] for side, other in _SIDES)
    return int(slow or weak)


_SIDES = (("landlord", "peasants"), ("peasants", "landlord"))


if __name__ == "__main__":
    sys.exit(main())
