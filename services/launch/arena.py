"""A match of bots: each round dealt fairly, recorded, and its record audited by scoring."""

from __future__ import annotations

import hmac
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from engine import GAMES, fair_deal
from engine.face import Game, Position
from engine.record import Record, RecordedAction, full_result
from services.chassis.ids import SeededIds
from services.launch.tally import Tally, rotated
from services.scoring.core.audit import audit_alone

STARTED_MS = 1_790_000_000_000
"""When every simulated round begins: the records of a seed are equal, byte for byte, on every day."""

ACTIONS_MAX = 2_000
"""A round has far fewer answers; one that reaches this is counted as not ended."""


@dataclass(frozen=True)
class Seating:
    """Who plays what."""

    game: str
    preset: str
    bots: tuple[str, ...]
    overrides: tuple[tuple[str, Any], ...] = ()
    """Options that differ from the preset."""


SELF_DRAWN = ("zimo", "gangkai", "bahua")
"""Ways to win, in the words of records, in which the winner drew the tile."""


class Chance:
    """What a bot may draw from: seeded."""

    def __init__(self, seed: str) -> None:
        self._ids = SeededIds(seed)

    def randrange(self, stop: int, /) -> int:
        """Return an integer from 0 to `stop - 1`."""
        return self._ids.below(stop)


def play_match(seating: Seating, number: int, rounds: int, secret: bytes) -> Tally:
    """Play the rounds of one seating and return what they add to the tally.

    Args:
        seating: Game, preset and bots.
        number: Of the match; the bots sit `number` seats further on.
        rounds: How many rounds.
        secret: 32 bytes from which everything in this match follows.
    """
    game = GAMES[seating.game]
    rules = game.ruleset(seating.preset, dict(seating.overrides))
    bots = rotated(seating.bots, number)
    tally = Tally()
    dealer, draws = 0, 0
    for round_no in range(1, rounds + 1):
        seed = hmac.digest(secret, b"round %d" % round_no, "sha256")
        round_id = f"simulated-{number}/{round_no}"
        if round_no == 1 or dealer < 0:
            dealer = fair_deal.draw_dealer(seed, round_id, [b""] * game.seats)
        record, is_kept = play_round(game, rules, bots, round_id, seed, dealer, draws)
        _count(tally, bots, record, is_kept)
        if record is None:
            break
        dealer, draws = record.result["dealer_next"], record.result["draws_in_row_next"]
    # Rounds that were to follow one that did not end count as not ended too.
    tally.rounds = rounds
    return tally


def play_round(
    game: Game, rules: Any, bots: tuple[str, ...], round_id: str, seed: bytes, dealer: int, draws_in_row: int
) -> tuple[Record | None, bool]:
    """Play one round to its end.

    Returns:
        Its record, or None if it did not end; and whether every position on the way held the whole deck.
    """
    deck = game.deck()
    nonces = [b""] * game.seats
    wall = [deck[place] for place in fair_deal.wall_order(seed, round_id, nonces, len(deck))]
    whole = Counter(deck)
    chance = Chance(round_id + seed.hex())
    position = game.deal(rules, wall, dealer, draws_in_row)
    is_kept = position.tiles() == whole
    actions: list[RecordedAction] = []
    while position.outcome() is None and len(actions) < ACTIONS_MAX:
        seat = position.to_act()[0]
        action = game.bots[bots[seat]](position.view(seat), chance)
        position.apply(seat, action)
        is_kept = is_kept and position.tiles() == whole
        actions.append(RecordedAction(seat, action, len(actions), "bot"))
    if position.outcome() is None:
        return None, is_kept
    return _recorded(game, rules, bots, round_id, seed, dealer, draws_in_row, actions, position), is_kept


def _recorded(
    game: Game,
    rules: Any,
    bots: tuple[str, ...],
    round_id: str,
    seed: bytes,
    dealer: int,
    draws_in_row: int,
    actions: list[RecordedAction],
    position: Position,
) -> Record:
    return Record(
        round_id=round_id,
        game=game.name,
        preset=f"{rules.preset}@{rules.version}",
        options=rules.as_json(),
        seats=tuple(f"bot:{bot}" for bot in bots),
        dealer=dealer,
        draws_in_row=draws_in_row,
        commitment=fair_deal.commit(round_id, seed).hex(),
        seed=seed.hex(),
        nonces=("-",) * game.seats,
        started_ms=STARTED_MS,
        actions=tuple(actions),
        result=full_result(game.name, rules, dealer, draws_in_row, position.outcome()),
    )


def _count(tally: Tally, bots: tuple[str, ...], record: Record | None, is_kept: bool) -> None:
    tally.rounds += 1
    tally.conservation_errors += not is_kept
    if record is None:
        return
    tally.ended += 1
    tally.actions += len(record.actions)
    result = record.result
    tally.zero_sum_errors += sum(result["points"]) != 0
    tally.draws += result["end"] == "draw"
    tally.self_draws += result["how"] in SELF_DRAWN
    for seat, points in enumerate(result["points"]):
        tally.points[bots[seat]] += points
        tally.squares[bots[seat]] += points * points
        tally.sat[bots[seat]] += 1
        if result["winners"]:
            tally.seated[bots[seat]] += 1
    tally.wins.update(bots[seat] for seat in result["winners"])
    if result["winners"]:
        tally.hows[result["how"]] += 1
    for win in _wins(result):
        tally.won += 1
        tally.names.update(win.names)
        tally.name_points.update(dict.fromkeys(win.names, win.points))
        tally.multipliers[win.multiplier] += 1
        tally.win_points[win.points] += 1
    verdict = audit_alone(record.text.encode())
    if not verdict.agreed:
        tally.disagreements += 1
        tally.disputed.append(f"{record.round_id}: {verdict.reason}")


class _Win(NamedTuple):
    names: tuple[str, ...]
    multiplier: int
    points: int


def _wins(result: Mapping[str, Any]) -> list[_Win]:
    """Return the wins of a round: one for each winner where they are told apart, one for a side that won."""
    points = result["points"]
    if "wins" in result:
        return [
            _Win(tuple(win["names"]), win["fan"] if "fan" in win else win["points"], points[win["seat"]])
            for win in result["wins"]
        ]
    if not result["winners"]:
        return []
    return [_Win(tuple(result["names"]), result["fan"], sum(points[seat] for seat in result["winners"]))]
