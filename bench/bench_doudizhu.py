"""How fast 斗地主 is, and how well its bots play, beside RLCard and OpenSpiel in the same run.

Run ``python -m bench.bench_doudizhu [--json] [--bots N]``. Speeds are per CPU second, the median of three
passes after one to warm up; *cold* is a first pass with empty tables. The peers RLCard and OpenSpiel
(``make bench-peers``) are measured if they are installed, and named as missing if they are not. Pin the
process to one core for figures that can be compared: ``taskset -c 0``.
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
from engine.doudizhu.position import Position
from engine.doudizhu.readings import Wings
from engine.doudizhu.setup import in_play

PASSES = 3
GAME = Doudizhu()
TARGETS = {"leads": 25_000}
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


def bare_rounds(walls: Sequence[list[str]], seed: int) -> int:
    """Play the game that RLCard plays, at random: no bidding, nothing told, every legal play listed."""
    rules = GAME.ruleset("classic")
    rng = random.Random(seed)
    for wall in walls:
        cards = [RANK_OF[card] for card in wall]
        hands = [make_cards(cards[:20]), make_cards(cards[20:37]), make_cards(cards[37:])]
        position = in_play(rules, hands, 0, 0)
        while position.ended is None:
            seat = position.turn
            legal = position.legal_actions(seat)
            position.advance(seat, legal[int(rng.random() * len(legal))])
    return len(walls)


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


def openspiel_rounds(number: int, seed: int) -> int:
    """Play OpenSpiel's game at random, driven from Python, its bidding included."""
    game = importlib.import_module("pyspiel").load_game("dou_dizhu")
    rng = random.Random(seed)
    for _ in range(number):
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes = state.chance_outcomes()
                state.apply_action(outcomes[int(rng.random() * len(outcomes))][0])
            else:
                legal = state.legal_actions()
                state.apply_action(legal[int(rng.random() * len(legal))])
    return number


def openspiel_lead_states(number: int, seed: int) -> list[Any]:
    """Return states of OpenSpiel in which a landlord leads from 20 random cards."""
    game = importlib.import_module("pyspiel").load_game("dou_dizhu")
    rng = random.Random(seed)
    states = []
    for _ in range(number):
        state = game.new_initial_state()
        while state.is_chance_node():
            outcomes = state.chance_outcomes()
            state.apply_action(outcomes[int(rng.random() * len(outcomes))][0])
        # The highest bid ends the bidding.
        state.apply_action(max(state.legal_actions()))
        states.append(state)
    return states


def openspiel_leads(states: Sequence[Any]) -> int:
    """List the plays of states that lead."""
    for state in states:
        state.legal_actions()
    return len(states)


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


def has(module: str) -> bool:
    """Return whether a peer is installed."""
    try:
        importlib.import_module(module)
    except ImportError:
        return False
    return True


def has_rlcard() -> bool:
    """Return whether RLCard is installed."""
    return has("rlcard.games.doudizhu.game")


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
        "bare_rounds": per_second(lambda: bare_rounds(walls, 1)),
    }
    peers: dict[str, dict[str, float]] = {"rlcard": {}, "openspiel": {}}
    if has_rlcard():
        few = [format_cards(hand) for hand in packed[: max(1, int(1_500 * scale))]]
        rounds, plays = (
            per_second(lambda: rlcard_rounds(max(1, int(60 * scale)), 1)),
            per_second(lambda: rlcard_leads(few)),
        )
        peers["rlcard"] = {"rounds": rounds, "bare_rounds": rounds, "leads": plays, "leads_cold": plays}
    if has("pyspiel"):
        states = openspiel_lead_states(max(1, int(2_000 * scale)), 1)
        rounds, plays = (
            per_second(lambda: openspiel_rounds(max(1, int(1_500 * scale)), 1)),
            per_second(lambda: openspiel_leads(states)),
        )
        peers["openspiel"] = {"rounds": rounds, "bare_rounds": rounds, "leads": plays, "leads_cold": plays}
    table: dict[str, Any] = {}
    for name, figure in figures.items():
        table[name] = {"per_cpu_second": round(figure), "target": TARGETS.get(name)}
        for peer, speeds in peers.items():
            table[name][f"{peer}_per_cpu_second"] = round(speeds[name]) if speeds else None
            table[name][f"times_{peer}"] = round(figure / speeds[name], 2) if speeds else None
    return table


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
    missing = [name for name in ("rlcard", "pyspiel") if not has(name)]
    write = sys.stdout.write
    if chosen.json:
        write(json.dumps({"game": "doudizhu", "figures": figures, "bots": shares, "missing": missing}) + "\n")
    else:
        write(f"the engine is {'compiled' if hasattr(Position, '__mypyc_attrs__') else 'plain Python'}\n")
        heads = f"{'target':>8}{'RLCard':>9}{'times':>8}{'OpenSpiel':>11}{'times':>8}"
        write(f"{'work':<14}{'per CPU s':>11}{heads}\n")
        for name, row in figures.items():
            cells = [row[f"{peer}_per_cpu_second"] for peer in ("rlcard", "openspiel")]
            times = [row[f"times_{peer}"] for peer in ("rlcard", "openspiel")]
            write(f"{name:<14}{row['per_cpu_second']:>11,}{row['target'] or '-':>8}")
            write(f"{cells[0] or '-':>9}{times[0] or '-':>8}{cells[1] or '-':>11}{times[1] or '-':>8}\n")
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
